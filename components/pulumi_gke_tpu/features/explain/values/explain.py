"""Explains a plan, a cluster or a slice group: the origin of each value."""

import dataclasses
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.text.findings import did_you_mean, number
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone
from pulumi_gke_tpu.features.explain.steps import Explanation, Remark, Step, fitting_notes
from pulumi_gke_tpu.features.explain.values.cluster import cluster_steps
from pulumi_gke_tpu.features.explain.values.group_nodes import node_steps
from pulumi_gke_tpu.features.explain.values.group_place import place_steps
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView, shape_steps
from pulumi_gke_tpu.features.explain.values.surroundings import Item, Surroundings, written_step


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
    around: Surroundings | None = None,
) -> Explanation:
    """Explain an item of a plan, or one of its values.

    ``around`` has the file of the plan, an inventory and other plans; without it, no value has a position in a file,
    and every limit is unknown.

    The explanation of a group with an impossible shape contains the problem and no steps.

    Raises:
        NoSuchValueError: the item has no such value.
    """
    with_prices = with_prices or item.value.split(".")[0] in _PRICE_WORDS
    explaining = _Explaining(plan, fleet, catalog, item, with_prices, around or Surroundings.of(plan, fleet, catalog))
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
    around: Surroundings

    def plan_overview(self) -> Explanation:
        """The plan, with one step per cluster and group."""
        return Explanation(
            item=self.plan.project,
            kind="plan",
            summary=f"plan of project {self.plan.project}, {number(len(self.plan.clusters), 'cluster')}",
            catalog=self.catalog.about.version,
            steps=self._placed(self._overview_steps(), None),
        )

    def _overview_steps(self) -> Iterable[Step]:
        derived = {group.key: group for _, group in self.fleet.groups()}
        for cluster in self.fleet.clusters:
            text = f"{cluster.mode.title()}, {cluster.location}"
            yield Step(cluster.key, text, "a cluster in the plan", paths=(cluster.path,))
            for name in cluster.plan.slices:
                key = f"{cluster.key}/{name}"
                if key in derived:
                    text, path = group_summary(derived[key], cluster), derived[key].path
                    yield Step(key, text, "a slice group in the plan", paths=(path,))
                else:
                    yield Step(key, "unknown shape", self._problem(key), paths=((*cluster.path, "slices", name),))

    def cluster(self) -> Explanation:
        """The explanation of a cluster."""
        cluster = next(cluster for cluster in self.fleet.clusters if cluster.key == self.item.cluster)
        steps = self._placed(cluster_steps(self.catalog, cluster, self.around), cluster)
        chosen = self._chosen(steps, cluster)
        traits: set[str] = {cluster.mode}
        groups = number(len(cluster.plan.slices), "slice group")
        if self.item.value:
            traits |= {group.shape.generation for group in cluster.groups}
        return Explanation(
            item=cluster.key,
            kind="cluster",
            summary=f"{cluster.mode.title()} cluster in {cluster.location}, {groups}",
            catalog=self.catalog.about.version,
            **self._explained(steps, chosen),
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
        place = place_steps(view, self.around, with_prices=self.with_prices)
        steps = self._placed((*shape_steps(view), *node_steps(view), *place), group)
        chosen = self._chosen(steps, group)
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
            **self._explained(steps, chosen),
            remarks=self._remarks(traits, {"scaling"} if group.autoscaled else set(), chosen),
        )

    def _placed(self, steps: Iterable[Step], item: Cluster | SliceGroup | None) -> tuple[Step, ...]:
        """The steps with the places of their values in the files of the user."""
        return tuple(dataclasses.replace(step, written=tuple(self.around.placed(step, item))) for step in steps)

    def _explained(self, steps: tuple[Step, ...], chosen: tuple[Step, ...]) -> dict[str, Any]:
        """The chosen steps; of a single value also those from which it follows, and YAML with missing values."""
        if not self.item.value:
            return {"steps": chosen}
        chain: dict[str, Step] = {}
        waiting = [name for step in chosen for name in step.follows_from]
        known = {step.name: step for step in steps}
        while waiting:
            name = waiting.pop(0)
            if name in known and name not in chain and known[name] not in chosen:
                chain[name] = known[name]
                waiting += known[name].follows_from
        paste = next((step for step in chosen if step.paste), None)
        into = {"paste": paste.paste, "paste_into": paste.paste_into} if paste else {}
        return {"steps": chosen, "chain": tuple(chain.values()), **into}

    def _chosen(self, steps: tuple[Step, ...], item: Cluster | SliceGroup) -> tuple[Step, ...]:
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
            chosen = self._placed(written_step(item.plan, name), item)
        if not chosen:
            groups = () if self.item.group else tuple(self.plan.clusters[self.item.cluster].slices)
            raise NoSuchValueError(name, (*groups, *(step.name for step in steps)))
        return chosen

    def _is_pool(self, name: str) -> bool:
        return any(
            pool.name == name for _, group in self.fleet.groups() if group.key == self.item.key for pool in group.pools
        )

    def _remarks(self, traits: set[str], subjects: set[str], chosen: tuple[Step, ...]) -> tuple[Remark, ...]:
        """The matching notes: for a whole item, notes about such items; for one value, notes on its topics."""
        if self.item.value:
            topics = {topic for step in chosen for topic in step.topics}
            shown = {detail.partition(": ")[2] for step in chosen for detail in step.details}
            notes = fitting_notes(self.catalog, traits, topics, only_on_subjects=True)
            return tuple(note for note in notes if note.text not in shown)
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
    slices = group.counted
    hosts = "multi-host" if shape.multi_host else "single-host"
    place = group.zone or cluster.region
    return f"{shape.generation} {shape.topology}, {slices}, {hosts}, {place}, {group.plan.capacity.mode}"
