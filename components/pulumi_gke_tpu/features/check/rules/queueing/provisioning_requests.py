"""ProvisioningRequests and the Pod templates that they name: TPU385."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.rules.engine.examples import QUEUED_REQUEST
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, did_you_mean, number
from pulumi_gke_tpu.features.check.context import ManifestContext

_DAY = 86400
_DURATION = "maxRunDurationSeconds"
_TEMPLATES = ("spec", "podSets")


@rule(
    "TPU385",
    title="ProvisioningRequest that GKE does not fulfill",
    why="GKE creates whole slices for a request of its own class with one set of Pods: one Pod for each host of the "
    "slices",
    fix="Use the class queued-provisioning.gke.io, one entry in `podSets`, and as many Pods as the slices have hosts.",
    references=["gke-provisioning-request", "autoscaler-queued-wrapper"],
    failing=QUEUED_REQUEST.replace("count: 4", "count: 2"),
    passing=QUEUED_REQUEST,
)
def provisioning_request(context: ManifestContext) -> Iterable[Hit]:
    facts, group = context.catalog.kubernetes.kueue.queued, context.catalog.kubernetes.controllers
    for owner in context.of_kind("ProvisioningRequest", group["provisioning_request"].group):
        name = owner.spec.get("provisioningClassName")
        if isinstance(name, str) and not is_open(name) and name not in (facts.provisioning_class, *facts.other_classes):
            path, allowed = owner.at("spec", "provisioningClassName"), (facts.provisioning_class,)
            fix = SetKeys.of(provisioningClassName=facts.provisioning_class)
            fact = facts.for_item("provisioning_class")
            yield Hit.unknown(path, "provisioning class", name, fact=fact, allowed=allowed, fix=fix)
        if name == facts.provisioning_class:
            yield from _duration(context, owner)
            yield from _sets(context, owner)


def _duration(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    facts = context.catalog.kubernetes.kueue.queued
    value = mapping(owner.spec.get("parameters")).get(_DURATION)
    if not isinstance(value, str) or is_open(value):
        return
    path, most = owner.at("spec", "parameters", _DURATION), facts.max_run_days * _DAY
    fact = facts.for_item("max_run_days")
    if not value.isdecimal():
        yield Hit.invalid(path, "run duration", value, "it is a number of seconds", fact=fact)
    elif len(value) > len(str(most)) or int(value) > most:
        yield Hit.exceeds(path, f"run duration {value} s", number(facts.max_run_days, "day"), fact=fact)


def _sets(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    sets, queued = items(owner.value(*_TEMPLATES)), context.catalog.kubernetes.kueue.queued
    facts = queued.for_item("provisioning_class")
    if len(sets) > 1:
        message = f"{owner.title} has {number(len(sets), 'set')} of Pods; GKE provisions one set"
        yield Hit(owner.at(*_TEMPLATES, 1), message, fact=facts)
    for index, entry in enumerate(sets):
        path: Path = (*_TEMPLATES, index)
        name, count = text(mapping(mapping(entry).get("podTemplateRef")).get("name")), mapping(entry).get("count")
        if not name or is_open(name):
            continue
        known = [pod for pod in context.pods if (kind := kind_of(pod.owner)) and kind.only_for_requests]
        pod = next((pod for pod in known if pod.owner.name == name and owner.may_share_namespace(pod.owner)), None)
        if pod is None:
            names = [each.owner.name for each in known]
            if names and not any(map(is_open, names)):
                near = did_you_mean(name, names) or ""
                place = owner.at(*path, "podTemplateRef", "name")
                fix = SetKeys.of(name=near)
                yield Hit.unknown(place, known[0].owner.kind, name, fact=facts, allowed=tuple(names), fix=fix)
            continue
        shape = context.shape(pod)
        if shape.hosts is not None and isinstance(count, int) and (count < 1 or count % shape.hosts):
            message = f"{number(count, 'Pod')}, and a slice {shape.topology} has {number(shape.hosts, 'host')}"
            yield Hit(owner.at(*path, "count"), message, fact=facts, fix=SetKeys.of(count=shape.hosts))
