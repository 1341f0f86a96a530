"""Compares two sets of plan files: what changes, and which findings are new with it."""

from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, sort_findings
from pulumi_gke_tpu.core.workflows.plan_file import PlanFile, pair_files
from pulumi_gke_tpu.features.diff.comparison.change_report import change_findings, diff_pairs, engine_view_of
from pulumi_gke_tpu.features.diff.comparison.checked_pair import check_pair, new_findings_across, proposed_standards
from pulumi_gke_tpu.features.diff.comparison.options import DiffOptions
from pulumi_gke_tpu.features.diff.comparison.previewed_pair import preview_pair
from pulumi_gke_tpu.features.diff.engine.report import Report


@frozen
class Comparison:
    """What changes, and the findings about it."""

    report: Report
    findings: tuple[Finding, ...]
    """About the plans after the change, if they are new with it, and about the change."""


def compare_files(
    base: Mapping[str, PlanFile],
    head: Mapping[str, PlanFile],
    options: DiffOptions,
    *,
    base_name: str,
    head_name: str,
    notes: Iterable[str] = (),
) -> Comparison:
    """Compare plan files before and after a change. Files belong together by their keys.

    A plan with errors after the change is not compared. One with errors before it is compared as far as it can be
    derived whole. What is left out is in ``unclear`` of the report, and in none of its totals. ``notes`` are added to
    those of the report.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    pairs = [check_pair(files, options) for files in pair_files(base, head)]
    previewed = [preview_pair(pair, options) for pair in pairs]
    plans = [pair.plans for pair in previewed if pair.plans is not None]
    proposed = proposed_standards([pair.head for pair in pairs if pair.head is not None], options)
    both = list(zip(pairs, previewed, strict=True))
    change = diff_pairs(
        plans,
        options.catalog,
        inventory=options.owned,
        today=options.today,
        ack_from=options.ack_from,
        base_name=base_name,
        head_name=head_name,
        notes=(*(note for checked, shown in both for note in (*checked.notes, *shown.notes)), *proposed.notes, *notes),
        unclear=(entry for checked, shown in both for entry in (*checked.unclear, *shown.unclear)),
    )
    about_change = change_findings(plans, change, options.catalog, today=options.today, most_hosts=options.most_hosts)
    documents = {pair.name: pair.head.document for pair in pairs if pair.head}
    findings = [
        *(finding for pair in pairs if not pair.files.same for finding in pair.findings),
        *(pair.moved for pair in pairs if pair.moved is not None),
        *new_findings_across(pairs, options),
        *proposed.findings,
    ]
    for name, found in about_change.items():
        findings += documents[name].locate(found) if name in documents else found
    engine = engine_view_of(plans, change, options.engine_runs, options.catalog)
    return Comparison(Report(change, engine), sort_findings(findings))
