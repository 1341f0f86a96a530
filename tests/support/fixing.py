"""Checks cases of the corpus, and applies the fixes that are offered for them."""

import datetime
import functools
from typing import Any

import yaml
from support.mistakes import Fixed, Mistake, base_text
from support.printed import OTHER_KINDS, Files, kind_in, offers_of

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.files.mending import CannotApplyError
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, FixReport

TODAY = datetime.date(2026, 11, 20)
_MOST_FIXES = 6


def files_of(mistake: Mistake, catalog: Catalog, text: str | None = None) -> Files:
    """The files of a case: its plan, or another file beside the plan that is right."""
    written = mistake.text if text is None else text
    if mistake.base not in OTHER_KINDS:
        return Files({"plan.yaml": written}, catalog, TODAY)
    return Files({"plan.yaml": base_text("standard"), f"{mistake.base}.yaml": written}, catalog, TODAY)


@functools.cache
def after_fix(mistake: Mistake, catalog: Catalog) -> FixReport:
    """What ``gke-tpu validate --fix`` does to the files of a case."""
    files = files_of(mistake, catalog)
    given = (FixableFile(name, text.encode(), kind_in(name)) for name, text in files.texts.items())
    return Fixer(catalog, TODAY).fix(tuple(given))


def errors_in(report: FixReport) -> list[Finding]:
    """The errors that remain."""
    return [finding for finding in report.findings if finding.severity is Severity.ERROR]


def is_unchanged(report: FixReport) -> bool:
    """Whether nothing was written."""
    return all(before.content == after.content for before, after in zip(report.before, report.after, strict=True))


def is_as_meant(report: FixReport, mistake: Mistake) -> bool:
    """Whether the file of a case says after the fixes what was meant.

    Other spellings of a value that mean the same, such as ``capacity: spot`` and ``capacity: {spot: true}``, are equal.
    """
    content = report.after[-1].content
    read = {"inventory": read_inventory_content, "organization": read_organization_content}.get(
        mistake.base, read_plan_content
    )
    found, meant = read(content, "file.yaml"), read(mistake.meant_text.encode(), "file.yaml")
    assert meant.content is not None, f"{mistake.id}: the meant file cannot be read"
    return not found.findings and found.content == meant.content


def outcome(mistake: Mistake, catalog: Catalog) -> Fixed:
    """What the fixes of a case do, applied one after the other as they are offered."""
    files = files_of(mistake, catalog)
    findings = files.checked()
    if not findings:
        return "valid"
    for _ in range(_MOST_FIXES):
        offers, _ = offers_of(findings)
        if not offers:
            break
        try:
            files = files.with_fix(offers[0])
        except CannotApplyError:
            return "no"
        findings = files.checked()
    if findings:
        return "no"
    said: Any = yaml.safe_load(files.texts[f"{mistake.base if mistake.base in OTHER_KINDS else 'plan'}.yaml"])
    return "as meant" if said == mistake.intended else "otherwise"
