"""Rules about facts that a plan states about the cluster of another plan."""

import datetime
from pathlib import Path

from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog

SHARED = "projects/acme-ml/locations/us-east5/clusters/shared"

TODAY = datetime.date(2026, 11, 20)

CENTRAL = SHARED.replace("us-east5", "us-central1")


def test_a_fact_is_compared_with_the_plan_that_creates_the_cluster_whatever_else_exists(
    catalog: Catalog, tmp_path: Path
) -> None:
    made = "mode: standard\nlocation: us-east5\nname: shared\nrelease_channel: stable\n"
    channels = {"elsewhere": (CENTRAL, "rapid"), "wrong": (SHARED, "rapid"), "right": (SHARED, "stable")}
    keys = "".join(
        f"  {name}:\n    mode: standard\n    existing: {existing}\n    release_channel: {channel}\n"
        for name, (existing, channel) in channels.items()
    )
    example = f"{made}--- plan\nversion: 1\nproject: acme-ml\nclusters:\n{keys}"
    findings = findings_about(example, catalog, tmp_path, TODAY)
    assert [item.path for item in findings if item.rule == "TPU846"] == [("clusters", "wrong", "release_channel")]
