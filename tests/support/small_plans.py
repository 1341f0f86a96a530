"""Plans for the tests of comparisons: one cluster with one slice group, and single edits of it."""

from typing import Any

TODAY = ("--today", "2026-11-20")


def plan(topology: str = "4x4", *, project: str = "acme-ml", cluster: str = "train", **more: Any) -> str:
    """A plan; ``more`` are further keys of its slice group, as YAML."""
    keys = "".join(f", {key}: {value}" for key, value in more.items())
    return (
        f"version: 1\nproject: {project}\nclusters:\n  {cluster}:\n    mode: standard\n    location: us-east5\n"
        "    slices:\n"
        f"      pretrain: {{tpu: v6e, topology: {topology}, zone: us-east5-b{keys}}}\n"
    )


BASE = plan("4x4")
REPLACING = plan("4x8")
CHEAP = BASE.replace("acme-ml\n", "acme-ml\nresource_labels: {team: research}\n")
BROKEN = plan("4x5")
RESERVED = plan("4x4", capacity="{reservation: ours}")
"""Protected, since its capacity is reserved."""
