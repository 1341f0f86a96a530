"""A message about many slice groups, queues or pools lists a few, however many a plan has."""

import datetime
from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

MANY = [str(number) for number in range(40)]
IMAGE = "us-docker.pkg.dev/acme-ml/train/run:1"
LONGEST = 250
"""Characters of a message; one with all 40 names has more than 400."""


def cluster(capacity: Any) -> dict[str, Any]:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2, "capacity": capacity}
    pool = {"machine_type": "n2-standard-2", "nodes": 1, "zones": ["us-east5-b"]}
    groups = {f"g{name}": group for name in MANY}
    return {
        "mode": "standard",
        "location": "us-east5",
        "slices": groups,
        "cpu_pools": {f"p{name}": pool for name in MANY},
        "kubernetes": {
            "queues": {f"q{name}": {"chips": dict.fromkeys(groups, 64)} for name in MANY},
            "workloads": {
                "ray": {"kind": "raycluster", "slices": "g0", "image": IMAGE},
                "run": {"slices": "g1", "image": IMAGE, "count": 500, "queue": "q0"},
            },
        },
    }


def test_messages_about_many_items_are_short() -> None:
    budgets = {"ours": {"chips": 64, "reservation": "ours"}}
    clusters = {"a": cluster({"reservation": "ours"}), "b": cluster("spot")}
    document = parse_plan({"version": 1, "project": "acme-ml", "budgets": budgets, "clusters": clusters})
    findings = check_plan(document, read_catalog(), datetime.date(2026, 11, 20)).findings
    assert {"TPU704", "TPU874"} <= {finding.rule for finding in findings}
    assert {finding.message for finding in findings if len(finding.message) > LONGEST} == set()
