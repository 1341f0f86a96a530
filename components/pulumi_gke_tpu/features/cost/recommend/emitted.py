"""The plan of an option as YAML."""

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.findings.emit import emit_block
from pulumi_gke_tpu.features.cost.recommend.candidates import CALENDAR_RESERVATION, Need
from pulumi_gke_tpu.features.cost.recommend.search import PLACEHOLDER_PROJECT, Option, cluster_keys

_LONGEST = 1000


def emitted_plan(option: Option, need: Need) -> str:
    """A plan with the slices of an option in one cluster, with the warnings about them as comments."""
    candidate = option.candidate
    comments = [f"{remark.rule}: {printable(remark.message, _LONGEST)}" for remark in option.remarks]
    if candidate.calendar:
        comments.append(
            f"Request the reservation in calendar mode first, and write its name for {CALENDAR_RESERVATION}."
        )
    slices = {f"{candidate.generation}-{candidate.slices.topology}": candidate.group}
    cluster = {**cluster_keys(candidate, need), "slices": slices}
    plan = {"version": 1, "project": need.project or PLACEHOLDER_PROJECT, "clusters": {"tpu": cluster}}
    lines = [*(f"# {comment}" for comment in comments), *(emit_block(name, value) for name, value in plan.items())]
    return "".join(f"{line}\n" for line in lines)
