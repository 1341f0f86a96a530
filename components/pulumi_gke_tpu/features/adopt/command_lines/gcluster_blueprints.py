"""Blueprints of Cluster Toolkit: the modules for TPU clusters, with the variables of the deployment file."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.findings.emit import emit
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.adopt.command_lines.blueprint_settings import (
    ADDONS,
    CLUSTER_EXTRA,
    CLUSTER_KEYS,
    CLUSTER_LEFT,
    MODULES_LEFT,
    POOL_KEYS,
    POOL_LEFT,
)
from pulumi_gke_tpu.features.adopt.command_lines.blueprint_values import BlueprintValues, DeploymentValue
from pulumi_gke_tpu.features.adopt.command_lines.draft import Draft, SliceType
from pulumi_gke_tpu.features.adopt.command_lines.table import Became, OptionRow, Problem
from pulumi_gke_tpu.features.adopt.command_lines.tpu_types import NoSliceError, gcluster_slice

_NETWORK = lazy_pattern(r"\$\((?P<module>[\w-]+)\.instance_additional_networks\)\Z", re.ASCII)
_TIME = lazy_pattern(r"([01]\d|2[0-3]):[0-5]\d\Z", re.ASCII)
_SECRET = lazy_pattern(
    r"pass(?:word|wd|phrase)|secret|token|credential|(?:api|access|auth|private)[_-]?key", re.ASCII | re.IGNORECASE
)
"""Names of variables and settings whose values are not shown."""
_HIDDEN: Final = "(not shown)"
_DAY: Final = "2026-01-01"
"""The first day of a daily window; any day in the past means the same."""
_LONGEST = 200


_NO_CLUSTER = "no module gke-cluster or pre-existing-gke-cluster"
_NO_NAME = "gives its cluster no known name: set name_suffix, or cluster_name of an existing one"


class Blueprint:
    """One blueprint with its variables."""

    def __init__(self, draft: Draft, file: str, data: Mapping[str, Any], variables: Mapping[str, Any]) -> None:
        self.draft = draft
        self.file = file
        self.variables = {**mapping(data.get("vars")), **{k: v for k, v in variables.items() if v is not None}}
        self.values = BlueprintValues(self.variables)
        self.networks: dict[str, str] = {}
        """The module of a network -> the key that it became."""
        self.modules: dict[str, tuple[str, Mapping[str, Any], Sequence[str]]] = {}
        for group in items(data.get("deployment_groups")):
            for entry in map(mapping, items(mapping(group).get("modules"))):
                source = str(entry.get("source", "")).partition("?")[0].rstrip("/").rpartition("/")[2]
                names = [str(name) for name in items(entry.get("use"))]
                if entry.get("id"):
                    self.modules[str(entry["id"])] = (source, mapping(entry.get("settings")), names)
                else:
                    self._problem(f"the module with source {printable(source, _LONGEST)!r} has no `id`", "id: NAME")

    def read(self) -> None:
        """Add the cluster, its node pools and what is installed to the plan."""
        project = self._variable("project_id", "project")
        if self.draft.project not in ("", project):
            self._problem("a plan has one project, and an earlier blueprint has another one")
        self.draft.project = project or self.draft.default_project
        self.region = self._variable("region", "region")
        self.zone = self._variable("zone", "zone")
        if not self.draft.project or not self.region or not self.zone:
            return
        clusters = [
            name
            for name, (source, _, _) in self.modules.items()
            if source in ("gke-cluster", "pre-existing-gke-cluster")
        ]
        nameless = [name for name in clusters if not self._name_of(name)]
        if nameless or not clusters:
            nothing = f"module {nameless[0]} {_NO_NAME}" if nameless else _NO_CLUSTER
            self._problem(nothing)
            return
        for name in clusters:
            self._cluster(name)
        for name, (source, settings, _) in self.modules.items():
            if source in (
                "gke-cluster",
                "pre-existing-gke-cluster",
                "gke-node-pool",
                "kubectl-apply",
                "resource-policy",
            ):
                continue
            reason = MODULES_LEFT.get(source)
            if source == "vpc":
                self._vpc(name, settings)
            else:
                self._row(name, "(module)", source, "left out", reason=reason or "gke-tpu does not know this module")
        for variable in self.variables:
            if variable in _PLACES:
                continue
            became: Became = "derived" if variable in self.values.used else "left out"
            reason = (
                "the settings that use it are in this table" if variable in self.values.used else "no setting uses it"
            )
            self._row("vars", variable, self.variables[variable], became, reason=reason)

    def _name_of(self, module: str) -> str:
        """The name of a cluster; empty if the blueprint states none, or only a deployment knows it."""
        values = {name: self._resolved(value) for name, value in self.modules[module][1].items()}
        prefix = self._resolved(self.variables.get("deployment_name"))
        prefix = prefix if values.get("prefix_with_deployment_name", True) else ""
        parts = [part for part in (prefix, values.get("name_suffix")) if part]
        if self.modules[module][1].get("cluster_name"):
            parts = [values["cluster_name"]]
        unknown = any(part is None or isinstance(part, DeploymentValue) for part in parts)
        return "" if unknown else "-".join(map(str, parts))

    def _cluster(self, module: str) -> None:
        self.module = module
        source, settings, uses = self.modules[module]
        values = {name: self._resolved(value) for name, value in settings.items()}
        self.cluster = self._name_of(module)
        put = self.draft.put
        if source == "pre-existing-gke-cluster":
            path = f"projects/{self.draft.project}/locations/{self.region}/clusters/{self.cluster}"
            put(self.cluster, "existing", path)
            put(self.cluster, "mode", "standard")
            for name, value in values.items():
                self._row(module, name, value, "key", key=f"clusters.{self.cluster}.existing")
        else:
            put(self.cluster, "mode", "standard")
            put(self.cluster, "location", self.region)
            put(self.cluster, "release_channel", str(values.get("release_channel", "none")).lower())
            if self.draft.clusters[self.cluster]["release_channel"] == "unspecified":
                put(self.cluster, "release_channel", self.draft.catalog.other_tools.gcluster.release_channel)
            if values.get("enable_private_nodes") is not False:
                put(self.cluster, "private_nodes", True)
            self._network(uses)
            for name, value in values.items():
                self._cluster_setting(module, name, value)
        for name, (kind, pool, used) in self.modules.items():
            if kind == "gke-node-pool" and (module in used or len(self.modules) == 1):
                self._pool(name, pool, used)
        for name, (kind, install, used) in self.modules.items():
            if kind == "kubectl-apply" and module in used:
                self._install(name, install)

    def _network(self, uses: Sequence[str]) -> None:
        for name in uses:
            source, settings, _ = self.modules.get(name, ("", {}, ()))
            if source != "vpc":
                continue
            self.networks[name] = f"clusters.{self.cluster}.network.create"
            keys: dict[str, Any] = {"subnet": self._first_subnet(settings)}
            ranges = self._resolved(settings.get("secondary_ranges_list"))
            for entry in items(ranges):
                parts = mapping(entry).get("ranges")
                for part in items(parts):
                    if mapping(part).get("range_name") in ("pods", "services"):
                        keys[part["range_name"]] = part.get("ip_cidr_range")
            mtu = self._resolved(settings.get("mtu"))
            if isinstance(mtu, int):
                keys["mtu"] = mtu
            known = {name: value for name, value in keys.items() if value and not isinstance(value, DeploymentValue)}
            self.draft.put(self.cluster, "network.create", known or True)

    def _first_subnet(self, settings: Mapping[str, Any]) -> Any:
        """The range of the first subnetwork of a network."""
        subnets = self._resolved(settings.get("subnetworks"))
        return mapping(next(iter(items(subnets)), None)).get("subnet_ip")

    def _vpc(self, module: str, settings: Mapping[str, Any]) -> None:
        key = self.networks.get(module, "")
        for name, value in settings.items():
            if name not in ("subnetworks", "secondary_ranges_list", "mtu"):
                self._row(module, name, value, "left out", reason="gke-tpu names its networks and their rules itself")
            elif _is_of_deployment(self._resolved(value)):
                self._row(module, name, value, "left out", reason=_OF_DEPLOYMENT)
            elif key:
                self._row(module, name, value, "key", key=key)
            else:
                self._row(module, name, value, "left out", reason="no cluster that the blueprint creates uses it")

    def _cluster_setting(self, module: str, name: str, value: Any) -> None:
        if _is_of_deployment(value) and name != "additional_networks":
            self._row(module, name, value, "left out", reason=_OF_DEPLOYMENT)
        elif name in ADDONS:
            if value is True:
                self.draft.put(self.cluster, "addons", [ADDONS[name]])
                self._row(module, name, value, "key", key=f"clusters.{self.cluster}.addons")
            else:
                self._row(module, name, value, "left out", reason="it is off")
        elif name in CLUSTER_KEYS:
            self._set(module, name, CLUSTER_KEYS[name], value)
        elif name in CLUSTER_EXTRA:
            self._set(module, name, CLUSTER_EXTRA[name], value)
        elif name in CLUSTER_LEFT:
            self._row(module, name, value, "left out", reason=CLUSTER_LEFT[name])
        elif name in self._settings:
            self._settings[name](self, module, name, value)
        else:
            self._row(module, name, value, "left out", reason=_NO_KEY)

    def _set(self, module: str, name: str, path: str, value: Any) -> None:
        """Set a key; the table shows what the blueprint states."""
        stated = self._resolved(self.modules[module][1].get(name))
        if value is None:
            self._row(module, name, stated, "left out", reason="it is the default")
            return
        self.draft.put(self.cluster, path, value)
        became: Became = "extra" if path.startswith("extra.") else "key"
        self._row(module, name, stated, became, key=f"clusters.{self.cluster}.{path}")

    def _part(self, module: str, name: str, value: Any) -> None:
        self._row(module, name, value, "key", key=f"clusters.{self.cluster}.release_channel")

    def _named(self, module: str, name: str, value: Any) -> None:
        self._row(module, name, value, "key", key=f"clusters.{self.cluster}")

    def _prefix(self, module: str, name: str, value: Any) -> None:
        version = str(value).rstrip(".")
        if "min_version" in self.draft.clusters[self.cluster] or not version:
            self._row(module, name, value, "left out", reason="min_master_version states the version")
        else:
            self._set(module, name, "min_version", version)

    def _authorized(self, module: str, name: str, value: Any) -> None:
        ranges = {}
        for index, entry in enumerate(items(value), 1):
            block = mapping(entry).get("cidr_block")
            if block:
                ranges[str(mapping(entry).get("display_name") or f"range-{index}")] = block
        if ranges:
            self._set(module, name, "control_plane.authorized_networks", ranges)
        else:
            self._row(module, name, value, "left out", reason="it has no ranges")

    def _system_count(self, module: str, name: str, value: Any) -> None:
        counts = mapping(value)
        for theirs, ours in (("total_min_nodes", "min_nodes"), ("total_max_nodes", "max_nodes")):
            if isinstance(counts.get(theirs), int):
                self.draft.put(self.cluster, f"system_pool.{ours}", counts[theirs])
        self._row(module, name, value, "key", key=f"clusters.{self.cluster}.system_pool.{{min_nodes,max_nodes}}")

    def _pathways(self, module: str, name: str, value: Any) -> None:
        if value is not True:
            self._row(module, name, value, "left out", reason="it is off")
            return
        pool = self.draft.catalog.other_tools.xpk.pathways_pool
        keys = {"machine_type": pool.machine_type, "min_nodes": pool.min_nodes, "max_nodes": pool.max_nodes}
        self._set(module, name, f"cpu_pools.{pool.name}", {**keys, "zones": [self.zone]})

    def _exclusions(self, module: str, name: str, value: Any) -> None:
        found = {}
        for entry in items(value):
            item = mapping(entry)
            keys: dict[str, Any] = {"start": item.get("start_time")}
            if item.get("exclusion_end_time_behavior") == "UNTIL_END_OF_SUPPORT":
                keys["end_of_support"] = True
            elif item.get("end_time"):
                keys["end"] = item["end_time"]
            keys["scope"] = str(item.get("exclusion_scope", "")).lower()
            found[str(item.get("name", "exclusion"))] = keys
        if found:
            self._set(module, name, "maintenance.exclusions", found)
            self._daily_window(self.draft.catalog.other_tools.gcluster.maintenance_start)
        else:
            self._row(module, name, value, "left out", reason="there is none")

    def _window(self, module: str, name: str, value: Any) -> None:
        if isinstance(value, str) and _TIME.match(value):
            self._daily_window(value)
            self._row(module, name, value, "key", key=f"clusters.{self.cluster}.maintenance.window")
        else:
            self._problem(f"module {printable(module)}: maintenance_start_time is not a time such as 09:00")

    def _daily_window(self, start: str) -> None:
        facts = self.draft.catalog.other_tools.gcluster
        stated = self.modules[self.module][1].get("maintenance_start_time")
        start = stated if isinstance(stated, str) and _TIME.match(stated) else start
        window = {"start": f"{_DAY}T{start}:00Z", "duration": facts.maintenance_duration, "recurrence": "FREQ=DAILY"}
        self.draft.put(self.cluster, "maintenance.window", window)

    def _additional(self, module: str, name: str, value: Any) -> None:
        match = _NETWORK.match(value.text) if isinstance(value, DeploymentValue) else None
        other = match["module"] if match else ""
        network = self.modules.get(other)
        if network is None or network[0] != "vpc":
            self._row(module, name, value, "left out", reason=_OF_DEPLOYMENT)
            return
        subnet = self._first_subnet(network[1])
        keys = {"subnet": subnet} if subnet and not isinstance(subnet, DeploymentValue) else {}
        self.networks[other] = f"clusters.{self.cluster}.additional_networks.{other}"
        self._set(module, name, f"additional_networks.{other}", keys)

    def _identity(self, module: str, name: str, value: Any) -> None:
        if value is not True:
            self._row(module, name, value, "left out", reason="it is off")
            return
        usual = self.draft.catalog.other_tools.gcluster.kubernetes_account
        account = self._resolved(self.modules[module][1].get("k8s_service_account_name")) or usual
        self._set(module, name, f"kubernetes.service_accounts.{account}", {"google": "create"})

    def _namespace(self, module: str, name: str, value: Any) -> None:
        if value in (None, "default"):
            self._row(module, name, value, "left out", reason="it is the default")
        else:
            self._set(module, name, "kubernetes.namespace", value)

    _settings: ClassVar[Mapping[str, Callable[["Blueprint", str, str, Any], None]]] = {
        "release_channel": _part,
        "name_suffix": _named,
        "prefix_with_deployment_name": _named,
        "cluster_name": _named,
        "version_prefix": _prefix,
        "master_authorized_networks": _authorized,
        "system_node_pool_node_count": _system_count,
        "enable_pathways_for_tpus": _pathways,
        "maintenance_exclusions": _exclusions,
        "maintenance_start_time": _window,
        "additional_networks": _additional,
        "configure_workload_identity_sa": _identity,
        "namespace": _namespace,
    }

    # Node pools.

    def _pool(self, module: str, settings: Mapping[str, Any], uses: Sequence[str]) -> None:
        values = {name: self._resolved(value) for name, value in settings.items()}
        policies = [name for name in uses if self.modules.get(name, ("",))[0] == "resource-policy"]
        kind = self._kind(module, values, policies)
        if kind is None:
            return
        count = values.get("num_slices", 1)
        if not isinstance(count, int) or isinstance(count, bool):
            self._problem(f"module {printable(module)}: num_slices is not a number")
            return
        shape = {"tpu": kind.generation, "slicing": "dynamic"} if self._makes_cubes(policies) else kind.keys
        keys = shape | {"zone": self._zone_of(values)} | self._count(kind, values, count) | self._capacity(values)
        self.group = str(values.get("name") or module)
        self.draft.put(self.cluster, ("slices", self.group), keys)
        for name, value in values.items():
            if name == "static_node_count" and _is_scaled(values):
                key = f"clusters.{self.cluster}.slices.{self.group}.count"
                self._row(module, name, value, "key", key=key, reason=_SCALED)
            else:
                self._pool_setting(module, name, value)
        for policy in policies:
            for setting, value in self.modules[policy][1].items():
                self._row(policy, setting, value, "derived", reason="gke-tpu creates the policy of the slices")

    def _workload_policy(self, module: str) -> Mapping[str, Any]:
        return mapping(self._resolved(self.modules[module][1].get("workload_policy")))

    def _makes_cubes(self, policies: Sequence[str]) -> bool:
        """Whether the policy of a node pool leaves it to the slice controller to form slices."""
        mode = self.draft.catalog.kubernetes.pods.dynamic_slices.mode
        modes = (self._workload_policy(policy).get("accelerator_topology_mode") for policy in policies)
        return any(str(given).upper() == mode for given in modes)

    def _kind(self, module: str, values: Mapping[str, Any], policies: Sequence[str]) -> SliceType | None:
        """The slices of a node pool; None for CPUs, and with a problem."""
        topology = mapping(values.get("placement_policy")).get("tpu_topology")
        for policy in policies:
            topology = topology or self._workload_policy(policy).get("accelerator_topology")
        machine = str(values.get("machine_type") or "")
        try:
            return gcluster_slice(self.draft.catalog, machine, str(topology or ""))
        except NoSliceError as error:
            if machine and (topology or self._chips_of(machine)):
                self._problem(f"module {printable(module)}: {error}")
            elif not machine:
                self._problem(f"module {printable(module)}: machine_type has no value")
            else:
                self._row(module, "(module)", machine, "left out", reason="it has no TPUs; `cpu_pools` has CPUs")
        return None

    def _count(self, kind: SliceType, values: Mapping[str, Any], count: int) -> dict[str, Any]:
        """The number of slices, from numbers of slices and of hosts."""
        chips = self._chips_of(str(values.get("machine_type"))) or kind.chips
        hosts = max(kind.chips // chips, 1)
        static = values.get("static_node_count")
        if hosts == 1 and isinstance(static, int) and not isinstance(static, bool):
            count *= static
        most = next((values[name] for name in _MOST if isinstance(values.get(name), int)), None)
        if most is None and _is_scaled(values):
            return {"count": {"min": 0, "max": count}}
        if most is None:
            return {"count": count} if count > 1 else {}
        least = next((values[name] for name in _LEAST if isinstance(values.get(name), int)), 0)
        return {"count": {"min": least // hosts * count, "max": max(most // hosts, 1) * count}}

    def _chips_of(self, machine: str) -> int:
        for name in self.draft.catalog.generation_names:
            found = self.draft.catalog.generation(name).machine_types.get(machine)
            if found:
                return found.chips
        return 0

    def _zone_of(self, values: Mapping[str, Any]) -> str:
        zones = values.get("zones")
        return str(zones[0]) if isinstance(zones, list) and zones else self.zone

    def _capacity(self, values: Mapping[str, Any]) -> dict[str, Any]:
        flex = values.get("enable_flex_start") is True
        queued = values.get("enable_queued_provisioning") is True
        seconds = values.get("max_run_duration")
        if flex:
            keys: dict[str, Any] = {"max_run_duration": f"{seconds}s"} if isinstance(seconds, int) else {}
            if queued:
                keys["queued"] = True
            return {"capacity": {"flex_start": keys} if keys else "flex_start"}
        if queued:
            return {"capacity": "queued"}
        if values.get("spot") is True:
            return {"capacity": "spot"}
        specific = mapping(values.get("reservation_affinity")).get("specific_reservations")
        first = mapping(next(iter(items(specific)), None))
        if first.get("name"):
            parts = {key: first[key] for key in ("name", "project") if first.get(key)}
            return {"capacity": {"reservation": parts if len(parts) > 1 else first["name"]}}
        return {}

    def _pool_setting(self, module: str, name: str, value: Any) -> None:
        below = f"clusters.{self.cluster}.slices.{self.group}"
        if name in _POOL_PARTS:
            self._row(module, name, value, "key", key=f"{below}.{_POOL_PARTS[name]}" if _POOL_PARTS[name] else below)
        elif name in POOL_LEFT:
            self._row(module, name, value, "left out", reason=POOL_LEFT[name])
        elif name == "additional_networks":
            match = _NETWORK.match(value.text) if isinstance(value, DeploymentValue) else None
            networks = self.draft.clusters[self.cluster].get("additional_networks", {})
            if match and match["module"] in networks:
                path = ("slices", self.group, "additional_networks")
                self.draft.put(self.cluster, path, [{"name": match["module"]}])
                self._row(module, name, value, "key", key=f"{below}.additional_networks")
            else:
                self._row(module, name, value, "left out", reason=_OF_DEPLOYMENT)
        elif _is_of_deployment(value):
            self._row(module, name, value, "left out", reason=_OF_DEPLOYMENT)
        elif name == "host_maintenance_interval" and value:
            keys = {"interval": str(value).lower()}
            self.draft.put(self.cluster, ("slices", self.group, "host_maintenance"), keys)
            self._row(module, name, value, "key", key=f"{below}.host_maintenance")
        elif name in POOL_KEYS or name == "host_maintenance_interval":
            if value in (None, ""):
                self._row(module, name, value, "left out", reason="it is the default")
            else:
                self.draft.put(self.cluster, ("slices", self.group, *POOL_KEYS[name].split(".")), value)
                self._row(module, name, value, "key", key=f"{below}.{POOL_KEYS[name]}")
        else:
            self._row(module, name, value, "left out", reason=_NO_KEY)

    def _install(self, module: str, settings: Mapping[str, Any]) -> None:
        below = f"clusters.{self.cluster}.kubernetes"
        groups = self.draft.clusters[self.cluster].get("slices", {})
        for name, setting in settings.items():
            operator = mapping(self._resolved(setting))
            if name not in ("kueue", "jobset", "cert_manager"):
                self._row(module, name, setting, "left out", reason="apply these manifests yourself")
                continue
            if name == "cert_manager" or operator.get("install") is not True:
                reason = "Kueue and JobSet do not need it" if name == "cert_manager" else "it is off"
                for key, value in operator.items():
                    self._row(module, f"{name}.{key}", value, "left out", reason=reason)
                continue
            self.draft.put(self.cluster, f"kubernetes.operators.{name}", {})
            queue = self.draft.catalog.other_tools.gcluster.queue if name == "kueue" and groups else ""
            for key, value in operator.items():
                if key == "install":
                    self._row(module, f"{name}.{key}", value, "key", key=f"{below}.operators.{name}")
                elif key == "version" and isinstance(value, str):
                    self.draft.put(self.cluster, f"kubernetes.operators.{name}.version", value.removeprefix("v"))
                    self._row(module, f"{name}.{key}", value, "key", key=f"{below}.operators.{name}.version")
                elif queue and key in ("config_path", "config_template_vars"):
                    reason = f"the queue {queue} holds every slice; a template of your own has to become `queues`"
                    self._row(module, f"{name}.{key}", value, "key", key=f"{below}.queues", reason=reason)
                else:
                    self._row(module, f"{name}.{key}", value, "left out", reason="gke-tpu chooses it")
            if queue:
                chips = {group: self.draft.chips_of(keys) for group, keys in groups.items()}
                self.draft.put(self.cluster, ("kubernetes", "queues", queue), {"chips": chips})

    # Values.

    def _variable(self, name: str, what: str) -> str:
        given = {"zone": self.draft.default_zone, "project_id": self.draft.default_project}
        value = self._resolved(self.variables.get(name)) or given.get(name)
        if not isinstance(value, str) or not value:
            self._problem(f"the variable {name} has no value", "add the deployment file with the variables")
            return ""
        self._row("vars", name, value, "key", key=_PLACES[name])
        return value

    def _resolved(self, value: Any) -> Any:
        return self.values.resolved(value)

    def _row(self, module: str, option: str, value: object, became: Became, *, key: str = "", reason: str = "") -> None:
        shown = self._shown(option, value)
        self.draft.rows.append(
            OptionRow(
                printable(module, _LONGEST),
                printable(option, _LONGEST),
                printable(shown, _LONGEST),
                became,
                printable(key, _LONGEST),
                reason,
                self.file,
            )
        )

    def _shown(self, option: str, value: Any) -> str:
        """A value as text, without what can be a secret by its name."""
        secret = [text for name, text in self.variables.items() if _SECRET.search(str(name)) and isinstance(text, str)]
        known = _without_secrets(option, value)
        text = (emit(known) if isinstance(known, dict | list) else "") or ("" if value is None else str(known))
        return _HIDDEN if any(part and part in text for part in secret) else text

    def _problem(self, message: str, fix: str = "") -> None:
        self.draft.problems.append(Problem(message, self.file, 0, 0, fix))


_LEAST: Final = ("autoscaling_min_node_count", "autoscaling_total_min_node_count", "autoscaling_total_min_nodes")
_MOST: Final = ("autoscaling_max_node_count", "autoscaling_total_max_node_count", "autoscaling_total_max_nodes")
_SCALED: Final = "flex-start and queued node pools are autoscaled, from 0 to the number of slices"
_OF_DEPLOYMENT: Final = "only a deployment knows the value"
_NO_KEY: Final = "gke-tpu does not translate this setting; look for a key, or set its property in `extra`"
_PLACES: Final = {
    "project_id": "project",
    "deployment_name": "clusters",
    "region": "clusters.*.location",
    "zone": "clusters.*.slices.*.zone",
}
_POOL_PARTS: Final = {
    "name": "",
    "num_slices": "count",
    "static_node_count": "count",
    "machine_type": "{tpu,topology,chips_per_host}",
    "placement_policy": "topology",
    "zones": "zone",
    **dict.fromkeys(
        [
            "autoscaling_min_node_count",
            "autoscaling_max_node_count",
            "autoscaling_total_min_nodes",
            "autoscaling_total_max_nodes",
            "autoscaling_total_min_node_count",
            "autoscaling_total_max_node_count",
        ],
        "count",
    ),
    **dict.fromkeys(
        ["spot", "enable_flex_start", "enable_queued_provisioning", "max_run_duration", "reservation_affinity"],
        "capacity",
    ),
}


def _without_secrets(name: str, value: Any) -> Any:
    """A value in which the parts with a name of a secret are hidden; booleans are not."""
    if _SECRET.search(name) and not isinstance(value, bool | None):
        return _HIDDEN
    if isinstance(value, dict):
        return {key: _without_secrets(str(key), item) for key, item in value.items()}
    return [_without_secrets(name, item) for item in value] if isinstance(value, list) else value


def _is_scaled(values: Mapping[str, Any]) -> bool:
    """Whether a node pool has capacity for which GKE creates the nodes when a workload needs them."""
    return values.get("enable_flex_start") is True or values.get("enable_queued_provisioning") is True


def _is_of_deployment(value: Any) -> bool:
    """Whether a value or a part of it is known only to a deployment."""
    if isinstance(value, dict | list):
        return any(map(_is_of_deployment, value.values() if isinstance(value, dict) else value))
    return isinstance(value, DeploymentValue)
