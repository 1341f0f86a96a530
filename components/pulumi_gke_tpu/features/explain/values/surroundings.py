"""The explained item of a plan, and what surrounds it: its file, other plans, and an inventory."""

import datetime
import functools
from collections.abc import Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import QuotaHolding, ReservationHolding, quota_holdings, reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedQuota, OwnedReservation
from pulumi_gke_tpu.core.plan.keys import field_of
from pulumi_gke_tpu.core.text.findings import Path, Position, did_you_mean, format_path, listed, parse_path
from pulumi_gke_tpu.core.workflows.described import DescribedDocument
from pulumi_gke_tpu.features.explain.steps import FileEntry, Step, evidence


@frozen(slots=False)
class Surroundings:
    """The plans that use the same reservations and quotas as an item, its own one among them, and the inventory."""

    catalog: Catalog
    document: Document[Plan]
    """The plan of the item."""
    plans: tuple[PlanInFleet, ...]
    inventory: Document[Inventory] | None = None
    today: datetime.date | None = None

    @classmethod
    def of(cls, plan: Plan, fleet: Fleet, catalog: Catalog) -> "Surroundings":
        """Those of a plan alone, without a file."""
        document = Document(plan)
        return cls(catalog, document, (PlanInFleet(document, plan, fleet),))

    @property
    def content(self) -> Inventory | None:
        """The inventory, if there is a readable one."""
        return self.inventory.content if self.inventory is not None else None

    @functools.cached_property
    def owned(self) -> OwnedReservations:
        """The reservations of the inventory; none without one."""
        return OwnedReservations.of(self.content)

    @functools.cached_property
    def reservations(self) -> tuple[ReservationHolding, ...]:
        """What all plans use of each reservation and block."""
        return reservation_holdings(self.owned.uses(self.plans), self.owned)

    @functools.cached_property
    def quotas(self) -> tuple[QuotaHolding, ...]:
        """What all plans use of each quota."""
        return quota_holdings(self.plans, self.content, self.catalog)

    def entry_path(self, entry: OwnedReservation | OwnedQuota) -> Path:
        """The path of an entry of the inventory."""
        assert self.content is not None
        for key, entries in (("reservations", self.content.reservations), ("quotas", self.content.quotas)):
            for index, known in enumerate(entries):
                if known is entry:
                    return key, index
        return ()

    def placed(self, step: Step, item: Cluster | SliceGroup | None) -> Iterator[FileEntry]:
        """Where the files of the user set a value of an item.

        A value that rests on nothing but an absent key of the item is set where the item is.
        """
        paths = [path for path in step.paths if _is_written(self.document, path)]
        if item is not None:
            keys = [name for name in dict.fromkeys((step.name, *step.keys)) if field_of(type(item.plan), name)]
            written = [name for name in keys if item.plan.written(name)]
            paths += [(*item.path, name) for name in written]
            if not paths and not step.evidence and not step.follows_from and (keys or step.paths):
                paths.append(item.path)
        yield from _written(self.document, paths)
        if self.inventory is not None:
            yield from _written(self.inventory, step.owned)


def _is_written(document: Document[Plan], path: Path) -> bool:
    """Whether the plan has an entry at a path."""
    part: object = document.content
    for step in path:
        if isinstance(part, PlanModel):
            if not isinstance(step, str) or field_of(type(part), step) is None or not part.written(step):
                return False
            part = getattr(part, step)
        elif isinstance(part, dict) and step in part:
            part = part[step]
        else:
            return False
    return True


def _written(document: Document[Plan] | Document[Inventory], paths: Iterable[Path]) -> Iterator[FileEntry]:
    for path in dict.fromkeys(paths):
        position: Position | None = document.position_of(path)
        if position is not None:
            shown = document.written_as(path) if isinstance(document, DescribedDocument) else format_path(path)
            yield FileEntry(position.file, position.line, position.column, shown)


@frozen
class Item:
    """An item of a plan. ``value`` is the path of one of its values; empty for the whole item."""

    cluster: str = ""
    group: str = ""
    value: str = ""

    @property
    def key(self) -> str:
        """CLUSTER or CLUSTER/GROUP; empty for the plan."""
        return f"{self.cluster}/{self.group}" if self.group else self.cluster


class NoSuchItemError(Exception):
    """No item has the path. ``choices`` are the existing items, ``near`` is the nearest one."""

    def __init__(self, path: str, choices: tuple[str, ...]) -> None:
        super().__init__(path)
        self.choices = choices
        self.near = did_you_mean(path, choices)


def items(plan: Plan) -> tuple[str, ...]:
    """Every cluster and group of a plan, as paths."""
    return tuple(
        path
        for name, cluster in plan.clusters.items()
        for path in (name, *(f"{name}/{group}" for group in cluster.slices))
    )


def find_item(plan: Plan, path: str) -> Item:
    """The item of a path: ``train-east``, ``train-east/pretrain``, or the complete path in the plan.

    Raises:
        NoSuchItemError: no item of the plan has this path.
    """
    found = [item for item in (_find(plan, steps) for steps in _readings(path)) if item is not None]
    if not found:
        raise NoSuchItemError(path, items(plan))
    return next((item for item in found if item.group), found[-1])


def _readings(path: str) -> Iterable[tuple[str, ...]]:
    """The ways to split a path: names between slashes, or the notation of findings."""
    yield tuple(path.strip().strip("/").split("/"))
    try:
        yield tuple(map(str, parse_path(path)))
    except ValueError:
        return


def _find(plan: Plan, steps: tuple[str, ...]) -> Item | None:
    if steps in ((), ("",), ("clusters",)):
        return Item()
    if steps[0] == "clusters" and len(steps) > 1 and steps[1] in plan.clusters:
        return _in_cluster(plan, steps[1], steps[2:])
    if steps[0] in plan.clusters:
        return _in_cluster(plan, steps[0], steps[1:])
    return None


def _in_cluster(plan: Plan, cluster: str, rest: tuple[str, ...]) -> Item | None:
    groups = plan.clusters[cluster].slices
    if len(rest) > 1 and rest[0] == "slices":
        return Item(cluster, rest[1], ".".join(rest[2:])) if rest[1] in groups else None
    if rest and rest[0] in groups:
        return Item(cluster, rest[0], ".".join(rest[1:]))
    return Item(cluster, "", ".".join(rest))


def written_step(part: object, name: str) -> tuple[Step, ...]:
    """One step for a key of a plan model; nothing if the model has no such key."""
    field = field_of(type(part), name) if isinstance(part, PlanModel) else None
    if field is None or not isinstance(part, PlanModel):
        return ()
    origin = "from the plan" if part.written(name) else "the default"
    return (Step(name, show(getattr(part, name)), f"{origin}; {(field.description or '').rstrip('.')}"),)


def show(value: object) -> str:
    """A value of a plan in YAML flow style."""
    if isinstance(value, PlanModel):
        return show({name: getattr(value, name) for name in type(value).model_fields if value.written(name)})
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {show(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


_KEYS = ("account", "node_service_account")


def group_account_step(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> Step:
    """The account of a group: its own one, or that of the cluster."""
    written = group.plan.node_service_account
    if written is None:
        return account_step(catalog, cluster)
    if written != "create":
        reason = "node_service_account of the group"
        return Step("service_account", str(written), reason, keys=_KEYS, topics=("hardening",))
    hardening = catalog.platform.hardening
    reason = f"created for the group with {listed(hardening.node_roles)}; the ID has a hash of cluster and group"
    return Step("service_account", group.account_id, reason, evidence(catalog, hardening), _KEYS, ("hardening",))


def account_step(catalog: Catalog, cluster: Cluster) -> Step:
    """The account that is created or given; the default account in an existing cluster without the key."""
    derived, hardening = ClusterSettings(cluster).node_service_account, catalog.platform.hardening
    account = derived.value
    if account == "create":
        account = cluster.account_id
        parts = "project, cluster, location and key" if cluster.existing else "project, cluster and location"
        reason = f"created with {listed(hardening.node_roles)}; the ID has a hash of {parts}"
        return Step("service_account", account, reason, evidence(catalog, hardening), _KEYS, ("hardening",))
    if account is None:
        return Step("service_account", "default", derived.note, keys=_KEYS, topics=("hardening",))
    return Step(
        "service_account", str(account), "node_service_account of the cluster", keys=_KEYS, topics=("hardening",)
    )
