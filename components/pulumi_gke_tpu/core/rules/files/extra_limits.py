"""TPU527 to TPU529: properties under ``extra`` that are not accepted, missing, or in conflict with the cluster."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, converted
from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.graph.keys import RESOURCES, plan_keys
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.extra import ExtraProperty, blocks, is_any_reservation, written_properties
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.rules.files.extra import written_extras
from pulumi_gke_tpu.core.text.findings import Fix, Path, Replace, SetKeys, did_you_mean, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import address_range

_NAME = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z")
_SIZE = (32, 28)
"""The bits of an IPv4 address, and those of the prefix."""
_NO_POLICY = "GKE rejects a cluster with the network policy add-on and Dataplane V2"
_NO_UPGRADE = "GKE rejects an alpha cluster whose nodes have auto-upgrade"
_SECONDS = re.compile(r"([0-9]{1,12})(?:\.[0-9]{1,9})?s\Z")


@rule(
    "TPU527",
    "invalid-property-value",
    about=("clusters.*.slices.*.extra",),
    title="Property value that is not accepted",
    why="the provider and GKE accept only certain values or numbers of the property, so `pulumi preview` or "
    "`pulumi up` fails",
    fix="Use a value that the property accepts.",
    references=["PROVIDER_GO_SOURCE", "provider-cluster", "provider-node-pool", "container-api-discovery"],
    basis="catalog",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_config: {kubelet_config: {cpu_manager_policy: exclusive}}}
""",
    edit=("cpu_manager_policy: exclusive", "cpu_manager_policy: static"),
)
def invalid_property_value(context: PlanContext) -> Iterable[Hit]:
    for resource, known, properties in written_extras(context):
        modeled = plan_keys().modeled(resource)
        fact = context.catalog.provider.resources[RESOURCES[resource]]
        for written in properties:
            if written.name not in known or _is_reported_elsewhere(written, modeled):
                continue
            for path, given, allowed, fix in _outside(known[written.name], written):
                text = f"property {quoted(written.name)} does not accept {quoted(str(given))}"
                yield Hit(path, text, fact=fact, given=printable(str(given), 100), allowed=allowed, fix=fix)


def _is_reported_elsewhere(written: ExtraProperty, modeled: Mapping[str, str]) -> bool:
    """Whether ``extra`` must not set the property or a block around it, or another rule is about the affinity."""
    steps = written.name.split(".")
    if any(".".join(steps[: depth + 1]) in modeled for depth in range(len(steps))):
        return True
    return is_any_reservation(ExtraProperty(steps[0], {steps[-1]: written.value}, ()))


def _outside(
    known: PropertyChange, written: ExtraProperty
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


def _fits(known: PropertyChange, value: str | int | float) -> bool:
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


def _range(known: PropertyChange) -> str:
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
    "missing-property",
    about=("clusters.*.slices.*.extra",),
    title="Missing required property",
    why="the provider rejects the block without the property, so `pulumi preview` fails",
    fix="Set the property, or remove the block.",
    references=["PROVIDER_GO_SOURCE", "provider-cluster", "provider-node-pool"],
    basis="catalog",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_config: {taint_config: {}}}
""",
    edit=(
        "extra: {node_config: {taint_config: {}}}",
        "extra: {node_config: {taint_config: {architecture_taint_behavior: NONE}}}",
    ),
)
def missing_property(context: PlanContext) -> Iterable[Hit]:
    for resource, known, properties in written_extras(context):
        modeled = plan_keys().modeled(resource)
        fact = context.catalog.provider.resources[RESOURCES[resource]]
        required: dict[str, list[str]] = {}
        for name, item in known.items():
            if item.required and name not in modeled:
                required.setdefault(name.rpartition(".")[0], []).append(name.rpartition(".")[2])
        for written in properties:
            if written.name not in required or _is_reported_elsewhere(written, modeled):
                continue
            for path, values in _blocks(written):
                present = {camel_case(str(key)) for key, value in values.items() if value is not None}
                for name in sorted(set(required[written.name]) - present):
                    yield Hit.missing(
                        path, f"property {quoted(snake_case(name))}", f"{quoted(written.name)} requires it", fact=fact
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
    "property-conflicts-with-cluster",
    about=("clusters.*.extra",),
    title="Property conflicts with a setting of the cluster",
    why="GKE rejects the cluster: Dataplane V2 enforces network policies itself, and an alpha cluster cannot have "
    "auto-upgrade, which a release channel requires",
    fix="Remove the property, or change the setting of the cluster.",
    references=["gke-module-1085", "gke-module-790"],
    basis="catalog",
    failing="""
mode: standard
location: us-east5
extra: {network_policy: {enabled: true}}
slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}
""",
    edit=("extra: {network", "security: {dataplane_v2: false}\nextra: {network"),
)
def property_conflicts_with_cluster(context: PlanContext) -> Iterable[Hit]:
    notes = context.catalog.platform.notes
    for cluster in context.fleet.clusters:
        if cluster.mode != "standard" or not cluster.plan.extra:
            continue
        known = context.catalog.provider.resources[RESOURCES["cluster"]].properties
        for written in written_properties(cluster.plan.extra, (*cluster.path, "extra"), blocks(known)):
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
