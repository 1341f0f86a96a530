"""TPU521 to TPU529: provider properties under ``extra``, and their values."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog.property_values import ITEM_TYPES, converted
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.plan.base import Resource, Unknown
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.extra import Extra, ExtraProperty, extras, is_any_reservation
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule
from pulumi_gke_tpu.core.text.findings import (
    Fix,
    Path,
    Rename,
    Replace,
    SetKeys,
    Severity,
    did_you_mean,
    printable,
    quoted,
)
from pulumi_gke_tpu.core.text.formats.names import address_range
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, PropertyType


@rule(
    "TPU521",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    title="Unknown property",
    why="the provider rejects a property that is not in its schema",
    fix="Use the property name of pulumi-gcp, in camelCase or snake_case.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    source="observed in tests: a preview rejects unknown properties",
    basis="observed",
    failing=in_group("extra: {node_confg: {tags: [tpu]}}"),
    edit=("node_confg: {tags: [tpu]}", "node_config: {tags: [tpu]}"),
)
def unknown_property(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        known = extra.fact.properties
        for written in extra.written:
            if written.name in known:
                continue
            block, _, last = written.name.rpartition(".")
            siblings = [
                name.rpartition(".")[2] for name in known if name.rpartition(".")[0] == block and "[" not in name
            ]
            near = did_you_mean(snake_case(last), map(snake_case, siblings))
            resource = extra.type.rsplit(":", 1)[-1]
            yield Hit(
                written.path,
                f"unknown property {quoted(written.name)} of {resource}",
                given=printable(written.path[-1], 100),
                fix=Rename.to(near),
            )


@rule(
    "TPU522",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    title="Property conflicts with a plan key",
    why="gke-tpu checks the plan and computes the cost from the plan key. With a different value in `extra`, the "
    "check and the cost would be wrong",
    fix="Remove the property from `extra`, and set the plan key.",
    source="gke-tpu: `extra` is only for properties without a plan key",
    failing=in_group("extra: {max_pods_per_node: 32}"),
    edit=("extra: {max_pods_per_node: 32}", "max_pods_per_node: 32"),
)
def property_with_plan_key(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        reported: set[str] = set()
        for written in extra.written:
            key = extra.modeled.get(written.name)
            if key is None or any(written.name.startswith(f"{block}.") for block in reported):
                continue
            reported.add(written.name)
            if is_any_reservation(written) or _excludes_autopilot(context, extra, written) or _adopts(extra, written):
                continue
            shown = _shown(key, extra.resource)
            yield Hit(
                written.path,
                f"{quoted(written.name)} is not allowed in `extra`: " + (f"use {shown}" if key else "gke-tpu sets it"),
                given=printable(written.path[-1], 100),
                allowed=(shown,) if key else (),
            )


def _shown(key: str, resource: Resource) -> str:
    """A key as seen from the ``extra`` of a resource."""
    from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, CPU_POOL_KEYS, GROUP_KEYS

    if key.startswith(GROUP_KEYS):
        return key.removeprefix(GROUP_KEYS) + (" of a group" if resource == "cluster" else "")
    if key.startswith(CPU_POOL_KEYS):
        return key.removeprefix(CPU_POOL_KEYS)
    if key.startswith(CLUSTER_KEYS):
        return key.removeprefix(CLUSTER_KEYS) + ("" if resource == "cluster" else " of the cluster")
    return f"{key} of the plan"


def _adopts(extra: Extra, written: ExtraProperty) -> bool:
    """Whether an adopted cluster keeps a policy with a daily window, which no key sets."""
    return extra.cluster.plan.adopted and written.name.startswith("maintenancePolicy")


def _excludes_autopilot(context: PlanContext, extra: Extra, written: ExtraProperty) -> bool:
    """Whether another rule reports that Autopilot does not support the property."""
    return extra.cluster.mode == "autopilot" and written.name in context.catalog.platform.autopilot.conflicts


_ALLOWED: "dict[PropertyType, str]" = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "map": "a mapping of strings, such as {key: value}",
    "strings": "a list of strings, such as [a, b]",
    "block": "a mapping of properties, such as {property: value}",
    "blocks": "a list of mappings, such as [{property: value}]",
}


@rule(
    "TPU525",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    otherwise={Severity.WARNING: "if the provider converts the value"},
    title="Property value of the wrong type",
    why="each property has one type. `pulumi up` fails with a value of another type, unless the provider can convert "
    "the value",
    fix="Use a value of the type that pulumi-gcp defines for the property.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    basis="observed",
    failing=in_group("extra: {node_config: {tags: tpu}}"),
    edit=("tags: tpu", "tags: [tpu]"),
)
def wrong_property_type(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        known = extra.fact.properties
        for written in extra.written:
            if written.name in known:
                yield from _misfits(known[written.name].type, written.value, written.name, written.path)


def _misfits(kind: "PropertyType", value: Any, name: str, path: Path) -> Iterator[Hit]:
    """Every path in a value with another type; properties inside blocks are checked separately."""
    if value is None or isinstance(value, Unknown):
        return
    if kind in ("map", "block"):
        if not isinstance(value, Mapping):
            yield _wrong(kind, value, name, path)
        elif kind == "map":
            for key, item in value.items():
                yield from _misfits("string", item, f'{name}["{printable(key, 100)}"]', (*path, key))
    elif kind in ("strings", "blocks"):
        yield from _misfits_in_list(kind, value, name, path)
    else:
        found = converted(kind, value)
        if found is None:
            yield _wrong(kind, value, name, path)
        elif isinstance(found, bool) != isinstance(value, bool) or isinstance(found, str) != isinstance(value, str):
            yield _wrong(kind, value, name, path, found)


def _misfits_in_list(kind: "PropertyType", value: Any, name: str, path: Path) -> Iterator[Hit]:
    if not isinstance(value, list):
        yield _wrong(kind, value, name, path)
        return
    for index, item in enumerate(value):
        if kind == "strings" or not isinstance(item, Mapping):
            yield from _misfits(ITEM_TYPES[kind], item, f"{name}[{index}]", (*path, index))


def _wrong(kind: "PropertyType", value: Any, name: str, path: Path, found: Any = None) -> Hit:
    """The hit for one value; ``found`` is the result of the provider's conversion."""
    key, right = path[-1], _right(kind, value, found)
    return Hit(
        path,
        f"{quoted(name)} must be {_ALLOWED[kind].split(',')[0]}, not {_type_in_words(value)}",
        severity=None if found is None else Severity.WARNING,
        given=_given(key, value),
        allowed=(_ALLOWED[kind],),
        why="" if found is None else _conversion(value, found),
        fix=Replace.value(right) if isinstance(key, int) else SetKeys.of({key: right}),
    )


def _conversion(value: Any, found: Any) -> str:
    shown = printable(json.dumps(found, ensure_ascii=False), 100)
    trap = "; only a quoted number keeps its spelling" if isinstance(value, float) else ""
    return f"the provider converts it to {shown}{trap}"


def _right(kind: "PropertyType", value: Any, found: Any) -> Any:
    """The value with the right type, if the written value determines it; else None."""
    if isinstance(found, str) and isinstance(value, float):
        return None  # YAML has already lost how a float was written: 1.30 is 1.3 here
    return [value] if found is None and kind == "strings" and isinstance(value, str) else found


def _given(key: Any, value: Any) -> str:
    shown = "{...}" if isinstance(value, Mapping) else "[...]" if isinstance(value, list) else _scalar(value)
    return f"{printable(key, 100)}: {shown}" if isinstance(key, str) else shown


def _scalar(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else printable(value, 100)


def _type_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number" if math.isfinite(value) else "not a finite number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list) else "another type"


@rule(
    "TPU526",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    title="Duplicate property",
    why="the camelCase name and the snake_case name refer to the same property, so Pulumi would send only one of the "
    "two values",
    fix="Remove one of the two names.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    basis="observed",
    failing=in_group("extra: {node_config: {imageType: COS_CONTAINERD, image_type: COS_CONTAINERD}}"),
    edit=("imageType: COS_CONTAINERD, image_type: COS_CONTAINERD", "image_type: COS_CONTAINERD"),
)
def duplicate_property(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        first: dict[tuple[Path, str], Path] = {}
        for written in extra.written:
            other = first.setdefault((written.path[:-1], written.name), written.path)
            if other != written.path:
                yield Hit.duplicate(
                    written.path,
                    "property",
                    written.path[-1],
                    f"it is the same property as {quoted(other[-1])}",
                    given=printable(written.path[-1], 100),
                )


_NAME = lazy_pattern(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z")
_SIZE = (32, 28)
"""The bits of an IPv4 address, and those of the prefix."""
_NO_POLICY = "GKE rejects a cluster with the network policy add-on and Dataplane V2"
_NO_UPGRADE = "GKE rejects an alpha cluster whose nodes have auto-upgrade"
_SECONDS = lazy_pattern(r"([0-9]{1,12})(?:\.[0-9]{1,9})?s\Z")


@rule(
    "TPU527",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    title="Property value that is not accepted",
    why="the provider and GKE accept only certain values or numbers of the property, so `pulumi preview` or "
    "`pulumi up` fails",
    fix="Use a value that the property accepts.",
    references=["PROVIDER_GO_SOURCE", "provider-cluster", "provider-node-pool", "container-api-discovery"],
    failing=in_group("extra: {node_config: {kubelet_config: {cpu_manager_policy: exclusive}}}"),
    edit=("cpu_manager_policy: exclusive", "cpu_manager_policy: static"),
)
def invalid_property_value(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        known = extra.fact.properties
        for written in extra.written:
            if written.name not in known or _is_reported_elsewhere(written, extra.modeled):
                continue
            for path, given, allowed, fix in _outside(known[written.name], written):
                text = f"property {quoted(written.name)} does not accept {quoted(str(given))}"
                yield Hit(path, text, fact=extra.fact, given=printable(str(given), 100), allowed=allowed, fix=fix)


def _is_reported_elsewhere(written: ExtraProperty, modeled: Mapping[str, str]) -> bool:
    """Whether ``extra`` must not set the property or a block around it, or another rule is about the affinity."""
    steps = written.name.split(".")
    if any(".".join(steps[: depth + 1]) in modeled for depth in range(len(steps))):
        return True
    return is_any_reservation(ExtraProperty(steps[0], {steps[-1]: written.value}, ()))


def _outside(
    known: "PropertyChange", written: ExtraProperty
) -> Iterator[tuple[Path, str | int | float, tuple[str, ...], Fix | None]]:
    """Each value that is not accepted, with its place, what is accepted, and the fix."""
    listed = known.type == "strings" and isinstance(written.value, list)
    items = enumerate(written.value) if listed else ((None, written.value),)
    for index, item in items:
        value = converted("string" if known.type == "strings" else known.type, item)
        if value is None or isinstance(value, bool) or (known.type == "strings" and not listed):
            continue
        path = written.path if index is None else (*written.path, index)
        if known.values:
            accepted = tuple(name for name in known.values if not name.endswith("UNSPECIFIED"))
            if value not in known.values:
                near = did_you_mean(str(value), accepted) or _longer(str(value), accepted)
                fix = Replace.value(near) if listed else SetKeys.of({written.path[-1]: near})
                yield path, value, accepted, fix
        elif not _fits(known, value):
            yield path, value, (_range(known),), None


def _longer(value: str, accepted: tuple[str, ...]) -> str:
    """The only value that begins with this word, as gcloud writes SYSTEM for SYSTEM_COMPONENTS; else nothing."""
    found = [name for name in accepted if value and name.lower().startswith(f"{value.lower()}_")]
    return found[0] if len(found) == 1 else ""


def _fits(known: "PropertyChange", value: str | int | float) -> bool:
    """Whether a number, a number of seconds or an address range is inside the limits of its property."""
    if known.form == "RFC 1035":
        return _NAME.match(str(value)) is not None
    if known.form == "/28":
        found = address_range(str(value))
        return found is not None and (found.max_prefixlen, found.prefixlen) == _SIZE
    if known.form == "seconds":
        matched = _SECONDS.match(str(value))
        if matched is None:
            return False
        value = int(matched[1])
    if isinstance(value, str):
        return True
    return not ((known.least is not None and value < known.least) or (known.most is not None and value > known.most))


def _range(known: "PropertyChange") -> str:
    if known.form == "RFC 1035":
        return "1 to 63 lowercase letters, digits and hyphens; a letter first, no hyphen last"
    if known.form == "/28":
        return "an IPv4 range of size /28, such as 172.16.0.0/28"
    unit = "s" if known.form == "seconds" else ""
    if known.most is None:
        return f"{known.least}{unit} or more"
    return f"{known.least}{unit} to {known.most}{unit}"


@rule(
    "TPU528",
    plans_only="it is about the key `extra`; a provider checks its own properties",
    about=of_groups("extra"),
    title="Missing required property",
    why="the provider rejects the block without the property, so `pulumi preview` fails",
    fix="Set the property, or remove the block.",
    references=["PROVIDER_GO_SOURCE", "provider-cluster", "provider-node-pool"],
    failing=in_group("extra: {node_config: {taint_config: {}}}"),
    edit=(
        "extra: {node_config: {taint_config: {}}}",
        "extra: {node_config: {taint_config: {architecture_taint_behavior: NONE}}}",
    ),
)
def missing_property(context: PlanContext) -> Iterable[Hit]:
    for extra in extras(context):
        required: dict[str, list[str]] = {}
        for name, item in extra.fact.properties.items():
            if item.required and name not in extra.modeled:
                required.setdefault(name.rpartition(".")[0], []).append(name.rpartition(".")[2])
        for written in extra.written:
            if written.name not in required or _is_reported_elsewhere(written, extra.modeled):
                continue
            for path, values in _blocks(written):
                present = {camel_case(str(key)) for key, value in values.items() if value is not None}
                for name in sorted(set(required[written.name]) - present):
                    yield Hit.missing(
                        path,
                        f"property {quoted(snake_case(name))}",
                        f"{quoted(written.name)} requires it",
                        fact=extra.fact,
                    )


def _blocks(written: ExtraProperty) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The mappings that are the value of a block, each with its place."""
    if isinstance(written.value, Mapping):
        yield written.path, written.value
    elif isinstance(written.value, list):
        for index, item in enumerate(written.value):
            if isinstance(item, Mapping):
                yield (*written.path, index), item


@rule(
    "TPU529",
    about=of_clusters("extra"),
    needs=("clusters.*.security.dataplane_v2",),
    title="Property conflicts with a setting of the cluster",
    why="GKE rejects the cluster: Dataplane V2 enforces network policies itself, and an alpha cluster cannot have "
    "auto-upgrade, which a release channel requires",
    fix="Remove the property, or change the setting of the cluster.",
    references=["gke-module-1085", "gke-module-790"],
    failing=in_cluster("""
extra: {network_policy: {enabled: true}}
slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}
"""),
    edit=("extra: {network", "security: {dataplane_v2: false}\nextra: {network"),
)
def property_conflicts_with_cluster(context: PlanContext) -> Iterable[Hit]:
    notes = context.catalog.platform.notes
    for extra in extras(context):
        cluster = extra.cluster
        if cluster.mode != "standard" or extra.resource != "cluster":
            continue
        for written in extra.written:
            if written.value is not True:
                continue
            if written.name == "networkPolicy.enabled" and security_settings(cluster).dataplane_v2.value:
                fact = note_by_id(notes, "dataplane-v2-network-policy")
                yield Hit.conflict(
                    written.path,
                    quoted("networkPolicy"),
                    "Dataplane V2",
                    "it enforces network policies itself",
                    fact=fact,
                    why=_NO_POLICY,
                )
            if written.name == "enableKubernetesAlpha" and cluster.plan.release_channel != "none":
                fact = note_by_id(notes, "alpha-cluster")
                yield Hit.conflict(
                    written.path,
                    quoted("enableKubernetesAlpha"),
                    "the release channel",
                    "it requires auto-upgrade",
                    fact=fact,
                    why=_NO_UPGRADE,
                )
