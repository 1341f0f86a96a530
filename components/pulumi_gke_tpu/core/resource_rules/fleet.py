"""The node pools in files of other tools as a plan, to compare manifests and inventories with them."""

from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.describe import describe
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resource_rules.files import members_of
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.rules.engine.run import check_plan

_DECIDING = frozenset({"topology", "capacity", "placement"})
"""The keys of a slice group without which nothing can be compared with it."""


@frozen(eq=False)
class FleetOfFiles:
    """A plan that was made of resources."""

    checked: CheckedPlan | None
    """None if there are no clusters and no node pools, or if no plan can contain their names."""
    left_out: tuple[RawResource, ...]
    """The TPU node pools of which a part that decides is not known."""
    pools: Mapping[tuple[str, str], RawResource]
    """Keys of cluster and slice group -> node pool, the first one of several that are equal."""


def fleet_of(resources: Iterable[RawResource], catalog: Catalog) -> FleetOfFiles:
    """The plan whose slice groups are the TPU node pools, derived but not validated."""
    members = members_of(resources)
    by_key = {member.urn: resource for member, resource in members}
    described = describe((member for member, _ in members), catalog)
    left_out: list[RawResource] = []
    pools: dict[tuple[str, str], RawResource] = {}
    for path, part in described.parts.items():
        if path[2:3] == ("slices",):
            found = [by_key[source.urn] for source in part.sources]
            if part.unknown & _DECIDING or described.is_unknown(path[:2], "location"):
                left_out += found
            else:
                pools[str(path[1]), str(path[3])] = found[0]
    document = described.document
    if document.content is None:
        return FleetOfFiles(None, tuple(left_out), {})
    return FleetOfFiles(check_plan(document, catalog, rules=()), tuple(left_out), pools)
