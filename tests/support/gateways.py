"""Plans with gateways in front of workloads."""

from typing import Any

from support.workload_plans import HEADS, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

SHAPES = {"deployment": ["2x2"], "leaderworkerset": ["2x2", "4x4"], "rayservice": ["2x2", "4x4"]}
KINDS = tuple(SHAPES)
EXTERNAL, INTERNAL = "gke-l7-regional-external-managed", "gke-l7-rilb"
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"class_name": EXTERNAL, "health_path": "/health"},
    "everything": {
        "class_name": INTERNAL,
        "hosts": ["chat.acme.example", "*.chat.acme.example"],
        "tls_secret": "chat-certificate",
        "health_path": "/health",
        "timeout": "10m",
    },
    "pool": {"class_name": EXTERNAL, "inference_pool": {}},
}
_OF_KIND: dict[str, dict[str, Any]] = {
    "deployment": {"port": 8001},
    "leaderworkerset": {"port": 8001},
    "rayservice": {"serve_config": "applications: [{name: a, import_path: app}]"},
}


def gateway_plan(kind: str, topology: str, mode: str, variant: str, **gateway: Any) -> dict[str, Any]:
    """A plan with one workload behind a gateway; ``gateway`` are keys in addition to those of the variant.

    Kinds without Pods that a pool could select have the gateway of the first variant instead.
    """
    keys = VARIANTS["plain" if kind == "rayservice" and variant == "pool" else variant]
    group = {"tpu": "v6e", "topology": topology, "count": 2, **({"zone": "us-east5-b"} if mode == "standard" else {})}
    more: dict[str, Any] = {"addons": ["ray_operator"], "gateway_api": "standard", "min_version": "1.35"}
    if mode == "standard":
        more["cpu_pools"] = {"heads": HEADS}
    workload = {"slices": "one", "kind": kind, **_OF_KIND[kind], "gateway": {**keys, **gateway}}
    plan = workload_plan({"one": group}, {"chat": workload}, mode=mode, kubernetes={"namespace": "serving"}, **more)
    if mode == "autopilot":
        del plan["clusters"]["c"]["network"]
    return plan


def rules_of(plan: dict[str, Any]) -> set[str]:
    """The rules that report a plan."""
    return {item.rule for item in check_plan(parse_plan(plan), read_catalog(), None).findings}
