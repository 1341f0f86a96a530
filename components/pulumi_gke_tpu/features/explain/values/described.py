"""Explains what a plan describes in the words of its source, which has no plan."""

import dataclasses

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.workflows.described import DescribedDocument
from pulumi_gke_tpu.features.explain.steps import Explanation, Step

_IN_PLAN = lazy_pattern(r"\b(?:[a-z_.]{1,40}: [^;,:]{1,60} in|the (?:name )?key(?: of the cluster)? in) the plan\b")
"""A key of a plan that only the description has."""
_NO_COUNT = "the default, because the plan has no count"
_NAMES = lazy_pattern(r", with the name NAME-INDEX, also if there is only one \w+")


def in_source(shown: Explanation, document: DescribedDocument) -> Explanation:
    """The explanation of a described plan."""
    source = document.source
    short = source.partition(" of ")[0]

    def said(text: str) -> str:
        return _IN_PLAN.sub("from the plan", text).replace("the plan", f"the {short}")

    def step(each: Step) -> Step:
        because = each.because
        if each.name == "slices":
            because = because.replace(_NO_COUNT, "the number of its node pools")
        elif each.name == "node_pools":
            because = _NAMES.sub("", because)
        return dataclasses.replace(each, because=said(because), details=tuple(map(said, each.details)))

    return dataclasses.replace(
        shown,
        summary=shown.summary.replace("plan of project", f"{source} about project"),
        steps=tuple(map(step, shown.steps)),
        chain=tuple(map(step, shown.chain)),
    )
