"""Which resources of the graph become one resource of Terraform: node pools of a group that differ in their names."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key
from pulumi_gke_tpu.core.graph.model import NODE_POOL, TPU_SLICES
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name

_AUTOSCALED = "/autoscaled"


@frozen
class ResourceFamily:
    """One resource of Terraform. With ``of_slices``, it has an instance for each slice of several hosts of a group.

    A slice that is autoscaled has another lifecycle than one that is not, and Terraform has one for all instances of a
    resource; so the slices of a group are up to two families.
    """

    resources: tuple[Declared, ...]
    key: str
    """The key in the plan: that of the slice group for its node pools."""
    of_slices: bool = False

    @property
    def first(self) -> Declared:
        """The resource from which the common properties are taken."""
        return self.resources[0]

    @property
    def autoscaled(self) -> bool:
        """Whether GKE decides the number of nodes."""
        return is_autoscaled(self.first)

    @property
    def name(self) -> str:
        """The name in Terraform."""
        return self.names_of(self.key)[0]

    def names_of(self, key: str) -> tuple[str, ...]:
        """The names in Terraform for the key of a group or a resource: first this family's, then the other kind's."""
        if not self.of_slices:
            return (resource_name(key),)
        names = resource_name(key), resource_name(f"{key}{_AUTOSCALED}")
        return names[::-1] if self.autoscaled else names

    def instance(self, resource: Declared) -> str:
        """The name of a slice in its group; empty for a resource without instances."""
        return resource.name[len(self.key) + 1 :] if self.of_slices else ""

    @property
    def former(self) -> tuple[str, ...]:
        """The keys that the group or the resource had before."""
        names = (alias.name for alias in self.first.options.aliases if alias.name and not alias.type)
        below = len(self.first.name) - len(self.key)
        return tuple(name[: len(name) - below] for name in names)


def is_autoscaled(pool: Declared) -> bool:
    """Whether GKE decides the number of nodes of a pool."""
    return pool.properties.get("autoscaling") is not None


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
            pools = (other for other in declared.children(item.parent) if other.type == NODE_POOL)
            alike = tuple(pool for pool in pools if is_autoscaled(pool) == is_autoscaled(item))
            written.update(pool.key for pool in alike)
            yield ResourceFamily(alike, groups[item.parent], of_slices=True)
