"""The flags of gcloud that xpk passes on, as the keys of the plan for the cluster and the node pools that they make."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pulumi_gke_tpu.core.against_plan.live import live_pools
from pulumi_gke_tpu.core.graph.builders.cluster import ADDON_PROPERTIES
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.resources.gcloud_scripts import GcloudOption, read_gcloud_flags
from pulumi_gke_tpu.core.resources.gcloud_spelling import GcloudUsage
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.text.formats.property_path import set_value, value_at
from pulumi_gke_tpu.core.text.shell import ScriptWord
from pulumi_gke_tpu.core.text.shell.arguments import Given, read_arguments
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading
from pulumi_gke_tpu.features.adopt.command_lines.gcloud_keys import (
    DERIVED,
    StatedKeys,
    cpu_pool_keys,
    created_cluster_keys,
    slice_keys,
    system_pool_keys,
    without_unknown,
)
from pulumi_gke_tpu.features.adopt.command_lines.table import Became
from pulumi_gke_tpu.features.adopt.open_parts import EXTRA, CannotAdoptError

_EXTRA: Final = ("extra",)
_OF_XPK: Final = ("--machine-type", "--node-locations", "--num-nodes", "--tpu-topology")
_NETWORK: Final = "network.existing"
_NOT_KNOWN: Final = "gke-tpu does not translate this flag of gcloud; look for a key, or set its property in `extra`"


def passed_on(reading: CommandReading, given: Given, words: Sequence[ScriptWord], cluster: str, group: str) -> None:
    """Each flag inside of ``given`` as a key of the cluster, or of its slice group or CPU pool of a name."""
    command = "container node-pools create" if group else "container clusters create"
    facts, name = reading.draft.catalog.gcloud, ScriptWord(cluster, given.line, given.column)
    usage = GcloudUsage(command, facts.commands[command], facts)
    unknown = {word.text for word in read_arguments(words, usage.takes, usage.short, abbreviated=False).unknown}
    for word in unknown:
        flag, _, value = word.partition("=")
        became: Became = "derived" if flag in DERIVED else "left out"
        inside = Given(f"{given.option} {flag}", value, given.line, given.column)
        reading.row(inside, became, reason=DERIVED.get(flag, _NOT_KNOWN))
    made = read_gcloud_flags(command, name, [word for word in words if word.text not in unknown], facts, cluster)
    problems = [item.message for item in made.rejected]
    stated: dict[str, StatedKeys] = {}
    try:
        for raw in made.resources if not problems else ():
            stated[raw.origin.address] = _stated(reading, raw, cluster, group)
    except CannotAdoptError as error:
        problems.append(str(error))
    for problem in problems:
        reading.problem(f"`{given.option}`: {problem}", given)
    for option in made.options if not problems else ():
        inside = Given(f"{given.option} {option.given.option}", option.given.value, given.line, given.column)
        _row(reading, inside, option, (cluster, stated[option.resource]))


def _stated(reading: CommandReading, raw: RawResource, cluster: str, group: str) -> StatedKeys:
    """What the flags state, below the cluster. Any machine type stands for that of the TPU type, which xpk states."""
    catalog = reading.draft.catalog
    if raw.type == CLUSTER:
        return created_cluster_keys(Values(without_unknown(raw.values.data)), reading.draft.project, catalog)
    (pool,) = live_pools([replace(raw, action=None)], catalog)
    values = dict(pool.values)
    if not group:
        return system_pool_keys(Values(values)).below("system_pool")
    slices = reading.draft.clusters[cluster].get("slices", {})
    if group not in slices:
        return cpu_pool_keys(Values(values)).below("cpu_pools", group)
    machine = next(iter(catalog.generation(slices[group]["tpu"]).machine_types))
    values["nodeConfig"] = {**values.get("nodeConfig", {}), "machineType": machine}
    tpu = next(iter(Machines(catalog).pools(replace(raw.asked, values=Values(values)))))
    found = slice_keys(tpu, Values(values), catalog)
    for path in EXTRA:
        steps = tuple(path.split("."))
        value = value_at(values, steps)
        if value and not found.key_of(path):
            set_value(found.keys.setdefault("extra", {}), steps, value)
            found.properties[_EXTRA + steps] = path
    return found.below("slices", group)


def _row(reading: CommandReading, given: Given, option: GcloudOption, place: tuple[str, StatedKeys]) -> None:
    """What becomes of one flag. ``place`` is the cluster, and what flags state below it."""
    (cluster, stated), name, fact = place, option.given.option, option.fact
    key = stated.key_of(fact.path) if fact is not None else ""
    if fact is not None and fact.kind == "addons":
        _addon_rows(reading, given)
    if name in _OF_XPK and not key.startswith("system_pool"):
        reading.row(given, "derived", reason="it follows from the type and the zone that xpk gets")
    elif key:
        if key.startswith(_NETWORK):  # GKE takes what is not stated from the default network, or from an auto mode one
            for part, value in value_at(stated.keys, _NETWORK.split(".")).items():
                reading.draft.put(cluster, f"{_NETWORK}.{part}", value)
        reading.key(given, cluster, key, value_at(stated.keys, key.split(".")))
    elif name in DERIVED and given.value != "false":
        reading.row(given, "derived", reason=DERIVED[name])
    elif fact is None or fact.kind != "addons":
        reading.row(given, "left out", reason=_NOT_KNOWN)


def _addon_rows(reading: CommandReading, given: Given) -> None:
    """What becomes of the add-ons without a key."""
    for name in given.value.split(","):
        addon = reading.draft.catalog.gcloud.addons.get(name)
        one = Given(given.option, name, given.line, given.column)
        if addon is not None and addon.negated:
            reading.row(one, "derived", reason="GKE always enables it")
        elif addon is None or addon.property not in ADDON_PROPERTIES.values():
            reading.row(one, "left out", reason=_NOT_KNOWN)
