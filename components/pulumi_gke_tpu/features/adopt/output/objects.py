"""The Kubernetes objects of an adoption for people."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.text.document.model import Block, Bullets, Column, Paragraph, Table
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.features.adopt.objects.check import ComparedObjects
from pulumi_gke_tpu.features.adopt.objects.fleet import ClusterOfObjects

_LONGEST = 400
_MOST_KINDS = 8


def object_title(clusters: Sequence[ClusterOfObjects]) -> str:
    """The numbers of objects; empty if no file has any."""
    if not clusters:
        return ""
    adopted = sum(len(item.adopted) for item in clusters)
    alone = sum(len(item.alone) for item in clusters)
    return f" · {number(adopted, 'Kubernetes object')} adopted · {number(alone, 'object')} left alone"


def object_blocks(clusters: Sequence[ClusterOfObjects]) -> Iterator[Block]:
    """What each object became, and why others are left alone."""
    for item in clusters:
        place = printable(item.key) or "no cluster"
        if item.adopted:
            rows = [(object_name(one.object), printable(one.item)) for one in item.adopted]
            title = (Column(f"object of {place}", whole=True), Column("item of the plan"))
            yield Table(title, rows)
        alone = [f"{object_name(one.object)}: {printable(one.reason, _LONGEST)}" for one in item.alone]
        if alone:
            yield Bullets(alone, title=f"Objects of {place} left alone:", tone="careful")
        if item.others:
            yield Paragraph(f"{number(item.others.total(), 'other object')} of {place}: {_kinds(item.others)}.")


def compared_title(compared: ComparedObjects | None) -> str:
    """The numbers of compared objects; empty without any."""
    if compared is None:
        return ""
    missing = f" · {len(compared.missing)} missing" if compared.missing else ""
    return f" · {number(compared.same, 'object')} as planned · {len(compared.different)} different{missing}"


def compared_blocks(compared: ComparedObjects | None) -> Iterator[Bullets]:
    """Each object that differs from the plan, and those that only the plan has."""
    if compared is None:
        return
    different = [printable(item, _LONGEST) for item in compared.different]
    yield Bullets(different, title="Different objects:", tone="bad")
    yield Bullets([printable(item) for item in compared.missing], title="Objects only in the plan:", tone="bad")
    if compared.unassigned:
        what = "not compared: put their files into folders with the names of clusters"
        yield Bullets([f"{number(compared.unassigned, 'object')} {what}"], title="Not assigned to a cluster:")


def object_name(item: KubernetesObject) -> str:
    """The kind, the namespace and the name: ``JobSet research/train``."""
    namespace = f"{item.namespace}/" if item.namespace else ""
    return printable(f"{item.kind} {namespace}{item.name}")


def _kinds(others: Counter[str]) -> str:
    most = [f"{count} {printable(kind)}" for kind, count in others.most_common(_MOST_KINDS)]
    left = len(others) - len(most)
    return listed([*most, *([number(left, "other kind")] if left else [])])
