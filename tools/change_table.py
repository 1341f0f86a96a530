"""The page changes.md of the documentation: the effect of a change of each plan key, from the catalog."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, Provider, known_path, replace_paths
from pulumi_gke_tpu.core.graph.keys import FIXED, RESOURCES, plan_keys
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.text.formats.property_path import format_steps, parse_path

SYSTEM_POOL = "system pool"
CPU_POOL = "CPU pool"
TPU_POOL = "TPU node pool"
_WITHOUT_TPUS = (SYSTEM_POOL, CPU_POOL)
_POOLS = (TPU_POOL, *_WITHOUT_TPUS)
_CLUSTER_AND_ALL = ("cluster", "network", "subnetwork")
_MOMENTARY = ("IAM grant", "Workload Identity grant", "bucket grant", "router", "Cloud NAT")

HEADINGS = (
    "Replaces the cluster",
    "Replaces node pools or resources that they use",
    "Plans an update that changes nothing",
    "Is not expected to work",
    "Restarts, drains or deletes nodes",
    "Takes effect without a restart",
    "Changes only the Pulumi state",
)
_ENGINE = {
    "replace": "deletes and re-creates it",
    "broken": "deletes and re-creates it (gke-tpu requests this, because an update fails)",
    "replace-off": "updates it when enabled; deletes and re-creates it when disabled",
    "replace-shrink": "updates it if the new range contains the old one; otherwise deletes and re-creates it",
    "in-place": "updates it",
    "no-op": "plans an update that sends nothing, usually in every preview",
    "no-op-off": "updates it when enabled; sends nothing when disabled",
    "no-op-lower": "updates it when raised; plans an update that sends nothing when lowered",
    "client-side": "changes only its own state",
    "create-only": "changes only its own state",
}
_BY_COMPONENT = "deletes and re-creates it (gke-tpu requests this; the provider would update it)"
_GKE = {
    "fixed": "re-creates the nodes",
    "restart": "re-creates or drains the nodes one after the other",
    "drain": "drains and deletes the nodes that exceed a smaller number, also when autoscaling ends",
    "evict": "applies it without a restart of nodes",
    "in-use": "is not expected to apply it to an existing cluster",
    "set-once": "rejects another value; the value can be removed first",
    "live": "applies it; no source reports a restart of nodes",
    "metadata": "applies it; nodes are not affected",
}
_WHEN = {
    "sent": "",
    "spared": "",
    "evicting": "With `NO_EXECUTE`: ",
    "repelling": "With `NO_SCHEDULE`: ",
    "lifted": "If it becomes shorter or narrower or is removed: ",
    "capped": "With a lower limit: ",
}

UNKEYED: dict[Resource, tuple[str, ...]] = {
    "cluster": (
        "anonymousAuthenticationConfig.mode",
        "clusterAutoscaling.autoProvisioningDefaults.imageType",
        "clusterAutoscaling.autoProvisioningDefaults.management.autoRepair",
        "clusterAutoscaling.autoProvisioningDefaults.management.autoUpgrade",
        "clusterAutoscaling.autoProvisioningDefaults.oauthScopes",
        "clusterAutoscaling.autoProvisioningDefaults.shieldedInstanceConfig.enableIntegrityMonitoring",
        "clusterAutoscaling.autoProvisioningDefaults.shieldedInstanceConfig.enableSecureBoot",
        "clusterAutoscaling.autoscalingProfile",
        "ipAllocationPolicy.stackType",
        "rbacBindingConfig.enableInsecureBindingSystemAuthenticated",
        "rbacBindingConfig.enableInsecureBindingSystemUnauthenticated",
    ),
    "TPU node pool": (
        "name",
        "nodeConfig.kubeletConfig.insecureKubeletReadonlyPortEnabled",
        "nodeConfig.shieldedInstanceConfig.enableIntegrityMonitoring",
        "placementPolicy.type",
    ),
    "system pool": (
        "autoscaling.locationPolicy",
        "cluster",
        "management.autoRepair",
        "management.autoUpgrade",
        "name",
        "nodeConfig.kubeletConfig.insecureKubeletReadonlyPortEnabled",
        "nodeConfig.oauthScopes",
        "nodeConfig.reservationAffinity.consumeReservationType",
        "nodeConfig.shieldedInstanceConfig.enableIntegrityMonitoring",
    ),
    "CPU pool": (
        "management.autoRepair",
        "management.autoUpgrade",
        "nodeConfig.kubeletConfig.insecureKubeletReadonlyPortEnabled",
        "nodeConfig.reservationAffinity.consumeReservationType",
        "nodeConfig.shieldedInstanceConfig.enableIntegrityMonitoring",
    ),
    "workload policy": ("region",),
    "network": ("autoCreateSubnetworks", "routingMode"),
    "subnetwork": ("network", "privateIpGoogleAccess", "secondaryIpRanges.rangeName"),
    "router": ("network",),
    "firewall rule": ("allows.protocol", "direction", "network"),
    "Cloud NAT": (
        "natIpAllocateOption",
        "router",
        "sourceSubnetworkIpRangesToNat",
        "subnetworks.name",
        "subnetworks.sourceIpRangesToNats",
    ),
    "service account": ("displayName",),
    "IAM grant": ("member", "role"),
    "Workload Identity grant": ("member", "role", "serviceAccountId"),
    "bucket grant": ("bucket", "member", "role"),
}
"""Properties that no key sets: they are the same for every plan, or derived from the whole plan."""

Column = Callable[["Row"], str]


@dataclass(frozen=True)
class Row:
    """One property that a key of the plan sets. ``key`` is empty for a property that no key sets."""

    key: str
    resource: Resource
    token: str
    property: str
    change: PropertyChange
    by_component: bool
    """Whether the component asks for a replacement where the provider plans an update."""
    kept: bool = False
    """Whether GKE keeps the value if the key is removed from the plan."""
    following: tuple[str, ...] = ()
    """Possible consequences of an update, in whole sentences."""

    @property
    def replaces(self) -> bool:
        """Whether some change of it is a replacement."""
        return self.by_component or self.change.change in ("replace", "replace-off", "replace-shrink")

    @property
    def updates(self) -> bool:
        """Whether some change of it is planned as an update."""
        return not self.by_component and self.change.change != "replace"

    @property
    def engine(self) -> str:
        """The action of ``pulumi up``."""
        known_word = not self.by_component or self.change.change == "broken"
        return _ENGINE[self.change.change] if known_word else _BY_COMPONENT

    @property
    def gke(self) -> str:
        """The effect on nodes and slices."""
        if not self.updates:
            return _gone(self.resource)
        if self._stays_here or self.change.change == "no-op":
            return "receives no request"
        sure = self.change.gke == "live" and self.change.gke_source
        return "applies it without a restart of nodes" if sure else _GKE[self.change.gke]

    @property
    def heading(self) -> str:
        """The part of the page it belongs to."""
        if self.replaces:
            return HEADINGS[0] if self.resource in _CLUSTER_AND_ALL else HEADINGS[1]
        if self._stays_here:
            return HEADINGS[6]
        if self.change.change != "in-place":
            return HEADINGS[2]
        if self.change.gke in ("in-use", "set-once"):
            return HEADINGS[3]
        return HEADINGS[5] if self.change.gke in ("live", "metadata") else HEADINGS[4]

    @property
    def _stays_here(self) -> bool:
        return self.change.change in ("client-side", "create-only")


def _gone(resource: str) -> str:
    """The effect of a replacement on workloads."""
    if resource in _CLUSTER_AND_ALL:
        return "deletes and re-creates the cluster with all its node pools"
    if resource in _MOMENTARY:
        return "leaves nodes without it for a moment"
    if resource in _WITHOUT_TPUS:
        return "deletes its nodes before it creates new ones"
    return "deletes all hosts of the slices before it requests new ones"


def rows(catalog: Catalog) -> tuple[Row, ...]:
    """Every property that is set, in the order of the plan; properties without a key come last."""
    return tuple(_rows(catalog))


def _rows(catalog: Catalog) -> Iterator[Row]:
    provider = catalog.provider
    sets = [(key, effect.sets) for key, effect in plan_keys().keys.items()]
    for key, resources in [*sets, ("", FIXED), ("", UNKEYED)]:
        for resource, paths in resources.items():
            token = RESOURCES[resource]
            known = provider.resources[token].properties
            replaced = () if resource in _WITHOUT_TPUS else replace_paths(provider, token)
            for path in paths:
                row = Row(key, resource, token, path, known[path], path in replaced, _is_kept(known, path))
                yield dataclasses.replace(row, following=tuple(_following(row, provider)))


def _is_kept(known: Mapping[str, PropertyChange], path: str) -> bool:
    """Whether the provider keeps the value of what the program leaves out, and does not remove the block around it."""
    steps = parse_path(path)
    around = (known[format_steps(steps[:length])] for length in range(1, len(steps) + 1))
    return known[path].computed and not any(block.cleared_without for block in around)


def _following(row: Row, provider: Provider) -> Iterator[str]:
    """Possible consequences of an update of a property. Nodes without TPUs never use flex-start or a queue."""
    for item in provider.following:
        recreates = row.change.gke == "restart" and row.resource not in _WITHOUT_TPUS
        if item.speaks_of(row.token, row.property) and row.updates and (item.when != "spared" or recreates):
            yield f"{_WHEN[item.when]}{item.text}"


def pool_of(name: str) -> str:
    """The kind of the node pool with a Pulumi name."""
    if "/cpu_pools/" in name:
        return CPU_POOL
    return SYSTEM_POOL if name.endswith("/system") else TPU_POOL


def rows_for(among: Iterable[Row], provider: Provider, token: str, path: str, *, pool: str = "") -> list[Row]:
    """The rows that apply to an engine path such as ``nodeConfig.taints[0].value``; several of a whole block.

    ``pool`` is the kind of a node pool, as of ``pool_of``; that of TPUs if it is not given.
    """
    known = known_path(provider, token, path) or path
    kind = pool or TPU_POOL
    found = [row for row in among if row.token == token and (row.resource == kind or row.resource not in _POOLS)]
    exact = [row for row in found if row.property == known]
    return exact or [row for row in found if _within(known, row.property) or _within(row.property, known)]


def _within(path: str, block: str) -> bool:
    return path.startswith((f"{block}.", f"{block}["))


def changes_page() -> str:
    """The page as Markdown."""
    found = rows(read_catalog())
    with_key = [row for row in found if row.key]
    without = sorted((row for row in found if not row.key), key=lambda row: HEADINGS.index(row.heading))
    parts = [_INTRODUCTION]
    for heading in HEADINGS:
        under_it = [row for row in with_key if row.heading == heading]
        parts += [f"## {heading}\n", _table(("key", "sets", "Pulumi", "GKE", "kept"), under_it, _WITH_KEY)]
    return "\n".join([*parts, _OWN, _table(("sets", "Pulumi", "GKE"), without, _WITHOUT_KEY)])


def _table(names: tuple[str, ...], found: Iterable[Row], columns: tuple[Column, ...]) -> str:
    """One line for the properties of a key that change alike, and for keys that belong together and change alike."""
    by_key: dict[tuple[str, ...], list[Row]] = {}
    for row in found:
        by_key.setdefault((_shown(row.key), *(column(row) for column in columns)), []).append(row)
    merged: dict[tuple[str, ...], list[Row]] = {}
    for (key, *cells), same in by_key.items():
        merged.setdefault((_together(key, same), *cells), []).extend(same)
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for (_, *cells), same in merged.items():
        keys = [_keys(same)] if "key" in names else []
        lines.append(f"| {' | '.join([*keys, _properties(same), *cells])} |")
    return "\n".join([*lines, ""])


def _together(key: str, same: list[Row]) -> str:
    """What the keys of one line have in common: the mapping that holds them, or else the properties that they set."""
    above = key.rpartition(".")[0]
    return f"{above} {_properties(same)}" if above in _OF_ALL_KINDS and key else above


_OF_ALL_KINDS = ("", "slices.*", "cpu_pools.*")
"""Mappings whose keys have nothing in common."""


def _shown(key: str) -> str:
    """A key as a reader writes it, without the cluster."""
    return key.removeprefix("clusters.*.")


def _properties(same: list[Row]) -> str:
    by_resource: dict[str, list[str]] = {}
    for row in same:
        by_resource.setdefault(row.resource, []).append(f"`{row.property}`{'' if row.change.observed else '*'}")
    return "; ".join(f"{resource}: {', '.join(dict.fromkeys(names))}" for resource, names in by_resource.items())


def _keys(same: list[Row]) -> str:
    """The keys of a line; after the first one without the mapping that holds them."""
    first, *others = dict.fromkeys(_shown(row.key) for row in same)
    return ", ".join(f"`{name}`" for name in (first, *(key.rpartition(".")[2] for key in others)))


def _engine(row: Row) -> str:
    return row.engine


def _gke(row: Row) -> str:
    return row.gke


def _effect(row: Row) -> str:
    """The effect in GKE, with the notes of the catalog except those about references."""
    note = row.change.note
    beside_the_point = not note or note.startswith("Refers to") or row.resource in _WITHOUT_TPUS
    return ". ".join([row.gke, " ".join([*(() if beside_the_point else (note,)), *row.following])]).removesuffix(". ")


def _kept(row: Row) -> str:
    return "yes" if row.kept else ""


_WITH_KEY: tuple[Column, ...] = (_engine, _effect, _kept)
_WITHOUT_KEY: tuple[Column, ...] = (_engine, _gke)

_INTRODUCTION = """# Effects of plan changes

All plan keys that set a property in Google Cloud: the action of `pulumi up` when the value changes, and the effect in
GKE. The most disruptive changes come first. Keys are named as in [plan-keys.md](plan-keys.md), without `clusters.*.`.

`pulumi up` fails if a change replaces a protected resource ([stacks.md](stacks.md) describes how to allow it) or
deletes a cluster with deletion protection. Node pools of a group are also created and deleted when `count`, `indices`,
`name` or the key of the group changes.

*kept*: if you remove the key from the plan again, the provider sends nothing, and GKE keeps the last value. The same
applies to `workload_identity: false`.
An asterisk marks properties whose changes are known only from the source code of the provider. All others were
observed with the real provider and an emulated API, and the tests of this project repeat the observation.

Generated by `tools/docs.py` from the models of the plan and `catalog/provider.yaml`.
"""
_OWN = """## Properties without a key

The components set these properties themselves; they change only with a new release of gke-tpu. `extra` sets all other
properties; `gke-tpu preview` shows which of them would replace a resource.
"""
