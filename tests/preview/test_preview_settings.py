"""A preview shows the settings that differ from the default, in every format."""

import datetime
import json

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import find_item
from pulumi_gke_tpu.features.plan.preview.document import Parts, preview_markdown, preview_text
from pulumi_gke_tpu.features.plan.preview.json import preview_json

TODAY = datetime.date(2026, 11, 22)
PLAN = """\
version: 1
project: acme-ml
TOP
clusters:
  train:
    mode: standard
    location: us-east5
    network: create
    additional_networks: {data: {subnet: 10.64.0.0/20}}
    CLUSTER
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: r}, GROUP}
"""
ACKNOWLEDGE = "acknowledge: [{change: delete, of: train/main, reason: over, until: UNTIL}]"


def shown(top: str = "", cluster: str = "private_nodes: true", group: str = "count: 1") -> tuple[str, str, str]:
    text = PLAN.replace("TOP", top).replace("CLUSTER", cluster).replace("GROUP", group)
    checked = check_plan(read_plan_content(text.replace("\n\n", "\n").encode(), "plan.yaml"), read_catalog(), TODAY)
    preview = preview_checked(checked, ())
    in_text = " ".join(preview_text(preview, Parts(nodes=True), width=400, color=False).split())
    return in_text, preview_markdown(preview, resources=False), json.dumps(preview_json(preview, resources=False))


def in_all(words: str, data: str, **parts: str) -> None:
    text, markdown, document = shown(**parts)
    assert words in text
    assert words in markdown
    assert data in document


@pytest.mark.parametrize(
    ("words", "data", "group"),
    [
        ("labels team=ml, stage=train", '"stage": "train"', "node_labels: {team: ml, stage: train}"),
        (
            "taints team=ml:NoSchedule, spare:NoExecute",
            '"team=ml:NoSchedule"',
            "taints: [{key: team, value: ml, effect: NO_SCHEDULE}, {key: spare, effect: NO_EXECUTE}]",
        ),
        ("boot disk hyperdisk-balanced, 200 GiB", "200 GiB", "boot_disk: {type: hyperdisk-balanced, size_gib: 200}"),
        ("additional networks data", '"additional_networks": ["data"]', "additional_networks: [data]"),
    ],
)
def test_settings_of_a_group_are_shown(words: str, data: str, group: str) -> None:
    in_all(words, data, group=group)


def test_private_nodes_are_shown() -> None:
    in_all("private nodes", '"private_nodes": true')
    in_all("nodes with external IP addresses", '"private_nodes": false', cluster="private_nodes: false")


def test_a_rename_is_shown() -> None:
    in_all("moved from train/old", '"former_keys": ["train/old"]', top="moved: [{from: train/old, to: train/main}]")


def test_an_acknowledgement_that_lifts_a_protection_is_shown() -> None:
    valid = ACKNOWLEDGE.replace("UNTIL", "2026-11-23")
    in_all("protection lifted by an acknowledge entry", '"protection_lifted": true', top=valid)
    for other in ({"top": ACKNOWLEDGE.replace("UNTIL", "2026-11-21")}, {"top": valid, "group": "protect: false"}):
        text, markdown, _ = shown(**other)
        assert "lifted" not in text + markdown


def test_defaults_are_not_shown() -> None:
    text, markdown, _ = shown(cluster="release_channel: regular")
    assert not any(word in text + markdown for word in ("taints", "; labels", "moved", "boot disk", "lifted"))


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("2026-12-01T00:00:00Z", "2026-12-21T00:00:00Z", "1 Dec 2026 through 20 Dec 2026"),
        ("2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z", "freeze: 1 Dec 2026 ("),
        ("2026-12-01T00:00:00Z", "2026-12-21T12:30:00Z", "1 Dec 2026 00:00 to 21 Dec 2026 12:30 UTC"),
        ("2026-12-01T06:00:00Z", "2026-12-21T00:00:00Z", "1 Dec 2026 06:00 to 21 Dec 2026 00:00 UTC"),
    ],
)
def test_the_period_of_an_exclusion_ends_before_its_end(start: str, end: str, words: str) -> None:
    window = "window: {start: 2026-01-03T02:00:00Z, duration: 12h}"
    exclusion = f"exclusions: {{freeze: {{start: {start}, end: {end}, scope: no_upgrades}}}}"
    text, markdown, _ = shown(cluster=f"maintenance: {{{window}, {exclusion}}}")
    assert words in text
    assert words in markdown


def test_explain_names_the_additional_networks_of_a_group() -> None:
    text = PLAN.replace("TOP\n", "").replace("    CLUSTER\n", "").replace("GROUP", "additional_networks: [data]")
    catalog = read_catalog()
    checked = check_plan(read_plan_content(text.encode(), "plan.yaml"), catalog, TODAY)
    assert checked.document.content is not None
    assert checked.fleet is not None
    item = find_item(checked.document.content, "train/main")
    steps = {
        step.name: step.value for step in explain_item(checked.document.content, checked.fleet, catalog, item).steps
    }
    assert steps["additional_networks"] == "data (created with the cluster)"
