"""Texts about Kubernetes objects that change."""

from collections import Counter

from pulumi_gke_tpu.core.text.document.model import Bullets, Prose, Toned
from pulumi_gke_tpu.core.text.findings import listed, number, quoted
from pulumi_gke_tpu.features.diff.model import ChangeReport

_DONE = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}


def headline_text(report: ChangeReport) -> str:
    """How many objects change, and in which way; empty if none does."""
    counts = Counter[str](item.operation for item in report.objects)
    ways = listed([f"{counts[name]:,} {done}" for name, done in _DONE.items() if counts[name]], "")
    return f"{number(len(report.objects), 'Kubernetes object')} changed: {ways}" if ways else ""


def block(report: ChangeReport) -> Bullets:
    """The objects with the consequence for what runs."""
    several = len(report.plans) > 1
    lines = []
    for item in report.objects:
        place = f"{item.plan} {item.cluster}" if several else item.cluster
        means = f": {item.means}" if item.means else ""
        disruptive = " (disruptive)" if item.disruptive else ""
        lines.append(Prose(f"{item.operation}{disruptive} {quoted(item.object)} in {quoted(place)}{means}"))
    return Bullets(lines, title=Toned("Kubernetes objects:", "strong"), label="kubernetes")
