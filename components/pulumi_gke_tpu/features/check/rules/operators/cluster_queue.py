"""Queues and flavors of Kueue by themselves: TPU749, TPU750, TPU752, TPU753 and TPU868."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, SetKeys, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import (
    accelerator_label_meant,
    accelerator_labels,
    families_meant,
    forms_of,
    owner_of_slices,
)
from pulumi_gke_tpu.features.check.queues import is_held
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, is_in_cohort, of_kueue, unknown_topology

_WITH_WORKLOAD = queues() + "---" + job_set("training")


@rule(
    "TPU749",
    title="Flavor whose resources differ from `coveredResources`",
    why="Kueue requires the resources of each flavor to be those of `coveredResources`, in the same order, and "
    "rejects the ClusterQueue otherwise",
    fix="Write the same resources in the same order, with a quota of 0 for those that the flavor does not have.",
    references=["kueue-clusterqueue-webhook", "kueue-clusterqueue-api"],
    failing=changed(queues(), ("coveredResources: [google.com/tpu]", "coveredResources: [cpu, google.com/tpu]")),
    passing=queues(),
)
def queue_resources_differ(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.limits
    for owner in of_kueue(context, "ClusterQueue", "Cohort"):
        for path, group in entries(owner, "spec", "resourceGroups"):
            covered = items(group.get("coveredResources"))
            if any(map(is_open, covered)):
                continue
            for place, flavor in entries(owner, *path, "flavors"):
                names = [mapping(item).get("name") for item in items(flavor.get("resources"))]
                if names == covered or any(map(is_open, names)) or is_open(flavor.get("resources")):
                    continue
                title = f"flavor {quoted(flavor.get('name'))}"
                if sorted(map(str, names)) == sorted(map(str, covered)):
                    message = f"{title} has the resources of `coveredResources` in another order"
                else:
                    message = f"`coveredResources` are {_names(covered)}, but {title} has {_names(names)}"
                key = ("resources",) if "resources" in flavor else ()
                yield Hit(owner.at(*place, *key), message, fact=fact, allowed=(", ".join(map(str, covered)),))


def _names(names: list[object]) -> str:
    return listed([quoted(name) for name in names]) if names else "no resources"


@rule(
    "TPU750",
    title="ClusterQueue that does not match the namespaces of its queues",
    why="Kueue admits no workload of a namespace that `namespaceSelector` does not match, and reports no error. "
    "Without a selector, the queue matches no namespace",
    fix="Set `namespaceSelector: {}` for all namespaces, or a selector of labels.",
    references=["kueue-clusterqueue-api"],
    failing=changed(queues(), ("  namespaceSelector: {}\n", "")),
    passing=queues(),
)
def queue_without_namespaces(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.limits
    used = {str(queue.spec.get("clusterQueue")) for queue in of_kueue(context, "LocalQueue")}
    for owner in of_kueue(context, "ClusterQueue"):
        lends_only = owner.name not in used and is_in_cohort(owner)
        if owner.spec.get("namespaceSelector") is None and not lends_only:
            key = ("namespaceSelector",) if "namespaceSelector" in owner.spec else ()
            what = f"key `namespaceSelector` in {owner.title}"
            yield Hit.missing(owner.at("spec", *key), what, fact=fact, fix=SetKeys.of(namespaceSelector={}))
    group = context.catalog.kubernetes.controllers["kueue"].group
    for queue in of_kueue(context, "LocalQueue"):
        for owner in context.named("ClusterQueue", group, known_text(queue.spec.get("clusterQueue"))):
            if queue.namespace and _excludes(mapping(owner.spec.get("namespaceSelector")), queue.namespace):
                message = f"{owner.title} does not match the namespace {quoted(queue.namespace)} of {queue.title}"
                yield Hit(owner.at("spec", "namespaceSelector"), message, fact=fact)


_NAME = "kubernetes.io/metadata.name"
"""The label that Kubernetes itself sets to the name of each namespace."""


def _excludes(selector: Mapping[str, Any], namespace: str) -> bool:
    """Whether a selector certainly does not match a namespace, by its name: its other labels are not known."""
    name = mapping(selector.get("matchLabels")).get(_NAME)
    if isinstance(name, str) and not is_open(name) and name != namespace:
        return True
    for entry in map(mapping, items(selector.get("matchExpressions"))):
        values = items(entry.get("values"))
        if entry.get("key") != _NAME or any(map(is_open, values)):
            continue
        if entry.get("operator") in ("In", "NotIn") and (namespace in values) is (entry["operator"] == "NotIn"):
            return True
    return False


@warning(
    "TPU868",
    title="Queue of a workload that admits none",
    why="with `stopPolicy`, a ClusterQueue or LocalQueue admits no workload: with Hold, those that run go on, and with "
    "HoldAndDrain, Kueue stops them. A workload waits without an error",
    fix="Remove `stopPolicy` when the workloads may start.",
    references=["kueue-clusterqueue-api"],
    failing=_WITH_WORKLOAD.replace("namespaceSelector: {}", "namespaceSelector: {}\n  stopPolicy: Hold"),
    passing=_WITH_WORKLOAD,
)
def queue_on_hold(context: ManifestContext) -> Iterable[Hit]:
    """Only with a workload in the queue. Another rule compares the queues of a plan with the plan."""
    compared = {owner.index for owner in context.written}
    held: dict[int, KubernetesObject] = {}
    for owner in (context.pods_by_owner[index][0].owner for index in context.pods_by_owner):
        for queue in (context.local_queue(owner), context.cluster_queue(owner)):
            if queue is not None and is_held(queue) and queue.index not in compared:
                held[queue.index] = queue
    for queue in held.values():
        message = f"{queue.title} admits no workload: its `stopPolicy` is {queue.spec['stopPolicy']}"
        yield Hit(queue.at("spec", "stopPolicy"), message)


@rule(
    "TPU752",
    title="ResourceFlavor that no TPU node matches",
    why="Kueue does not look at nodes: it admits workloads with a wrong flavor, which hold their quota while their "
    "Pods stay Pending",
    fix="Use the labels of the nodes of a slice: accelerator and topology, at most 8 labels.",
    references=["kueue-flavor-api", "plan-tpus"],
    failing=changed(queues(), ("topology: 4x4", "topology: 4x5")),
    passing=queues(),
)
def flavor_without_nodes(context: ManifestContext) -> Iterable[Hit]:
    limits = context.catalog.kubernetes.kueue.limits
    for owner in of_kueue(context, "ResourceFlavor"):
        labels = mapping(owner.spec.get("nodeLabels"))
        if len(labels) > limits.flavor_labels:
            limit = number(limits.flavor_labels, "label")
            what = f"{owner.title} with {number(len(labels), 'node label')}"
            yield Hit.exceeds(owner.at("spec", "nodeLabels"), what, f"the limit of {limit}", fact=limits)
        yield from _labels_without_nodes(context, owner)


def _labels_without_nodes(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    keys, known = context.catalog.platform.names.node_labels, accelerator_labels(context.catalog)
    labels = mapping(owner.spec.get("nodeLabels"))
    label, topology = labels.get(keys.accelerator), labels.get(keys.topology)
    if label is None or is_open(label):
        return
    if str(label) not in known:
        path, fact = owner.at("spec", "nodeLabels", keys.accelerator), keys.for_item("accelerator")
        near = accelerator_label_meant(context.catalog, str(label))
        yield Hit.unknown(path, "accelerator", label, fact=fact, allowed=known, fix=Replace.value(near))
    families = families_meant(context.catalog, str(label))
    if not families or topology is None or is_open(topology):
        return
    forms = [form for family in families for form in forms_of(family, str(topology))]
    count = labels.get(keys.accelerator_count)
    if not forms:
        path = owner.at("spec", "nodeLabels", keys.topology)
        yield unknown_topology(path, families, topology, context)
    elif count is not None and not is_open(count):
        counts = tuple(dict.fromkeys(str(form.chips_per_host) for form in forms))
        if str(count) not in counts:
            path = owner.at("spec", "nodeLabels", keys.accelerator_count)
            message = f"no host of a slice {topology} of {owner_of_slices(families)} has {quoted(count)} chips"
            yield Hit(path, message, fact=keys.for_item("accelerator_count"), allowed=counts)


@rule(
    "TPU753",
    title="Borrowing or lending limit that Kueue rejects",
    why="queues borrow and lend within a cohort only, and a queue cannot lend more than its own quota",
    fix="Set `cohortName` of the ClusterQueue, or remove the limit.",
    references=["kueue-clusterqueue-api", "kueue-clusterqueue-webhook"],
    failing=changed(queues(), ("nominalQuota: 32}", "nominalQuota: 32, borrowingLimit: 16}")),
    passing=changed(
        queues(),
        ("nominalQuota: 32}", "nominalQuota: 32, borrowingLimit: 16}"),
        ("  namespaceS", "  cohortName: a\n  namespaceS"),
    ),
)
def limit_without_cohort(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.limits
    for owner in of_kueue(context, "ClusterQueue"):
        in_cohort = is_in_cohort(owner)
        for path, _ in entries(owner, "spec", "resourceGroups"):
            for flavor, _ in entries(owner, *path, "flavors"):
                for place, quota in entries(owner, *flavor, "resources"):
                    for key in ("borrowingLimit", "lendingLimit"):
                        if quota.get(key) is not None and not in_cohort:
                            what = f"`{key}` without `cohortName`"
                            yield Hit(owner.at(*place, key), f"{what} in {owner.title}", fact=fact)
                    lending, nominal = (parse_quantity(quota.get(key)) for key in ("lendingLimit", "nominalQuota"))
                    if in_cohort and lending is not None and nominal is not None and lending > nominal:
                        what, limit = (f"`{key}` {quota[key]}" for key in ("lendingLimit", "nominalQuota"))
                        yield Hit.exceeds(owner.at(*place, "lendingLimit"), what, limit, fact=fact)
