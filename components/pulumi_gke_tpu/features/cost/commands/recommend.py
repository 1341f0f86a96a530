"""``gke-tpu recommend``: find slices that meet a need."""

import dataclasses
import datetime
import pathlib
from typing import TYPE_CHECKING, Any, Literal

import click

from pulumi_gke_tpu.cli.amounts import CountType, duration_argument, read_amount
from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import DayType, PlanningInputs, planning_options, show
from pulumi_gke_tpu.core.text.findings import did_you_mean, listed, number, printable, printable_path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
    from pulumi_gke_tpu.core.estimate.holdings import Subtracted
    from pulumi_gke_tpu.core.plan import Document
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.text.document.model import Page
    from pulumi_gke_tpu.features.cost.recommend.answers import CapacityAnswer
    from pulumi_gke_tpu.features.cost.recommend.candidates import Budget, Need
    from pulumi_gke_tpu.features.cost.recommend.search import Recommendation

_CAPACITIES: "dict[str, CapacityMode]" = {
    "on-demand": "on_demand",
    "spot": "spot",
    "flex-start": "flex_start",
    "queued": "queued",
    "reservation": "reservation",
}
_LARGEST = 10**9
_BUDGET_PER: "dict[str, Literal['hour', 'run']]" = {"h": "hour", "hour": "hour", "run": "run"}


@click.command(
    "recommend",
    cls=CommandWithExamples,
    short_help="Find slices that meet a need, the cheapest first.",
    examples=(
        "gke-tpu recommend --chips 256 --near us-east5",
        "gke-tpu recommend --chips 256 --run 10d --budget 1.5M/run",
        "gke-tpu recommend --chips 256 --near us-east5 --emit 1",
    ),
)
@click.option("--chips", type=CountType(1, _LARGEST), metavar="N", help="Chips needed.")
@click.option("--hbm", type=CountType(1, _LARGEST), metavar="GIB", help="Memory needed, of all chips together, in GiB.")
@click.option(
    "--tflops", type=CountType(1, _LARGEST), metavar="N", help="Peak compute needed, of all chips together, in TFLOPS."
)
@click.option(
    "--precision", type=click.Choice(["bf16", "int8"]), default="bf16", show_default=True, help="Precision of --tflops."
)
@click.option(
    "--use",
    type=click.Choice(["training", "serving"]),
    default="training",
    show_default=True,
    help="Use of the slices.",
)
@click.option("--near", metavar="REGION", help="Only zones of this region.")
@click.option("--zones", metavar="ZONE,...", help="Only these zones.")
@click.option(
    "--mode", type=click.Choice(["standard", "autopilot"]), default="standard", show_default=True, help="Cluster mode."
)
@click.option("--tpu", metavar="GENERATION,...", help="Only these generations.")
@click.option("--capacity", metavar="MODE,...", help=f"Only these capacity modes: {', '.join(_CAPACITIES)}.")
@click.option(
    "--interruptible",
    type=click.Choice(["yes", "no"]),
    default="yes",
    show_default=True,
    help="Whether Google may stop the slices early.",
)
@click.option("--run", metavar="DURATION", help="Duration of a run, such as 10d or 3w.")
@click.option("--by", type=DayType(), metavar="DAY", help="First day on which the slices are needed.")
@click.option(
    "--budget",
    metavar="USD",
    help="Budget of the slices: 500/h, or 1.5M/run with --run. Without a unit, per run with --run, else per hour.",
)
@click.option("--project", metavar="PROJECT", help="Project whose quotas in the inventory apply.")
@click.option("--gke-version", metavar="VERSION", help="GKE version of the cluster, such as 1.34.")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=8, show_default=True, metavar="N", help="Number of rows to show."
)
@click.option(
    "--why-not",
    metavar="WORD",
    help="Explain why a generation, topology, machine type, zone, region or capacity mode is left out.",
)
@click.option("--emit", type=click.IntRange(min=1), metavar="N", help="Print row N as a plan.")
@click.option("--details", is_flag=True, help="Show all reasons of each row, and an example of what is left out.")
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="PLAN",
    type=click.Path(),
    help="File or folder with plans whose use is subtracted from the inventory; may be repeated.",
)
@click.option(
    "--advice",
    "advice",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="Output of gcloud compute advice, named with its day: advice-2026-12-01.json; may be repeated.",
)
@planning_options("page", "data")
def command(
    others: tuple[str, ...],
    advice: tuple[str, ...],
    inputs: PlanningInputs,
    output_format: str,
    why_not: str | None,
    emit: int | None,
    limit: int,
    details: bool,
    **asked: Any,
) -> int:
    """Search generations, topologies, machine types, zones, capacity modes and numbers of slices.

    Set at least one of --chips, --hbm and --tflops. gke-tpu checks every candidate with the rules of plans, and sorts
    by cost; of rows for training that cost nearly the same, those with fewer slices come first. Reservations come from
    the inventory; --with subtracts what plans use of it. With --run, reservations in calendar mode are candidates too.
    Candidates that the standards of the organization reject are left out.

    --advice adds to each row what Compute Engine reports about its capacity: `gcloud compute advice calendar-mode`
    about reservations in calendar mode, and `gcloud compute advice capacity` about Spot and flex-start. gke-tpu itself
    never calls Google Cloud, and the order of the rows stays the same.
    """
    if why_not is not None and emit is not None:
        raise click.UsageError("--why-not and --emit exclude each other.")
    if output_format != "text" and (why_not or emit):
        raise click.UsageError("--why-not and --emit require the text format.")
    catalog, day = inputs.catalog(), inputs.day
    if asked["by"] is not None and asked["by"] < day:
        raise click.UsageError(f"--by {asked['by']} is before today, {day}.")
    need, answers = _need(asked, catalog), [*map(_answer, advice)]
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_organization_file
    from pulumi_gke_tpu.cli.shared import report_errors
    from pulumi_gke_tpu.features.cost.recommend.search import recommend

    owned, standards = read_inventory_file(inputs.inventory), read_organization_file(inputs.organization)
    unread = [finding for file in (owned, standards) if file is not None for finding in file.findings]
    if report_errors(tuple(unread)):
        return 1
    need = dataclasses.replace(need, project=_project(asked["project"], owned))
    owned, subtracted, budgets = _left(others, owned, inputs, catalog)
    found = recommend(need, catalog, owned, today=day, organization=standards)
    if why_not is not None:
        return _explain(why_not, found, catalog)
    if emit is not None:
        return _emit(emit, found)
    from pulumi_gke_tpu.features.cost.recommend.why_not import shown

    result = shown(found, catalog, limit, subtracted, answers=answers, today=day, budgets=budgets)

    def page() -> "Page":
        from pulumi_gke_tpu.features.cost.recommend.output.document import recommendation_page

        return recommendation_page(result, details=details)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.cost.recommend.output.json import recommendation_json

        return recommendation_json(result)

    show(output_format, page=page, data=data)
    return 0 if found.rows else 1


def _left(
    others: tuple[str, ...],
    owned: "Document[Inventory] | None",
    inputs: PlanningInputs,
    catalog: "Catalog",
) -> "tuple[Document[Inventory] | None, tuple[Subtracted, ...] | None, tuple[str, ...]]":
    """The inventory without what other plans use of it, this use, and budgets that these plans lack."""
    if not others:
        return owned, None, ()
    if owned is None:
        raise click.UsageError("--with requires --inventory.")
    from pulumi_gke_tpu.cli.shared import usable_plans
    from pulumi_gke_tpu.core.estimate.holdings import remaining
    from pulumi_gke_tpu.core.fleet.checked import plans_in_fleet
    from pulumi_gke_tpu.features.cost.recommend.budgets import budgets_to_add

    checked, _ = usable_plans(others, dataclasses.replace(inputs, organization=None), catalog)
    members = plans_in_fleet(checked.plans)
    budgets = tuple(budgets_to_add(members, owned.content)) if owned.content is not None else ()
    return (*remaining(owned, members, catalog), budgets)


def _answer(name: str) -> "CapacityAnswer":
    """An answer of Compute Engine.

    Raises:
        click.UsageError: the file cannot be read, or is something else.
    """
    from pulumi_gke_tpu.core.text.yamlfile.file import UnreadableError, read_bytes
    from pulumi_gke_tpu.features.cost.recommend.answers import AnswerError, read_answer

    try:
        return read_answer(read_bytes(pathlib.Path(name)), name)
    except (UnreadableError, AnswerError) as error:
        raise click.UsageError(f"--advice {printable_path(name)}: {error}") from None


def _project(asked: str | None, owned: "Document[Inventory] | None") -> str | None:
    """The project to plan for: the asked one, or the only one of the inventory."""
    content = owned.content if owned is not None else None
    if content is None:
        if asked is not None:
            raise click.UsageError("--project requires --inventory.")
        return None
    if asked is not None:
        known = {entry.project for entry in content.quotas}
        known |= {project for entry in content.reservations for project in (entry.project, *(entry.shared_with or ()))}
        if asked not in known:
            raise _unknown("project", asked, sorted(map(printable, known)))
        return asked
    projects = sorted({entry.project for entry in content.quotas or content.reservations})
    if len(projects) > 1:
        names = listed([printable(name, 60) for name in projects], most=8)
        raise click.UsageError(f"The inventory has several projects, {names}: select one with --project.")
    return projects[0] if projects else None


def _explain(word: str, found: "Recommendation", catalog: "Catalog") -> int:
    from pulumi_gke_tpu.features.cost.recommend.why_not import why_not

    lines = why_not(word, found, catalog)
    if lines is None:
        raise click.UsageError(
            f"Unknown name {printable(word, 60)}: name a generation, topology, machine type, zone, region or capacity "
            "mode."
        )
    for line in lines:
        click.echo(printable(line, 1000))
    return 0


def _emit(row: int, found: "Recommendation") -> int:
    from pulumi_gke_tpu.features.cost.recommend.search import emitted_plan

    if row > len(found.rows):
        raise click.UsageError(f"There is no row {row}: the search found {number(len(found.rows), 'row')}.")
    click.echo(emitted_plan(found.rows[row - 1].option, found.need), nl=False)
    return 0


def _need(asked: dict[str, Any], catalog: "Catalog") -> "Need":
    """The need that the options state.

    Raises:
        click.UsageError: an option has an invalid value, or no option states the need.
    """
    from pulumi_gke_tpu.features.cost.recommend.candidates import Need

    if asked["chips"] is None and asked["hbm"] is None and asked["tflops"] is None:
        raise click.UsageError("Name the need: --chips, --hbm or --tflops.")
    run = duration_argument(asked["run"])
    near, zones = _region(asked["near"], catalog), _zones(asked["zones"], catalog)
    if near and zones and not any(zone.startswith(f"{near}-") for zone in zones):
        raise click.UsageError(f"--zones {printable(asked['zones'], 200)} has no zone of --near {near}.")
    return Need(
        chips=asked["chips"],
        hbm_gib=asked["hbm"],
        tflops=asked["tflops"],
        precision=asked["precision"],
        use=asked["use"],
        near=near,
        zones=zones,
        mode=asked["mode"],
        generations=_generations(asked["tpu"], catalog),
        capacities=_capacities(asked["capacity"]),
        interruptible=asked["interruptible"] == "yes",
        run=run,
        by=asked["by"],
        budget=_budget(asked["budget"], run),
        version=_version(asked["gke_version"]),
    )


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _unknown(option: str, word: str, known: "list[str]") -> click.UsageError:
    near = did_you_mean(word, known)
    hint = f" Did you mean {near}?" if near else f" Use one of: {', '.join(known)}."
    return click.UsageError(f"Unknown {option} {printable(word, 60)}.{hint}")


def _all_zones(catalog: "Catalog") -> list[str]:
    from pulumi_gke_tpu.features.cost.recommend.candidates import zones_of

    return sorted({zone for family in catalog.zones.families for zone in zones_of(catalog, family)})


def _region(word: str | None, catalog: "Catalog") -> str | None:
    from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of

    known = sorted({region_of(zone) for zone in _all_zones(catalog)})
    if word is not None and is_zone(word):
        raise click.UsageError(f"--near takes a region; for a zone, use --zones {printable(word, 60)}.")
    if word is not None and word not in known:
        raise _unknown("region", word, known)
    return word


def _zones(text: str | None, catalog: "Catalog") -> tuple[str, ...]:
    known = _all_zones(catalog) if text else []
    for word in _words(text):
        if word not in known:
            raise _unknown("zone with TPUs", word, known)
    return tuple(_words(text))


def _generations(text: str | None, catalog: "Catalog") -> tuple[str, ...]:
    from pulumi_gke_tpu.core.catalog import naming

    found = []
    for word in _words(text):
        name = naming.generation_called(catalog, word)
        if name is None:
            announced = naming.announced_called(catalog, word)
            if announced is not None:
                raise click.UsageError(catalog.announced[announced].answer)
            raise _unknown("generation", word, list(catalog.generation_names))
        found.append(name)
    return tuple(found)


def _capacities(text: str | None) -> "tuple[CapacityMode, ...]":
    words = [word.lower().replace("_", "-") for word in _words(text)]
    for word in words:
        if word not in _CAPACITIES:
            raise _unknown("capacity mode", word, list(_CAPACITIES))
    return tuple(_CAPACITIES[word] for word in words)


def _budget(text: str | None, run: datetime.timedelta | None) -> "Budget | None":
    from pulumi_gke_tpu.features.cost.recommend.candidates import Budget

    if text is None:
        return None
    usd, unit = read_amount(text) or (None, "")
    if usd is None or unit not in ("", *_BUDGET_PER):
        raise click.UsageError(f"Invalid budget {printable(text, 60)}: use a form such as 500/h or 1.5M/run.")
    per = _BUDGET_PER.get(unit, "hour" if run is None else "run")
    if per == "run" and run is None:
        raise click.UsageError("A budget per run requires --run.")
    return Budget(usd, per)


def _version(text: str | None) -> str | None:
    from pulumi_gke_tpu.core.text.formats.versions import VersionRange

    if text is None:
        return None
    try:
        return VersionRange.parse(text).text
    except ValueError:
        raise click.UsageError(f"Invalid GKE version {printable(text, 60)}: use a form such as 1.34.") from None
