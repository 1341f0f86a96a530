"""The file of ``gke-tpu evidence``, and the text of an issue about what contradicts the catalog."""

from pulumi_gke_tpu.core.catalog.records.evidence import EVIDENCE_FACTS, EvidenceRun, Observation
from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.core.text.findings.emit import flow


def evidence_file(run: EvidenceRun) -> str:
    """The file as YAML, with the outcome of each fact as a comment."""
    lines = [
        "# Written by gke-tpu evidence: words of gke-tpu and its catalog only, no name of yours.",
        f"month: {flow(run.month)}",
        f"gke_tpu: {flow(run.gke_tpu)}",
        f"catalog: {flow(run.catalog)}",
        "observations:" if run.observations else "observations: []",
    ]
    for each in run.observations:
        lines.append(f"  - fact: {each.fact}  # {each.outcome}: {EVIDENCE_FACTS[each.fact]}")
        lines.append(f"    of: {flow(each.of)}")
        lines += [f"    predicted: {flow(each.predicted)}"] if each.predicted else []
        lines.append(f"    seen: {flow(list(each.seen))}")
    lines += [f"# Not seen: {', '.join(run.not_seen)}"] if run.not_seen else []
    return "\n".join(lines) + "\n"


def issue_text(run: EvidenceRun) -> str:
    """The text of an issue in Markdown; empty if nothing contradicts the catalog."""
    wrong = [each for each in run.observations if each.outcome == "contradicted"]
    if not wrong:
        return ""
    lines = [
        f"GKE differs in {number(len(wrong), 'fact')} from the catalog {run.catalog} "
        f"(gke-tpu {run.gke_tpu}, {run.month}).",
        "",
        "| fact | of | predicted | seen |",
        "|---|---|---|---|",
        *(_row(each) for each in wrong),
    ]
    return "\n".join(lines) + "\n"


def _row(each: Observation) -> str:
    return f"| {EVIDENCE_FACTS[each.fact]} | `{each.of}` | `{each.predicted}` | `{'`, `'.join(each.seen)}` |"
