"""``gke-tpu diff``: show the effect of a plan change."""

import datetime
import os
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import clock, format_option, has_errors, show, strict_option, today_option
from pulumi_gke_tpu.cli.shared import progress
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi_gke_tpu.cli.writers import Screen
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.plan import Document
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.plan.organization import Organization
    from pulumi_gke_tpu.core.workflows.check import PlanFile
    from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
    from pulumi_gke_tpu.features.diff.sides import Sides

_SHOWN_SKIPPED = 3


@click.command(
    "diff",
    cls=CommandWithExamples,
    short_help="Show the effect of a plan change.",
    examples=(
        "gke-tpu diff before.yaml plan.yaml",
        "gke-tpu diff main...HEAD --fail-on replace,delete",
        "gke-tpu diff --terraform tfplan.json",
    ),
)
@click.argument("sides", nargs=-1, metavar="BASE HEAD | BASE...HEAD [PATH...]")
@click.option(
    "--terraform",
    metavar="PLAN",
    multiple=True,
    help="Show the effect of this output of terraform show -json instead; - is standard input; may be repeated.",
)
@click.option("--base-rev", metavar="REV", help="Base revision, even if a path has the same name.")
@click.option("--head-rev", metavar="REV", help="Head revision, even if a path has the same name.")
@click.option("--merge-base", is_flag=True, help="Compare from the merge base, like BASE...HEAD.")
@click.option("--resources", is_flag=True, help="In text, show every property of every resource.")
@click.option(
    "--inventory",
    metavar="FILE",
    help="Inventory with your reservations and quota. If you compare revisions, gke-tpu reads FILE from the base.",
)
@click.option(
    "--organization",
    "organization",
    metavar="FILE",
    help="File with the standards of your organization. If you compare revisions, gke-tpu reads FILE from the base.",
)
@click.option(
    "--catalog",
    "overlays",
    multiple=True,
    metavar="FILE",
    help="File with your own facts; may be repeated. If you compare revisions, gke-tpu reads FILE from the base.",
)
@format_option("text", "markdown", "data", "findings")
@click.option(
    "--ack-from",
    type=click.Choice(["head", "base"]),
    default="head",
    show_default=True,
    help="With base, ignore `acknowledge` entries that are only in the head.",
)
@click.option(
    "--engine-events",
    metavar="FILE",
    multiple=True,
    help="Also compare with this output of pulumi preview --json; - is standard input; may be repeated.",
)
@click.option(
    "--fail-on",
    metavar="GATES",
    help="Exit with 6 on any of these changes (comma-separated), for example replace,delete,cost:+20%.",
)
@click.option(
    "--most-hosts",
    type=click.IntRange(min=0),
    metavar="N",
    show_default="100",
    help="Warn if a plan deletes or restarts more than N hosts at once.",
)
@strict_option
@click.option("--exit-code", "by_class", is_flag=True, help="Exit with 4 on changes and with 5 on dangerous changes.")
@today_option
def command(
    sides: tuple[str, ...],
    terraform: tuple[str, ...],
    base_rev: str | None,
    head_rev: str | None,
    merge_base: bool,
    resources: bool,
    inventory: str | None,
    organization: str | None,
    overlays: tuple[str, ...],
    output_format: str,
    ack_from: str,
    engine_events: tuple[str, ...],
    fail_on: str | None,
    most_hosts: int | None,
    strict: bool,
    by_class: bool,
    today: datetime.date | None,
) -> int:
    """Compare plan files, folders of plans, stored previews, or revisions (main...HEAD: from the merge base).

    Both sides can also be what exists, before and after: two outputs of gcloud, Terraform or Pulumi. One side can be
    -, standard input.

    In scripts, use --base-rev and --head-rev for revisions: an argument that is both a revision and a path is an error.

    The exit code is 1 if a plan or the change has errors, or if a whole plan cannot be compared. --exit-code and
    --fail-on add more exit codes.
    """
    from pulumi_gke_tpu.features.diff.comparison.gates import EXIT_FINDINGS, EXIT_GATE, GateError, Gates, exit_code

    try:
        gates = Gates.parse(fail_on or "")
        if fail_on is not None and gates == Gates():
            raise GateError("no gate; set at least one or remove the option")
    except GateError as error:
        raise click.BadParameter(str(error), param_hint="--fail-on") from None
    if terraform:
        others = (sides, head_rev, merge_base, organization, engine_events, ack_from == "base")
        compared = _terraform(terraform, others, base_rev, inventory, overlays, most_hosts, clock(today))
    else:
        from pulumi_gke_tpu.cli.files.standard_input import STDIN
        from pulumi_gke_tpu.features.diff.sides import SideOptions, sides_of

        if [*sides, *engine_events].count(STDIN) > 1:
            raise click.UsageError("Only one side or stream of events can be standard input.")
        found = sides_of(sides, SideOptions(base_rev, head_rev, merge_base))
        compared = _compare(found, inventory, organization, overlays, ack_from, most_hosts, clock(today), engine_events)
    from pulumi_gke_tpu.cli.writers import ShownFindings
    from pulumi_gke_tpu.core.catalog import read_catalog
    from pulumi_gke_tpu.features.diff.output.page import change_page

    page = change_page(compared.report, compared.findings, gates.closed(compared.report), read_catalog())

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.diff.output.json import change_json

        return change_json(page)

    def text(screen: "Screen") -> str:
        from pulumi_gke_tpu.features.diff.output.document import change_text

        return change_text(page, resources=resources, width=screen.width, color=screen.color)

    def markdown(_: "Screen") -> str:
        from pulumi_gke_tpu.features.diff.output.comment import change_markdown

        return change_markdown(page)

    show(
        output_format,
        text=text,
        markdown=markdown,
        data=data,
        findings=lambda: ShownFindings(compared.findings),
    )
    if has_errors(compared.findings, strict):
        return EXIT_FINDINGS
    if page.failed:
        return EXIT_GATE
    return exit_code(page.report, by_class=by_class)


def _compare(
    sides: "Sides",
    inventory: str | None,
    organization: str | None,
    overlays: tuple[str, ...],
    ack_from: str,
    most_hosts: int | None,
    day: datetime.date,
    engine_events: tuple[str, ...],
) -> "Comparison":
    from pulumi_gke_tpu.features.diff.sides import read_runs

    runs = read_runs(engine_events)
    with progress("comparing"):
        from pulumi_gke_tpu.cli.files.described_plans import described_files
        from pulumi_gke_tpu.core.graph.registered import StoredError
        from pulumi_gke_tpu.features.diff.comparison.comparison import DiffOptions, compare_files

        standards = _standards(sides, organization)
        options = DiffOptions(
            _catalog(sides, overlays),
            _owned(sides, inventory),
            day,
            "base" if ack_from == "base" else "head",
            most_hosts,
            runs,
            standards.base,
            standards.proposed,
        )
        before, after = (described_files(side.files, options.catalog) for side in (sides.base, sides.head))
        _require_one_kind([*before.values(), *after.values()])
        try:
            return compare_files(
                before,
                after,
                options,
                base_name=sides.base.name,
                head_name=sides.head.name,
                notes=(*sides.notes, *standards.notes, *_skipped(sides.skipped, (inventory, organization, *overlays))),
            )
        except StoredError as error:
            raise click.UsageError(f"Invalid stored preview: {error}.") from None


def _require_one_kind(files: "Sequence[PlanFile]") -> None:
    kinds = {file.described is not None: file.name for file in files}
    if len(kinds) > 1:
        raise click.UsageError(
            f"Cannot compare the plan {printable_path(kinds[False])} with what exists, {printable_path(kinds[True])}: "
            "use `gke-tpu adopt --check PLAN SOURCE`."
        )


def _terraform(
    paths: tuple[str, ...],
    others: tuple[object, ...],
    base_rev: str | None,
    inventory: str | None,
    overlays: tuple[str, ...],
    most_hosts: int | None,
    day: datetime.date,
) -> "Comparison":
    """What plans of Terraform do. ``others`` are the arguments and options that do not belong to them."""
    from pulumi_gke_tpu.features.diff.sides import only_facts, read_terraform_plans

    if any(others):
        raise click.UsageError(
            "--terraform takes the place of both sides: only --inventory, --catalog, --base-rev, --most-hosts, "
            "--fail-on, --strict, --exit-code, --resources and --format go with it"
        )
    facts = only_facts(base_rev)
    with progress("comparing"):
        from pulumi_gke_tpu.features.diff.comparison.terraform import compare_terraform

        catalog, owned = _catalog(facts, overlays), _owned(facts, inventory)
        return compare_terraform(read_terraform_plans(paths, catalog), catalog, owned, today=day, most_hosts=most_hosts)


def _catalog(sides: "Sides", overlays: tuple[str, ...]) -> "Catalog":
    from pulumi_gke_tpu.core.catalog import read_catalog

    if not overlays:
        return read_catalog()
    from pulumi_gke_tpu.core.catalog.document import parse_overlay
    from pulumi_gke_tpu.core.catalog.shipped import catalog_with

    return catalog_with({path: parse_overlay(sides.fact_file(path).content, path) for path in overlays})


def _owned(sides: "Sides", inventory: str | None) -> "Document[Inventory] | None":
    from pulumi_gke_tpu.core.plan import read_inventory_content

    return read_inventory_content(sides.fact_file(inventory).content, inventory) if inventory else None


@frozen
class _Standards:
    """The organization file of the base, that of the head if it differs, and a note if the head has none."""

    base: "Document[Organization] | None" = None
    proposed: "Document[Organization] | None" = None
    notes: tuple[str, ...] = ()


def _standards(sides: "Sides", path: str | None) -> _Standards:
    from pulumi_gke_tpu.core.plan import read_organization_content
    from pulumi_gke_tpu.core.text.findings import quoted

    if path is None:
        return _Standards()
    notes: tuple[str, ...] = ()
    proposed = None
    try:
        proposed = sides.proposed_file(path)
    except (click.ClickException, OSError):
        notes = (f"The change deletes {quoted(path)}: this comparison uses the file of the base.",)
    try:
        given = sides.fact_file(path)
    except click.ClickException:
        if proposed is None:
            raise
        return _Standards(proposed=read_organization_content(proposed.content, path))
    base = read_organization_content(given.content, path)
    if proposed is None or proposed.content == given.content:
        return _Standards(base, notes=notes)
    return _Standards(base, read_organization_content(proposed.content, path))


def _skipped(names: tuple[str, ...], options: tuple[str | None, ...]) -> tuple[str, ...]:
    """A note that lists the YAML files that are not plans, because a missing plan must not look like an unchanged one.

    ``options`` are the files that other options name.
    """
    from pulumi_gke_tpu.core.text.findings import listed

    used = {os.path.normpath(path) for path in options if path is not None}
    names = tuple(name for name in names if os.path.normpath(name) not in used)
    if not names:
        return ()
    return (f"Not compared, because they are not plans: {listed(names, most=_SHOWN_SKIPPED)}.",)
