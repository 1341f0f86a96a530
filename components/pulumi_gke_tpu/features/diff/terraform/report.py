"""The report about plan files of Terraform and OpenTofu, and the findings about them."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from pulumi_gke_tpu.cli.files.plan_files import read_input
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.phrases import amount, counted
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.resources.model import Origin, PlanOutcome, Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules.files.reading import incomplete_plan
from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Severity,
    listed,
    number,
    printable,
    printable_path,
    quoted,
    sort_findings,
)
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
from pulumi_gke_tpu.features.diff.effects.classes import totals_of
from pulumi_gke_tpu.features.diff.effects.pools import Uses, apply_orders
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.items import by_danger
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange, UseChange
from pulumi_gke_tpu.features.diff.narrative.notes import confidence_notes, cost_notes
from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS
from pulumi_gke_tpu.features.diff.terraform.estate import ClusterMember, Estate, PoolMember, TerraformPlan
from pulumi_gke_tpu.features.diff.terraform.findings import new_findings
from pulumi_gke_tpu.features.diff.terraform.groups import preview_of
from pulumi_gke_tpu.features.diff.terraform.items import Costs, Items

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


_MOST_KINDS = 4
_MOST_ADDRESSES = 5


def compare_terraform(
    files: Sequence[TerraformPlan],
    catalog: Catalog,
    given: Document[Inventory] | None,
    *,
    most_hosts: int | None = None,
) -> Comparison:
    """What the plans of some root modules do, in the place of a comparison of plans."""
    estate = Estate(files, catalog)
    inventory = given.content if given is not None else None
    owned = OwnedReservations.of(inventory)
    base = list(_previews(estate, catalog, owned, after=False))
    head = list(_previews(estate, catalog, owned, after=True))
    uses = Uses(base, head, catalog, inventory)
    items = by_danger(Items(estate, catalog, uses, (_costs(base), _costs(head))).all())
    judged = len(estate.pools) + sum(cluster.planned is not None for cluster in estate.clusters)
    change = ChangeReport(
        base="Terraform state",
        head=estate.names[0] if len(estate.names) == 1 else number(len(estate.names), "plan"),
        plans=estate.names,
        catalog_version=catalog.about.version,
        items=items,
        unchanged_items=judged - len(items),
        unchanged_resources=judged - len(items) + estate.unchanged,
        totals=totals_of(base, head, uses),
        acknowledgements=(),
        notes=tuple(_notes(estate, items, base, head)),
        order=apply_orders(uses),
        tool="Terraform",
    )
    findings = [
        *(given.findings if given is not None else ()),
        *findings_of(estate, items, uses, most_hosts),
        *new_findings([raw for file in files for raw in file.resources.found], catalog),
    ]
    return Comparison(Report(change), sort_findings(findings))


def _previews(estate: Estate, catalog: Catalog, owned: OwnedReservations, *, after: bool) -> Iterator[PlanPreview]:
    """The node pools on one side, by file and project."""
    found: dict[tuple[str, str], dict[int, tuple[ClusterMember, list[SliceGroup]]]] = {}
    for pool in estate.pools:
        group = pool.head if after else pool.base
        if group is not None:
            clusters = found.setdefault((pool.file, pool.project), {})
            clusters.setdefault(id(pool.cluster), (pool.cluster, []))[1].append(group)
    for (file, project), clusters in found.items():
        sides = (_side(member, groups, project, after=after) for member, groups in clusters.values())
        yield preview_of(file, project, tuple(sides), catalog, owned)


def _side(member: ClusterMember, groups: Iterable[SliceGroup], project: str, *, after: bool) -> Cluster:
    return dataclasses.replace(member.side(member.after if after else member.before, groups), project=project)


def _costs(previews: Iterable[PlanPreview]) -> Costs:
    return {(preview.name, cost.group): cost for preview in previews for cost in preview.cost.groups}


def _notes(
    estate: Estate, items: Sequence[ItemChange], base: Sequence[PlanPreview], head: Sequence[PlanPreview]
) -> Iterator[str]:
    yield from cost_notes(base, head)
    if any(item.hosts_gone.minimum != item.hosts_gone.maximum for item in items):
        yield "The current number of hosts in autoscaled node pools is unknown: the report uses their limits."
    if items:
        yield ("This report explains the plan that Terraform made. What changed after that, the plan does not contain.")
    for outcome in estate.outcomes.values():
        yield from _beside_changes(outcome)
    if estate.others:
        kinds = [f"{count:,} {printable(kind, 80)}" for kind, count in estate.others.most_common()]
        yield f"Only node pools and clusters are compared. Also in the plan: {listed(kinds, most=_MOST_KINDS)}."
    yield from confidence_notes(items)


def _beside_changes(outcome: PlanOutcome) -> Iterator[str]:
    """What a plan contains beside the changes of resources."""
    if outcome.errored:
        yield "Terraform stopped with an error while it made the plan: the report does not contain every change."
    if outcome.drifted:
        yield f"Changed outside of Terraform since its last run: {_addresses(outcome.drifted)}."
    if outcome.deferred:
        reasons = listed(
            [printable(reason.replace("_", " "), 80) for reason in dict.fromkeys(outcome.deferred.values())]
        )
        yield f"Left to a later plan, and not in this report: {_addresses(tuple(outcome.deferred))} ({reasons})."
    elif not outcome.complete and not outcome.errored:
        yield "The plan does not contain everything that the configuration requires: make another plan after the apply."
    if outcome.actions:
        yield f"The apply also invokes actions, which this report does not explain: {_addresses(outcome.actions)}."


def _addresses(addresses: Sequence[str]) -> str:
    return listed([quoted(printable(address, 200)) for address in addresses], most=_MOST_ADDRESSES)


LARGEST = 256_000_000
"""Bytes of the largest plan file."""
_HOW = "use the output of `terraform show -json PLAN`, where PLAN is a file of `terraform plan -out PLAN`"


def read_plans(paths: tuple[str, ...], catalog: Catalog) -> list[TerraformPlan]:
    """Read plan files; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read, or is not a plan of Terraform.
    """
    if len(set(paths)) < len(paths):
        raise click.UsageError("--terraform: duplicate file")
    reader = ResourceReader(catalog)
    return [TerraformPlan(path, _plan(path, reader)) for path in paths]


def _plan(path: str, reader: ResourceReader) -> Resources:
    name = "standard input" if path == "-" else printable_path(path)
    content = read_input(path, LARGEST + 1)
    if len(content) > LARGEST:
        raise click.UsageError(f"--terraform {name}: larger than {number(LARGEST, 'byte')}")
    try:
        found = reader.read(path, content)
    except JsonError as error:
        raise click.UsageError(f"--terraform {name}: {error}; {_HOW}") from None
    if found is None or found.plan is None:
        sources = found.found[:1] if found is not None else ()
        what = f"a {sources[0].origin.source.value}, not a plan" if sources else "not a plan"
        raise click.UsageError(f"--terraform {name}: it is {what} of Terraform; {_HOW}")
    return found
