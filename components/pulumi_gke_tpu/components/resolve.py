"""From the arguments of a component to derived values: read as a plan, checked by every rule, and derived."""

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pulumi

from pulumi_gke_tpu.components.arguments import check_document, check_fleet, check_mapping, has_errors
from pulumi_gke_tpu.components.cluster_name import checked_name, cluster_findings
from pulumi_gke_tpu.components.plugin_version import plugin_version
from pulumi_gke_tpu.components.refusal import called, wrong_arguments
from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.properties import ClusterContext
from pulumi_gke_tpu.core.plan import Unknown
from pulumi_gke_tpu.core.text.findings import Finding, Path, SetKeys, Severity, format_path, number, printable, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SHARED = ("project", "moved", "acknowledge", "accept")
_SURROUNDINGS = ("cluster", "location", "mode", "min_version", "private_nodes", "workload_identity", "secure_boot")
_NO_CLUSTER = "cluster"
"""The cluster in the keys of slices whose component does not name one."""
_WHOLE_ARGUMENTS = {"plan", "arguments", "config"}
"""What programs call the dictionary with all arguments."""
_OPTIONS = set(inspect.signature(pulumi.ResourceOptions.__init__).parameters) - {"self"}
_RELEASE = lazy_pattern(r"(\d+(?:\.\d+)*)")
_NOT_IN_NAMES = lazy_pattern("[^a-z0-9]+")


def resolve_fleet(name: str, args: Mapping[str, Any], catalog: Catalog | None) -> tuple[Fleet, Catalog]:
    """The fleet of a whole plan. ``TpuWorkloads`` logs the warnings about Kubernetes keys.

    Raises:
        FindingsError: the plan has errors.
        TypeError: the arguments are not a mapping, or the name is not a string.
    """
    _check_arguments("TpuFleet", args, name)
    catalog = catalog or read_catalog()
    checked = _CheckedArguments("TpuFleet", name, *check_fleet(args, catalog, to_plan))
    fleet = checked.without_errors()
    checked.log_warnings(lambda path: path[:1] != ("clusters",) or path[2:3] != ("kubernetes",))
    _warn_of_version(called("TpuFleet", name), fleet, catalog)
    return fleet, catalog


def resolve_workloads(
    name: str, args: Mapping[str, Any], cluster: str | None, catalog: Catalog | None
) -> tuple[Cluster, Catalog]:
    """One cluster of a whole plan, by its key, which is not needed if the plan has only one.

    ``args`` are the plan, or the plan and the key ``cluster``. Only warnings about the Kubernetes keys of the cluster
    are logged: ``TpuFleet`` logs the others.

    Raises:
        FindingsError: the plan has errors, does not have the cluster, or has several and none is named.
        TypeError: the arguments are not a mapping, or the name is not a string.
    """
    _check_arguments("TpuWorkloads", args, name)
    catalog = catalog or read_catalog()
    if "cluster" in args:
        args = dict(args)
        cluster = args.pop("cluster") if cluster is None else cluster
    checked = _CheckedArguments("TpuWorkloads", name, *check_fleet(args, catalog, to_plan))
    clusters = checked.without_errors().clusters
    chosen = [item for item in clusters if cluster in (None, item.key)]
    checked.log_warnings(lambda path: any(path[:3] == (*item.path, "kubernetes") for item in chosen))
    if len(chosen) != 1:
        raise wrong_arguments("TpuWorkloads", name, [_not_one_cluster(cluster, [item.key for item in clusters])])
    return chosen[0], catalog


def resolve_cluster(name: str, mode: Mode, args: Mapping[str, Any]) -> tuple[Cluster, Catalog]:
    """One cluster from its own arguments.

    Raises:
        FindingsError: the arguments have errors; paths are relative to them.
        TypeError: the arguments are not a mapping, or the name is not a string.
    """
    component = f"{mode.capitalize()}Cluster"
    _check_arguments(component, args, name)
    catalog = read_catalog()
    own = {key: value for key, value in args.items() if key not in (*_SHARED, "today", "mode")}
    document = {"version": 1, **_shared(args), "clusters": {name: {"mode": mode, **own}}}
    fleet, findings = check_document(to_plan(document), args.get("today"), catalog)
    findings = [*_other_mode(component, mode, args), *(_relative(item, ("clusters", name)) for item in findings)]
    checked = _CheckedArguments(component, name, fleet, findings)
    fleet = checked.accepted()
    _warn_of_version(called(component, name), fleet, catalog)
    return fleet.clusters[0], catalog


def resolve_slices(name: str, args: Mapping[str, Any]) -> tuple[ClusterContext, SliceGroup]:
    """One slice group for an existing cluster.

    The component's name may be a path such as cluster/group; its first part is then the beginning of the workload
    policy's name, which is unique in project and region.

    Raises:
        FindingsError: the arguments have errors; paths are relative to them.
        TypeError: the arguments are not a mapping, or the name is not a string.
    """
    _check_arguments("TpuSlices", args, name)
    catalog = read_catalog()
    cluster_key, _, group_key = name.rpartition("/")
    cluster_key = cluster_key or _NO_CLUSTER
    outer: tuple[str, ...] = (*_SHARED, *_SURROUNDINGS, "today")
    account = args.get("node_service_account")
    if account != "create":
        outer = (*outer, "node_service_account")
    group = {key: value for key, value in args.items() if key not in outer}
    cluster = {
        "mode": "standard",
        "name": _cluster_name(cluster_key),
        "slices": {group_key: group},
        **{key: args[key] for key in ("mode", "location", "min_version") if key in args},
    }
    shared = _shared(args) if "/" in name else _whole_keys(_shared(args))
    document = {"version": 1, **shared, "clusters": {cluster_key: cluster}}
    path: Path = ("clusters", cluster_key, "slices", group_key)
    found, findings = check_document(to_plan(document), args.get("today"), catalog)
    findings = [_relative(item, path) for item in (*_wrong_cluster(args, catalog), *findings)]
    fleet = _CheckedArguments("TpuSlices", name, found, findings).accepted()
    _warn_of_version(called("TpuSlices", name), fleet, catalog)
    derived = fleet.clusters[0]
    context = ClusterContext(
        catalog=catalog,
        project=fleet.project,
        location=derived.location,
        region=derived.region,
        cluster_name=checked_name(name, args["cluster"], derived.location, fleet.project, catalog),
        service_account=account,
        private_nodes=args.get("private_nodes"),
        workload_identity=args.get("workload_identity", True),
        secure_boot=args.get("secure_boot", False),
        resource_labels={},
    )
    return context, derived.groups[0]


def _shared(args: Mapping[str, Any]) -> dict[str, Any]:
    return {key: args[key] for key in _SHARED if key in args}


def _whole_keys(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Groups by the key that they have in the plan, where a component without a cluster in its name calls them."""

    def whole(item: object) -> Any:
        if not isinstance(item, Mapping):
            return item
        return {key: f"{_NO_CLUSTER}/{value}" if _is_group(key, value) else value for key, value in item.items()}

    return {
        key: [whole(item) for item in value] if isinstance(value, list | tuple) else value
        for key, value in shared.items()
    }


def _is_group(key: str, value: object) -> bool:
    return key in ("of", "from", "to") and isinstance(value, str) and "/" not in value and value != _NO_CLUSTER


def _check_arguments(component: str, args: object, name: object) -> None:
    """Refuse arguments that are not plan data.

    Raises:
        TypeError: a name, the arguments, or a value in them has the wrong type.
    """
    if not isinstance(name, str):
        raise TypeError(f"the first argument of {component} is its name, not {printable(name)}")
    check_mapping(component, args)
    for path, resource in _resources_in(args, ()):
        raise TypeError(
            f"{called(component, name)}: {format_path(path)} takes a value and not the whole resource "
            f"{type(resource).__name__}; give an output of it, such as its `.{_identifying_output(resource)}`"
        )


def _identifying_output(resource: pulumi.Resource) -> str:
    """Only a resource of a provider has an `id`. The clusters of this library are components."""
    return "cluster_id" if hasattr(type(resource), "cluster_id") else "id"


def _resources_in(value: object, path: Path) -> Iterator[tuple[Path, pulumi.Resource]]:
    if isinstance(value, pulumi.Resource):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _resources_in(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _resources_in(item, (*path, index))


def _cluster_name(key: str) -> str:
    """A name in the form of GKE's for a cluster that we know by a part of the component's name only."""
    return _NOT_IN_NAMES.sub("-", key.lower()).lstrip("-0123456789")[:40].rstrip("-") or "cluster"


def _other_mode(component: str, mode: Mode, args: Mapping[str, Any]) -> Iterator[Finding]:
    """The mode is that of the component, and another one in the arguments is a mistake."""
    if args.get("mode", mode) != mode:
        message, why = f"invalid `mode`: {printable(args['mode'])}", f"{component} creates clusters of the mode {mode}"
        yield Finding("TPU023", Severity.ERROR, ("mode",), message, allowed=(mode,), why=why)


def _not_one_cluster(cluster: object, known: list[str]) -> Finding:
    if cluster is None:
        rule, message = "TPU021", f"missing key `cluster`: the plan has {number(len(known), 'cluster')}"
    else:
        rule, message = "TPU023", f"unknown cluster {quoted(cluster)} of the plan"
    fix = SetKeys.of(cluster=known[0]) if len(known) == 1 else None
    return Finding(rule, Severity.ERROR, ("cluster",), message, allowed=tuple(known), change=fix)


def _wrong_cluster(args: Mapping[str, Any], catalog: Catalog) -> list[Finding]:
    if args.get("cluster") is not None:
        location, project = args.get("location"), args.get("project")
        if isinstance(location, str) and isinstance(project, str):
            return cluster_findings(args["cluster"], location, project, catalog)
        return []
    missing = Finding(
        rule="TPU021",
        severity=Severity.ERROR,
        path=(),
        message="missing key `cluster`",
        change=SetKeys.of(cluster="projects/P/locations/L/clusters/C"),
        why="a node pool is created in a cluster",
    )
    return [missing]


@frozen
class _CheckedArguments:
    """The checked arguments of a component; paths of the findings are relative to them."""

    component: str
    name: str
    fleet: Fleet | None
    findings: Sequence[Finding]

    def accepted(self) -> Fleet:
        """The fleet of arguments without errors. Warnings that they do not accept are logged.

        Raises:
            FindingsError: the arguments have errors.
        """
        fleet = self.without_errors()
        self.log_warnings()
        return fleet

    def without_errors(self) -> Fleet:
        """The fleet of arguments without errors.

        Raises:
            FindingsError: the arguments have errors.
        """
        if self.fleet is None or has_errors(self.findings):
            raise wrong_arguments(self.component, self.name, _for_programs(self.component, self.findings))
        return self.fleet

    def log_warnings(self, concerns: Callable[[Path], bool] = lambda _: True) -> None:
        """Log the warnings that the arguments do not accept, about the paths that concern the component."""
        for finding in self.findings:
            if finding.severity is Severity.WARNING and not finding.accepted and concerns(finding.path):
                place = format_path(finding.path) or "arguments"
                where = f"{finding.rule} {place} of {called(self.component, self.name)}"
                pulumi.log.warn(f"{where}: {finding.message}")


def _warn_of_version(component: str, fleet: Fleet, catalog: Catalog) -> None:
    """Log which keys of slice groups the installed pulumi-gcp does not have."""
    newer = catalog.maintenance.newer_properties
    for _, group in fleet.groups():
        for key in newer.keys:
            value: Any = group.plan
            for step in key.split("."):
                value = getattr(value, step, None)
            if value is not None and _release(plugin_version("gcp")) < _release(newer.version):
                pulumi.log.warn(
                    f"`{key}` of {quoted(group.key)} of {component}: pulumi-gcp {plugin_version('gcp')} does not have "
                    f"this property; install pulumi-gcp {newer.version} or later"
                )


def _release(version: str) -> tuple[float, ...]:
    """The numbers of a version; one of another form is newer than all."""
    found = _RELEASE.match(version)
    return tuple(map(int, found[1].split("."))) if found is not None else (math.inf,)


def _for_programs(component: str, findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, with the reason of those about keywords that Python programs use for something else."""
    unknown = [item.path[0] if item.rule == "TPU020" and len(item.path) == 1 else None for item in findings]
    whole = _WHOLE_ARGUMENTS.intersection(unknown)
    for name, item in zip(unknown, findings, strict=True):
        if name in whole:
            given = 'load_plan("plan.yaml")' if component in ("TpuFleet", "TpuWorkloads") else "{...}"
            why = f"the keys are keywords of {component}, or one dictionary without a name: {component}(NAME, {given})"
            yield dataclasses.replace(item, allowed=(), change=None, why=why)
        elif name in _OPTIONS:
            why = f"{quoted(name)} is a resource option: opts=pulumi.ResourceOptions({name}=...)"
            yield dataclasses.replace(item, allowed=(), change=None, why=why)
        elif not whole or item.path or item.rule != "TPU021":  # the dictionary with a wrong name has the keys
            yield item


def _relative(finding: Finding, prefix: Path) -> Finding:
    """The finding with its path as seen from the component's arguments: those of a group hold some of its cluster."""
    for outside in (prefix, prefix[:2]):
        if finding.path[: len(outside)] == outside:
            return dataclasses.replace(finding, path=finding.path[len(outside) :])
    return finding


def to_plan(value: object) -> Any:
    """Component arguments as plan data: outputs become values known later, containers plain ones."""
    if isinstance(value, pulumi.Output) or hasattr(value, "__await__"):
        return Unknown(output=value)
    if isinstance(value, Mapping):
        return {key: to_plan(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_plan(item) for item in value]
    return value
