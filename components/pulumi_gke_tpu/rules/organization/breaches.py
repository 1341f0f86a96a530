"""Finds everything that breaks a standard, as values, before exemptions apply."""

import datetime
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fnmatch import fnmatchcase

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate.money import sum_of
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.findings import Path, printable, quoted
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.fleet.plans import PlanInFleet
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan.cluster import Exclusion
from pulumi_gke_tpu.plan.organization.model import Most, Organization, Standard

Plans = tuple[PlanInFleet, ...]


@frozen
class Breach:
    """One place in a plan that breaks a standard."""

    standard: str
    kind: str
    member: PlanInFleet
    path: Path
    item: str
    """CLUSTER or CLUSTER/GROUP."""
    message: str
    certain: bool
    """Whether the plan breaks the standard at its smallest size as well."""
    warns: bool
    """Whether the standard asks for a warning only."""


@frozen
class _Broken:
    member: PlanInFleet
    path: Path
    item: str
    message: str
    certain: bool = True


def breaches(
    plans: Plans,
    organization: Organization,
    catalog: Catalog,
    today: datetime.date | None,
    owned: OwnedReservations,
) -> Iterator[Breach]:
    """Every breach of every standard, in the order of the standards and plans.

    ``owned`` are the reservations of an inventory, whose contract prices the cost of reserved slices uses.
    """
    for name, standard in organization.standards.items():
        owner = standard.owner or organization.owner
        more = f" (owner: {printable(owner)})" if owner else ""
        said = f": {printable(standard.message)}" if standard.message else ""
        for broken in _CHECKS[standard.kind](plans, standard, catalog, today, owned):
            yield Breach(
                name,
                standard.kind,
                broken.member,
                broken.path,
                broken.item,
                f"{broken.message}; standard {quoted(name)}{more}{said}",
                broken.certain,
                standard.severity == "warning",
            )


def _clusters(plans: Plans) -> Iterator[tuple[PlanInFleet, Cluster]]:
    for member in plans:
        for cluster in member.fleet.clusters:
            yield member, cluster


def _groups(plans: Plans) -> Iterator[tuple[PlanInFleet, Cluster, SliceGroup]]:
    for member, cluster in _clusters(plans):
        for group in cluster.groups:
            yield member, cluster, group


def _at(member: PlanInFleet, group: SliceGroup, name: str, message: str, certain: bool = True) -> _Broken:
    path = (*group.path, name) if group.plan.written(name) else group.path
    return _Broken(member, path, group.key, message, certain)


def _at_cluster(member: PlanInFleet, cluster: Cluster, name: str, message: str, certain: bool = True) -> _Broken:
    path = (*cluster.path, name) if cluster.plan.written(name) else cluster.path
    return _Broken(member, path, cluster.key, message, certain)


def _generations(plans: Plans, standard: Standard, *_: object) -> Iterator[_Broken]:
    for member, _cluster, group in _groups(plans):
        if group.shape.generation not in standard.generations:
            yield _at(member, group, "tpu", f"generation {group.shape.generation} is not allowed")


def _zones(plans: Plans, standard: Standard, catalog: Catalog, *_: object) -> Iterator[_Broken]:
    known = known_zones(catalog)
    for member, cluster, group in _groups(plans):
        zones = group.zones or ((group.zone,) if group.zone else ())
        wrong = [zone for zone in zones if not allowed(zone, standard.zones)]
        if wrong:
            name = "zone" if group.plan.written("zone") else "zones"
            yield _at(member, group, name, f"zone {printable(wrong[0])} is not allowed")
        elif not zones:
            possible = [zone for zone in known if zone.startswith(f"{cluster.region}-")]
            fits = [zone for zone in possible if allowed(zone, standard.zones)]
            if not possible or len(fits) < len(possible):
                message = f"GKE selects the zone in {printable(cluster.region)}, where not all zones are allowed"
                yield _at_cluster(member, cluster, "location", message, certain=bool(possible) and not fits)


def known_zones(catalog: Catalog) -> tuple[str, ...]:
    """Every zone that the catalog lists for a machine family."""
    return tuple(
        sorted(
            {
                zone
                for family in catalog.zones.families.values()
                for listed in (family.documented, family.hardware, family.single_tenant, family.single_host)
                if listed is not None
                for zone in listed.zones
            }
        )
    )


def allowed(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _modes(plans: Plans, standard: Standard, *_: object) -> Iterator[_Broken]:
    for member, cluster in _clusters(plans):
        if cluster.mode not in standard.modes:
            yield _at_cluster(member, cluster, "mode", f"mode {cluster.mode} is not allowed")


def _capacities(plans: Plans, standard: Standard, *_: object) -> Iterator[_Broken]:
    for member, _cluster, group in _groups(plans):
        for index, mode in enumerate(group.capacity_modes):
            if mode not in standard.capacities:
                name = "fallback" if index else "capacity"
                yield _at(member, group, name, f"capacity mode {mode} is not allowed")
                break


def _labels(plans: Plans, standard: Standard, *_: object) -> Iterator[_Broken]:
    for member, cluster in _clusters(plans):
        missing = [label for label in standard.labels if label not in cluster.resource_labels]
        if cluster.existing:
            for group in cluster.groups:
                lacking = [label for label in missing if label not in group.plan.resource_labels]
                if lacking:
                    yield _at(member, group, "resource_labels", f"missing label {quoted(lacking[0])}")
        elif missing:
            yield _at_cluster(member, cluster, "resource_labels", f"missing label {quoted(missing[0])}")


def _exclusions(plans: Plans, _s: object, _c: object, today: datetime.date | None, _o: object) -> Iterator[_Broken]:
    for member, cluster, group in _groups(plans):
        reserved = "reservation" in group.capacity_modes and group.shape.multi_host
        maintenance = cluster.plan.maintenance
        found = maintenance.exclusions.values() if maintenance else ()
        if reserved and not any(_holds(exclusion, today) for exclusion in found):
            message = "multi-host slices on a reservation have no current maintenance exclusion"
            yield _at(member, group, "capacity", message)


def _holds(exclusion: Exclusion, today: datetime.date | None) -> bool:
    return exclusion.end is None or today is None or exclusion.end.date() >= today


def _private(plans: Plans, *_: object) -> Iterator[_Broken]:
    for member, cluster in _clusters(plans):
        private = cluster.plan.private_nodes
        if private is None and cluster.existing:
            message = "the setting of the existing cluster is unknown, so nodes may have external IP addresses"
            yield _at_cluster(member, cluster, "existing", message, certain=False)
        elif not (cluster.plan.network is not None if private is None else private):
            yield _at_cluster(member, cluster, "private_nodes", "nodes have external IP addresses")


def _protected(plans: Plans, *_: object) -> Iterator[_Broken]:
    for member, cluster in _clusters(plans):
        if not cluster.existing and not cluster.deletion_protection:
            yield _at_cluster(member, cluster, "deletion_protection", "the cluster has no deletion protection")


def _names(plans: Plans, standard: Standard, *_: object) -> Iterator[_Broken]:
    wanted = standard.names
    assert wanted is not None
    for member, cluster in _clusters(plans):
        if wanted.clusters is not None and not fnmatchcase(cluster.name, wanted.clusters):
            message = f"cluster name {quoted(cluster.name)} does not match {quoted(wanted.clusters)}"
            yield _at_cluster(member, cluster, "name", message)
        for group in cluster.groups:
            if wanted.groups is not None and not fnmatchcase(group.name, wanted.groups):
                message = f"slice group name {quoted(group.name)} does not match {quoted(wanted.groups)}"
                yield _Broken(member, group.path, group.key, message)


@frozen
class _Size:
    """What a group adds to a sum; ``complete`` is whether all its prices are known."""

    member: PlanInFleet
    group: SliceGroup
    minimum: Decimal
    maximum: Decimal
    complete: bool = True


_PER = {"group": "slice group", "cluster": "cluster", "plan": "plan", "all": "sum of all plans"}
_UNITS = {"chips": "chips", "hosts": "hosts", "usd_per_hour": "USD per hour"}


def _sizes(plans: Plans, most: Most, catalog: Catalog, owned: OwnedReservations) -> Iterator[_Size]:
    for member in plans:
        if most.unit == "usd_per_hour":
            from pulumi_gke_tpu.estimate import cost_of  # prices are read for standards about cost only

            costs = {cost.group: cost for cost in cost_of(member.fleet, catalog, owned).groups}
        for _, group in member.fleet.groups():
            if most.unit == "usd_per_hour":
                cost = costs[group.key]
                amounts = [usd for usd in (cost.sum_usd, cost.premium_usd) if usd is not None]
                complete = not cost.left_out and not cost.premium_unknown
                usd = sum_of(amounts)
                yield _Size(member, group, usd.minimum, usd.maximum, complete)
            else:
                size = group.chips if most.unit == "chips" else group.hosts
                yield _Size(member, group, Decimal(size.minimum), Decimal(size.maximum))


def _most(plans: Plans, standard: Standard, catalog: Catalog, _: object, owned: OwnedReservations) -> Iterator[_Broken]:
    most = standard.max
    assert most is not None
    sums: dict[tuple[int, str], list[_Size]] = {}
    for size in _sizes(plans, most, catalog, owned):
        key = {
            "group": (id(size.member), size.group.key),
            "cluster": (id(size.member), str(size.group.path[1])),
            "plan": (id(size.member), ""),
            "all": (0, ""),
        }[most.per]
        sums.setdefault(key, []).append(size)
    for sizes in sums.values():
        yield from _exceeding(sizes, most)


def _exceeding(sizes: list[_Size], most: Most) -> Iterator[_Broken]:
    limit = Decimal(str(getattr(most, most.unit)))
    low, high = sum((size.minimum for size in sizes), Decimal(0)), sum((size.maximum for size in sizes), Decimal(0))
    unit, per = _UNITS[most.unit], _PER[most.per]
    if high > limit:
        certain, total = low > limit, Decimal(0)
        for size in sizes:
            total += size.minimum if certain else size.maximum
            if total > limit:
                amount = f"{'' if certain else 'up to '}{_shown(low if certain else high, most)} {unit}"
                message = f"{amount} exceed the limit of {_shown(limit, most)} per {per}"
                name = next((key for key in ("count", "max", "indices") if size.group.plan.written(key)), "topology")
                yield _at(size.member, size.group, name, message, certain)
                return
    unknown = next((size for size in sizes if not size.complete), None)
    if unknown is not None:
        message = f"a price is unknown, so gke-tpu cannot check the limit of {_shown(limit, most)} {unit} per {per}"
        yield _at(unknown.member, unknown.group, "capacity", message, certain=False)


def _shown(amount: Decimal, most: Most) -> str:
    return f"{amount:,.2f}" if most.unit == "usd_per_hour" else f"{amount:,f}"


_Check = Callable[[Plans, Standard, Catalog, datetime.date | None, OwnedReservations], Iterator[_Broken]]

_CHECKS: dict[str, _Check] = {
    "generations": _generations,
    "zones": _zones,
    "modes": _modes,
    "capacities": _capacities,
    "max": _most,
    "labels": _labels,
    "exclusion": _exclusions,
    "private_nodes": _private,
    "deletion_protection": _protected,
    "names": _names,
}
