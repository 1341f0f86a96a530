"""The rules of reading: every one that the reader can report is in the list, and the files as such are covered."""

import pathlib
import re
from collections.abc import Callable

import pytest

import pulumi_gke_tpu
from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_in
from pulumi_gke_tpu.core.rules.files.providers import NOT_BY_GOOGLE
from pulumi_gke_tpu.core.rules.files.reading import (
    INCOMPLETE_PLAN,
    MOVED,
    NOTHING_READ,
    POOL_DIFFERS,
    POOL_NOT_PLANNED,
)
from pulumi_gke_tpu.core.rules.files.scripts import REFUSED_COMMAND, SCRIPT_ENDS_EARLY
from pulumi_gke_tpu.core.rules.files.status import IN_ERROR
from pulumi_gke_tpu.core.text.findings import Finding, Severity

ELSEWHERE = (
    MOVED,
    INCOMPLETE_PLAN,
    NOTHING_READ,
    POOL_DIFFERS,
    POOL_NOT_PLANNED,
    REFUSED_COMMAND,
    SCRIPT_ENDS_EARLY,
    IN_ERROR,
    NOT_BY_GOOGLE,
)
"""Rules about files that other parts report."""
RULES = [rule for rule in rules_in("pulumi_gke_tpu.core.rules.files") if rule.check is None and rule not in ELSEWHERE]
Check = Callable[[str], tuple[Finding, ...]]

PACKAGE = pathlib.Path(pulumi_gke_tpu.__path__[0])
A_PLAN = "version: 1\nproject: acme-ml\nclusters:\n  dev: {mode: autopilot, location: us-central1}\n"


def reported(folder: str) -> set[str]:
    """The ids in the code of the reader."""
    texts = [path.read_text(encoding="utf-8") for path in (PACKAGE / folder).rglob("*.py")]
    return {id for text in texts for id in re.findall(r'"(TPU0\d\d)"', text)}


def test_the_list_is_what_the_reader_reports() -> None:
    assert {rule.id for rule in RULES} == reported("core/text/yamlfile") | reported("core/plan")


def test_all_of_them_are_errors_without_a_check() -> None:
    assert all(rule.check is None and rule.severity is Severity.ERROR for rule in RULES)


def test_only_files_as_such_have_no_example() -> None:
    assert [rule.id for rule in RULES if rule.scope.breakable == "file"] == ["TPU001", "TPU002"]


def test_a_folder_or_a_missing_file_cannot_be_read(tmp_path: pathlib.Path) -> None:
    for path in (tmp_path, tmp_path / "missing.yaml"):
        assert [finding.rule for finding in read_plan(path, "plan.yaml").findings] == ["TPU001"]


@pytest.mark.parametrize("content", [A_PLAN.encode("utf-16"), A_PLAN.encode("utf-16-le"), b"\xe9: 1\n"])
def test_a_file_in_another_encoding_is_refused(content: bytes, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(content)
    assert [finding.rule for finding in read_plan(path, "plan.yaml").findings] == ["TPU002"]


def test_a_byte_order_mark_of_utf8_does_no_harm(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(A_PLAN.encode("utf-8-sig"))
    assert read_plan(path, "plan.yaml").findings == ()


@pytest.mark.parametrize(
    ("keys", "message", "fix"),
    [
        ('indices: ["0", 1]', "`indices[0]` must be a whole number, without a unit", "0"),
        ('protect: "false"', "`protect` must be true or false", "protect: false"),
        ("protect: 'no'", "`protect` must be true or false", "protect: false"),
        ("node_labels: {stage: 1}", "`stage` must be a string; YAML reads the value as a number", 'stage: "1"'),
        (
            "taints: ['a=b:NoSchedule']",
            "invalid `taints[0]`: 'a=b:NoSchedule'",
            "{key: a, value: b, effect: NoSchedule}",
        ),
        ("network_profile: Auto", "invalid `network_profile`: Auto", "network_profile: auto"),
    ],
)
def test_the_fix_replaces_the_invalid_value(keys: str, message: str, fix: str, check: Check) -> None:
    (finding,) = check(f"tpu: v6e\ntopology: 4x4\n{keys}")
    assert (finding.message, finding.fix) == (message, fix)


def test_the_fix_for_a_list_entry_is_an_entry(check: Check) -> None:
    days = "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 12h, days: [sat]}}"
    (finding,) = check(f"mode: standard\nlocation: us-east5\n{days}\n")
    assert (finding.message, finding.given, finding.fix) == ("invalid `days[0]`: sat", "days[0]: sat", "SAT")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tpu: v6e\ntopology: 4x4\nzone: us-east5-b\ncapacity: {reservation: }\n", ["`reservation` has no value"]),
        ("tpu: v6e\ntopology: 4x4\nzone: us-east5-b\nboot_disk:\n", ["`boot_disk` has no value"]),
        ("tpu: v6e\ntopology: 4x4\nzone: us-east5-b\ncapacity: {}\n", ["`capacity` must not be empty"]),
        ("tpu: v6e\ntopology: 4x4\nzone: us-east5-b\nboot_disk: null\nplacement: ~\n", []),
        ("tpu: v6e\ntopology: 4x4\nzone: us-east5-b\ncapacity: {flex_start: }\n", []),
        ("mode: standard\nlocation: us-east5\nnetwork:\n", ["`network` has no value"]),
        ("mode: standard\nlocation: us-east5\nnetwork: {create: }\n", ["`create` has no value"]),
    ],
)
def test_a_key_without_a_value_does_not_count_as_missing(text: str, expected: list[str], check: Check) -> None:
    assert [finding.message for finding in check(text) if finding.severity is Severity.ERROR] == expected


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        (
            "mode: standard\nlocation: us-east5\nnetwork: {network: shared, subnetwrok: tpu}",
            "unknown key `subnetwrok`",
            "subnetwork:",
        ),
        (
            "mode: standard\nlocation: us-east5\nnetwork: {netwrok: shared, subnetwork: tpu}",
            "unknown key `netwrok`",
            "network:",
        ),
    ],
)
def test_a_misspelled_key_in_a_shorthand_is_reported_once(text: str, message: str, fix: str, check: Check) -> None:
    (finding,) = check(text)
    assert (finding.message, finding.fix) == (message, fix)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("slices: 2", "`count` is the number of slices"),
        ("slices: a, ports: [8000, 9000]", "`ports: {NAME: 8000}`"),
        ("slices: a, volumes: [scratch]", "`volumes: {NAME: {...}}`"),
        (
            "slices: a, env: [{name: A, valueFrom: {secretKeyRef: {name: hf, key: token}}}]",
            "`env_from_secrets: {NAME: ",
        ),
        ("slices: a, env: {A: {secret: hf, key: token}}", "`env_from_secrets: {NAME: "),
    ],
)
def test_a_value_of_another_form_is_explained_by_the_key_that_takes_it(keys: str, why: str, check: Check) -> None:
    cluster = "mode: standard\nlocation: us-east5\nslices:\n  a: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
    (finding,) = check(f"{cluster}kubernetes: {{workloads: {{w: {{image: a, {keys}}}}}}}\n")
    assert (finding.rule, why in finding.why, finding.fix) == ("TPU022", True, "")


def test_an_item_after_a_dropped_one_keeps_its_place(check: Check) -> None:
    """The first entry is left out, and the second one is still the second in the file."""
    groups = "clusters:\n  dev: {mode: autopilot, location: us-central1}\n"
    entries = (
        "  - {rule: TPU203, reason: 7, until: 2026-12-01, more: {}}\n  - {rule: TPU000, reason: x, until: 2026-12-01}\n"
    )
    findings = {finding.rule: finding for finding in check(f"version: 1\nproject: acme-ml\n{groups}accept:\n{entries}")}
    assert findings["TPU903"].position is not None
    assert findings["TPU903"].position.line == 7
    assert findings["TPU903"].path == ("accept", 1, "rule")


def test_a_value_that_is_cut_by_commas_is_found_once(check: Check) -> None:
    window = "{start: 2026-01-03T02:00:00Z, duration: 12h, recurrence: FREQ=WEEKLY;BYDAY=FR,SA,SU}"
    (finding,) = check(f"mode: standard\nlocation: us-east5\nmaintenance: {{window: {window}}}")
    assert (finding.rule, finding.fix) == ("TPU025", 'recurrence: "FREQ=WEEKLY;BYDAY=FR,SA,SU"')


@pytest.mark.parametrize(
    ("key", "fix"),
    [("protect: no", "false"), ("count: 010", "10"), ("name: no", '"no"'), ("node_labels: {a: on}", '"on"')],
)
def test_a_value_that_readers_disagree_on_is_fixed_as_its_key_needs_it(key: str, fix: str, check: Check) -> None:
    (finding,) = check(f"tpu: v6e\ntopology: 4x4\n{key}")
    assert (finding.rule, finding.fix) == ("TPU011", fix)
