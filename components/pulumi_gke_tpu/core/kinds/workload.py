"""What the objects of all kinds of workloads share: queues, how Jobs end, and what holds their slices together.

Where no exclusive topology does, affinity between Pods holds a slice in one node pool, and other slices away. Each
operator labels the Pods of a slice with a key of its own. The scheduler compares the values of a Pod with those of the
others (``matchLabelKeys``), so the terms name no value and are the same in every Pod template. ``operator`` is the key
of the operator in the catalog.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import extended_run, seconds, without_empty

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_LEADER = "0"
MAIN_PORT = "main"
"""The name of the key ``port`` in a Service with several ports."""


def workload_manifest(
    workload: Workload,
    kind: str,
    spec: Mapping[str, Any],
    catalog: Catalog,
    *,
    annotations: Mapping[str, str] | None = None,
    admitted: Literal["object", "pod"] = "object",
) -> Manifest:
    """The object of a workload, with the labels of its queue.

    ``admitted`` is what Kueue reads the run duration of: with ``pod``, the Pod template has it.
    """
    facts = catalog.kubernetes
    plan, labels = workload.plan, {}
    if plan.queue is not None:
        labels[facts.kueue.labels.queue] = plan.queue
        if plan.priority is not None:
            labels[facts.kueue.labels.priority_class] = plan.priority
    return manifest(
        "workloads",
        facts.kinds.objects[kind],
        workload.name,
        workload.path,
        {"spec": spec},
        namespace=workload.namespace,
        labels=labels,
        annotations={**(annotations or {}), **(run_duration(workload, catalog) if admitted == "object" else {})},
    )


def run_duration(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotation with the run duration of queued capacity, on what Kueue admits.

    Kueue reads it only if it chooses a group with queued capacity; all such groups of a workload have the same one.
    """
    queued = (group.plan.capacity.flex_start for group in workload.groups if group.plan.capacity.is_queued)
    duration = next((item.max_run_duration for item in queued if item is not None and item.max_run_duration), None)
    if duration is None or not is_queued(workload, catalog):
        return {}
    return {catalog.kubernetes.kueue.labels.run_duration: str(int(duration.total_seconds()))}


def service(
    workload: Workload,
    name: str,
    selector: Mapping[str, str],
    catalog: Catalog,
    *,
    port: int | None = None,
    others: Mapping[str, int] | None = None,
) -> Manifest:
    """A Service for the Pods of a workload; without a port it is headless and only gives them names.

    ``others`` are further ports by name. Each port of a Service with several needs a name.
    """
    spec: dict[str, Any] = {"selector": dict(selector)}
    if port is None:
        spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    else:
        named = {MAIN_PORT: port, **others} if others else {"": port}
        spec["ports"] = [
            {**({"name": key} if key else {}), "port": number, "targetPort": number} for key, number in named.items()
        ]
    kind = catalog.kubernetes.kinds.objects["service"]
    return manifest("workloads", kind, name, workload.path, {"spec": spec}, namespace=workload.namespace)


def exclusive(workload: Workload) -> bool:
    """Whether the workload asks for a node pool of its own for each slice. A slice of cubes has several.

    JobSet and LeaderWorkerSet then keep the hosts of a slice together and other slices away. On Autopilot, GKE rejects
    the node selector that this leads to.
    """
    return workload.cluster.mode == "standard" and workload.shape.multi_host and not workload.dynamic


def one_pool_serves(workload: Workload) -> bool:
    """Whether no slice of the workload can mix hosts of several node pools, so that a plain Job is enough.

    Kueue, or a selector of the slice, places the Pods of one slice of cubes.
    """
    shape = workload.shape
    if workload.dynamic and workload.slices == 1:
        return True
    return not shape.multi_host or (workload.slices == 1 and len(workload.groups) == len(workload.pools) == 1)


def together(workload: Workload, operator: str, catalog: Catalog, *, leader: bool = True) -> dict[str, Any]:
    """The affinity of the Pods of a slice to each other, and the anti-affinity to every other slice.

    Empty for slices of one host, for those of cubes, and for Pods that Autopilot must not evict: GKE does not combine
    these two.
    ``leader``: whether the leader of a LeaderWorkerSet is on a host of the slice.
    """
    if not workload.shape.multi_host or workload.dynamic or extended_run(workload, catalog):
        return {}
    keys = [catalog.kubernetes.workloads.slice_affinity.keys[operator]]
    own = _pods_of(operator, catalog, leader=leader)
    return {
        "podAffinity": {_REQUIRED: [{"labelSelector": own, "matchLabelKeys": keys, **_pool(catalog)}]},
        **apart(operator, catalog, leader=leader),
    }


def apart(operator: str, catalog: Catalog, *, leader: bool = True) -> dict[str, Any]:
    """The anti-affinity to every other slice, also where the operator itself holds its slices together.

    Exclusive topology keeps away only slices of the same operator, those of a LeaderWorkerSet only in their own
    namespace: without this, two workloads can each take a part of a node pool, and wait for the rest.
    """
    keys = [catalog.kubernetes.workloads.slice_affinity.keys[operator]]
    own = {"labelSelector": _pods_of(operator, catalog, leader=leader), "mismatchLabelKeys": keys}
    return {"podAntiAffinity": {_REQUIRED: [{**own, **_everywhere(catalog)}, *_others(operator, catalog)]}}


def _pods_of(operator: str, catalog: Catalog, *, leader: bool) -> dict[str, Any]:
    """The selector of all Pods on slices of an operator."""
    facts = catalog.kubernetes.workloads.slice_affinity
    expressions: list[dict[str, Any]] = [{"key": facts.marks[operator], "operator": "Exists"}]
    if not leader:
        expressions.append({"key": facts.leader, "operator": "NotIn", "values": [_LEADER]})
    return {"matchExpressions": expressions}


def _others(operator: str, catalog: Catalog) -> list[dict[str, Any]]:
    """The terms against the slices of the other operators, in every namespace."""
    keys = catalog.kubernetes.workloads.slice_affinity.keys
    return [
        {
            "labelSelector": {"matchExpressions": [{"key": key, "operator": "Exists"}]},
            **_everywhere(catalog),
        }
        for other, key in keys.items()
        if other != operator
    ]


def _everywhere(catalog: Catalog) -> dict[str, Any]:
    return {"namespaceSelector": {}, **_pool(catalog)}


def _pool(catalog: Catalog) -> dict[str, str]:
    return {"topologyKey": catalog.kubernetes.workloads.nodes.pool}


ENDS = ("deadline", "exit_codes", "max_restarts", "ttl")
"""The keys of a workload for the end of its Jobs."""


def deadline(workload: Workload) -> dict[str, Any]:
    """The longest time that a Job or RayJob is active. A suspended one, which waits in a queue, is not."""
    return without_empty(activeDeadlineSeconds=seconds(workload.plan.deadline))


def time_to_live(workload: Workload) -> dict[str, Any]:
    """The time until Kubernetes deletes a Job or JobSet that has ended; zero deletes it at once."""
    found = seconds(workload.plan.ttl)
    return {} if found is None else {"ttlSecondsAfterFinished": found}


def pod_failure_policy(action: str, workload: Workload, template: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The Pod failure policy with an action for Pods that were evicted or preempted, or lost their node.

    The exit code of such a Pod means nothing, so that its rule is the first.
    """
    condition = {"type": catalog.kubernetes.jobset.disruption_condition, "status": "True"}
    return {"rules": [{"action": action, "onPodConditions": [condition]}, *_on_exit_codes(workload, template)]}


def failure_policy(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """What a JobSet does if a Job fails: restart all slices together.

    A Job fails with the reason ``PodFailurePolicy`` if its Pod was evicted or preempted, or lost its node: such a
    restart does not count. Exit codes that end the workload have the same reason, and another message. An error of the
    application has another reason, and counts.
    """
    facts, codes = catalog.kubernetes.jobset, workload.plan.exit_codes
    by_policy = {"onJobFailureReasons": [facts.policy_reason]}
    disruption = {"name": "disruption", "action": facts.uncounted_action, **by_policy}
    rules = [disruption]
    if codes is not None:
        disruption["onJobFailureMessagePatterns"] = [f".*{facts.disruption_condition}.*"]
        rules.append({"name": "exit_code", "action": facts.final_action, **by_policy})
    if workload.plan.deadline is not None:
        late = {"onJobFailureReasons": [facts.deadline_reason]}
        rules.append({"name": "deadline", "action": facts.final_action, **late})
    return {"maxRestarts": workload.plan.max_restarts, "rules": rules}


def _on_exit_codes(workload: Workload, template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rules that end a Job. Each names its container, because the kubelet ends sidecars with codes of its own."""
    codes = workload.plan.exit_codes
    if codes is None:
        return
    operator, values = ("In", codes.fail) if codes.fail else ("NotIn", codes.restart)
    for container in template["spec"]["containers"]:
        chosen = {"containerName": container["name"], "operator": operator, "values": sorted(values)}
        yield {"action": "FailJob", "onExitCodes": chosen}
