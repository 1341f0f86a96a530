"""Explanations as plain data for programs."""

from typing import Any

from pulumi_gke_tpu.explain.values.steps import Evidence, Explanation, Remark, Step

FORMAT = 1
"""The version of the form. A new key keeps it; a key that goes away or changes its meaning raises it."""


def explain_json(explanation: Explanation) -> dict[str, Any]:
    """Give an explanation as data that ``json.dumps`` takes. Every key is always there."""
    return {
        "format": FORMAT,
        "item": explanation.item,
        "kind": explanation.kind,
        "summary": explanation.summary,
        "catalog": explanation.catalog,
        "steps": [_step(step) for step in explanation.steps],
        "notes": [_remark(remark) for remark in explanation.remarks],
        "paste": explanation.paste,
        "problem": explanation.problem,
        "more": list(explanation.more),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "value": step.value,
        "because": step.because,
        "details": list(step.details),
        "evidence": [_evidence(fact) for fact in step.evidence],
    }


def _evidence(fact: Evidence) -> dict[str, Any]:
    return {
        "sources": [{"title": source.title, "url": source.url} for source in fact.sources],
        "as_of": fact.as_of,
        "confidence": fact.confidence,
        "note": fact.note,
        "conflict": fact.conflict,
    }


def _remark(remark: Remark) -> dict[str, Any]:
    return {"id": remark.id, "text": remark.text, "evidence": _evidence(remark.evidence)}
