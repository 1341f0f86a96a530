"""How Jobs end: after a deadline, by an exit code, and when they are deleted."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.pods import seconds, without_empty

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
        rules.append({"name": "exit-code", "action": facts.final_action, **by_policy})
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
