"""Maintenance windows, exclusions and upgrades."""

import datetime
from dataclasses import field
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from pulumi_gke_tpu.core.catalog.records.facts import Fact, MinorVersion, Note, Record, record


@record
class MaintenanceAvailability(Fact):
    """How much time for maintenance must remain: ``min_hours`` in every ``rolling_days``.

    Only pieces of at least ``piece_hours`` count. ``older_rolling_days`` is the stretch that older sources give.
    """

    min_hours: int
    rolling_days: int
    older_rolling_days: int
    piece_hours: int


@record
class MaintenanceExclusions(Fact):
    """Limits of maintenance exclusions; ``scopes`` maps the plan's word to GKE's."""

    max_total: int
    max_no_upgrades: int
    max_no_upgrades_days: int
    scopes: dict[str, str]


@record
class UpgradeDefaults(Fact):
    """The surge settings that need no spare capacity."""

    strategy: str
    max_surge: int
    max_unavailable: int


@record
class UpgradeLimits(Fact):
    """How many nodes a surge upgrade takes at once, and how long a blue-green one may soak in all."""

    max_nodes_at_once: int
    max_soak_days: int


def _date(text: str) -> str:
    """A day of the calendar, such as 2027-04-11."""
    datetime.date.fromisoformat(text)
    return text


Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_date)]


@record
class SupportEnd(Fact):
    """When the support of a minor version ends.

    ``day`` is the end of standard support, ``extended_day`` that of extended support in the Extended channel.
    """

    day: Day
    extended_day: Day | None = None


@record
class MaintenanceFacts(Record):
    """Windows, exclusions, upgrades."""

    availability: MaintenanceAvailability
    exclusions: MaintenanceExclusions
    upgrade_defaults: UpgradeDefaults
    upgrade_limits: UpgradeLimits
    support_ends: dict[MinorVersion, SupportEnd] = field(default_factory=dict)
    """Minor version -> end of its support, where a source has the date."""
    notes: tuple[Note, ...] = ()
