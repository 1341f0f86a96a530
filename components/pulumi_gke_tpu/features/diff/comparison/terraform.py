"""The comparison of the plans that describe both sides of plans of Terraform, and the findings about them."""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.model import Action, PlanOutcome, RawResource, Resources
from pulumi_gke_tpu.core.rules.engine.discovery import together
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.files.reading import incomplete_plan
from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Severity,
    listed,
    number,
    printable,
    quoted,
    sort_findings,
)
from pulumi_gke_tpu.core.workflows.preview import preview_fleet
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, diff_pairs, planned_of
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison, identity_in_source
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import ChangeReport
from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS, validate_change
from pulumi_gke_tpu.features.diff.terraform.actions import Planner
from pulumi_gke_tpu.features.diff.terraform.plans import TerraformActions

_OF_CLUSTERS = ("TPU955", "TPU956", "TPU957")
"""The rules about changes that speak of properties. The others are about keys, acknowledgements and names of a plan."""
_MOST_KINDS = 4
_MOST_ADDRESSES = 5


def compare_terraform(
    files: Mapping[str, Resources],
    catalog: Catalog,
    given: Document[Inventory] | None,
    *,
    today: datetime.date | None = None,
    most_hosts: int | None = None,
) -> Comparison:
    """What the plans of some root modules do, by the names of their files: a comparison of both sides as plans.

    ``today`` decides which maintenance exclusions are active.
    """
    actions = TerraformActions(files, catalog)
    inventory = given.content if given is not None else None
    owned = OwnedReservations.of(inventory)
    pairs = [
        PlanPair(_preview(sides.before, owned), _preview(sides.after, owned), terraform=sides)
        for sides in actions.sides
    ]
    names = actions.names
    change = diff_pairs(
        pairs,
        catalog,
        inventory=inventory,
        base_name="Terraform state",
        head_name=names[0] if len(names) == 1 else number(len(names), "plan"),
    )
    change = dataclasses.replace(
        change,
        plans=names,
        unchanged_resources=change.unchanged_resources + actions.unchanged,
        notes=(*change.notes, *_notes(actions, change)),
        tool="Terraform",
    )
    findings = [
        *(given.findings if given is not None else ()),
        *(incomplete_plan(name) for name, outcome in actions.outcomes.items() if outcome.errored),
        *(
            _about_inventory(actions, given, catalog)
            if given is not None and any(item.hosts_new.maximum for item in change.items)
            else ()
        ),
        *_about_settings(actions, change, today),
        *_findings(actions, change, MOST_HOSTS if most_hosts is None else most_hosts),
        *_new_findings([raw for resources in files.values() for raw in resources.found], actions.planner, catalog),
    ]
    return Comparison(Report(change), sort_findings(findings))


def _preview(side: CheckedPlan, owned: OwnedReservations) -> PlanPreview:
    assert side.plan is not None
    assert side.fleet is not None
    return dataclasses.replace(preview_fleet("", side.plan, side.fleet, side.catalog, owned), exists=True)


def _about_inventory(actions: TerraformActions, given: Document[Inventory], catalog: Catalog) -> Iterator[Finding]:
    """What is new about the inventory with the plans."""
    validate = together(Scope.INVENTORY).validate_inventory
    before = validate([sides.before for sides in actions.sides], given, catalog)
    known = {(finding.rule, finding.message) for finding in before}
    found = validate([sides.after for sides in actions.sides], given, catalog)
    yield from (finding for finding in found if (finding.rule, finding.message) not in known)


def _about_settings(actions: TerraformActions, change: ChangeReport, today: datetime.date | None) -> Iterator[Finding]:
    """What changes of the settings of clusters that stay."""
    planned = {item.item: planned_of(item) for item in change.items}
    for sides in actions.sides:
        before, after = sides.before, sides.after
        assert before.plan is not None
        assert after.plan is not None
        pairs = pair_fleets(before.fleet, after.fleet)
        found = validate_change(
            before.plan, after.plan, pairs, after.catalog, today=today, planned=planned, only=_OF_CLUSTERS
        )
        yield from after.document.locate(found)


def _findings(actions: TerraformActions, change: ChangeReport, most_hosts: int) -> Iterator[Finding]:
    """Every problem of the change, with its place in the file."""
    for item in change.items:
        stopped = next((resource for resource in item.resources if resource.refused), None)
        if stopped is not None:
            severity = Severity.ERROR if stopped.refusal_is_certain else Severity.WARNING
            message = f"`terraform apply` {stopped.fails} at {quoted(item.item)}: {printable(stopped.refused, 300)}"
            yield actions.located(Finding("TPU964", severity, (item.item,), message), item.plan)
    for plan in actions.names:
        own = [item for item in change.items if item.plan == plan]
        counts = [item.hosts_gone.maximum + item.hosts_restarted.maximum for item in own]
        if sum(counts) > most_hosts:
            first = max(zip(counts, own, strict=True), key=lambda entry: (entry[0], entry[1].item))[1]
            message = (
                f"this plan deletes or re-creates {number(sum(counts), 'host')}, most of them of {quoted(first.item)}; "
                f"the limit per plan is {most_hosts:,}, and `gke-tpu diff --most-hosts {sum(counts)}` raises it"
            )
            yield actions.located(Finding("TPU958", Severity.WARNING, (first.item,), message), plan)


def _notes(actions: TerraformActions, change: ChangeReport) -> Iterator[str]:
    if change.items:
        yield "This report explains the plan that Terraform made. What changed after that, the plan does not contain."
    for outcome in actions.outcomes.values():
        yield from _beside_changes(outcome)
    if actions.others:
        kinds = [f"{count:,} {printable(kind, 160)}" for kind, count in actions.others.most_common()]
        yield f"Only node pools and clusters are compared. Also in the plan: {listed(kinds, most=_MOST_KINDS)}."


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


def _new_findings(resources: Iterable[RawResource], planner: Planner, catalog: Catalog) -> Iterator[Finding]:
    """The findings that are new with the plan, and every error of a resource that the plan creates or changes."""
    after = tuple(resources)
    before = [
        dataclasses.replace(raw, values=values, action=Action(("no-op",)))
        for raw in after
        if (values := planner.before(raw)) is not None
    ]
    known = {identity_in_source(finding) for finding in check_resources(before, catalog)}
    changed = {raw.origin.address for raw in after if raw.action is not None and raw.action.kinds != ("no-op",)}
    for finding in check_resources(after, catalog):
        is_error = finding.severity is Severity.ERROR and finding.path[0] in changed
        if is_error or identity_in_source(finding) not in known:
            yield finding
