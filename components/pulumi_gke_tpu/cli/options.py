"""Options and settings that several commands share."""

import datetime
import functools
import importlib.util
import os
import pathlib
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pulumi_gke_tpu.cli.writers import Screen, echo, formats_of, written
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, Severity, listed

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NARROWEST, _WIDEST = 40, 140


class DayType(click.ParamType):  # type: ignore[type-arg]
    """A day such as 2026-12-01."""

    name = "day"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime.date:
        """Read a day as YYYY-MM-DD."""
        from pulumi_gke_tpu.core.plan.base import parse_date  # the help of commands does not load models

        try:
            day: datetime.date = parse_date(value)
        except ValueError:
            self.fail("invalid date: use the form 2026-12-01", param, ctx)
        return day


def plans_argument(function: _Function) -> _Function:
    """PLAN...: any number of files and folders."""
    return click.argument("plans", nargs=-1, metavar="[PLAN...]", type=click.Path(allow_dash=True))(function)


_FLEET = (
    "PLAN is a plan, or what exists: an output of gcloud, Terraform or Pulumi, which gke-tpu reads as the plan that "
    "describes it. It is a file, a folder, or - for standard input; without PLAN, gke-tpu reads plan.yaml or "
    "gke-tpu.yaml in this folder."
)


def fleets_argument(function: _Function) -> _Function:
    """PLAN...: any number of files and folders with plans, or with what exists. It adds this to the help."""
    first, _, rest = (function.__doc__ or "").partition("\n\n")
    function.__doc__ = f"{first}\n\n    {_FLEET}\n\n{rest}"
    return plans_argument(function)


def project_option(function: _Function) -> _Function:
    """--project: which of several plans."""
    text = "Project to use, if the plans or files are about several projects."
    return click.option("--project", metavar="PROJECT", help=text)(function)


def plan_argument(function: _Function) -> _Function:
    """PLAN: one file or folder, or nothing."""
    return click.argument("plan", required=False, metavar="[PLAN]", type=click.Path(allow_dash=True))(function)


def format_option(*kinds: str) -> Callable[[_Function], _Function]:
    """--format: one of the formats of the kinds of content that the command writes; the first is the default."""
    formats = formats_of(*kinds)
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


def strict_option(function: _Function) -> _Function:
    """--strict: warnings also fail the command."""
    return click.option(
        "--strict", is_flag=True, help="Also fail on warnings that the plan does not list under `accept`."
    )(function)


def max_findings_option(function: _Function) -> _Function:
    """--max-findings: how many findings the text and GitHub formats show."""
    return click.option(
        "--max-findings",
        "max_findings",
        type=click.IntRange(min=0),
        default=MOST_SHOWN,
        show_default=True,
        metavar="N",
        help="In text and GitHub formats, show the N most severe findings; 0 shows all.",
    )(function)


def catalog_option(function: _Function) -> _Function:
    """--catalog: files that add or replace facts."""
    return click.option(
        "--catalog",
        "overlays",
        multiple=True,
        metavar="FILE",
        type=click.Path(path_type=pathlib.Path),
        help="File with your own facts, which add to or replace shipped facts; may be repeated.",
    )(function)


def inventory_option(function: _Function) -> _Function:
    """--inventory: the file with reservations and quota."""
    return click.option(
        "--inventory", type=click.Path(), metavar="FILE", help="Inventory with your reservations and quota."
    )(function)


def organization_option(function: _Function) -> _Function:
    """--organization: the file with the standards of the organization."""
    return click.option(
        "--organization",
        "organization",
        type=click.Path(),
        metavar="FILE",
        help="File with the standards of your organization.",
    )(function)


def today_option(function: _Function) -> _Function:
    """--today: the date to use instead of the current one."""
    return click.option(
        "--today",
        type=DayType(),
        metavar="DAY",
        help="Use this date instead of the current one, such as 2026-12-01.",
    )(function)


@frozen
class PlanningInputs:
    """The files that the shared options of planning commands name, and the day for which the command computes."""

    inventory: str | None
    organization: str | None
    overlays: tuple[pathlib.Path, ...]
    day: datetime.date

    def catalog(self) -> "Catalog":
        """The catalog with the facts of the command line."""
        return load_catalog(self.overlays)


def planning_options(*kinds: str, organization: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """--inventory, --organization, --catalog and --today, which the function gets as one value ``inputs``.

    With ``kinds`` of content also --format. ``organization=False`` leaves out --organization.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def command(
            *,
            inventory: str | None,
            overlays: tuple[pathlib.Path, ...],
            today: datetime.date | None,
            organization: str | None = None,
            **others: Any,
        ) -> int:
            return function(inputs=PlanningInputs(inventory, organization, overlays, clock(today)), **others)

        options = [
            inventory_option,
            *([organization_option] if organization else []),
            catalog_option,
            *([format_option(*kinds)] if kinds else []),
            today_option,
        ]
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def require(what: str, extra: str, *packages: str) -> None:
    """Stop if packages of an extra are missing. A package has the name of its module.

    Raises:
        click.UsageError: at least one is missing; the message names all of them.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise click.UsageError(
            f"{what} requires {listed(missing)}. Install gke-tpu with the extra `{extra}`, or run: "
            f"python -m pip install {' '.join(missing)}"
        )


def clock(today: datetime.date | None) -> datetime.date:
    """The date of the option, or the current date in UTC."""
    return today or datetime.datetime.now(datetime.timezone.utc).date()


def load_catalog(overlays: tuple[pathlib.Path, ...]) -> "Catalog":
    """The catalog with the overlays of the command line."""
    from pulumi_gke_tpu.core.catalog import read_catalog

    return read_catalog(overlays)


def screen() -> Screen:
    """Where text is shown: as wide as the terminal within limits, 100 columns without a terminal."""
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((100, 24)).columns))
    return Screen(width, _wants_color())


def show(output_format: str, **offered: Callable[..., Any]) -> None:
    """Write content to stdout in a format. ``offered`` are the kinds of content, each computed only if used."""
    echo(written(output_format, screen(), **offered))


def is_interactive() -> bool:
    """Whether a person can answer questions: input and output are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _wants_color() -> bool:
    """Whether to use color: only on a terminal, and never with NO_COLOR."""
    if sys.stdout is None:  # the caller has closed it
        return False
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def has_errors(findings: tuple[Finding, ...], strict: bool) -> bool:
    """Whether findings fail the command: errors, and with ``strict`` also warnings that the plan does not accept."""
    limit = Severity.WARNING if strict else Severity.ERROR
    return any(finding.severity >= limit and not finding.accepted for finding in findings)
