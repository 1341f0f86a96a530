"""Values of flags of gcloud: what each becomes, and how it is written back."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.gcloud_values import flag_text, flag_value
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART

FACTS = read_catalog().gcloud
FLAGS = {name: flag for group in FACTS.groups.values() for name, flag in group.sets.items()}


def taint(key: str, value: Any, effect: Any) -> dict[str, Any]:
    return {"key": key, "value": value, "effect": effect}


@pytest.mark.parametrize(
    ("flag", "text", "value"),
    [
        ("--tags", "a,b", ["a", "b"]),
        ("--machine-type", "ct6e-standard-4t", "ct6e-standard-4t"),
        ("--num-nodes", "4", 4),
        ("--host-maintenance-interval", "as-needed", "AS_NEEDED"),
        ("--node-labels", "a=b,c=d", {"a": "b", "c": "d"}),
        (
            "--node-taints",
            "a=b:NoExecute,c=:NoSchedule",
            [taint("a", "b", "NO_EXECUTE"), taint("c", "", "NO_SCHEDULE")],
        ),
    ],
)
def test_a_value_is_written_as_it_is_read(flag: str, text: str, value: object) -> None:
    assert flag_value(FLAGS[flag], text, FACTS) == value
    assert flag_text(flag, FLAGS[flag], value) == f"{flag}={text}"


@pytest.mark.parametrize(
    ("flag", "value", "text"),
    [
        ("--enable-gvnic", True, "--enable-gvnic"),
        ("--enable-gvnic", False, "--no-enable-gvnic"),
        ("--enable-dataplane-v2", "ADVANCED_DATAPATH", "--enable-dataplane-v2"),
        ("--enable-dataplane-v2", "LEGACY_DATAPATH", "--no-enable-dataplane-v2"),
    ],
)
def test_a_switch_is_written_without_a_value(flag: str, value: object, text: str) -> None:
    assert flag_text(flag, FLAGS[flag], value) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (UNKNOWN_PART, UNKNOWN),
        (f"a={UNKNOWN_PART}:NoSchedule", taint("a", UNKNOWN, "NO_SCHEDULE")),
        (f"a=b:{UNKNOWN_PART}", taint("a", "b", UNKNOWN)),
    ],
)
def test_a_part_of_a_taint_that_is_not_known_leaves_the_others(text: str, found: object) -> None:
    assert flag_value(FLAGS["--node-taints"], text, FACTS) == [found]
