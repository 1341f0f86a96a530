"""TPU531 to TPU534, TPU538: labels."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.scheduling import labels_of_keys
from pulumi_gke_tpu.core.plan import CpuPoolSpec, SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import Labels
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, cpu_pools, plan_groups, reaches_nodes
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_clusters, of_groups, rule
from pulumi_gke_tpu.core.text.findings import EntryText, Fix, Path, SetKeys, Severity, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import (
    GOOGLES_PREFIX,
    fits_resource_label,
    is_label_key,
    is_label_value,
    is_resource_label_key,
)
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SIMPLE = lazy_pattern(r"[a-z0-9_-]{1,63}\Z", re.ASCII)
_MOST_RESOURCE_LABELS = 64


def pool_groups(context: PlanContext) -> Iterator[tuple[Path, SliceGroupSpec]]:
    """Groups whose settings reach nodes. For others these keys have no effect, and another rule reports them."""
    for cluster, path, group in plan_groups(context):
        if reaches_nodes(cluster, group):
            yield path, group


def labeled_pools(context: PlanContext) -> Iterator[tuple[Path, SliceGroupSpec | SystemPool | CpuPoolSpec]]:
    """Every part of the plan that becomes node pools: they all have `node_labels` and `taints`."""
    yield from pool_groups(context)
    for _, path, pool in cpu_pools(context):
        yield path, pool


@rule(
    "TPU531",
    silent_in={"gcloud": "GKE sets such labels itself"},
    about=of_groups("node_labels"),
    otherwise={
        Severity.WARNING: "if GKE only may reserve the label: it has a prefix of GKE, or the value that GKE sets itself"
    },
    title="Node label is reserved by GKE",
    why="GKE sets labels with certain prefixes itself. If a plan sets a label with such a prefix, GKE may reject or "
    "replace the label, or GKE may change its own behavior",
    fix="Use another prefix, or no prefix. Remove labels that GKE sets itself.",
    references=["autoscaler-labels", "terraform-google-6003", "terraform-google-19677"],
    failing=in_group('node_labels: {node-role.kubernetes.io/training: ""}'),
    edit=('node-role.kubernetes.io/training: ""', "cloud.google.com/compute-class: training"),
)
def reserved_node_label(context: PlanContext) -> Iterable[Hit]:
    known = context.catalog.platform.names.node_labels
    shapes = {id(group.plan): group.shape for _, group in context.fleet.groups()}
    for path, group in labeled_pools(context):
        own = labels_of_keys(group, known) if group.node_labels and isinstance(group, SliceGroupSpec) else {}
        for key, value in group.node_labels.items():
            if key not in own and is_label_key(key):
                yield from _reserved(context, (*path, "node_labels", key), value, shapes.get(id(group)))


def _reserved(context: PlanContext, path: Path, value: object, shape: Shape | None) -> Iterator[Hit]:
    facts, known = context.catalog.platform.names.labels, context.catalog.platform.names.node_labels
    key = str(path[-1])
    domain, _, name = key.rpartition("/")
    if key in facts.managed:
        of_gke = (
            {
                known.accelerator: shape.accelerator_label,
                known.topology: str(shape.topology),
                known.accelerator_count: str(shape.chips_per_host),
            }
            if shape
            else {}
        )
        same = of_gke.get(key) == value
        yield Hit(
            path,
            f"GKE sets node label `{key}` itself" + (", to the same value" if same else ""),
            fact=facts.for_item("managed"),
            severity=Severity.WARNING if same else None,
            why="some published commands set this label on TPU node pools, but GKE rejects labels that it manages"
            if same
            else "GKE rejects node pools that set a label that it manages",
        )
    elif _is_below(domain, facts.domains) and not _is_below(domain, facts.allowed_domains):
        yield Hit(
            path,
            f"GKE rejects node labels of the domain {domain}",
            fact=facts.for_item("domains"),
            allowed=tuple(f"{allowed}/{name}" for allowed in facts.allowed_domains),
            why="Kubernetes reserves the domains kubernetes.io and k8s.io: a node cannot start with such a label",
            fix=_renamed(name, value),
        )
    elif key not in facts.documented:
        prefix = next((prefix for prefix in facts.prefixes if key.startswith(prefix)), None)
        if prefix is not None:
            yield Hit(
                path,
                f"GKE reserves node labels under {prefix}",
                fact=facts.for_item("prefixes"),
                allowed=facts.documented,
                fix=_renamed(name, value),
            )


def _renamed(key: str, value: object) -> Fix | None:
    """The label under another key, if its value is valid."""
    return _label(key, value) if is_label_value(str(value)) else None


def _is_below(domain: str, domains: Iterable[str]) -> bool:
    return any(domain == item or domain.endswith(f".{item}") for item in domains)


@rule(
    "TPU532",
    about=of_groups("node_labels"),
    title="Malformed node label",
    why="Kubernetes rejects the label, so GKE cannot create the node pool",
    fix="Use at most 63 letters, digits, hyphens, dots and underscores for the key and for the value. The key can "
    "also have a prefix such as example.com/, and the value can be empty.",
    references=["kubernetes-label-validation", "container-api-discovery"],
    note="label-syntax",
    failing=in_group("node_labels: {team: research team}"),
    edit=("team: research team", "example.com/team: research-team"),
)
def malformed_node_label(context: PlanContext) -> Iterable[Hit]:
    for path, group in labeled_pools(context):
        for key, value in group.node_labels.items():
            place = (*path, "node_labels", key)
            if not is_label_key(key):
                yield Hit.invalid(place, "node label key", printable(key, 80) or "(empty)")
            elif isinstance(value, str) and not is_label_value(value):
                yield Hit.invalid(place, "node label value", value)


def _resource_labels(context: PlanContext) -> Iterator[tuple[Path, Labels, int]]:
    """Every path with Google Cloud labels: the labels, and how many apply after merging."""
    plan = context.plan
    yield ("resource_labels",), plan.resource_labels, len(plan.resource_labels)
    for cluster in context.fleet.clusters:
        yield (*cluster.path, "resource_labels"), cluster.plan.resource_labels, len(cluster.resource_labels)
        if cluster.mode == "standard":
            for section, pools in (("slices", cluster.plan.slices), ("cpu_pools", cluster.plan.cpu_pools)):
                for key, pool in pools.items():
                    merged = cluster.resource_labels.keys() | pool.resource_labels.keys()
                    yield (*cluster.path, section, key, "resource_labels"), pool.resource_labels, len(merged)


@rule(
    "TPU533",
    about=of_clusters("cpu_pools.*.resource_labels", "slices.*.resource_labels"),
    otherwise={Severity.WARNING: "if a key is well-formed and begins with the prefix that Google reserves"},
    title="Malformed Google Cloud label",
    why="Compute Engine and GKE reject resources with a malformed label",
    fix="Use at most 63 lower-case letters, digits, hyphens and underscores. The key starts with a letter, but not "
    "with goog-.",
    references=["google-api-discovery"],
    note="resource-label-form",
    failing=in_group("resource_labels: {Team: research}"),
    edit=("Team: research", "team: research"),
)
def malformed_resource_label(context: PlanContext) -> Iterable[Hit]:
    for path, labels, _ in _resource_labels(context):
        for key, value in labels.items():
            place = (*path, key)
            if not is_resource_label_key(key):
                googles = key.startswith(GOOGLES_PREFIX)
                yield Hit(
                    place,
                    f"invalid Google Cloud label key {quoted(key or '(empty)')}"
                    + (f": Google reserves the prefix {GOOGLES_PREFIX}" if googles else ""),
                    severity=Severity.WARNING if googles and fits_resource_label(key) else None,
                    fix=None if googles else _lowered(key, value),
                )
            elif isinstance(value, str) and not fits_resource_label(value):
                yield Hit.invalid(place, "Google Cloud label value", value, fix=_lowered(key, value))


def _lowered(key: str, value: object) -> Fix | None:
    """The label in lower case, if that makes it valid."""
    key, text = key.lower(), str(value).lower()
    return _label(key, text) if _SIMPLE.match(key) and key[0].isalpha() and _SIMPLE.match(text) else None


def _label(key: str, value: object) -> Fix:
    """A label with a valid key and value, which can be empty."""
    return SetKeys((EntryText(key, str(value)),))


@rule(
    "TPU534",
    about=(
        "clusters.*.cpu_pools.*.resource_labels",
        "clusters.*.resource_labels",
        "clusters.*.slices.*.resource_labels",
        "resource_labels",
    ),
    title="Too many Google Cloud labels",
    why="a node pool gets the labels of the plan, the cluster and the group. Google Cloud limits the number of "
    "labels of a resource",
    fix="Remove some of the labels.",
    references=["google-api-discovery"],
    note="resource-label-form",
    failing="tpu: v6e\ntopology: 4x4\nresource_labels: {" + ", ".join(f"label-{n}: a" for n in range(65)) + "}",
    passing="tpu: v6e\ntopology: 4x4\nresource_labels: {" + ", ".join(f"label-{n}: a" for n in range(64)) + "}",
)
def too_many_resource_labels(context: PlanContext) -> Iterable[Hit]:
    told: set[Path] = set()
    for path, labels, count in _resource_labels(context):
        place = path[:-1]
        if count > _MOST_RESOURCE_LABELS and labels and not any(place[:depth] in told for depth in range(len(place))):
            told.add(place)
            yield Hit(
                path,
                f"the plan, the cluster and the group set {count} labels together; the limit per resource is "
                f"{_MOST_RESOURCE_LABELS}",
                given=f"resource_labels: {count}",
            )


@rule(
    "TPU538",
    plans_only="a node pool has each label once",
    about=of_groups("collection", "node_labels"),
    otherwise={Severity.WARNING: "if the value of the label is an output that is not known yet"},
    title="Node label conflicts with a key of the plan",
    why="another key of the plan sets the same label. gke-tpu uses the value of that key, so this entry has no effect",
    fix="Remove the entry from `node_labels`.",
    source="gke-tpu: node labels that follow from a plan",
    failing=in_group("""
collection: {name: chat}
node_labels: {cloud.google.com/gke-nodepool-group-name: other}
"""),
    edit=("cloud.google.com/gke-nodepool-group-name: other", "cloud.google.com/gke-nodepool-group-name: chat"),
)
def conflicting_node_label(context: PlanContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.node_labels
    for path, group in pool_groups(context):
        own = labels_of_keys(group, labels) if group.node_labels else {}
        for label, written in group.node_labels.items():
            if label in own and written != own[label].value:
                known = isinstance(written, str)
                yield Hit(
                    (*path, "node_labels", label),
                    f"{own[label].key} sets node label `{label}` to {printable(own[label].value)}"
                    + ("" if known else "; the value in `node_labels` is not known yet"),
                    severity=None if known else Severity.WARNING,
                )
