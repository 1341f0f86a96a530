"""Entries of inventories, and plans with slices on them."""


def reservation(**changes: object) -> str:
    entry = {
        "name": "v6e-pretrain",
        "project": "acme-ml",
        "zone": "us-east5-b",
        "machine_type": "ct6e-standard-4t",
        "vms": 64,
    }
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in (entry | changes).items()) + "}\n"


def quota(metric: str = "tpus_per_tpu_family", limit: int = 64, **changes: object) -> str:
    entry: dict[str, object] = {"project": "acme-ml", "metric": metric, "region": "us-east5", "limit": limit}
    if metric == "tpus_per_tpu_family":
        entry["family"] = "CT6E"
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in (entry | changes).items()) + "}\n"


def cluster(*groups: str, mode: str = "standard", location: str = "us-east5", **keys: str) -> str:
    body = f"mode: {mode}\nlocation: {location}\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())
    return body + "slices:\n" + "".join(f"  g{index}: {{{group}}}\n" for index, group in enumerate(groups))


PRETRAIN = "tpu: v6e, topology: 16x16, zone: us-east5-b, capacity: {reservation: v6e-pretrain}"


def reserved(topology: str, count: str) -> str:
    return f"tpu: v6e, topology: {topology}, count: {count}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"


GROUPS = "version: 1\nproject: {project}\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"

OWNED = (
    "reservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64%s}\n"
)


def plan(*groups: str, project: str = "acme-ml") -> str:
    """Groups of v6e 8x8, which are 16 VMs a slice, each with these further keys."""
    body = "".join(
        f"      g{index}: {{tpu: v6e, topology: 8x8, zone: us-east5-b, {group}}}\n"
        for index, group in enumerate(groups)
    )
    return GROUPS.format(project=project) + body


def on(block: str = "", count: int = 1) -> str:
    return f"count: {count}, capacity: {{reservation: {{name: pool, project: acme-ml{block}}}}}"
