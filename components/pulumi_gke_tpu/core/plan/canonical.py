"""Plans as plain data in canonical form: with shorthands expanded, without defaults, times as text."""

import datetime
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.plan.model import Plan


def plan_data(plan: Plan) -> dict[str, Any]:
    """The plan as data for JSON; :func:`pulumi_gke_tpu.core.plan.parse_plan` reads an equal plan from it.

    Values of a program that are known only later are omitted.
    """
    data: dict[str, Any] = _plain(plan.model_dump(by_alias=True, exclude_unset=True))
    return data


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if not isinstance(item, Unknown)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{value.days * 86400 + value.seconds}s"
    return value
