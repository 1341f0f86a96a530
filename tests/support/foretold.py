"""What the comparison of two graphs foretells of an edit, and what of it the provider tells of."""

from collections.abc import Iterable

from support.editing import BASES, Edit, edited, graph_after, graph_before

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import ResourceChange

_FOLLOWING = (
    "__meta",
    "effectiveLabels",
    "pulumiLabels",
    "enableIntranodeVisibility",
    "nodeConfig.resourceManagerTags",
)
"""What the provider lists beside the properties that differ: outputs that follow, and a reason without a name."""
_OF_ACCOUNTS = ("email", "member")
_ON_STANDARD = "clusterAutoscaling.autoProvisioningDefaults"
"""A block that GKE reports of every Standard cluster, and of an Autopilot cluster only if it was sent. The comparison
names the block, and the provider what is inside of it."""
_DECIDED_BY_THE_PROVIDER = {"no-op", "restart", "in-place", "create", "metadata"}


def takes_the_engine(edit: Edit) -> bool:
    """Whether more than the answers of the provider decides: something is replaced, deleted, moved or refused."""
    replaces = any("replace" in operation for operation in edit.ops.values())
    moves = edited(edit).get("moved") != BASES[edit.base]().get("moved")
    return bool(edit.refused) or replaces or moves or not _DECIDED_BY_THE_PROVIDER.issuperset(edit.classes.values())


def foretold(edit: Edit) -> tuple[ResourceChange, ...]:
    catalog = read_catalog()
    return compare(graph_before(edit.base), graph_after(edit), catalog.provider, disks=catalog.disks.families)


def told(paths: Iterable[str], resource_type: str) -> set[str]:
    """The properties that differ, among the paths that the provider names."""
    follows = (*_FOLLOWING, *_OF_ACCOUNTS) if resource_type.endswith(":Account") else _FOLLOWING
    return {_block(path) for path in paths if not path.startswith(follows)}


def expected_to_be_told(change: ResourceChange, found: set[str]) -> set[str]:
    """The provider gets no request for a resource that is deleted with another one."""
    if change.operation not in ("update", "replace") or (change.because_of and not found):
        return set()
    return {_block(item.path) for item in change.differences if item.planned}


def _block(path: str) -> str:
    return _ON_STANDARD if path.startswith(f"{_ON_STANDARD}.") else path
