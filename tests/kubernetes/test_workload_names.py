"""Names of workloads: what follows from the longest one that the plan accepts is accepted by the server."""

import pytest
from support.control_plane.client import Object
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.testbed import Testbed
from support.workload_plans import HEADS, TRAIN, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

pytestmark = pytest.mark.usefixtures("crds")

CATALOG = read_catalog()
WEIGHTS = {"mount": "/data", "disk": {"type": "hyperdisk-ml", "size_gib": 10, "access": "read_only_many"}}
LARGE = {**TRAIN, "topology": "16x16", "count": 12}
"""Slices and hosts whose numbers have two digits: names of Jobs and Pods end with them."""
KINDS = {
    "job": {**TRAIN, "topology": "16x16"},
    "jobset": LARGE,
    "leaderworkerset": LARGE,
    "deployment": {**TRAIN, "topology": "2x2", "count": 12},
    "raycluster": {**TRAIN, "count": 2},
    "rayjob": {**TRAIN, "count": 2},
    "pathways": LARGE,
}
LONGEST = 63


def named(name: str, kind: str) -> CheckedPlan:
    group = KINDS[kind]
    workload = {"slices": "one", "kind": kind, "count": group.get("count", 1), "volumes": {"data": WEIGHTS}}
    port = {"port": 8080} if kind in ("deployment", "leaderworkerset") else {}
    command = {"command": ["python"]} if kind == "rayjob" else {}
    cluster = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}}
    plan = workload_plan({"one": group}, {name: {**workload, **port, **command}}, **cluster)
    return check_plan(parse_plan(plan), CATALOG)


def objects_of(checked: CheckedPlan) -> list[Object]:
    assert checked.fleet is not None
    return [item.object for item in manifests(checked.fleet.clusters[0], CATALOG)]


def refused(bed: Testbed, checked: CheckedPlan) -> list[str]:
    objects = objects_of(checked)
    core = [part for item in objects for part in expand(item, bed.namespace)]
    return [words for item in (*objects, *core, *sample_pods(core)) if (words := bed.refusal(item))]


def longest_name(kind: str) -> str:
    """The longest name without an error."""
    return next(name for size in range(LONGEST, 0, -1) if not named(name := "a" * size, kind).has_errors)


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_accepts_what_follows_from_the_longest_name(bed: Testbed, kind: str) -> None:
    assert refused(bed, named(longest_name(kind), kind)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_accepts_what_follows_from_a_name_with_digits_and_hyphens(bed: Testbed, kind: str) -> None:
    for name in ("7b-train", "train-7b", "a"):
        checked = named(name, kind)
        assert checked.has_errors or refused(bed, checked) == [], name
