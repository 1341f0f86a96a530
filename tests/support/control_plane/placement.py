"""Whether the scheduler put the Pods of a slice where they belong, and what guarantees it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from support.control_plane.client import Object
from support.control_plane.nodes import NODE_POOL, Pool
from support.control_plane.testbed import Placement

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, derive
from pulumi_gke_tpu.core.plan import parse_plan

CATALOG = read_catalog()


def cluster_of(slices: Mapping[str, Object], *, mode: str = "standard", **more: object) -> Cluster:
    """The only cluster of a plan with these slice groups."""
    content = {"mode": mode, "location": "us-east5", "slices": slices, **more}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": content}})
    assert document.content is not None, document.findings
    fleet = derive(document.content, CATALOG)
    assert fleet.unresolved == ()
    return fleet.clusters[0]


def pools_used(placements: Iterable[Placement], pools: Sequence[Pool]) -> Counter[str]:
    """Pool -> Pods on its nodes. Every Pod is bound, alone on its node, and requests all chips of the node."""
    placements = list(placements)
    refused = {found.pod: found.reason for found in placements if not found.node}
    assert refused == {}, refused
    nodes = {pool.node_name(number): pool for pool in pools for number in range(pool.nodes)}
    assert len({found.node for found in placements}) == len(placements)
    assert [found for found in placements if found.chips != nodes[found.node].chips] == []
    return Counter(nodes[found.node].name for found in placements)


def held_together_by(spec: Object, pools: Iterable[Pool]) -> str:
    """What makes all Pods with this specification run in one node pool; empty if it is luck."""
    if NODE_POOL in spec.get("nodeSelector", {}):
        return "pool selector"
    if len([pool for pool in pools if selects(spec, pool)]) == 1:
        return "only one pool"
    rules = [spec.get("affinity", {}).get(kind, {}).get(_REQUIRED, ()) for kind in ("podAffinity", "podAntiAffinity")]
    return "exclusive topology" if all(NODE_POOL in {rule["topologyKey"] for rule in found} for found in rules) else ""


def selects(spec: Object, pool: Pool) -> bool:
    """Whether node selector and node affinity of a Pod allow the nodes of a pool."""
    labels = {**pool.labels, NODE_POOL: pool.name}
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get(_REQUIRED, {}).get("nodeSelectorTerms")
    fits = terms is None or any(
        all(labels.get(one["key"]) in one["values"] for one in term["matchExpressions"]) for term in terms
    )
    return fits and spec.get("nodeSelector", {}).items() <= labels.items()


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
