"""A plan as the arguments of a program: read and checked. Needs no Pulumi."""

import dataclasses
import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.fleet.checked import LoadedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.base import parse_date
from pulumi_gke_tpu.core.plan.keys import as_written
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, printable

Checked = tuple[Fleet | None, Sequence[Finding]]
"""The fleet of a plan, None where it has none, and every finding about it."""


def check_mapping(component: str, args: object) -> None:
    """Refuse arguments that are not a dictionary.

    Raises:
        TypeError: they are not.
    """
    if not isinstance(args, Mapping):
        raise TypeError(
            f"{component} takes its arguments as a dictionary, {{...}}, and not {type(args).__name__}; "
            "load_plan reads the arguments of a TpuFleet from a file"
        )


def given_arguments(component: str, args: object, keywords: Mapping[str, Any]) -> object:
    """The arguments of a component: a mapping, or keywords.

    Raises:
        TypeError: there are both.
    """
    if args is not None and keywords:
        raise TypeError(f"{component} takes its arguments as a dictionary or as keywords, not as both")
    return dict(keywords) if keywords else args


def check_fleet(args: Mapping[str, Any], catalog: Catalog, to_plan: Callable[[Any], Any] = dict) -> Checked:
    """Check the arguments of a whole fleet, unless ``load_plan`` did. ``to_plan`` makes plan data of them."""
    checked = args.checked(catalog) if isinstance(args, LoadedPlan) else None
    if checked is not None:
        return checked.fleet, checked.findings
    document = {"version": 1, **{key: value for key, value in args.items() if key != "today"}}
    return check_document(to_plan(document), args.get("today"), catalog)


def check_document(document: object, today: object, catalog: Catalog) -> Checked:
    """Check a plan as data. ``today`` is a date or its text, as arguments give it. Paths are those of the data."""
    day, wrong_day = _day(today)
    checked = check_plan(parse_plan(document), catalog, day)
    findings = (dataclasses.replace(item, path=as_written(document, item.path)) for item in checked.findings)
    return checked.fleet, (*wrong_day, *findings)


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether a program must not go on with a plan."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def _day(today: object) -> tuple[datetime.date | None, Sequence[Finding]]:
    """The date in ``today``, or the problem with it."""
    try:
        return None if today is None else parse_date(today), ()
    except PydanticCustomError:
        message, given = "`today` must be a date", f"today: {printable(today)}"
        return None, (Finding("TPU023", Severity.ERROR, ("today",), message, given, allowed=("2026-12-01",)),)
