"""Queued provisioning and the capacity of the slice groups of a plan: TPU859."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.rules.engine.examples import QUEUED_REQUEST
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import chip_quotas, of_kueue
from pulumi_gke_tpu.features.check.rules.alignment.queues import groups_of_flavor

_MOST_NAMES = 3
_POOLS = """--- plan
mode: standard
location: us-east5
slices:
  train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {{max: 2}}, capacity: {capacity}}}
"""


@warning(
    "TPU859",
    title="Queued provisioning for slice groups without queued capacity",
    why="GKE fulfills a ProvisioningRequest only in node pools with queued provisioning, and by node "
    "auto-provisioning. For others it fails with Pods that cannot be scheduled in the node pool",
    fix="Set `capacity: queued` for the slice group, or use no ProvisioningRequest for its Pods.",
    references=["gke-provisioning-request"],
    source="gke-tpu: the capacity of the node pools follows from the plan",
    failing=QUEUED_REQUEST.strip("\n") + "\n" + _POOLS.format(capacity="flex_start"),
    passing=QUEUED_REQUEST.strip("\n") + "\n" + _POOLS.format(capacity="queued"),
)
def request_for_other_capacity(context: ManifestContext) -> Iterable[Hit]:
    facts, resource = context.catalog.kubernetes.kueue.queued, context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods if context.groups else ():
        kind, shape = kind_of(pod.owner), context.shape(pod)
        if kind is not None and kind.only_for_requests and shape.family is not None and shape.chips:
            key = shape.family.family.accelerator_label, shape.topology, shape.chips
            groups = context.groups_of_shapes.get(key, ())
            if not context.groups.makes_nodes(key[0]) and _lack_queued_capacity(groups):
                yield Hit(pod.at(), _message(pod.title, groups), fact=facts)
    kueue = context.catalog.kubernetes.controllers["kueue"].group
    every = of_kueue(context.objects, "AdmissionCheck", context.catalog)
    checks = {check.name for check in every if check.spec.get("controllerName") == facts.controller}
    for queue in of_kueue(context.objects, "ClusterQueue", context.catalog):
        strategy = mapping(queue.spec.get("admissionChecksStrategy"))
        for index, entry in enumerate(map(mapping, items(strategy.get("admissionChecks")))):
            if text(entry.get("name")) not in checks:
                continue
            named = set(map(str, items(entry.get("onFlavors"))))
            for quota in chip_quotas(queue, resource):
                flavors = context.named("ResourceFlavor", kueue, quota.flavor)
                served = groups_of_flavor(context, flavors[0]) if flavors and quota.chips != 0 else None
                groups = [each for _, each in served.groups] if served is not None else []
                if (not named or quota.flavor in named) and _lack_queued_capacity(groups):
                    place = queue.at("spec", "admissionChecksStrategy", "admissionChecks", index)
                    yield Hit(place, _message(f"the flavor {quoted(quota.flavor)}", groups), fact=facts)


def _lack_queued_capacity(groups: Sequence[SliceGroup]) -> bool:
    """Whether there are groups, and none of them is queued or creates other nodes."""
    return bool(groups) and not any(item.plan.capacity.is_queued or item.compute_class for item in groups)


def _message(what: str, groups: Sequence[SliceGroup]) -> str:
    names = listed([quoted(group.key) for group in groups], most=_MOST_NAMES)
    return f"no slice group for {what} has queued capacity: {names}"
