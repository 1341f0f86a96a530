"""The organization file: standards for all plans of an organization, and exemptions from them."""

from decimal import Decimal
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Day, PlanModel, key, optional
from pulumi_gke_tpu.core.plan.entries import Reason

Capacity = Literal["on_demand", "spot", "reservation", "flex_start", "queued"]
Unit = Literal["chips", "hosts", "usd_per_hour"]
Per = Literal["group", "cluster", "budget", "plan", "all"]
Kind = Literal[
    "generations",
    "zones",
    "modes",
    "capacities",
    "max",
    "labels",
    "exclusion",
    "private_nodes",
    "deletion_protection",
    "names",
]
UNITS: tuple[Unit, ...] = get_args(Unit)
KINDS: tuple[Kind, ...] = get_args(Kind)

Pattern = Annotated[str, Field(min_length=1, max_length=100)]
"""A pattern of names: ``*`` is any text. The length is limited because patterns are compared with every name."""


class Most(PlanModel):
    """The largest size or cost: exactly one of chips, hosts and usd_per_hour."""

    chips: int | None = optional("Number of chips.", ge=0)
    hosts: int | None = optional("Number of hosts.", ge=0)
    usd_per_hour: float | None = optional(
        "Cost of slices per hour in USD: at the price of the contract in the inventory, else at the prices of the "
        "catalog.",
        ge=0,
    )
    per: Per = key(
        "What the limit applies to: each slice group, each cluster, the slice groups of each budget, each plan, or all "
        "plans together.",
        default="group",
    )

    @model_validator(mode="after")
    def _one(self) -> "Most":
        if sum(getattr(self, name) is not None for name in UNITS) != 1:
            raise PydanticCustomError("exclusive", "`max` requires exactly one of `chips`, `hosts` and `usd_per_hour`")
        return self

    @property
    def unit(self) -> Unit:
        """The key of the limit."""
        return next(name for name in UNITS if getattr(self, name) is not None)

    @property
    def limit(self) -> Decimal:
        """The limit, from its decimal digits."""
        return Decimal(str(getattr(self, self.unit)))


class Names(PlanModel):
    """Patterns of names in GKE: * is any text, ? one character, and [abc] one of several."""

    clusters: Pattern | None = optional("Pattern for names of clusters that gke-tpu creates, such as train-*.")
    groups: Pattern | None = optional("Pattern for names of slice groups, such as *-v6e.")

    @model_validator(mode="after")
    def _any(self) -> "Names":
        if self.clusters is None and self.groups is None:
            raise PydanticCustomError("exclusive", "`names` requires `clusters` or `groups`")
        return self


class Standard(PlanModel):
    """One standard: exactly one kind of requirement."""

    generations: list[str] = key("Allowed TPU generations.", default=list)
    zones: list[Pattern] = key("Allowed zones of slices, as patterns such as us-east5-*.", default=list)
    modes: list[Literal["standard", "autopilot"]] = key("Allowed cluster modes.", default=list)
    capacities: list[Capacity] = key("Allowed capacity modes, also for `fallback`.", default=list)
    max: Most | None = optional("Largest size or cost.")
    labels: list[str] = key("Names of required Google Cloud labels. An empty value counts as missing.", default=list)
    exclusion: bool = key(
        "Require a maintenance exclusion that prevents upgrades of nodes, for multi-host slices on a reservation.",
        default=False,
    )
    private_nodes: bool = key("Require nodes without external IP addresses.", default=False)
    deletion_protection: bool = key("Require deletion protection of clusters that gke-tpu creates.", default=False)
    names: Names | None = optional("Required patterns of names.")
    severity: Literal["error", "warning"] = key("Severity of its findings.", default="error")
    message: str | None = optional("Text to add to its findings, such as whom to ask.")
    owner: str | None = optional("Owner of the standard; that of the file if not set.")

    @model_validator(mode="after")
    def _one(self) -> "Standard":
        found = [name for name in KINDS if getattr(self, name) not in (False, None, [])]
        if len(found) != 1:
            raise PydanticCustomError(
                "exclusive",
                "a standard requires exactly one of {allowed}; this one has {found}",
                {
                    "allowed": ", ".join(f"`{name}`" for name in KINDS),
                    "found": ", ".join(f"`{name}`" for name in found) or "none",
                },
            )
        return self

    @property
    def kind(self) -> Kind:
        """The key of the requirement."""
        return next(name for name in KINDS if getattr(self, name) not in (False, None, []))


class Exemption(PlanModel):
    """Exempts plans, clusters or slice groups from a standard until a date."""

    standard: str = key("Name of the standard.")
    project: str | None = optional("Project ID; all projects if not set.", form="project")
    of: str | None = optional("CLUSTER or CLUSTER/GROUP; the whole plan if not set.", form="item")
    reason: Reason = key("Reason.", min_length=1)
    until: Day = key("Last day of validity.")


class Organization(PlanModel):
    """Standards for the plans of an organization."""

    version: Literal[1] = key("Version of this format: 1.")
    owner: str | None = optional("Owner of the standards without an owner of their own.")
    standards: dict[str, Standard] = key("Name -> standard.", default=dict)
    exemptions: list[Exemption] = key("Exemptions.", default=list)
