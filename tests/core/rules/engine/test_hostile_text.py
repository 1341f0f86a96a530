"""For every text of a user, every rule reports something printable or nothing, quickly."""

import copy
import datetime
import unicodedata
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from support.checking import validate
from support.work import function_calls

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan

TODAY = datetime.date(2026, 11, 20)
CATALOG = read_catalog()

PLAN = yaml.safe_load(
    """
version: 1
project: acme-ml
resource_labels: {team: research}
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "1.34"
    node_service_account: create
    kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/secrets
    notifications: projects/acme-ml/topics/upgrades
    fleet: acme-fleet
    network: {create: {mtu: 8896, subnet: 10.0.0.0/20, pods: 10.16.0.0/14, services: 10.20.0.0/20}}
    control_plane: {authorized_networks: {office: 203.0.113.0/24}}
    system_pool: {machine_type: n2-standard-4, zones: [us-east5-a], boot_disk_type: pd-balanced}
    autoprovisioning: {cpu: 9999, memory_gib: 99999, tpu: {v6e: 64}, zones: [us-east5-b]}
    addons: [gcs_fuse]
    maintenance:
      window: {start: "2026-01-03T02:00:00Z", duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"}
      exclusions:
        launch: {start: "2026-12-01T00:00:00Z", end: "2026-12-20T00:00:00Z"}
    extra: {cost_management_config: {enabled: true}}
    slices:
      pretrain:
        tpu: v6e
        topology: 4x4
        zone: us-east5-b
        name: pretrain
        capacity: {reservation: {name: ours}}
        boot_disk: {type: hyperdisk-balanced}
        node_labels: {team: research}
        resource_labels: {team: research}
        taints: [{key: team, value: research, effect: NO_SCHEDULE}]
        collection: {name: chat}
        extra: {node_config: {image_type: COS_CONTAINERD}}
"""
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], bool]]:
    """The way to every text of the plan, and to every key that people choose (True)."""
    found: list[tuple[tuple[Any, ...], bool]] = []
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        here = (*path, step)
        if isinstance(item, dict | list):
            found += places(item, here)
        elif isinstance(item, str):
            found.append((here, False))
    chosen = (
        "clusters",
        "slices",
        "authorized_networks",
        "tpu",
        "exclusions",
        "node_labels",
        "resource_labels",
        "extra",
    )
    if path and path[-1] in (*chosen, "node_config") and isinstance(value, dict):
        found += [((*path, step), True) for step in value]
    return found


PLACES = places(PLAN)


def changed(place: tuple[tuple[Any, ...], bool], text: str) -> dict[str, Any]:
    path, is_key = place
    plan: dict[str, Any] = copy.deepcopy(PLAN)
    target: Any = plan
    for step in path[:-1]:
        target = target[step]
    if is_key:
        target[text] = target.pop(path[-1])
    else:
        target[path[-1]] = text
    return plan


hostile = st.text(max_size=40) | st.sampled_from(
    [
        "\x1b[31mred",
        "a\u202eb",
        "a\x00b",
        "'\"`$(x)",
        "../..",
        "a/b/c",
        "%s{}",
        "1" * 5000,
        "x" * 5000,
        "٣",
        "{a: b}",
    ]
)


@given(st.sampled_from(PLACES), hostile)
@example((("clusters", "train", "maintenance", "window", "recurrence"), False), "FREQ=DAILY;BYDAY=" + "MO," * 160)
def test_findings_can_be_printed(place: tuple[tuple[Any, ...], bool], text: str) -> None:
    document = parse_plan(changed(place, text))
    findings = validate(document.content, CATALOG, today=TODAY) if document.content else ()
    for finding in findings:
        for shown in (finding.message, finding.given, finding.why, finding.source, *finding.allowed):
            assert not [char for char in shown if unicodedata.category(char)[0] == "C"], finding
        assert not [char for char in finding.fix if unicodedata.category(char)[0] == "C" and char != "\n"], finding
        yaml.safe_load(finding.fix)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place[0])) + "?" * place[1])
def test_a_value_cannot_close_the_backquotes_around_it(place: tuple[tuple[Any, ...], bool]) -> None:
    document = parse_plan(changed(place, "`A b` c"))
    findings = validate(document.content, CATALOG, today=TODAY) if document.content else ()
    assert [finding.message for finding in (*document.findings, *findings) if finding.message.count("`") % 2] == []
    assert not [finding for finding in (*document.findings, *findings) if "``" in finding.message]


def test_an_unknown_key_cannot_close_the_backquotes_around_it() -> None:
    plan = copy.deepcopy(PLAN)
    for mapping in (plan, plan["clusters"]["train"], plan["clusters"]["train"]["slices"]["pretrain"]):
        mapping["`A b` c"] = 1
    messages = [finding.message for finding in parse_plan(plan).findings]
    assert messages == ["unknown key `'A b' c`"] * 3


@pytest.mark.parametrize("value", ["5", "null", "[a]", "{a: 1}", "1.5", "2026-01-01"])
@pytest.mark.parametrize("mapping", ["slices", "resource_labels", "extra", "addons"])
def test_a_key_with_a_wrong_value_cannot_close_the_backquotes_around_it(mapping: str, value: str) -> None:
    text = f"version: 1\nproject: acme-ml\nclusters: {{train: {{mode: standard, {mapping}: {{'a`b': {value}}}}}}}\n"
    messages = [finding.message for finding in parse_plan(yaml.safe_load(text)).findings]
    assert messages
    assert [message for message in messages if message.count("`") % 2] == []


def test_the_plan_itself_is_good(catalog: Catalog) -> None:
    document = parse_plan(PLAN)
    assert document.content is not None
    assert document.findings == ()
    assert validate(document.content, catalog, today=TODAY) == ()


@pytest.mark.parametrize("scope", ["no_upgrades", "no_minor_upgrades"])
def test_thousands_of_exclusions_are_checked_quickly(scope: str, catalog: Catalog) -> None:
    def calls(exclusions: int) -> int:
        plan = copy.deepcopy(PLAN)
        plan["clusters"]["train"]["maintenance"]["exclusions"] = {
            f"e{number}": {"start": "2026-12-01T00:00:00Z", "end": "2026-12-20T00:00:00Z", "scope": scope}
            for number in range(exclusions)
        }
        document = parse_plan(plan)
        assert document.content is not None
        content = document.content
        assert [finding.rule for finding in validate(content, catalog, today=TODAY)] == ["TPU614"]
        return function_calls(lambda: validate(content, catalog, today=TODAY))

    assert calls(4000) < 2.5 * calls(2000)
