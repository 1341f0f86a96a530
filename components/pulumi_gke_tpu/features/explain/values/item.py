"""Finds the item of a path in a plan: the plan, a cluster, a slice group, or a value of them."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.text.findings import did_you_mean, parse_path


@frozen
class Item:
    """An item of a plan. ``value`` is the path of one of its values; empty for the whole item."""

    cluster: str = ""
    group: str = ""
    value: str = ""

    @property
    def key(self) -> str:
        """CLUSTER or CLUSTER/GROUP; empty for the plan."""
        return f"{self.cluster}/{self.group}" if self.group else self.cluster


class NoSuchItemError(Exception):
    """No item has the path. ``choices`` are the existing items, ``near`` is the nearest one."""

    def __init__(self, path: str, choices: tuple[str, ...]) -> None:
        super().__init__(path)
        self.choices = choices
        self.near = did_you_mean(path, choices)


def items(plan: Plan) -> tuple[str, ...]:
    """Every cluster and group of a plan, as paths."""
    return tuple(
        path
        for name, cluster in plan.clusters.items()
        for path in (name, *(f"{name}/{group}" for group in cluster.slices))
    )


def find_item(plan: Plan, path: str) -> Item:
    """The item of a path: ``train-east``, ``train-east/pretrain``, or the complete path in the plan.

    Raises:
        NoSuchItemError: no item of the plan has this path.
    """
    found = [item for item in (_find(plan, steps) for steps in _readings(path)) if item is not None]
    if not found:
        raise NoSuchItemError(path, items(plan))
    return next((item for item in found if item.group), found[-1])


def _readings(path: str) -> Iterable[tuple[str, ...]]:
    """The ways to split a path: names between slashes, or the notation of findings."""
    yield tuple(path.strip().strip("/").split("/"))
    try:
        yield tuple(map(str, parse_path(path)))
    except ValueError:
        return


def _find(plan: Plan, steps: tuple[str, ...]) -> Item | None:
    if steps in ((), ("",), ("clusters",)):
        return Item()
    if steps[0] == "clusters" and len(steps) > 1 and steps[1] in plan.clusters:
        return _in_cluster(plan, steps[1], steps[2:])
    if steps[0] in plan.clusters:
        return _in_cluster(plan, steps[0], steps[1:])
    return None


def _in_cluster(plan: Plan, cluster: str, rest: tuple[str, ...]) -> Item | None:
    groups = plan.clusters[cluster].slices
    if len(rest) > 1 and rest[0] == "slices":
        return Item(cluster, rest[1], ".".join(rest[2:])) if rest[1] in groups else None
    if rest and rest[0] in groups:
        return Item(cluster, rest[0], ".".join(rest[1:]))
    return Item(cluster, "", ".".join(rest))
