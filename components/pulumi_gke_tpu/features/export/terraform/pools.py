"""Which resources of the graph become one resource of Terraform: node pools of a group that differ in their names."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL, TPU_SLICES
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name


@frozen
class ResourceFamily:
    """One resource of Terraform. With ``of_slices``, it has an instance for each slice of several hosts of a group."""

    resources: tuple[Declared, ...]
    key: str
    """The key in the plan: that of the slice group for its node pools."""
    of_slices: bool = False

    @property
    def first(self) -> Declared:
        """The resource from which the common properties are taken."""
        return self.resources[0]

    @property
    def name(self) -> str:
        """The name in Terraform."""
        return resource_name(self.key)

    def instance(self, resource: Declared) -> str:
        """The name of a slice in its group; empty for a resource without instances."""
        return resource.name[len(self.key) + 1 :] if self.of_slices else ""

    @property
    def former(self) -> tuple[str, ...]:
        """The keys that the group or the resource had before, the oldest one last."""
        names = (alias.name for alias in self.first.options.aliases if alias.name and not alias.type)
        below = len(self.first.name) - len(self.key)
        return tuple(name[: len(name) - below] for name in names)


def families(declared: Declarations) -> tuple[ResourceFamily, ...]:
    """The resources of a program, in order. Components exist in Pulumi only."""
    return tuple(_families(declared))


def _families(declared: Declarations) -> Iterator[ResourceFamily]:
    groups = {item.key: item.name for item in declared if item.type == TPU_SLICES}
    written: set[Key] = set()
    for item in declared:
        if not item.custom or item.key in written:
            continue
        if item.type != NODE_POOL or item.parent not in groups:
            yield ResourceFamily((item,), item.name)
        elif item.properties.get("placementPolicy") is None:
            yield ResourceFamily((item,), groups[item.parent])
        else:
            slices = tuple(other for other in declared.children(item.parent) if other.type == NODE_POOL)
            written.update(pool.key for pool in slices)
            yield ResourceFamily(slices, groups[item.parent], of_slices=True)
