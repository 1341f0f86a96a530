"""Workloads of each kind with each key for the contents and the end of Pods, and with all of them."""

from typing import Any

from support.workload_plans import HEADS, workload_plan

from pulumi_gke_tpu.core.kinds import written_kinds

MODES = ("standard", "autopilot")
KINDS = tuple(written_kinds())
METRIC = "prometheus.googleapis.com|vllm:num_requests_waiting|gauge"
KEYS: dict[str, Any] = {
    "env_from_secrets": {"TOKEN": {"secret": "hugging-face", "key": "token"}},
    "pull_secrets": ["registry"],
    "ports": {"metrics": 9090},
    "init_containers": [
        {"name": "fetch", "image": "fetch:1", "command": ["fetch"], "args": ["--all"], "env": {"A": "1"}, "cpu": 2},
        {"name": "convert", "image": "convert:1", "memory": "8Gi"},
    ],
    "sidecars": [
        {
            "name": "profiler",
            "image": "profiler:1",
            "env_from_secrets": {"TOKEN": {"secret": "profiler", "key": "token"}},
            "cpu": "500m",
            "memory": "1Gi",
        },
    ],
    "probes": {
        "readiness": {"http_path": "/ready", "port": 8000, "period": "5s"},
        "startup": {"port": 8000, "initial_delay": "0s", "failure_threshold": 60},
        "liveness": {"http_path": "/live", "port": 8001, "timeout": "3s"},
    },
    "autoscale": {"min": 1, "max": 1, "metric": METRIC, "target": 10},
    "disruption_budget": {"max_unavailable": 1},
    "exit_codes": {"restart": [42, 7]},
    "deadline": "12h",
    "ttl": "0s",
    "pod_template": {
        "metadata": {"labels": {"team": "research"}},
        "spec": {
            "dnsPolicy": "Default",
            "tolerations": [{"key": "team", "operator": "Exists"}],
            "containers": [{"name": "tpu", "securityContext": {"runAsUser": 1000}}],
            "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
        },
    },
}
NEEDED: dict[str, dict[str, Any]] = {"rayservice": {"serve_config": "applications: [{name: a, import_path: app}]"}}
"""Keys that a kind needs."""
EVERYWHERE = ("env_from_secrets", "pod_template", "pull_secrets")
"""Keys of every kind."""
OTHERS = {"exit_codes": {"max_restarts": 2}}
"""Keys that a key needs."""


def keys_of(kind: str) -> tuple[str, ...]:
    """The keys that a kind has."""
    return tuple(key for key in KEYS if key in (*EVERYWHERE, *written_kinds()[kind].keys))


def plan_with(kind: str, mode: str, topology: str, *, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """A plan with a workload for each key of a kind, and one with all of them; ``more`` are keys of all."""
    workloads = {}
    for key in keys_of(kind):
        workloads[key.replace("_", "-")] = {key: KEYS[key], **OTHERS.get(key, {})}
    every = {key: value for item in workloads.values() for key, value in item.items()}
    named = {"all": every, **workloads}
    group = {"tpu": "v6e", "topology": topology, "count": len(named)}
    if mode == "standard":
        group["zone"] = "us-east5-b"
    common = {"slices": "train", "kind": kind, "command": ["run"], **NEEDED.get(kind, {})}
    cluster: dict[str, Any] = {"addons": ["ray_operator"]}
    if mode == "standard":
        cluster["cpu_pools"] = {"heads": HEADS}
    plan = workload_plan(
        {"train": group},
        {name: {**common, **item, **(more or {})} for name, item in named.items()},
        mode=mode,
        **cluster,
    )
    if mode == "autopilot":
        del plan["clusters"]["c"]["network"]
    return plan


def shapes_of(kind: str) -> tuple[str, ...]:
    """Topologies with one host and with several, as far as a kind has them."""
    return ("2x2", "4x4") if written_kinds()[kind].multi_host else ("2x2",)
