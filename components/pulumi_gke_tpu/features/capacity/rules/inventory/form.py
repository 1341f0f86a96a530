"""TPU83x: problems of an inventory itself."""

import datetime
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import get_args

from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.estimate.holdings import quota_holdings
from pulumi_gke_tpu.core.estimate.quota import metrics_of, name_and_family, plain_metric
from pulumi_gke_tpu.core.plan import ClusterSpec
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedBlock, OwnedQuota, OwnedSubBlock
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, Severity, as_only, number, printable, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.core.text.formats.names import is_region, is_zone, region_of
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext, on_reservation
from pulumi_gke_tpu.features.capacity.rules.inventory.offered import version_range


@rule(
    "TPU837",
    title="Parts of a reservation are larger than the reservation",
    why="one of the two numbers is wrong, so what gke-tpu says about the capacity that is left is wrong too",
    fix="Correct the number of VMs or chips of the reservation, or that of its blocks.",
    source="The format of the inventory",
    failing=on_reservation("blocks: [{name: block-0001, vms: 48}, {name: block-0002, vms: 48}]"),
    passing=on_reservation("blocks: [{name: block-0001, vms: 32}, {name: block-0002, vms: 32}]"),
)
def contradictory_reservation_size(context: InventoryContext) -> Iterable[Hit]:
    for index, entry in enumerate(context.inventory.reservations):
        path: Path = ("reservations", index)
        if entry.in_use > entry.size:
            in_use, key = number(entry.in_use, entry.unit), f"{entry.unit.lower()}s"
            yield context.here(Hit((*path, "in_use"), f"`in_use` is {in_use}, but `{key}` is {entry.size:,}"))
    for path, blocks in block_lists(context.inventory):
        whole, total = _whole(context.inventory, path), sum(block.vms for block in blocks)
        if whole is not None and total > whole:
            message = f"`{path[-1]}` have {number(total, 'VM')} in total, but `vms` is {whole:,}"
            yield context.here(Hit(path, message))


def block_lists(inventory: Inventory) -> Iterator[tuple[Path, Sequence[OwnedBlock | OwnedSubBlock]]]:
    """Every list of blocks, and of sub-blocks."""
    for index, entry in enumerate(inventory.reservations):
        path: Path = ("reservations", index, "blocks")
        yield path, entry.blocks
        for number_of_block, block in enumerate(entry.blocks):
            yield (*path, number_of_block, "sub_blocks"), block.sub_blocks


def _whole(inventory: Inventory, path: Path) -> int | None:
    """The VMs of the reservation or block with this list; None of a reservation that counts chips."""
    entry = inventory.reservations[int(path[1])]
    return entry.vms if path[-1] == "blocks" else entry.blocks[int(path[3])].vms


@rule(
    "TPU838",
    about=("moved[].from",),
    title="Reservation ends before it begins",
    why="gke-tpu compares the dates with the current date, and such a reservation never exists",
    fix="Correct `from` or `until`. `until` is the day on which the reservation ends.",
    source="The format of the inventory",
    failing=on_reservation("from: 2026-12-01", "until: 2026-11-01", capacity="spot"),
    passing=on_reservation("from: 2026-11-01", "until: 2026-12-01", capacity="spot"),
)
def invalid_reservation_period(context: InventoryContext) -> Iterable[Hit]:
    for index, entry in enumerate(context.inventory.reservations):
        if entry.start is not None and entry.until is not None and entry.until <= entry.start:
            yield context.here(
                Hit(
                    ("reservations", index, "until"),
                    f"reservation {quoted(entry.name)} ends on {entry.until}, but begins on {entry.start}",
                    given=f"until: {entry.until}",
                )
            )


_SOURCE = "the inventory"
_OLD = datetime.timedelta(days=30)
_BLOCKS = {"blocks": "block", "sub_blocks": "sub-block"}
_SMALL_PLAN = """
tpu: v6e
topology: 2x2
--- inventory
"""


@rule(
    "TPU831",
    title="Inventory is outdated",
    why="reservations, quotas and versions change, so findings based on an old inventory may be wrong",
    fix="Update the inventory, and set `as_of` to the current date.",
    source=_SOURCE,
    severity=Severity.NOTE,
    today="2026-11-20",
    failing=f"{_SMALL_PLAN}version: 1\nas_of: 2026-09-01",
    passing=f"{_SMALL_PLAN}version: 1\nas_of: 2026-11-01",
)
def outdated_inventory(context: InventoryContext) -> Iterable[Hit]:
    if context.today is None:
        return
    age = context.today - context.inventory.as_of
    if age > _OLD:
        yield context.here(Hit(("as_of",), f"the inventory is {number(age.days, 'day')} old (`as_of`)"))
    elif age < -datetime.timedelta(days=1):  # a day's difference is a matter of time zones
        yield context.here(Hit(("as_of",), f"the inventory is dated {number(-age.days, 'day')} in the future"))


@rule(
    "TPU832",
    title="Duplicate inventory entry",
    why="gke-tpu cannot determine which of the two entries is correct",
    fix="Remove one of the two entries.",
    source=_SOURCE,
    failing=f"""{_SMALL_PLAN}
quotas:
  - {{project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 512}}
  - {{project: acme-ml, metric: PREEMPTIBLE-TPU-V6E-per-project-region, region: us-east5, limit: 1536}}
""",
    passing=f"""{_SMALL_PLAN}
quotas:
  - {{project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 512}}
  - {{project: acme-ml, metric: preemptible_tpu_v6e, region: us-east1, limit: 1536}}
""",
)
def duplicate_inventory_entry(context: InventoryContext) -> Iterable[Hit]:
    first: dict[Hashable, Path] = {}
    for path, identity, what in _entries(context.inventory):
        before = first.setdefault((path[0], identity), path)
        if before != path:
            number_before = int(before[-1]) + 1
            yield context.here(Hit(path, f"duplicate {what}: entry {number_before} of this list already defines it"))


def _entries(inventory: Inventory) -> Iterator[tuple[Path, Hashable, str]]:
    """Every entry with its path, identity and description."""
    for index, item in enumerate(inventory.reservations):
        what = f"reservation {printable(item.name)} of {printable(item.project)} in {printable(item.zone)}"
        yield ("reservations", index), (item.project, item.zone, item.name), what
    for index, quota in enumerate(inventory.quotas):
        what = f"quota {printable(quota.metric)} of {printable(quota.project)} in {printable(quota.region)}"
        yield ("quotas", index), (quota.project, *name_and_family(quota), quota.region), what
    for index, policy in enumerate(inventory.workload_policies):
        what = f"workload policy {printable(policy.name)} of {printable(policy.project)} in {printable(policy.region)}"
        yield ("workload_policies", index), (policy.project, policy.region, policy.name), what
    for path, blocks in block_lists(inventory):
        for index, block in enumerate(blocks):
            yield (*path, index), (path, block.name), f"{_BLOCKS[str(path[-1])]} {printable(block.name)}"


@warning(
    "TPU833",
    title="Unknown machine type or family in the inventory",
    why="no slice of a plan can have these machines, so gke-tpu never uses the entry",
    fix="Write the machine type or machine family as in Compute Engine.",
    references=["gce-tpu-machines", "plan-tpus"],
    failing=f"""{_SMALL_PLAN}
reservations:
  - {{name: v6e-serve, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard4t, vms: 4}}
""",
    passing=f"""{_SMALL_PLAN}
reservations:
  - {{name: v6e-serve, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 4}}
  - {{name: others, project: acme-ml, zone: us-east5-b, machine_type: n2-standard-4, vms: 4}}
""",
)
def unknown_inventory_machine_type(context: InventoryContext) -> Iterable[Hit]:
    types, families = Suggestions(context.tpu_machine_types), Suggestions(context.tpu_families)
    for index, entry in enumerate(context.inventory.reservations):
        if context.can_compare(entry):
            continue
        path: Path = ("reservations", index)
        if entry.machine_type is not None:
            near = types.nearest(entry.machine_type)
            fix = SetKeys.of(machine_type=near)
            yield context.here(Hit.unknown((*path, "machine_type"), "machine type", entry.machine_type, fix=fix))
            continue
        family = entry.family or ""
        name = resolve(context.catalog, family)
        named = context.catalog.generation(name.generation).families if name and name.kind == "generation" else ()
        near = next(iter(named)) if len(named) == 1 else None if named else families.nearest(family)
        allowed = tuple(named) or families.shown
        fix = SetKeys.of(family=near)
        yield context.here(Hit.unknown((*path, "family"), "machine family", family, allowed=allowed, fix=fix))


@rule(
    "TPU834",
    title="Quota does not apply to TPU slices",
    why="GKE slices use the Compute Engine quota of their machine family, not the quota of the Cloud TPU API",
    fix="Use a quota metric that `gke-tpu catalog quota` lists. If the list shows a value for `tpu_family`, set "
    "`family` to this value.",
    references=["quota-tables", "quota-read-outs"],
    severity=Severity.NOTE,
    otherwise={Severity.WARNING: "if the entry resembles a quota of slices that a plan has in its project and region"},
    failing=f"""{_SMALL_PLAN}
quotas:
  - {{project: acme-ml, metric: TPUV6EPerProjectPerZoneForTPUAPI, region: us-east5-b, limit: 64}}
""",
    passing=f"""{_SMALL_PLAN}
quotas:
  - {{project: acme-ml, metric: tpus_per_tpu_family, family: ct6e, region: us-east5, limit: 64}}
""",
)
def unrelated_quota(context: InventoryContext) -> Iterable[Hit]:
    """Check only quotas with TPU in their name: an inventory that was saved from the cloud has many others."""
    known = {plain_metric(item.metric): item.metric.rpartition("/")[2] for item in context.catalog.quota.metrics}
    for index, entry in enumerate(context.inventory.quotas):
        name, family = name_and_family(entry)
        if "tpu" not in name or metrics_of(context.catalog.quota, entry):
            continue
        if name not in known:
            metrics = tuple(sorted(known.values(), key=str.lower))
            message = f"quota {quoted(entry.metric)} does not apply to slices, so gke-tpu does not check it"
            near = Suggestions(metrics).nearest(entry.metric)
            severity = _ignored(context, entry) if near is not None else None
            fix = SetKeys.of(metric=near)
            hit = Hit(("quotas", index, "metric"), message, allowed=metrics, fix=fix, severity=severity)
        else:
            same = (item for item in context.catalog.quota.metrics if plain_metric(item.metric) == name)
            families = tuple(sorted({item.dimension for item in same}, key=str.lower))
            given = f"family {printable(entry.family or family)}" if family else "no family"
            message = f"quota {quoted(entry.metric)} is per machine family, but this entry has {given}"
            place = ("quotas", index, "family" if entry.family else "metric")
            hit = Hit(place, message, allowed=families, severity=_ignored(context, entry))
        yield context.here(hit)


def _ignored(context: InventoryContext, entry: OwnedQuota) -> Severity | None:
    """A warning if slices of the plans are where the quota is; None otherwise."""
    place = (entry.project, region_of(entry.region) if is_zone(entry.region) else entry.region)
    holdings = quota_holdings(context.plans, None, context.catalog)
    return Severity.WARNING if any((item.project, item.location) == place for item in holdings) else None


@warning(
    "TPU835",
    title="Invalid location in the inventory",
    why="gke-tpu compares an inventory entry only with slices in the same location. It cannot check an entry whose "
    "location is invalid",
    fix="Set a zone such as us-east5-b or, if the key allows it, a region such as us-east5.",
    source="Google Cloud: names of regions and zones",
    failing=f"""{_SMALL_PLAN}
reservations:
  - {{name: v6e-serve, project: acme-ml, zone: us-east5, machine_type: ct6e-standard-4t, vms: 4}}
""",
    edit=("us-east5", "us-east5-b"),
)
def invalid_inventory_location(context: InventoryContext) -> Iterable[Hit]:
    inventory = context.inventory
    for index, entry in enumerate(inventory.reservations):
        if not is_zone(entry.zone):
            yield context.here(Hit.invalid(("reservations", index, "zone"), "zone", entry.zone))
    quotas = [quota.region for quota in inventory.quotas]
    locations: list[tuple[Path, str]] = [
        (("quotas", index, "region"), region) for index, region in enumerate(quotas) if region != "global"
    ]
    locations += [(("gke_versions", location), location) for location in inventory.gke_versions]
    for path, location in locations:
        if not (is_region(location) or is_zone(location)):
            yield context.here(Hit.invalid(path, "location", location, "it is neither a region nor a zone"))


@warning(
    "TPU836",
    title="Invalid version in the inventory",
    why="gke-tpu compares versions by release channel and number. It cannot compare these versions, so it ignores them",
    fix="Write each release channel as in a plan, for example `regular`. Write each version in quotes, for example "
    '`"1.34.4-gke.1047000"`.',
    source="GKE: version numbers are MAJOR.MINOR.PATCH-gke.N",
    failing=f"""{_SMALL_PLAN}
gke_versions:
  us-east5: {{regular: ["1.34.4-gke"]}}
""",
    passing=f"""{_SMALL_PLAN}
gke_versions:
  us-east5: {{regular: ["1.34.4-gke.1047000"], rapid: []}}
""",
)
def invalid_inventory_version(context: InventoryContext) -> Iterable[Hit]:
    known = get_args(ClusterSpec.model_fields["release_channel"].annotation)
    suggestions = Suggestions(known)
    for location, channels in context.inventory.gke_versions.items():
        for channel, versions in channels.items():
            path: Path = ("gke_versions", location, channel)
            if channel not in known:
                near = suggestions.nearest(channel)
                message = f"unknown release channel {quoted(channel)}"
                same = near is not None and near == channel.lower()
                yield context.here(Hit(path, message, allowed=known, fix=as_only(Rename.to(near), same)))
                continue
            for index, text in enumerate(versions):
                if version_range(text) is None:
                    message = f"invalid GKE version {quoted(text)}"
                    yield context.here(Hit((*path, index), message, given=printable(text)))
