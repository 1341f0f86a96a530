"""Fixes of damaged files: no traceback, never more errors, and the same result again."""

import datetime
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_mutations import INVENTORY, ORGANIZATION, SEEDS, as_yaml, damaged_data, damaged_text

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY as INVENTORY_KIND
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION as ORGANIZATION_KIND
from pulumi_gke_tpu.core.plan.files.mending import Edit, Mender
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.workflows import fixing
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, fixed_text
from pulumi_gke_tpu.core.workflows.kept import Mark, is_all_kept

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
FIXER = Fixer(CATALOG, TODAY)


def errors(file: FixableFile) -> int:
    findings = check_plan(read_plan_content(file.content, file.name), CATALOG, TODAY).findings
    return sum(finding.severity is Severity.ERROR for finding in findings)


def check(content: bytes) -> None:
    file = FixableFile("plan.yaml", content)
    report = FIXER.fix([file])
    (after,) = report.after
    is_read = read_plan_content(content, "plan.yaml").yaml is not None
    assert after.content == content or errors(after) <= errors(file) or not is_read
    assert FIXER.fix([after]).after == (after,) or errors(FIXER.fix([after]).after[0]) < errors(after)


@given(damaged_text())
def test_damaged_text_never_becomes_worse(content: bytes) -> None:
    check(content)


@given(damaged_data(), st.booleans())
def test_damaged_data_never_becomes_worse(data: object, flow: bool) -> None:
    check(as_yaml(data, flow))


@given(damaged_data(seeds=(INVENTORY,)))
def test_a_damaged_inventory_causes_no_traceback(data: object) -> None:
    plan = FixableFile("plan.yaml", SEEDS[0].read_bytes())
    report = FIXER.fix([plan, FixableFile("inventory.yaml", as_yaml(data), INVENTORY_KIND)])
    assert len(report.after) == 2


@given(damaged_data(seeds=(ORGANIZATION,)))
def test_a_damaged_organization_file_causes_no_traceback(data: object) -> None:
    plan = FixableFile("plan.yaml", SEEDS[0].read_bytes())
    report = FIXER.fix([plan, FixableFile("organization.yaml", as_yaml(data), ORGANIZATION_KIND)])
    assert len(report.after) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"version: 1\nclusters: {}",
        b"a: &a [*a, *a]\n",
        b"version: 1\nclusters: &x {a: &y {b: [" + b"[" * 500 + b"]}}\n",
        b"clusters: \xef\xbf\xbe\n",
        b"\r\rversion 1\n",
        b"version: 1\nproject: acme-ml\nclusters:\n\ttrain: {mode: standart}\n",
    ],
)
def test_odd_content_causes_no_traceback(content: bytes) -> None:
    check(content)


def test_expanded_aliases_are_not_followed() -> None:
    """Nine levels of nine aliases are a billion entries."""
    levels = "".join(f"  l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 10))
    text = f"version: 1\nproject: acme-ml\nx:\n  l0: &l0 [a]\n{levels}clusters:\n  t: {{mode: Standard}}\n"
    check(text.encode())


def test_two_fixes_in_one_line_are_both_applied() -> None:
    text = SEEDS[-1].read_text(encoding="utf-8").replace("mode: standard", "mode: Standard", 1)
    findings = check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG, TODAY).findings
    assert fixed_text(text, [finding for finding in findings if finding.only_fix])[1] == 1


@pytest.mark.parametrize("lost", ["resource_labels: {team: ml}\n", "# on top\n", "  dev: {mode: autopilot}\n"])
def test_nothing_is_written_if_a_fix_takes_out_something_else(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a fix keeps does not depend on the code that applies it."""
    text = (
        "# on top\nversion: 1\nresource_labels: {team: ml}\nproject: acme-ml\nclusters:\n"
        "  dev: {mode: autopilot}\n  train: {mode: Standard, location: us-east5}\n"
    )
    file = FixableFile("plan.yaml", text.encode())
    assert FIXER.fix([file]).applied == 1
    at = text.index(lost)
    damage(monkeypatch, lambda mender, edits: (Edit(at, at + len(lost), ""), *edits))
    assert FIXER.fix([file]).after == (file,)


def test_a_fix_that_takes_out_something_else_does_not_prevent_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    text = _clusters(3)
    at, first = text.index("project"), text.index("mode: Standard")

    def damaged(_: Mender, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        return (Edit(at, at + len("project: acme-ml\n"), ""), *edits) if edits[0].start == first else edits

    damage(monkeypatch, damaged)
    after = FIXER.fix([FixableFile("plan.yaml", text.encode())]).after[0]
    assert after.text == text.replace("Standard", "standard").replace("standard", "Standard", 1)


def damage(monkeypatch: pytest.MonkeyPatch, damaged: Callable[[Mender, tuple[Edit, ...]], tuple[Edit, ...]]) -> None:
    """Make every fix do something else too."""
    whole = Mender.edits
    monkeypatch.setattr(Mender, "edits", lambda mender, *given: damaged(mender, whole(mender, *given)))


def test_the_fixes_of_a_file_are_checked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the whole file for each fix takes long in a file with many."""
    calls: list[int] = []

    def counted(before: str, after: str, marks: Sequence[Mark]) -> bool:
        calls.append(len(marks))
        return is_all_kept(before, after, marks)

    monkeypatch.setattr(fixing, "is_all_kept", counted)
    assert FIXER.fix([FixableFile("plan.yaml", _clusters(50).encode())]).applied == 50
    assert calls == [50]


def _clusters(number: int) -> str:
    """A plan with one mistake in each cluster."""
    clusters = "".join(f"  c{index}: {{mode: Standard, location: us-east5}}\n" for index in range(number))
    return f"version: 1\nproject: acme-ml\nclusters:\n{clusters}"
