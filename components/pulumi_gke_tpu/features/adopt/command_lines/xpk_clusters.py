"""``xpk cluster create``, ``create-pathways`` and ``create-ray``."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.formats.names import parse_reservation, region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import ScriptWord
from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading, SliceType, whole_number
from pulumi_gke_tpu.features.adopt.command_lines.gcloud import passed_on
from pulumi_gke_tpu.features.adopt.command_lines.tpu_types import NoSliceError, xpk_slice

GROUP: Final = "np"
_CPUS = lazy_pattern(r"(?P<machine>[a-z]\d+[a-z]?-[a-z]+-\d+)-(?P<nodes>\d{1,5})\Z", re.ASCII)

_HOW_IT_RAN: Final = "it only controls how the command runs"
LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("--force", "--quiet", "--dry-run", "--skip-validation", "--sandbox-kubeconfig", "--dependency-auto-download"),
        _HOW_IT_RAN,
    ),
    "--ignore-nodepool-creation-errors": _HOW_IT_RAN,
    "--adapt-from-ct": "it only prepares a cluster of Cluster Toolkit for xpk",
    "--cluster-state-gcs-bucket": "Pulumi keeps the state of a stack",
    "--create-vertex-tensorboard": "Vertex AI TensorBoard is not a resource of the cluster; create it with gcloud",
    "--tensorboard-region": "it belongs to Vertex AI TensorBoard",
    "--tensorboard-name": "it belongs to Vertex AI TensorBoard",
    "--memory-limit": "gke-tpu installs Kueue with its own limits",
    "--cpu-limit": "gke-tpu installs Kueue with its own limits",
    "--autoprovisioning-min-chips": "GKE has no such minimum for TPU slices; `min` of a slice group keeps slices",
    "--mtc-toleration-key": "gke-tpu adds the toleration for TPU nodes",
    "--sub-slicing": "a plan does not divide a slice into smaller ones",
}

OPTIONS: Final[Mapping[str, Takes]] = {
    **dict.fromkeys(
        [
            "--cluster",
            "--project",
            "--project-number",
            "--zone",
            "--tpu-type",
            "--device-type",
            "--num-slices",
            "--num-cubes",
            "--num-nodes",
            "--reservation",
            "--gke-version",
            "--host-maintenance-interval",
            "--pathways-gce-machine-type",
            "--default-pool-cpu-machine-type",
            "--cluster-cpu-machine-type",
            "--default-pool-cpu-num-nodes",
            "--custom-cluster-arguments",
            "--custom-nodepool-arguments",
            "--custom-tpu-nodepool-arguments",
            "--private-endpoint-subnetwork",
            "--cluster-state-gcs-bucket",
            "--autoprovisioning-min-chips",
            "--autoprovisioning-max-chips",
            "--tensorboard-region",
            "--tensorboard-name",
            "--mtc-ramdisk-size",
            "--mtc-gcs-bucket",
            "--mtc-toleration-key",
            "--memory-limit",
            "--cpu-limit",
            "--ray-version",
        ],
        "value",
    ),
    **dict.fromkeys(
        [
            "--spot",
            "--on-demand",
            "--flex",
            "--private",
            "--enable-private-endpoint",
            "--enable-master-global-access",
            "--enable-workload-identity",
            "--enable-pathways",
            "--enable-autoprovisioning",
            "--managed-mldiagnostics",
            "--enable-gcsfuse-csi-driver",
            "--enable-gcpfilestore-csi-driver",
            "--enable-parallelstore-csi-driver",
            "--enable-pd-csi-driver",
            "--enable-lustre-csi-driver",
            "--enable-legacy-lustre-port",
            "--enable-mtc",
            "--sub-slicing",
            "--super-slicing",
            "--create-vertex-tensorboard",
            "--force",
            "--quiet",
            "--dry-run",
            "--skip-validation",
            "--sandbox-kubeconfig",
            "--dependency-auto-download",
            "--adapt-from-ct",
            "--ignore-nodepool-creation-errors",
        ],
        "flag",
    ),
    "--authorized-networks": "values",
}

_ADDONS: Final = {
    "--enable-gcsfuse-csi-driver": "gcs_fuse",
    "--enable-gcpfilestore-csi-driver": "filestore",
    "--enable-parallelstore-csi-driver": "parallelstore",
    "--enable-lustre-csi-driver": "lustre",
}


class XpkCluster(CommandReading):
    """One command that creates a cluster."""

    cluster = ""
    place = ""
    """The zone; empty if the command cannot be read."""

    def read(self) -> None:
        """Add the cluster to the plan."""
        self.facts = self.draft.catalog.other_tools.xpk
        cluster = self.text("--cluster", "name of the cluster")
        self.project()
        zone = self.zone()
        self.report_unknown()
        if not cluster or not zone:
            return
        self.cluster, self.place = cluster, zone
        earlier = self.draft.clusters.pop(cluster, None)
        put = self.draft.put
        put(cluster, "mode", "standard")
        put(cluster, "location", region_of(zone))
        put(cluster, "release_channel", self.facts.release_channel)
        self._slices(cluster, zone)
        for given in self.each():
            if not given.problem:
                self._option(given)
            elif given.option not in ("--cluster", "--project", "--zone", "--tpu-type", "--device-type"):
                self.known(given)
        if earlier is not None:
            self.implied(
                "(earlier command)",
                printable(cluster),
                "left out",
                reason="xpk changes the cluster to what the last command states",
            )
        self._implied(cluster)

    def _slices(self, cluster: str, zone: str) -> None:
        given = self.arguments.last("--tpu-type") or self.arguments.last("--device-type")
        if given is None:
            self.problem("no TPU type", fix="add --tpu-type to the command")
            return
        if not self.known(given):
            return
        cpus = _CPUS.match(given.value)
        if cpus:
            keys: dict[str, Any] = {"machine_type": cpus["machine"], "nodes": int(cpus["nodes"]), "zones": [zone]}
            self.draft.put(cluster, f"cpu_pools.{GROUP}", keys)
            self.row(given, "key", key=f"clusters.{cluster}.cpu_pools.{GROUP}")
            return
        try:
            kind = xpk_slice(self.draft.catalog, given.value)
        except NoSliceError as error:
            self.problem(str(error), given)
            return
        keys = kind.keys | {"zone": zone}
        count = self._count()
        flex = self.arguments.has("--flex")
        if flex:
            keys["count"] = {"min": 0, "max": count}
        elif count > 1:
            keys["count"] = count
        keys |= self._capacity()
        self.draft.put(cluster, f"slices.{GROUP}", keys)
        reason = f"{printable(given.value)} is {kind.topology}"
        if kind.chips_per_host:
            reason += f" on hosts of {kind.chips_per_host} chips"
        self.row(given, "key", key=f"clusters.{cluster}.slices.{GROUP}.{{{','.join(kind.keys)}}}", reason=reason)
        self.kind: SliceType | None = kind

    def _count(self) -> int:
        slices, cubes = self.number("--num-slices", 0), self.number("--num-cubes", 0)
        given = self.arguments.last("--num-cubes")
        for stated in filter(None, (self.arguments.last("--num-slices"), given)):
            if whole_number(stated.value) == 0:
                self.problem(f"`{stated.option}` must be at least 1", stated)
        if slices and cubes and slices != cubes:
            message = f"`--num-cubes` is {cubes:,}, and `--num-slices` is {slices:,}: both state the number of slices"
            self.problem(message, given, "remove one of the two options")
        return slices or cubes or 1

    def _capacity(self) -> dict[str, Any]:
        if self.arguments.has("--spot"):
            return {"capacity": "spot"}
        if self.arguments.has("--flex"):
            return {"capacity": "flex_start"}
        if self.arguments.has("--on-demand"):
            return {"capacity": "on_demand"}
        given = self.arguments.last("--reservation")
        return {"capacity": {"reservation": self._reservation(given)}} if given and not given.problem else {}

    def _reservation(self, given: Given) -> Any:
        found = parse_reservation(given.value)
        if found is None:
            self.problem(
                "a slice group uses one reservation, such as NAME or projects/PROJECT/reservations/NAME",
                given,
                "name one of them, and add a slice group for each other one to the plan",
            )
            return given.value
        return found.short

    def _option(self, given: Given) -> None:
        option = given.option
        if option in ("--project", "--tpu-type"):
            return
        if OPTIONS[option] == "flag" and given.value == "false":
            self.row(given, "left out", reason="it is the default")
        elif option in LEFT_OUT:
            self.row(given, "left out", reason=LEFT_OUT[option])
        elif option in _ADDONS:
            self._addons(given, _ADDONS[option])
        else:
            self._handlers[option](self, given)

    def _addons(self, given: Given, *names: str) -> None:
        self.key(given, self.cluster, "addons", list(names))

    def _group(self, given: Given, path: str, value: Any, reason: str = "") -> None:
        """An option that becomes a key of the slices; there are none in a cluster of CPUs."""
        if GROUP in self.draft.clusters[self.cluster].get("slices", {}):
            self.key(given, self.cluster, f"slices.{GROUP}.{path}", value, reason)
        else:
            self.row(given, "left out", reason="the cluster has no TPU slices")

    def _implied(self, cluster: str) -> None:
        """What xpk does without an option."""
        groups = self.draft.clusters[cluster].get("slices", {})
        self.implied("(release channel)", self.facts.release_channel, "key", key=f"clusters.{cluster}.release_channel")
        self.implied("(node pools)", "", "derived", reason=f"gke-tpu names them {GROUP}-0, {GROUP}-1 and so on")
        self.implied(
            "(default node pool)", "", "derived", reason="gke-tpu creates a system node pool; `system_pool` changes it"
        )
        self.implied("(OAuth scopes)", "", "derived", reason="gke-tpu uses cloud-platform and limits access with IAM")
        if any("additional_networks" in group for group in groups.values()):
            self.implied("(multi-networking)", "", "derived", reason="the slices have `additional_networks`")
        else:
            reason = "only node pools with `additional_networks` need it"
            self.implied("(multi-networking)", "", "left out", reason=reason)
        if not groups:
            return
        put = self.draft.put
        put(cluster, "kubernetes.operators", {"jobset": {}, "kueue": {}})
        chips = {name: self.draft.chips_of(group) for name, group in groups.items()}
        put(cluster, f"kubernetes.queues.{self.facts.queue}", {"chips": chips})
        self.implied("(Kueue, JobSet)", "", "key", key=f"clusters.{cluster}.kubernetes.operators")
        self.implied("(queue)", self.facts.queue, "key", key=f"clusters.{cluster}.kubernetes.queues.{self.facts.queue}")

    # The options, each with what it becomes.

    def _cluster(self, given: Given) -> None:
        self.row(given, "key", key=f"clusters.{self.cluster}")

    def _zone(self, given: Given) -> None:
        key = f"clusters.{self.cluster}.{{location,slices.{GROUP}.zone}}"
        self.row(given, "key", key=key, reason="xpk creates a cluster of the whole region")

    def _device_type(self, given: Given) -> None:
        if self.arguments.last("--tpu-type"):
            self.row(given, "left out", reason="--tpu-type states the type")

    def _counted(self, given: Given) -> None:
        group = self.draft.clusters[self.cluster].get("slices", {}).get(GROUP)
        if given.option == "--num-cubes" and self.number("--num-slices", 0):
            self.row(given, "derived", reason="--num-slices states the same number")
        elif group is not None and "count" in group:
            self.row(given, "key", key=f"clusters.{self.cluster}.slices.{GROUP}.count")
        elif group is not None:
            self.row(given, "derived", reason="a slice group without `count` has one slice")
        else:
            self.row(given, "left out", reason="the cluster has no TPU slices")

    def _mode_of_capacity(self, given: Given) -> None:
        self.row(given, "key", key=f"clusters.{self.cluster}.slices.{GROUP}.capacity")

    def _num_nodes(self, given: Given) -> None:
        self.row(given, "derived", reason="the number of hosts follows from the topology")

    def _project_number(self, given: Given) -> None:
        if self.arguments.has("--enable-mtc"):
            self.number("--project-number", 0)
            self.row(given, "key", key=f"clusters.{self.cluster}.kubernetes.checkpoints.project_number")
        else:
            self.row(given, "left out", reason="only multi-tier checkpointing needs it")

    def _version(self, given: Given) -> None:
        self.key(given, self.cluster, "min_version", given.value)

    def _maintenance(self, given: Given) -> None:
        self._group(given, "host_maintenance", {"interval": given.value.lower()})

    def _system_machine(self, given: Given) -> None:
        old = given.option == "--cluster-cpu-machine-type"
        if old and self.arguments.last("--default-pool-cpu-machine-type"):
            self.row(given, "left out", reason="--default-pool-cpu-machine-type states the machine type")
            return
        if given.value:
            self.key(given, self.cluster, "system_pool.machine_type", given.value)
        else:
            self.row(given, "left out", reason="it is the default")

    def _system_nodes(self, given: Given) -> None:
        nodes = self.number(given.option, 1)
        reason = "xpk begins with this number and scales from 1 to 1,000 nodes; the plan scales up to this number"
        self.key(given, self.cluster, "system_pool.max_nodes", max(nodes, 1), reason)

    def pathways(self) -> None:
        """Add the node pool of the heads."""
        pool = self.facts.pathways_pool
        machine = self.arguments.value("--pathways-gce-machine-type") or pool.machine_type
        keys = {
            "machine_type": machine,
            "min_nodes": pool.min_nodes,
            "max_nodes": pool.max_nodes,
            "zones": [self.place],
        }
        self.draft.put(self.cluster, f"cpu_pools.{pool.name}", keys)

    def _enable_pathways(self, given: Given) -> None:
        self.pathways()
        self.row(given, "key", key=f"clusters.{self.cluster}.cpu_pools.{self.facts.pathways_pool.name}")

    def _pathways_machine(self, given: Given) -> None:
        if "pathways" in self.name or self.arguments.has("--enable-pathways"):
            key = f"clusters.{self.cluster}.cpu_pools.{self.facts.pathways_pool.name}.machine_type"
            self.row(given, "key", key=key)
        else:
            self.row(given, "left out", reason="the cluster is not for Pathways")

    def _private(self, given: Given) -> None:
        reason = "xpk also lets the address of your computer reach the control plane; add it to authorized_networks"
        self.key(given, self.cluster, "private_nodes", True, reason)

    def _private_endpoint(self, given: Given) -> None:
        self.key(given, self.cluster, "control_plane.private", True)

    def _endpoint_subnetwork(self, given: Given) -> None:
        self.key(given, self.cluster, "extra.private_cluster_config.private_endpoint_subnetwork", given.value)

    def _global_access(self, given: Given) -> None:
        path = "extra.private_cluster_config.master_global_access_config.enabled"
        self.key(given, self.cluster, path, True)

    def _networks(self, given: Given) -> None:
        self.draft.put(self.cluster, "private_nodes", True)
        ranges = [item for item in self.all_of(given.option) if self.known(item)]
        named = {f"range-{index}": item.value for index, item in enumerate(ranges, 1)}
        self.draft.put(self.cluster, "control_plane.authorized_networks", named)
        for item in ranges:
            self.row(item, "key", key=f"clusters.{self.cluster}.control_plane.authorized_networks")

    def _workload_identity(self, given: Given) -> None:
        self.key(given, self.cluster, "security.workload_identity", True)

    def _disks(self, given: Given) -> None:
        self.row(given, "derived", reason="GKE always enables the driver of persistent disks")

    def _legacy_lustre(self, given: Given) -> None:
        path = "extra.addons_config.lustre_csi_driver_config.enable_legacy_lustre_port"
        self.draft.put(self.cluster, "addons", ["lustre"])
        self.key(given, self.cluster, path, True)

    def _autoprovisioning(self, given: Given) -> None:
        facts = self.facts.autoprovisioning
        limits: dict[str, Any] = {"cpu": facts.cpu, "memory_gib": facts.memory_gib}
        group = self.draft.clusters[self.cluster].get("slices", {}).get(GROUP)
        if group is not None:
            chips = self.number("--autoprovisioning-max-chips", 0) or self.draft.chips_of(group)
            limits["tpu"] = {group["tpu"]: chips}
        self.key(given, self.cluster, "autoprovisioning", limits | {"zones": [self.place]})

    def _most_chips(self, given: Given) -> None:
        if self.arguments.has("--enable-autoprovisioning"):
            self.row(given, "key", key=f"clusters.{self.cluster}.autoprovisioning.tpu")
        else:
            self.row(given, "left out", reason="--enable-autoprovisioning is not set")

    def _diagnostics(self, given: Given) -> None:
        self.key(given, self.cluster, "ml_diagnostics", True)

    def _checkpoints(self, given: Given) -> None:
        self.draft.put(self.cluster, "addons", ["gcs_fuse", "high_scale_checkpointing"])
        bucket = self.text("--mtc-gcs-bucket", "bucket for multi-tier checkpointing")
        memory = self.text("--mtc-ramdisk-size", "size for multi-tier checkpointing")
        keys: dict[str, Any] = {"bucket": bucket.removeprefix("gs://").rstrip("/"), "memory": memory, "slices": [GROUP]}
        number = self.number("--project-number", 0)
        if number:
            keys["project_number"] = number
        self.draft.put(self.cluster, "kubernetes.checkpoints", keys)
        self.row(given, "key", key=f"clusters.{self.cluster}.{{addons,kubernetes.checkpoints}}")

    def _part_of_checkpoints(self, given: Given) -> None:
        if self.arguments.has("--enable-mtc"):
            last = "bucket" if given.option == "--mtc-gcs-bucket" else "memory"
            self.row(given, "key", key=f"clusters.{self.cluster}.kubernetes.checkpoints.{last}")
        else:
            self.row(given, "left out", reason="--enable-mtc is not set")

    def _super_slicing(self, given: Given) -> None:
        group = self.draft.clusters[self.cluster].get("slices", {}).get(GROUP, {})
        facts = self.draft.catalog.kubernetes.pods.dynamic_slices
        if group and (group["tpu"], group.get("topology")) not in (
            (name, facts.cube_topology) for name in facts.generations
        ):
            self.problem("`--super-slicing` combines cubes, and the TPU type is none", given, "use tpu7x-4x4x4")
            return
        group.pop("topology", None)
        group.pop("chips_per_host", None)
        self._group(given, "slicing", "dynamic")

    def _ray(self, given: Given) -> None:
        self.draft.put(self.cluster, "addons", ["ray_operator"])
        reason = "GKE installs its own version of the operator; the image of a workload has the version of Ray"
        self.row(given, "key", key=f"clusters.{self.cluster}.addons", reason=reason)

    def _custom(self, given: Given) -> None:
        try:
            words = shlex.split(given.value)
        except ValueError:
            self.problem(f"`{given.option}` has a quote that is not closed", given)
            return
        passed_on(
            self,
            given,
            [ScriptWord(word, given.line, given.column) for word in words],
            self.cluster,
            GROUP if given.option != "--custom-cluster-arguments" else "",
        )

    _handlers: ClassVar[Mapping[str, Callable[["XpkCluster", Given], None]]] = {
        "--cluster": _cluster,
        "--zone": _zone,
        "--device-type": _device_type,
        "--num-slices": _counted,
        "--num-cubes": _counted,
        "--num-nodes": _num_nodes,
        "--project-number": _project_number,
        **dict.fromkeys(("--reservation", "--spot", "--flex", "--on-demand"), _mode_of_capacity),
        "--gke-version": _version,
        "--host-maintenance-interval": _maintenance,
        "--default-pool-cpu-machine-type": _system_machine,
        "--cluster-cpu-machine-type": _system_machine,
        "--default-pool-cpu-num-nodes": _system_nodes,
        "--enable-pathways": _enable_pathways,
        "--pathways-gce-machine-type": _pathways_machine,
        "--private": _private,
        "--enable-private-endpoint": _private_endpoint,
        "--private-endpoint-subnetwork": _endpoint_subnetwork,
        "--enable-master-global-access": _global_access,
        "--authorized-networks": _networks,
        "--enable-workload-identity": _workload_identity,
        "--enable-pd-csi-driver": _disks,
        "--enable-legacy-lustre-port": _legacy_lustre,
        "--enable-autoprovisioning": _autoprovisioning,
        "--autoprovisioning-max-chips": _most_chips,
        "--managed-mldiagnostics": _diagnostics,
        "--enable-mtc": _checkpoints,
        "--mtc-gcs-bucket": _part_of_checkpoints,
        "--mtc-ramdisk-size": _part_of_checkpoints,
        "--super-slicing": _super_slicing,
        "--ray-version": _ray,
        **dict.fromkeys(
            ("--custom-cluster-arguments", "--custom-nodepool-arguments", "--custom-tpu-nodepool-arguments"),
            _custom,
        ),
    }
