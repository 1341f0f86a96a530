"""TPU977 to TPU979: adopted clusters and node pools of which the plan begins or ceases to set a property."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import GroupPair
from pulumi_gke_tpu.core.graph.builders.ignored import is_set
from pulumi_gke_tpu.core.graph.builders.properties import merge_extra
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, warning
from pulumi_gke_tpu.core.text.findings import Path, listed, quoted
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_ADOPTED = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: true}
"""
_WITHOUT_THE_KEY = _ADOPTED.replace(", adopted: true", "")
_WITH_ONE_SCOPE = _ADOPTED.replace("adopted: true", "adopted: {oauth_scopes: [cloud-platform]}")


@warning(
    "TPU977",
    about=of_clusters("adopted", "cpu_pools.*.adopted", "slices.*.adopted"),
    title="Change removes `adopted`",
    why="with `adopted`, Pulumi leaves properties as another tool set them. Without the key, Pulumi sets each property "
    "to the value of gke-tpu, and replaces a node pool if gVNIC or secure boot differs. Neither plan has the values "
    "that exist, so `gke-tpu diff` cannot show these changes",
    fix="Keep `adopted`. If Pulumi is to set these properties, run `pulumi preview --diff` with the new plan, which "
    "shows every change.",
    references=["OBSERVED_2026_11_20"],
    failing=f"{_ADOPTED}--- plan{_WITHOUT_THE_KEY}",
    passing=f"{_ADOPTED}--- plan{_WITH_ONE_SCOPE}",
)
def no_longer_adopted(transition: Transition) -> Iterable[Hit]:
    """Skip node pools that get other names: the change deletes them."""
    for pair in transition.pairs:
        if pair.base is None or pair.head is None:
            continue
        if pair.base.adopted and not (pair.head.adopted or pair.head.existing):
            yield Hit(
                pair.head.path,
                f"Pulumi no longer leaves properties of cluster {quoted(pair.head.name)} as they are, and may replace "
                "the cluster with its node pools",
            )
        for path, names in (*_groups(pair.groups), *_cpu_pools(pair.base, pair.head)):
            noun, quotes = "node pool" if len(names) == 1 else "node pools", [quoted(name) for name in names]
            pools = f"{noun} {listed(quotes, most=3)}"
            yield Hit(path, f"Pulumi no longer leaves properties of {pools} as they are, and may replace the nodes")


_UNKNOWN = _ADOPTED.replace("topology: 4x4", "topology: 2x2").replace("adopted: true", "PLACE")
_KEPT = "adopted: {nodes: 4}"


@warning(
    "TPU978",
    about=of_clusters("cpu_pools.*.nodes", "slices.*.count"),
    title="Change sets a number of nodes that is not known",
    why="the source of the adoption had only the number of nodes at creation, and somebody may have resized the node "
    "pool since then. If it has more nodes than the new number, Pulumi deletes nodes with their workloads",
    fix="Run `kubectl get nodes -l cloud.google.com/gke-nodepool=NAME`, and set at least the number of nodes that it "
    "lists.",
    references=["OBSERVED_2026_11_20"],
    failing=f"{_UNKNOWN.replace('PLACE', _KEPT)}--- plan{_UNKNOWN.replace('PLACE', f'count: 6, {_KEPT}')}",
    passing=f"{_UNKNOWN.replace('PLACE', 'count: 4, adopted: true')}--- plan"
    f"{_UNKNOWN.replace('PLACE', 'count: 6, adopted: true')}",
)
def unknown_number_of_nodes(transition: Transition) -> Iterable[Hit]:
    """Skip node pools that get other names: the change deletes them."""
    for pair in transition.pairs:
        if pair.base is None or pair.head is None:
            continue
        for group in pair.groups:
            if group.base is not None and group.head is not None and group.base.plan.keeps_size:
                names = {pool.name for pool in group.base.pools} & {pool.name for pool in group.head.pools}
                if names and not group.head.plan.keeps_size:
                    yield _unknown_number((*group.head.path, "count"), names, group.head.slices)
        for past, pool in _kept_cpu_pools(pair.base, pair.head):
            if past.plan.keeps_size and not pool.plan.keeps_size:
                yield _unknown_number((*pool.path, "nodes"), {pool.name}, pool.nodes)


_WITH_MORE = _ADOPTED.replace("adopted: true", "adopted: true, protect: false, MORE")


@warning(
    "TPU979",
    about=of_groups("capacity", "extra", "host_maintenance", "topology"),
    title="Adopted node pool keeps a setting that the plan no longer has",
    why="Pulumi does not compare properties of adopted node pools that the plan does not set. It keeps the last value, "
    "also in a node pool that replaces another one",
    fix="Set the property in `extra`: to the value that you want, or to null if GKE must not get it.",
    references=["OBSERVED_2026_11_28"],
    failing=f"{_WITH_MORE.replace('MORE', 'capacity: {reservation: ours}')}--- plan"
    f"{_WITH_MORE.replace('MORE', 'capacity: on_demand')}",
    passing=f"{_WITH_MORE.replace('MORE', 'capacity: {reservation: ours}')}--- plan"
    f"{_WITH_MORE.replace('MORE', 'capacity: {reservation: theirs}')}",
)
def adopted_setting_stays(transition: Transition) -> Iterable[Hit]:
    """Skip node pools that get other names: the change deletes them."""
    for _, pair in transition.groups():
        past, group = pair.base, pair.head
        if past is None or group is None or past.plan.adopted is None or group.plan.adopted is None:
            continue
        if not {pool.name for pool in past.pools} & {pool.name for pool in group.pools}:
            continue
        stated = merge_extra({}, group.plan.extra, transition.catalog.provider, NODE_POOL)
        now = _settings(group)
        for path, key in _settings(past).items():
            if path not in now and not is_set(stated, path):
                yield Hit(
                    (*group.path, key), f"slice group {quoted(group.key)} keeps `{path}`, which the plan no longer sets"
                )


def _settings(group: SliceGroup) -> dict[str, str]:
    """The properties that an adopted node pool keeps without the keys that set them -> the key of each."""
    plan = group.plan
    found = {
        "nodeConfig.reservationAffinity": "capacity" if plan.capacity.reservation else "",
        "queuedProvisioning": "capacity" if plan.capacity.is_queued else "",
        "placementPolicy": "topology" if group.shape.multi_host else "",
        "nodeConfig.hostMaintenancePolicy": "host_maintenance" if plan.host_maintenance else "",
    }
    return {path: key for path, key in found.items() if key}


def _unknown_number(path: Path, names: Iterable[str], nodes: Range) -> Hit:
    pools = listed([quoted(name) for name in sorted(names)])
    return Hit(path, f"the present number of nodes of {pools} is not known, and Pulumi sets it to {nodes}")


def _groups(pairs: Iterable[GroupPair]) -> Iterator[tuple[Path, list[str]]]:
    """The slice groups without the key, each with the names of the node pools that it had before."""
    for pair in pairs:
        if (
            pair.base is None
            or pair.head is None
            or pair.base.plan.adopted is None
            or pair.head.plan.adopted is not None
        ):
            continue
        before = {pool.name for pool in pair.base.pools}
        kept = [pool.name for pool in pair.head.pools if pool.name in before]
        if kept:
            yield pair.head.path, kept


def _cpu_pools(base: Cluster, head: Cluster) -> Iterator[tuple[Path, list[str]]]:
    """The same of the node pools without TPUs."""
    for past, pool in _kept_cpu_pools(base, head):
        if past.plan.adopted is not None and pool.plan.adopted is None:
            yield pool.path, [pool.name]


def _kept_cpu_pools(base: Cluster, head: Cluster) -> Iterator[tuple[CpuPool, CpuPool]]:
    """The node pools without TPUs that keep their names, before and after the change."""
    before = {pool.key: pool for pool in base.cpu_pools}
    for pool in head.cpu_pools:
        past = next((before[key] for key in (pool.key, *pool.former_keys) if key in before), None)
        if past is not None and past.name == pool.name:
            yield past, pool
