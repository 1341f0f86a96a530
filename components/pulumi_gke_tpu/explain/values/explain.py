"""Explains a plan, a cluster or a slice group: the origin of each value."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate.headroom import headroom
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.explain.notes import fitting_notes
from pulumi_gke_tpu.explain.steps import Explanation, Remark, Step
from pulumi_gke_tpu.explain.values.account import group_account_step
from pulumi_gke_tpu.explain.values.cluster import cluster_steps
from pulumi_gke_tpu.explain.values.group_nodes import node_steps
from pulumi_gke_tpu.explain.values.group_place import place_steps
from pulumi_gke_tpu.explain.values.group_shape import GroupView, shape_steps
from pulumi_gke_tpu.explain.values.headroom import headroom_step
from pulumi_gke_tpu.explain.values.item import Item
from pulumi_gke_tpu.explain.values.maintenance import group_maintenance
from pulumi_gke_tpu.explain.values.price import cluster_price, group_price
from pulumi_gke_tpu.explain.values.written import written_step
from pulumi_gke_tpu.findings import did_you_mean, number
from pulumi_gke_tpu.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.formats.location import is_ai_zone
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Inventory, Plan


class NoSuchValueError(Exception):
    """An item has no value with this name. ``choices`` are the names of its values, ``near`` is the nearest one."""

    def __init__(self, value: str, choices: tuple[str, ...]) -> None:
        super().__init__(value)
        self.choices = choices
        self.near = did_you_mean(value, choices)


def explain_item(
    plan: Plan,
    fleet: Fleet,
    catalog: Catalog,
    item: Item,
    *,
    with_prices: bool = False,
    inventory: Inventory | None = None,
    plans: Sequence[CheckedPlan] = (),
) -> Explanation:
    """Explain an item of a plan, or one of its values.

    ``with_prices`` adds every known price of the machine family in the region. With an inventory, the explanation uses
    the prices of its reservations, and subtracts the use by ``plans`` from its limits.

    The explanation of a group with an impossible shape contains the problem and no steps.

    Raises:
        NoSuchValueError: the item has no such value.
    """
    with_prices = with_prices or item.value.split(".")[0] in _PRICE_WORDS
    explaining = _Explaining(plan, fleet, catalog, item, with_prices, inventory, tuple(plans))
    if item.group:
        return explaining.group()
    return explaining.cluster() if item.cluster else explaining.plan_overview()


_PRICE_WORDS = ("price", "prices", "cost")


@frozen
class _Explaining:
    """An item to explain, with the plan and its fleet."""

    plan: Plan
    fleet: Fleet
    catalog: Catalog
    item: Item
    with_prices: bool
    inventory: Inventory | None
    plans: tuple[CheckedPlan, ...]

    def _headroom(self, *groups: SliceGroup) -> Step:
        """What the limits of the inventory leave to slice groups."""
        room = None if self.inventory is None else headroom(self.plans, self.inventory, self.catalog)
        return headroom_step(self.catalog, room, [group.key for group in groups])

    def plan_overview(self) -> Explanation:
        """The plan, with one step per cluster and group."""
        return Explanation(
            item=self.plan.project,
            kind="plan",
            summary=f"plan of project {self.plan.project}, {number(len(self.plan.clusters), 'cluster')}",
            catalog=self.catalog.about.version,
            steps=tuple(self._overview_steps()),
        )

    def _overview_steps(self) -> Iterable[Step]:
        derived = {group.key: group for _, group in self.fleet.groups()}
        for cluster in self.fleet.clusters:
            yield Step(cluster.key, f"{cluster.mode.title()}, {cluster.location}", "a cluster in the plan")
            for name in cluster.plan.slices:
                key = f"{cluster.key}/{name}"
                if key in derived:
                    yield Step(key, group_summary(derived[key], cluster), "a slice group in the plan")
                else:
                    yield Step(key, "unknown shape", self._problem(key))

    def cluster(self) -> Explanation:
        """The explanation of a cluster."""
        cluster = next(cluster for cluster in self.fleet.clusters if cluster.key == self.item.cluster)
        steps = (
            *cluster_steps(self.catalog, cluster),
            self._headroom(*cluster.groups),
            cluster_price(self.catalog, cluster, OwnedReservations.of(self.inventory)),
        )
        chosen = self._chosen(steps, cluster.plan)
        traits: set[str] = {cluster.mode}
        groups = number(len(cluster.plan.slices), "slice group")
        if self.item.value:
            traits |= {group.shape.generation for group in cluster.groups}
        return Explanation(
            item=cluster.key,
            kind="cluster",
            summary=f"{cluster.mode.title()} cluster in {cluster.location}, {groups}",
            catalog=self.catalog.about.version,
            steps=chosen,
            remarks=self._remarks(traits, {"hardening", "versions"}, chosen),
        )

    def group(self) -> Explanation:
        """The explanation of a slice group."""
        found = [(cluster, group) for cluster, group in self.fleet.groups() if group.key == self.item.key]
        if not found:
            return Explanation(
                item=self.item.key,
                kind="group",
                summary="its slices have no valid shape, so gke-tpu cannot derive the group",
                catalog=self.catalog.about.version,
                problem=self._problem(self.item.key),
            )
        cluster, group = found[0]
        view = GroupView(self.catalog, cluster, group)
        steps = (
            *shape_steps(view),
            *node_steps(view),
            *place_steps(view),
            self._headroom(group),
            group_price(view, OwnedReservations.of(self.inventory), with_prices=self.with_prices),
            group_maintenance(view),
            group_account_step(self.catalog, cluster, group),
        )
        chosen = self._chosen(steps, group.plan)
        traits = {
            cluster.mode,
            group.shape.generation,
            "multi_host" if group.shape.multi_host else "single_host",
            group.plan.capacity.mode,
            *(["queued"] if group.plan.capacity.is_queued else []),
            *(["ai_zones"] if any(map(is_ai_zone, group.zones)) else []),
        }
        return Explanation(
            item=group.key,
            kind="group",
            summary=group_summary(group, cluster),
            catalog=self.catalog.about.version,
            steps=chosen,
            remarks=self._remarks(traits, {"scaling"} if group.autoscaled else set(), chosen),
        )

    def _chosen(self, steps: tuple[Step, ...], part: object) -> tuple[Step, ...]:
        """All steps, or the steps of the value in the path."""
        if not self.item.value:
            return steps
        name = self.item.value.split(".")[0].split("[")[0]
        chosen = tuple(step for step in steps if step.name == name) or tuple(
            step for step in steps if name in step.keys or self.item.value in step.keys
        )
        if not chosen and self._is_pool(name):
            chosen = tuple(step for step in steps if step.name == "node_pools")
        if not chosen:
            chosen = written_step(part, name)
        if not chosen:
            groups = () if self.item.group else tuple(self.plan.clusters[self.item.cluster].slices)
            raise NoSuchValueError(name, (*groups, *(step.name for step in steps)))
        return chosen

    def _is_pool(self, name: str) -> bool:
        return any(
            pool.name == name for _, group in self.fleet.groups() if group.key == self.item.key for pool in group.pools
        )

    def _remarks(self, traits: set[str], subjects: set[str], chosen: tuple[Step, ...]) -> tuple[Remark, ...]:
        """The matching notes: for a whole item, notes about such items; for one value, other notes on its topics."""
        if self.item.value:
            topics = {topic for step in chosen for topic in step.topics}
            stated = {line for step in chosen for line in step.details}
            notes = fitting_notes(self.catalog, traits, topics, only_on_subjects=True)
            return tuple(note for note in notes if note.text.rstrip(".") not in stated)
        return fitting_notes(self.catalog, traits, subjects | ({"cost"} if self.with_prices else set()))

    def _problem(self, key: str) -> str:
        """The reason why a group has no shape."""
        cluster, _, group = key.partition("/")
        path = ("clusters", cluster, "slices", group)
        for unresolved in self.fleet.unresolved:
            if unresolved.path == path:
                problem = unresolved.problem
                fix = f"; try {problem.fix}" if problem.fix else ""
                return f"{problem.rule}: {problem.message}{fix}"
        return "gke-tpu could not read its keys"


def group_summary(group: SliceGroup, cluster: Cluster) -> str:
    """A one-line summary of a group: ``v6e 16x16, 2 slices, multi-host, us-east5-b, reservation``."""
    shape = group.shape
    slices = group.slices.counted("slice")
    hosts = "multi-host" if shape.multi_host else "single-host"
    place = group.zone or cluster.region
    return f"{shape.generation} {shape.topology}, {slices}, {hosts}, {place}, {group.plan.capacity.mode}"
