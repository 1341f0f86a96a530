"""The findings about plans of Terraform: what fails, what is too large, and how much stops at once."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.graph.phrases import amount, counted
from pulumi_gke_tpu.core.resources.model import Origin
from pulumi_gke_tpu.core.rules.files.terraform_plans import incomplete_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, listed, number, printable, quoted
from pulumi_gke_tpu.features.diff.effects.pools import Uses
from pulumi_gke_tpu.features.diff.model import ItemChange, UseChange
from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS
from pulumi_gke_tpu.features.diff.terraform.estate import ClusterMember, Estate, PoolMember

_MOST_NAMES = 3
_RULES = {"reservation": "TPU804", "quota": "TPU811"}
"""The rules for plans of gke-tpu that report the same."""


def findings_of(estate: Estate, items: Sequence[ItemChange], uses: Uses, most_hosts: int | None) -> Iterator[Finding]:
    """Every problem of the plans, with its place in the file."""
    places = _Origins(estate)
    yield from (incomplete_plan(name) for name, outcome in estate.outcomes.items() if outcome.errored)
    for item in items:
        yield from _failure(item, places)
    yield from _exceeded(estate, items, uses, places)
    yield from _many_hosts(estate, items, MOST_HOSTS if most_hosts is None else most_hosts, places)


class _Origins:
    """Where the items are."""

    def __init__(self, estate: Estate) -> None:
        members: list[PoolMember | ClusterMember] = [*estate.pools, *estate.clusters]
        found = [(member.file, member.planned.raw.origin) for member in members if member.planned is not None]
        self._origins: Mapping[tuple[str, str], Origin] = {(file, origin.address): origin for file, origin in found}

    def located(self, finding: Finding, item: ItemChange) -> Finding:
        """The finding with the position of the resource in its plan file."""
        return dataclasses.replace(finding, position=self._origins[item.plan, item.item].locate(()))


def _failure(item: ItemChange, places: _Origins) -> Iterator[Finding]:
    stopped = next((change for change in item.resources if change.refused), None)
    if stopped is None:
        return
    certain = stopped.refusal_is_certain
    fails = "`terraform apply` will fail" if certain else "`terraform apply` is expected to fail"
    severity = Severity.ERROR if certain else Severity.WARNING
    message = f"{fails} at {quoted(item.item)}: {printable(stopped.refused, 300)}"
    yield places.located(Finding("TPU964", severity, (item.item,), message), item)


def _exceeded(estate: Estate, items: Sequence[ItemChange], uses: Uses, places: _Origins) -> Iterator[Finding]:
    """Limits of the inventory that node pools exceed which the plans create or enlarge."""
    growing = {(item.plan, item.item): item for item in items if item.hosts_new.maximum}
    found: dict[int, tuple[UseChange, list[ItemChange]]] = {}
    for pool in estate.pools:
        item = growing.get((pool.file, pool.planned.address))
        taken = uses.of_group(pool.head) if item is not None and pool.head is not None else None
        if item is not None and taken is not None and _is_over(taken[0]):
            found.setdefault(id(taken[0]), (taken[0], []))[1].append(item)
    for use, takers in found.values():
        names = listed([quoted(item.item) for item in takers], most=_MOST_NAMES)
        message = (
            f"{use.kind} {quoted(use.name)} in {printable(use.place)} has "
            f"{counted(use.limit or 0, f'available {use.unit}')}, but the plans need {amount(use.will, use.unit)} with "
            f"{names}"
        )
        certain = use.limit is not None and use.will.minimum > use.limit
        severity = Severity.ERROR if certain else Severity.WARNING
        first = takers[-1]
        yield places.located(Finding(_RULES[use.kind], severity, (first.item,), message), first)


def _is_over(use: UseChange) -> bool:
    return use.limit is not None and use.will.maximum > use.limit


def _many_hosts(estate: Estate, items: Sequence[ItemChange], most: int, places: _Origins) -> Iterator[Finding]:
    for plan in estate.names:
        stopped = {
            item.item: (item.hosts_gone.maximum + item.hosts_restarted.maximum, item)
            for item in items
            if item.plan == plan
        }
        hosts = sum(count for count, _ in stopped.values())
        if hosts <= most:
            continue
        _, first = max(stopped.values(), key=lambda entry: (entry[0], entry[1].item))
        message = (
            f"this plan deletes or re-creates {number(hosts, 'host')}, most of them of {quoted(first.item)}; the limit "
            f"per plan is {most:,}, and `gke-tpu diff --most-hosts {hosts}` raises it"
        )
        yield places.located(Finding("TPU958", Severity.WARNING, (first.item,), message), first)
