"""What a plan adds to its Pods: variables and images from Secrets, ports, probes."""

from typing import Any

import pytest
from support.workload_plans import HEADS, TRAIN, objects_of, only, workload_plan

KINDS = ("job", "jobset", "leaderworkerset", "deployment", "raycluster", "rayjob", "pathways")
SINGLE = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
TOKEN = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hugging-face", "key": "token"}}}
FROM_SECRET = {"TOKEN": {"secret": "hugging-face", "key": "token"}}


def objects(kind: str, mode: str = "standard", **workload: Any) -> list[Any]:
    single = {"tpu": "v6e", "topology": "2x2"} if mode == "autopilot" else SINGLE
    more = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    plan = workload_plan({"one": single}, {"w": {"slices": "one", "kind": kind, **workload}}, mode=mode, **more)
    if mode == "autopilot":
        del plan["clusters"]["c"]["network"]
    return objects_of(plan, "workloads")


def pods(item: Any) -> list[dict[str, Any]]:
    """The specifications of Pods in an object: mappings with containers."""
    if isinstance(item, list):
        return [found for part in item for found in pods(part)]
    if not isinstance(item, dict):
        return []
    return ([item] if "containers" in item else []) + [found for part in item.values() for found in pods(part)]


def programs(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The containers that run the program of the plan, and not a server of Pathways or the client of KubeRay."""
    every = [container for pod in found for container in pod["containers"]]
    return [item for item in every if "cloud-tpu-v2" not in item["image"] and item["name"] != "ray-job-submitter"]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_program_has_the_variables_from_secrets_after_those_of_the_plan(kind: str, mode: str) -> None:
    found = pods(objects(kind, mode, env={"RUN": "1"}, env_from_secrets=FROM_SECRET, head=None))
    assert programs(found)
    for container in programs(found):
        assert container["env"][-2:] == [{"name": "RUN", "value": "1"}, TOKEN]


@pytest.mark.parametrize("kind", KINDS)
def test_every_pod_of_a_workload_pulls_with_the_secrets_also_the_one_that_kuberay_would_make(kind: str) -> None:
    found = pods(objects(kind, pull_secrets=["ours", "theirs"]))
    assert all(pod["imagePullSecrets"] == [{"name": "ours"}, {"name": "theirs"}] for pod in found)
    assert len(found) == {"raycluster": 2, "rayjob": 3, "pathways": 2}.get(kind, 1)


def test_the_pod_that_submits_a_run_has_the_image_of_the_head() -> None:
    rayjob = only(objects("rayjob", pull_secrets=["ours"], head={"image": "head:1"}), "RayJob")
    (container,) = rayjob["spec"]["submitterPodTemplate"]["spec"]["containers"]
    assert (container["name"], container["image"]) == ("ray-job-submitter", "head:1")


def test_kuberay_makes_the_pod_that_submits_a_run_if_no_secret_is_needed() -> None:
    assert "submitterPodTemplate" not in only(objects("rayjob"), "RayJob")["spec"]


TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}
SOFT = {**TAINT, "effect": "PreferNoSchedule"}


@pytest.mark.parametrize(
    ("pools", "system", "tolerated"),
    [
        ([[TAINT]], [TAINT], True),
        ([[TAINT], [{**TAINT, "key": "other"}]], [TAINT], True),
        ([[TAINT]], [], False),
        ([[TAINT]], [SOFT], False),
        ([[TAINT], []], [TAINT], False),
        ([], [TAINT], False),
    ],
)
def test_the_pod_that_submits_a_run_tolerates_the_taints_of_cpu_pools_if_every_pool_has_some(
    pools: list[list[dict[str, str]]], system: list[dict[str, str]], tolerated: bool
) -> None:
    """Otherwise it runs where KubeRay's own Pod runs, and a running RayJob must not be replaced for it."""
    more = {"cpu_pools": {f"pool-{index}": {**HEADS, "taints": taints} for index, taints in enumerate(pools)}}
    plan = workload_plan(
        {"train": TRAIN}, {"w": {"slices": "train", "kind": "rayjob", "command": ["run"]}},
        system_pool={"taints": system}, **more,
    )  # fmt: skip
    spec = only(objects_of(plan, "workloads"), "RayJob")["spec"]
    if not tolerated:
        assert "submitterPodTemplate" not in spec
        return
    wanted = [{"key": taint["key"], "operator": "Exists", "effect": "NoSchedule"} for pool in pools for taint in pool]
    assert spec["submitterPodTemplate"]["spec"]["tolerations"] == wanted


@pytest.mark.parametrize(("kind", "name"), [("raycluster", "JAX_PLATFORMS"), ("pathways", "JAX_BACKEND_TARGET")])
def test_a_variable_from_a_secret_replaces_the_one_of_gke_tpu(kind: str, name: str) -> None:
    source = {name: {"secret": "s", "key": "k"}}
    workload = {"w": {"slices": "train", "kind": kind, "env_from_secrets": source}}
    found = pods(objects_of(workload_plan({"train": TRAIN}, workload, cpu_pools={"heads": HEADS}), "workloads"))
    for container in programs(found):
        assert [list(item) for item in container["env"] if item["name"] == name] == [["name", "valueFrom"]]


@pytest.mark.parametrize("kind", ["job", "jobset", "deployment", "leaderworkerset"])
def test_a_container_names_its_further_ports(kind: str) -> None:
    for container in programs(pods(objects(kind, ports={"metrics": 9090, "profiler": 9012}))):
        assert container["ports"] == [
            {"name": "metrics", "containerPort": 9090},
            {"name": "profiler", "containerPort": 9012},
        ]


@pytest.mark.parametrize("kind", ["deployment", "leaderworkerset"])
def test_a_service_with_several_ports_names_each(kind: str) -> None:
    service = only(objects(kind, port=8000, ports={"metrics": 9090}), "Service")
    assert service["spec"]["ports"] == [
        {"name": "main", "port": 8000, "targetPort": 8000},
        {"name": "metrics", "port": 9090, "targetPort": 9090},
    ]


@pytest.mark.parametrize("kind", ["deployment", "leaderworkerset"])
def test_a_service_with_one_port_keeps_it_without_a_name(kind: str) -> None:
    service = only(objects(kind, port=8000), "Service")
    assert service["spec"]["ports"] == [{"port": 8000, "targetPort": 8000}]


@pytest.mark.parametrize("kind", ["deployment", "leaderworkerset"])
def test_a_probe_of_the_plan_replaces_the_connection_of_the_readiness_probe_only(kind: str) -> None:
    """The others are added: without a key for readiness, the Service still waits for the port."""
    startup = {"http_path": "/health", "port": 8001, "initial_delay": "1m", "failure_threshold": 60}
    (container,) = programs(pods(objects(kind, port=8000, probes={"startup": startup})))[:1]
    assert container["readinessProbe"] == {"tcpSocket": {"port": 8000}}
    assert container["startupProbe"] == {
        "httpGet": {"path": "/health", "port": 8001},
        "initialDelaySeconds": 60,
        "failureThreshold": 60,
    }
    ready = {"readiness": {"http_path": "/ready", "period": "5s", "timeout": "2s"}, "liveness": {"port": 8002}}
    (container,) = programs(pods(objects(kind, port=8000, probes=ready)))[:1]
    assert container["readinessProbe"] == {
        "httpGet": {"path": "/ready", "port": 8000},
        "periodSeconds": 5,
        "timeoutSeconds": 2,
    }
    assert container["livenessProbe"] == {"tcpSocket": {"port": 8002}}
    assert "startupProbe" not in container


def test_a_delay_of_zero_is_the_default_which_the_server_does_not_store() -> None:
    (container,) = programs(pods(objects("deployment", port=80, probes={"startup": {"initial_delay": "0s"}})))
    assert container["startupProbe"] == {"tcpSocket": {"port": 80}}


FETCH = {"name": "fetch", "image": "fetch:1", "command": ["fetch"], "args": ["--all"], "cpu": 2}
PROXY = {"name": "proxy", "image": "proxy:1", "env": {"A": "1"}, "env_from_secrets": FROM_SECRET, "memory": "1Gi"}


@pytest.mark.parametrize("kind", ["job", "jobset", "leaderworkerset", "deployment", "raycluster", "rayjob"])
def test_pods_with_chips_have_init_containers_and_then_sidecars_that_hold_no_chips(kind: str) -> None:
    found = pods(objects(kind, init_containers=[FETCH], sidecars=[PROXY], port=None))
    with_chips = [
        pod for pod in found if "google.com/tpu" in pod["containers"][0].get("resources", {}).get("limits", {})
    ]
    assert with_chips
    assert all("initContainers" not in pod for pod in found if pod not in with_chips)
    for pod in with_chips:
        assert pod["initContainers"] == [
            {
                "name": "fetch",
                "image": "fetch:1",
                "command": ["fetch"],
                "args": ["--all"],
                "resources": {"requests": {"cpu": "2"}},
            },
            {
                "name": "proxy",
                "image": "proxy:1",
                "env": [{"name": "A", "value": "1"}, TOKEN],
                "resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}},
                "restartPolicy": "Always",
            },
        ]
        assert [container["name"] for container in pod["containers"]] == ["tpu"]


def test_additional_containers_have_the_volumes_of_the_workload() -> None:
    volumes = {"data": {"mount": "/data", "empty_dir": True}}
    (pod,) = pods(objects("job", volumes=volumes, init_containers=[FETCH], sidecars=[PROXY]))
    every = [*pod["containers"], *pod["initContainers"]]
    assert [container["volumeMounts"] for container in every] == [[{"name": "data", "mountPath": "/data"}]] * 3
