"""Rules about problems that other parts report before or beside the rules."""

from typing import Any

import pytest
import yaml
from support.checking import validate

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.reading.read import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.files.reading import moved
from pulumi_gke_tpu.core.text.findings import Finding, Severity

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {GROUP}
"""


def errors(group: str) -> list[Finding]:
    document = read_plan_content(PLAN.replace("{GROUP}", group).encode(), "plan.yaml")
    assert document.content is not None
    found = (*document.findings, *validate(document.content, read_catalog()))
    return [finding for finding in found if finding.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("tpu", "chips", "zone", "fix"),
    [
        ("v5p", "v5p-512", "us-east5-a", "topology: 4x8x8"),
        ("v5p", "tpu-v5p-slice 4x4x4", "us-east5-a", "topology: 4x4x4"),
        ("v6e", "v6e-16", "us-east5-b", "topology: 4x4"),
        ("v6e", "tpu-v6e-8", "us-east5-b", "topology: 2x4, chips_per_host: 8"),
        ("v6e", "v5p-512", "us-east5-b", "chips: 256"),
    ],
)
def test_the_fix_is_the_slice_of_the_name_or_its_chips_for_another_generation(
    tpu: str, chips: str, zone: str, fix: str
) -> None:
    (finding,) = errors(f"{{tpu: {tpu}, chips: {chips}, zone: {zone}}}")
    assert (finding.rule, finding.fix) == ("TPU022", fix)
    keys: dict[str, Any] = yaml.safe_load(f"{{{finding.fix}}}")
    pasted = ", ".join(f"{key}: {value}" for key, value in keys.items())
    assert errors(f"{{tpu: {tpu}, {pasted}, zone: {zone}}}") == []


def test_the_fix_keeps_the_form_that_the_plan_sets() -> None:
    (finding,) = errors("{tpu: v6e, chips: v6e-8, chips_per_host: 4, zone: us-east5-b}")
    assert finding.fix == "topology: 2x4"


@pytest.mark.parametrize(
    ("chips", "message", "fix"),
    [
        ("v5p-100", "invalid name `v5p-100`: no slice of v5p has 50 chips", ""),
        ("16 chips", "`chips` must be a whole number, without a unit", "chips: 16"),
        ("many", "`chips` must be a whole number, without a unit", ""),
    ],
)
def test_other_text_is_not_the_name_of_a_slice(chips: str, message: str, fix: str) -> None:
    finding = next(finding for finding in errors(f"{{tpu: v5p, chips: {chips}, zone: us-east5-a}}"))
    assert (finding.rule, finding.message, finding.fix) == ("TPU022", message, fix)


CATALOG = read_catalog()

WITH_A_GROUP = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 12h}
    slices:
      pretrain: {tpu: v6e, topology: 16x16, zone: us-east5-b, count: 2}
      serve: {tpu: v6e, topology: 4x4, zone: us-east5-a}
    kubernetes:
      queues:
        research: {chips: {pretrain: 512}}
      workloads:
        llama: {slices: pretrain, count: 2, image: train, queue: research}
    runs:
      llama: {slices: pretrain, start: 2020-12-03T08:00:00Z, duration: 10d}
"""


def found_in(text: str) -> list[tuple[str, str]]:
    document = read_plan_content(text.encode(), "plan.yaml")
    return [
        (finding.rule, ".".join(map(str, finding.path)))
        for finding in check_plan(document, CATALOG).findings
        if finding.rule != "TPU629"
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "finding"),
    [
        ("topology: 16x16", "topology: [a, b]", ("TPU022", "topology")),
        ("tpu: v6e, topology: 16x16", "tpu: {v6e: 1}, topology: 16x16", ("TPU022", "tpu")),
        ("count: 2}", "count: 3.5}", ("TPU022", "count")),
        ("count: 2}", "count: 2, boot_disk: {size_gib: much}}", ("TPU022", "boot_disk.size_gib")),
    ],
)
def test_a_group_with_an_error_is_not_reported_as_unknown(right: str, wrong: str, finding: tuple[str, str]) -> None:
    rule, key = finding
    assert found_in(WITH_A_GROUP) == []
    assert found_in(WITH_A_GROUP.replace(right, wrong, 1)) == [(rule, f"clusters.train.slices.pretrain.{key}")]


def test_a_reference_to_another_unknown_group_is_still_reported() -> None:
    text = WITH_A_GROUP.replace("topology: 16x16", "topology: [1, 2]").replace(
        "{slices: pretrain, count", "{slices: pre, count"
    )
    assert ("TPU700", "clusters.train.kubernetes.workloads.llama.slices") in found_in(text)


def test_a_mistake_in_another_group_is_still_reported() -> None:
    text = WITH_A_GROUP.replace("topology: 16x16", "topology: [1, 2]").replace("topology: 4x4", "topology: 4x3")
    assert ("TPU112", "clusters.train.slices.serve.topology") in found_in(text)


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        ("stacks/prod/plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks\\prod\\plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks/prod/plan.yaml", "stacks/$(reboot)/plan.yaml", ""),
        ("stacks/$(reboot)/plan.yaml", "stacks/prod/plan.yaml", ""),
        ("plan.yaml", "stacks/prod/plan.yaml", ""),
        ("stacks/prod/plan.yaml", "plan.yaml", ""),
    ],
)
def test_the_command_that_renames_a_stack_contains_only_names_that_a_shell_takes_literally(
    before: str, after: str, fix: str
) -> None:
    finding = moved(before, after)
    assert finding is not None
    assert finding.fix == fix


def test_a_plan_in_a_folder_of_the_same_name_is_the_same_stack() -> None:
    assert moved("stacks/prod/plan.yaml", "teams/prod/other.yaml") is None


TWO_QUEUES = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices: {pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}}
    kubernetes: {queues: {serving: {chips: {pretrain: 16}}, research: {chips: {pretrain: 16}}}}
"""
SERVING = "clusters.train.kubernetes.queues.serving"


@pytest.mark.parametrize("value", ["lots", "null", "16", "[pretrain]"])
@pytest.mark.parametrize(("key", "rule"), [("chips", "TPU022"), ("quota", "TPU020"), ("chisp", "TPU020")])
def test_a_queue_whose_chips_are_not_read_is_not_counted_as_the_whole_group(key: str, rule: str, value: str) -> None:
    text = TWO_QUEUES.replace("chips: {pretrain: 16}", f"{key}: {value}", 1)
    assert found_in(text) == [(rule, f"{SERVING}.{key}")]


@pytest.mark.parametrize("value", ["3", "{team: 1}", "team"])
@pytest.mark.parametrize("cluster", ["hub", "east"])
def test_namespaces_that_are_not_read_are_not_reported_as_missing(cluster: str, value: str) -> None:
    queues = "queues: {research: {namespaces: [team]}}"
    place = {"location": "us-east5", "mode": "standard"}
    group = "slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}"
    both = {"hub": f"multikueue: {{workers: {{east: {{}}}}}}, {queues}", "east": queues}
    both[cluster] = both[cluster].replace("[team]", value)
    start = ", ".join(f"{key}: {each}" for key, each in place.items())
    text = (
        f"version: 1\nproject: acme-ml\nclusters:\n  hub: {{{start}, kubernetes: {{{both['hub']}}}}}\n"
        f"  east: {{{start}, {group}, kubernetes: {{{both['east']}}}}}\n"
    )
    assert found_in(text) == [("TPU022", f"clusters.{cluster}.kubernetes.queues.research.namespaces")]


@pytest.mark.parametrize("value", ["yes", "99999999999999999999999999"])
def test_a_value_below_a_key_with_an_invisible_character_keeps_its_place(value: str) -> None:
    group = f"{{tpu: v6e, topology: 4x4, count: {value}, zone: us-east5-b}}"
    text = TWO_QUEUES.replace("slices: {", f'slices: {{"sweep\\u202e": {group}, ')
    assert found_in(text) == [
        ("TPU010", "clusters.train.slices"),
        ("TPU011", "clusters.train.slices.sweep.count"),
    ]
