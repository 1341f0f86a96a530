"""The work of `check` grows with the objects of the files and the groups of the plan, not with their product."""

from collections.abc import Callable

import pytest
import yaml
from support.manifests import findings_in
from support.sampling import sample
from support.work import function_calls

from pulumi_gke_tpu.core.rules.engine.examples import plan_of, tpu_job, tpu_pod

Case = Callable[[int], tuple[str, str | None]]
V6E = "tpu: v6e, topology: 2x2, zone: us-east5-b"
QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "spec": {"clusterQueue": "main"}}


def documents(*texts: str) -> str:
    return "---\n".join(text.strip("\n") + "\n" for text in texts)


def service(number: int, selector: str, name: str = "s", namespace: str = "", spec: str = "") -> str:
    place = f", namespace: {namespace}" if namespace else ""
    ports = "ports: [{port: 80, targetPort: http}]"
    return (
        "apiVersion: v1\nkind: Service\n"
        f"metadata: {{name: {name}{number}{place}}}\nspec: {{selector: {{{selector}}}, {ports}{spec}}}"
    )


def pod(number: int, labels: str = "", namespace: str = "", spec: str = "", selector: str = "") -> str:
    place = f", namespace: {namespace}" if namespace else ""
    found = tpu_pod(container="ports: [{name: http, containerPort: 80}]", spec=spec, selector=selector)
    return found.replace("{name: trainer}", f"{{name: p{number}{place}, labels: {{{labels}}}}}")


def pairs(count: int) -> tuple[str, None]:
    return documents(*(part for n in range(count) for part in (service(n, f"app: a{n}"), pod(n, f"app: a{n}")))), None


def one_selector(count: int) -> tuple[str, None]:
    parts = (part for n in range(count) for part in (service(n, "app: a"), pod(n, "app: a")))
    return documents(*parts), None


def shared_label(count: int) -> tuple[str, None]:
    parts = (
        part for n in range(count) for part in (service(n, f"app: a, shard: s{n}"), pod(n, f"app: a, shard: s{n}"))
    )
    return documents(*parts), None


def namespaces(count: int) -> tuple[str, None]:
    parts = (part for n in range(count) for part in (service(n, "app: a"), pod(n, "app: a", namespace=f"n{n}")))
    return documents(*parts), None


def without_pods(count: int) -> tuple[str, None]:
    parts = (part for n in range(count) for part in (service(n, f"app: {n}-frontend"), pod(n, f"app: x{n}")))
    return documents(*parts), None


def headless(count: int) -> tuple[str, None]:
    jobs = (
        tpu_job(pod=f"subdomain: h{n}").replace("{name: pretrain}", f"{{name: j{n}, namespace: n{n}}}")
        for n in range(count)
    )
    return documents(*jobs, *(service(n, "a: b", "h", f"n{n}", ", clusterIP: None") for n in range(count))), None


def same_selection(count: int) -> tuple[str, str]:
    groups = (f"g{n}: {{{V6E}}}" for n in range(count))
    return documents(*(pod(n) for n in range(count))), plan_of(*groups)


def own_label(count: int) -> tuple[str, str]:
    groups = (f"g{n}: {{{V6E}, node_labels: {{team: t{n}}}}}" for n in range(count))
    return documents(*(pod(n, selector=f"team: t{n}") for n in range(count))), plan_of(*groups)


def unknown_label(count: int) -> tuple[str, str]:
    groups = (f"g{n}: {{{V6E}}}" for n in range(count))
    return documents(*(pod(n, selector=f"team: t{n}") for n in range(count))), plan_of(*groups)


def own_taint(count: int) -> tuple[str, str]:
    groups = (f"g{n}: {{{V6E}, taints: [{{key: team, value: t{n}, effect: NoSchedule}}]}}" for n in range(count))
    spec = "tolerations: [{{key: team, operator: Equal, value: t{}, effect: NoSchedule}}]"
    return documents(*(pod(n, spec=spec.format(n)) for n in range(count))), plan_of(*groups)


def autopilot(count: int) -> tuple[str, str]:
    plan = plan_of(*(f"g{n}: {{tpu: v6e, topology: 2x2, capacity: spot}}" for n in range(count)))
    plan = plan.replace("mode: standard", "mode: autopilot")
    assert "autopilot" in plan
    return documents(*(pod(n) for n in range(count))), plan


def queued(name: str, namespace: str = "") -> str:
    place = f", namespace: {namespace}" if namespace else ""
    labels = f"labels: {{kueue.x-k8s.io/queue-name: {name}}}"
    return tpu_job(pod="subdomain: trainer").replace("{name: pretrain}", f"{{name: j{place}, {labels}}}")


def queue_of_each_namespace(count: int) -> tuple[str, None]:
    queues = ({**QUEUE, "metadata": {"name": "default", "namespace": f"n{n}"}} for n in range(count))
    return documents(yaml.safe_dump_all(queues), *(queued("default", f"n{n}") for n in range(count))), None


def unknown_queues(count: int) -> tuple[str, None]:
    queues = ({**QUEUE, "metadata": {"name": f"q{n}"}} for n in range(count))
    return documents(yaml.safe_dump_all(queues), *(queued(f"p{n}") for n in range(count))), None


def queue_of_the_plan(count: int) -> tuple[str, str]:
    plan = plan_of(*(f"g{n}: {{{V6E}}}" for n in range(count)))
    plan = plan.replace("    slices:\n", "    kubernetes: {queues: {research: {}}}\n    slices:\n")
    assert "research" in plan
    pods = (pod(n).replace("labels: {", "labels: {kueue.x-k8s.io/queue-name: research") for n in range(count))
    return documents(*pods), plan


def flavors(count: int) -> tuple[str, str]:
    labels = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}
    found = (
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": f"f{n}"},
            "spec": {"nodeLabels": {**labels, "team": f"t{n}"}},
        }
        for n in range(count)
    )
    groups = (f"g{n}: {{{V6E}, node_labels: {{team: t{n}}}}}" for n in range(count))
    return yaml.safe_dump_all(found), plan_of(*groups)


def classes(count: int) -> tuple[str, None]:
    found = (
        {
            "apiVersion": "cloud.google.com/v1",
            "kind": "ComputeClass",
            "metadata": {"name": f"class-{n}"},
            "spec": {
                "whenUnsatisfiable": "DoNotScaleUp",
                "nodePoolAutoCreation": {"enabled": True},
                "priorities": [{"tpu": {"type": "tpu-v6e-slice", "count": 4, "topology": "2x2"}}],
            },
        }
        for n in range(count)
    )
    pods = (pod(n, selector=f"cloud.google.com/compute-class: klass-{n}") for n in range(count))
    return documents(yaml.safe_dump_all(found), *pods), None


CASES: dict[str, Case] = {
    "Services with Pods": pairs,
    "Services with one selector": one_selector,
    "Services with a label that all Pods have": shared_label,
    "Services without a namespace": namespaces,
    "Services without Pods": without_pods,
    "Jobs with headless Services": headless,
    "Pods that every group serves": same_selection,
    "Pods that one group serves": own_label,
    "Pods that no group serves": unknown_label,
    "Pods that tolerate the taint of one group": own_taint,
    "Pods on Autopilot without the capacity of the groups": autopilot,
    "a queue in each namespace": queue_of_each_namespace,
    "queues that do not exist": unknown_queues,
    "a queue of the plan with every group": queue_of_the_plan,
    "flavors of groups": flavors,
    "ComputeClasses that do not exist": classes,
}


@pytest.mark.parametrize("name", sample(CASES, 4))
def test_work_is_linear(name: str) -> None:
    def calls(count: int) -> int:
        text, plan = CASES[name](count)
        return function_calls(lambda: findings_in(text, plan=plan))

    calls(1)  # what is imported and read once
    few, more, most = calls(60), calls(120), calls(240)
    assert most - more < 2.2 * (more - few)
