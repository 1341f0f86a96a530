"""A plan previewed before and after a change, and which previews belong together."""

from collections.abc import Sequence

from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.graph.result import PlanPreview


@frozen
class PlanPair:
    """A plan before and after. None is not there: the plan file is new, or gone."""

    base: PlanPreview | None
    head: PlanPreview | None

    @property
    def name(self) -> str:
        """The plan file, as given for the side after the change where it is there."""
        found = self.head or self.base
        assert found is not None
        return found.name


def pair_plans(base: Sequence[PlanPreview], head: Sequence[PlanPreview]) -> tuple[PlanPair, ...]:
    """Plans that belong together, in the order after the change, then those that are gone.

    By file name; what is left by the name below the folder that all plans of a side have in common; and if there is
    one plan only on each side, these two.
    """
    if len(base) == len(head) == 1:
        return (PlanPair(base[0], head[0]),)
    found: dict[int, PlanPreview] = {}
    for names_before, names_after in (
        ([plan.name for plan in base], [plan.name for plan in head]),
        (_names_below(base), _names_below(head)),
    ):
        taken = {id(plan) for plan in found.values()}
        left = {name: plan for name, plan in zip(names_before, base, strict=True) if id(plan) not in taken}
        for name, plan in zip(names_after, head, strict=True):
            if id(plan) not in found and name in left:
                found[id(plan)] = left.pop(name)
    taken = {id(plan) for plan in found.values()}
    return (
        *(PlanPair(found.get(id(plan)), plan) for plan in head),
        *(PlanPair(plan, None) for plan in base if id(plan) not in taken),
    )


def _names_below(plans: Sequence[PlanPreview]) -> list[str]:
    """File names without the folder that all of them are in."""
    names = [plan.name.replace("\\", "/") for plan in plans]
    folders = [name.split("/")[:-1] for name in names]
    common = 0
    while folders and all(len(folder) > common and folder[common] == folders[0][common] for folder in folders):
        common += 1
    return ["/".join(name.split("/")[common:]) for name in names]
