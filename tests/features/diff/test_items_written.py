"""How keys and values of a plan are spelled where they are shown as changed."""

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_edits import document

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import format_duration, parse_duration
from pulumi_gke_tpu.core.plan.capacity import FlexStart
from pulumi_gke_tpu.core.plan.interfaces import AdditionalNetwork
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.diff.narrative.written import spelled, step, written_in_cluster, written_in_group

CLUSTER = "mode: standard\nlocation: us-east5\n"
GROUP = "tpu: v6e\ntopology: 4x4\n"


def derived(text: str) -> tuple[Plan, Fleet]:
    plan = document(text).content
    assert plan is not None
    return plan, derive(plan, read_catalog())


def cluster_keys(before: str, after: str) -> list[tuple[str, str, str]]:
    (was, base), (will, head) = derived(before), derived(after)
    found = written_in_cluster(base.clusters[0], head.clusters[0], was, will)
    return [(item.key, item.was, item.will) for item in found]


def group_keys(before: str, after: str) -> list[tuple[str, str, str]]:
    (_, base), (_, head) = derived(before), derived(after)
    found = written_in_group(base.clusters[0].groups[0], head.clusters[0].groups[0])
    return [(item.key, item.was, item.will) for item in found]


UTC = datetime.timezone.utc


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (0, "0"),
        (0.5, "0.5"),
        ("", ""),
        ("two words", "two words"),
        (datetime.date(2026, 12, 1), "2026-12-01"),
        (datetime.datetime(2026, 12, 1, 2, 30, tzinfo=UTC), "2026-12-01T02:30:00Z"),
        (datetime.datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
        (datetime.timedelta(days=7), "7d"),
        ([], "[]"),
        (["a", "b, c", ""], '[a, "b, c", ""]'),
        ({"a": None, "b c": [1]}, '{a: null, "b c": [1]}'),
        (AdditionalNetwork(network="a", subnetwork="b: c"), '{network: a, subnetwork: "b: c"}'),
        (FlexStart(), "{}"),
        ("a\x1b[31m\u202e", "a\\x1b[31m\\u202e"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert spelled(value) == text


@given(st.integers(0, 10**7))
def test_durations_are_read_back(seconds: int) -> None:
    value = datetime.timedelta(seconds=seconds)
    assert parse_duration(format_duration(value)) == value


@given(st.text(max_size=20), st.text(max_size=20))
def test_keys_and_values_are_safe_to_print(name: str, value: str) -> None:
    assert printable(step("node_labels", name), 1000) == step("node_labels", name)
    assert printable(spelled(value), 1000) == spelled(value)


MAINTAINED = f"{CLUSTER}maintenance:\n  window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}\n"
EXCLUDED = f"""{MAINTAINED}\
  exclusions:
    run: {{start: 2026-12-01T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}}
"""
PLAN = """\
version: 1
project: acme-ml
resource_labels: {team: a}
clusters:
  train: {mode: standard, location: us-east5}
"""


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        (CLUSTER, CLUSTER, []),
        (
            MAINTAINED,
            EXCLUDED,
            [
                ("maintenance.exclusions.run.start", "", "2026-12-01T00:00:00Z"),
                ("maintenance.exclusions.run.end_of_support", "", "true"),
                ("maintenance.exclusions.run.scope", "", "no_minor_upgrades"),
            ],
        ),
        (
            MAINTAINED,
            CLUSTER,
            [
                ("maintenance.window.start", "2026-01-03T02:00:00Z", ""),
                ("maintenance.window.duration", "6h", ""),
            ],
        ),
        (CLUSTER, f"{CLUSTER}network: create\n", [("private_nodes", "false", "true"), ("network.create", "", "{}")]),
        (
            f"{CLUSTER}network: create\n",
            f"{CLUSTER}network: {{network: a, subnetwork: b}}\n",
            [
                ("network.create", "{}", ""),
                ("network.existing.network", "", "a"),
                ("network.existing.subnetwork", "", "b"),
            ],
        ),
        (f"{CLUSTER}network: create\n", f"{CLUSTER}network: create\nprivate_nodes: true\n", []),
        (
            f"{CLUSTER}addons: [gcs_fuse, ray_operator]\n",
            f"{CLUSTER}addons: [lustre, gcs_fuse]\n",
            [("addons", "ray_operator", ""), ("addons", "", "lustre")],
        ),
        (CLUSTER, f"{CLUSTER}name: train\n", []),
        (PLAN, PLAN.replace("team: a", "team: b"), [("resource_labels.team", "a", "b")]),
        (PLAN, PLAN.replace("acme-ml", "acme-mx"), [("project", "acme-ml", "acme-mx")]),
        (
            f"{CLUSTER}control_plane: {{authorized_networks: {{office: 203.0.113.0/24}}}}\n",
            f"{CLUSTER}control_plane: {{authorized_networks: {{office: 203.0.113.0/25}}}}\n",
            [("control_plane.authorized_networks.office", "203.0.113.0/24", "203.0.113.0/25")],
        ),
        (
            f"{CLUSTER}extra: {{a: {{b: [1, 2], c: x}}}}\n",
            f"{CLUSTER}extra: {{a: {{b: [2, 1], d: x}}}}\n",
            [("extra.a.b", "[1, 2]", "[2, 1]"), ("extra.a.c", "x", ""), ("extra.a.d", "", "x")],
        ),
    ],
)
def test_keys_of_a_cluster(before: str, after: str, keys: list[tuple[str, str, str]]) -> None:
    assert cluster_keys(before, after) == keys


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        (GROUP, "tpu: v5e\ntopology: 4x4\n", [("tpu", "v6e", "v5e")]),
        (
            "tpu: v6e\ntopology: 2x4\nchips_per_host: 4\n",
            "tpu: v6e\ntopology: 2x4\nchips_per_host: 8\n",
            [("chips_per_host", "4", "8")],
        ),
        (
            "tpu: v6e\ntopology: 2x4\nmachine_type: ct6e-standard-4t\n",
            "tpu: v6e\ntopology: 2x4\nmachine_type: ct6e-standard-8t\n",
            [("machine_type", "ct6e-standard-4t", "ct6e-standard-8t")],
        ),
        (
            "tpu: v6e\ntopology: 2x4\nmachine_type: ct6e-standard-4t\n",
            "tpu: v6e\ntopology: 2x4\nchips_per_host: 4\n",
            [],
        ),
        (GROUP, f"{GROUP}name: pretrain\n", []),
        (f"{GROUP}indices: [0, 2]\n", f"{GROUP}indices: [0, 3]\n", [("indices", "[0, 2]", "[0, 3]")]),
        (f"{GROUP}capacity: queued\n", f"{GROUP}capacity: flex_start\n", [("capacity", "queued", "flex_start")]),
        (
            f"{GROUP}capacity: flex_start\n",
            f"{GROUP}capacity: {{flex_start: {{queued: true}}}}\n",
            [("capacity.flex_start.queued", "false", "true")],
        ),
        (
            f"{GROUP}capacity: spot\n",
            f"{GROUP}capacity: {{reservation: {{name: a, block: b}}}}\n",
            [("capacity", "spot", "{reservation: {name: a, block: b}}")],
        ),
        (
            f"{GROUP}additional_networks: [{{network: a, subnetwork: b}}]\n",
            GROUP,
            [("additional_networks", "[{network: a, subnetwork: b}]", "[]")],
        ),
        (
            f"{GROUP}node_labels: {json.dumps({'a': 'x'})}\n",
            f"{GROUP}node_labels: {json.dumps({'a': '| `@all` <b>'})}\n",
            [("node_labels.a", "x", "| `@all` <b>")],
        ),
    ],
)
def test_keys_of_a_group(before: str, after: str, keys: list[tuple[str, str, str]]) -> None:
    assert group_keys(before, after) == keys
