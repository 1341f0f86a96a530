"""Plans with workloads, and the Kubernetes objects that follow from them."""

from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

IMAGE = "us-docker.pkg.dev/acme-ml/train/image:1"
TRAIN = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
HEADS = {"machine_type": "n2-standard-64", "min_nodes": 0, "max_nodes": 2}


def workload_plan(
    slices: dict[str, Any], workloads: dict[str, Any], *, mode: str = "standard", **cluster: Any
) -> dict[str, Any]:
    """A plan with one cluster; ``kubernetes`` among the keys of the cluster is merged with the workloads."""
    kubernetes = {
        **cluster.pop("kubernetes", {}),
        "workloads": {name: with_image(item) for name, item in workloads.items()},
    }
    keys = {"mode": mode, "location": "us-east5", "name": "c1", "network": "create", **cluster, "slices": slices}
    return {"version": 1, "project": "acme-ml", "clusters": {"c": {**keys, "kubernetes": kubernetes}}}


def with_image(workload: dict[str, Any]) -> dict[str, Any]:
    """The workload, with an image if it names none."""
    return {"image": IMAGE, **workload}


def checked(plan: dict[str, Any]) -> CheckedPlan:
    """The plan, read and derived; its findings are those of its form."""
    return check_plan(parse_plan(plan), read_catalog(), None, rules=())


def objects_of(plan: dict[str, Any], concern: str | None = None) -> list[dict[str, Any]]:
    """The objects that follow from a plan, those of one concern or all."""
    result = checked(plan)
    assert result.findings == ()
    every = [item for cluster in manifests_of(result) for item in cluster.manifests]
    return [item.object for item in every if concern in (None, item.concern)]


def only(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The one object of a kind."""
    (found,) = (item for item in objects if item["kind"] == kind)
    return found


def every_option(mode: str) -> dict[str, Any]:
    """A plan with every kind of object that gke-tpu writes, and every option of its workloads."""
    place = {"tpu": "v6e", "zone": "us-east5-b"}
    whole, single = {**place, "topology": "4x4"}, {**place, "topology": "2x2"}
    slices = {
        "train": {**whole, "count": 2},
        "alone": {**whole, "count": 1, "capacity": {"reservation": "ours"}},
        "serve": {**single, "count": 4},
        "cheap": {**single, "capacity": "spot", "count": {"max": 2}},
        "later": {**whole, "capacity": {"flex_start": {"queued": True, "max_run_duration": "2d"}}, "count": {"max": 2}},
        "class": {**whole, "topology": "4x8", "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}},
    }
    disk = {"mount": "/data", "disk": {"type": "hyperdisk-balanced", "size_gib": 2048}}
    weights = {"mount": "/w", "disk": {"type": "hyperdisk-ml", "size_gib": 10, "access": "read_only_many"}}
    head = {"cpu": 2.5, "memory": "4096Mi"}
    several = {"queue": "team", "priority": "high", "grace_period": "5m", "max_restarts": 2, "args": ["--all"]}
    workloads: dict[str, Any] = {
        "job": {"slices": "alone", "service_account": "runner", "env": {"A": "1"}},
        "small": {"slices": "serve", "volumes": {"data": disk, "tmp": {"mount": "/tmp/x", "empty_dir": True}}},
        "jobset": {"slices": "train", "kind": "jobset", **several, "cpu": "100000m", "memory": "0.5Ti"},
        "lws": {"slices": "train", "kind": "leaderworkerset", "port": 80, "volumes": {"w": weights}},
        "lws-head": {"slices": "train", "kind": "leaderworkerset", "head": head},
        "chat": {"slices": "serve", "kind": "deployment", "port": 8000, "count": 2, "cpu": 0.5, "memory": "1e9"},
        "scaled": {
            "slices": "serve",
            "kind": "deployment",
            "port": 8000,
            "disruption_budget": {"max_unavailable": 1},
            "autoscale": {"min": 1, "max": 3, "metric": "vllm:num_requests_waiting", "target": 10},
        },
        "ray": {"slices": "train", "kind": "raycluster", "head": head},
        "rayserve": {
            "slices": "train",
            "kind": "rayservice",
            "serve_config": "applications: [{name: a, import_path: a}]",
        },
        "rayjob": {"slices": "train", "kind": "rayjob", "command": ["python", "sweep.py"], "queue": "team"},
        "pathways": {"slices": "train", "kind": "pathways", "head": head, "scratch": "gs://bucket/tmp"},
        "cheap": {"slices": "cheap", "volumes": {"own": {"mount": "/own", "claim": "existing"}}},
        "later": {"slices": "later", "kind": "jobset", "queue": "other"},
        "class": {"slices": "class", "kind": "jobset"},
    }
    if mode == "autopilot":
        workloads["long"] = {"slices": "serve", "extended_run": True}
    kubernetes = {
        "namespace": "research",
        "namespaces": {"papers": {"chips": 16, "editors": ["group:authors@acme.example"]}},
        "queues": {
            "team": {
                "cohort": "all",
                "borrow": {"train": 8},
                "lend": {"alone": 8},
                "weight": 2,
                "namespaces": ["research", "papers"],
                "chips": {"train": 1000, "alone": 16},
                "preemption": "lower_priority",
            },
            "other": {"cohort": "all", "chips": {"later": 32}},
        },
        "cohorts": {
            "company": {},
            "all": {"parent": "company", "chips": {"train": 8}, "lend": {"train": 8}, "weight": 0},
        },
        "priority_classes": {
            "high": {"value": 10},
            "low": {"value": -1, "preemption": "never", "description": "Last."},
        },
    }
    more: dict[str, Any] = {}
    if mode == "standard":
        more = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}}
    return workload_plan(slices, workloads, mode=mode, kubernetes=kubernetes, **more)
