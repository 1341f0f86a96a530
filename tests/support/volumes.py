"""Plans whose workloads have volumes."""

from typing import Any

from support.workload_plans import HEADS, checked, workload_plan

from pulumi_gke_tpu.features.workloads.manifests import manifests_of

LUSTRE = {"instance": "scratch", "location": "us-east5-b", "ip": "10.1.0.2", "filesystem": "lfs", "size_gib": 9000}
FILESTORE = {"instance": "home", "location": "us-east5-b", "ip": "10.2.0.2", "share": "vol1", "size_gib": 1024}
PARALLELSTORE = {
    "instance": "fast",
    "location": "us-east5-b",
    "access_points": ["10.3.0.2", "10.3.0.3"],
    "size_gib": 12288,
    "mount_options": ["enable-wb-cache"],
}
SOURCES: dict[str, dict[str, Any]] = {
    "bucket": {"bucket": {"name": "acme-data"}},
    "folder": {"bucket": {"name": "acme-data", "path": "a/b"}, "read_only": True},
    "filestore": {"filestore": FILESTORE},
    "lustre": {"lustre": LUSTRE},
    "parallelstore": {"parallelstore": PARALLELSTORE},
    "empty": {"empty_dir": True},
    "claim": {"claim": "mine", "read_only": True},
    "node": {"host_path": "/var/tmp/cache"},
}
"""Every source of a volume but disks."""
KINDS: dict[str, dict[str, Any]] = {
    "job": {"kind": "job"},
    "jobset": {"kind": "jobset"},
    "leaderworkerset": {"kind": "leaderworkerset"},
    "leaderworkerset with a port": {"kind": "leaderworkerset", "port": 8000},
    "leaderworkerset with a head": {"kind": "leaderworkerset", "port": 8000, "head": {"cpu": 2}},
    "deployment": {"kind": "deployment", "slices": "one"},
    "raycluster": {"kind": "raycluster"},
    "rayjob": {"kind": "rayjob", "command": ["python3"]},
    "pathways": {"kind": "pathways"},
}
"""Every kind of workload, and the forms with other Pods."""
_SLICES = {
    "many": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2},
    "one": {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": 2},
}


def volume_plan(
    workloads: dict[str, tuple[str, dict[str, Any]]],
    mode: str = "standard",
    kubernetes: dict[str, Any] | None = None,
    **more: dict[str, Any],
) -> dict[str, Any]:
    """A plan with workloads, each a kind and its volumes, on multi-host slices where the kind has them.

    ``more`` are further keys of a workload, by its name.
    """
    items = {
        name: {"slices": "many", **KINDS[kind], "volumes": volumes, **more.get(name, {})}
        for name, (kind, volumes) in workloads.items()
    }
    pools = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    return workload_plan(_SLICES, items, mode=mode, kubernetes=kubernetes or {}, **pools)


def objects_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a plan, without the examples."""
    result = checked(plan)
    assert not result.has_errors, result.findings
    every = [item for cluster in manifests_of(result) for item in cluster.manifests]
    return [item.object for item in every if item.concern != "examples"]


def pod_templates(item: object) -> list[dict[str, Any]]:
    """The Pod templates in an object, at any depth: the mappings whose ``spec`` has containers."""
    if isinstance(item, list):
        return [found for inner in item for found in pod_templates(inner)]
    if not isinstance(item, dict):
        return []
    spec = item.get("spec")
    own = [item] if isinstance(spec, dict) and "containers" in spec else []
    return own + [found for inner in item.values() for found in pod_templates(inner)]
