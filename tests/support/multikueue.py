"""Plans with a manager cluster of MultiKueue and its workers."""

from typing import Any

from support.workload_plans import HEADS, with_image

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity, format_path

PLACES = {"east": ("us-east5", "us-east5-b"), "west": ("us-central1", "us-central1-b")}


def worker(place: str, mode: str, count: int = 2, topology: str = "4x4", **kubernetes: Any) -> dict[str, Any]:
    """A cluster with one slice group and one queue."""
    location, zone = PLACES[place]
    group: dict[str, Any] = {"tpu": "v6e", "topology": topology, "count": count}
    cluster: dict[str, Any] = {"mode": mode, "location": location, "addons": ["ray_operator"]}
    if mode == "standard":
        group["zone"] = zone
        cluster["cpu_pools"] = {"heads": HEADS}
    keys = {"queues": {"research": {}}, **kubernetes}
    return {**cluster, "slices": {"pretrain": group}, "kubernetes": keys}


def manager_plan(mode: str = "standard", workloads: dict[str, Any] | None = None, **kubernetes: Any) -> dict[str, Any]:
    """A manager with two workers; ``kubernetes`` are keys of the manager."""
    run = {name: with_image({"queue": "research", **item}) for name, item in (workloads or {}).items()}
    keys = {
        "multikueue": {"workers": {"east": {}, "west": {"kubeconfig_secret": "west-access"}}},
        "queues": {"research": {}},
        "workloads": run,
        **kubernetes,
    }
    hub = {"mode": mode, "location": "us-east5", "addons": ["ray_operator"], "kubernetes": keys}
    clusters = {"hub": hub, "east": worker("east", mode), "west": worker("west", mode, 4)}
    return {"version": 1, "project": "acme-ml", "clusters": clusters}


def clusters_of(plan: dict[str, Any]) -> dict[str, Cluster]:
    """The derived clusters of a plan."""
    fleet = check_plan(parse_plan(plan), read_catalog(), None, rules=()).fleet
    assert fleet is not None
    return {cluster.key: cluster for cluster in fleet.clusters}


def told(plan: dict[str, Any], rules: tuple[str, ...]) -> list[str]:
    """What is reported: the rule, its severity unless it is an error, and the path."""
    document = parse_plan(plan)
    assert document.findings == ()
    return [
        f"{item.rule}{'' if item.severity is Severity.ERROR else f' {item.severity.name.lower()}'} "
        + format_path(item.path).removeprefix("clusters.")
        for item in check_plan(document, read_catalog(), None).findings
        if item.rule.startswith(rules)
    ]
