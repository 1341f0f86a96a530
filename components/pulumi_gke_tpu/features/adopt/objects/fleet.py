"""The Kubernetes objects of all clusters of adopted plans."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity, listed
from pulumi_gke_tpu.features.adopt.adoption import Adoption
from pulumi_gke_tpu.features.adopt.objects.given import Relevance, assigned
from pulumi_gke_tpu.features.adopt.objects.search import AdoptedObject, ObjectLeftAlone, ObjectSearch

_KEY = "kubernetes"


@frozen(eq=False)
class ClusterOfObjects:
    """The objects of one cluster."""

    project: str
    key: str
    """The key of the cluster in the plan; empty for objects of no known cluster."""
    adopted: tuple[AdoptedObject, ...]
    alone: tuple[ObjectLeftAlone, ...]
    others: Counter[str]
    """The number of objects that no plan can be about, by kind."""


def adopt_objects(
    adoptions: Sequence[Adoption], objects: Sequence[KubernetesObject], catalog: Catalog, *, commands: bool = False
) -> tuple[tuple[Adoption, ...], tuple[ClusterOfObjects, ...]]:
    """The plans with the objects that they render equally, and what became of each object.

    With ``commands``, the plans can contain commands, arguments and values of environment variables.
    """
    if not objects:
        return tuple(adoptions), ()
    every = [key for item in adoptions if item.graph is not None for key in item.plan["clusters"]]
    keys = [key for key, number in Counter(every).items() if number == 1]
    found = assigned(objects, keys, one=len(every) == 1)
    clusters: list[ClusterOfObjects] = []
    finished = []
    for adoption in adoptions:
        own = [key for key in adoption.plan["clusters"] if key in found.objects] if adoption.graph is not None else []
        results = {
            key: ObjectSearch(adoption.plan, key, catalog, commands=commands).find(found.objects[key]) for key in own
        }
        plan, reason = _combined(adoption.plan, {key: item.keys for key, item in results.items() if item.keys}, catalog)
        for key, item in results.items():
            lost = tuple(ObjectLeftAlone(one.object, reason) for one in item.adopted) if reason else ()
            clusters.append(
                ClusterOfObjects(
                    adoption.project, key, () if reason else item.adopted, (*item.alone, *lost), item.others
                )
            )
        finished.append(dataclasses.replace(adoption, plan=plan))
    if found.unassigned:
        clusters.append(_unassigned(found.unassigned, every, catalog))
    return tuple(finished), tuple(clusters)


def _combined(
    plan: Mapping[str, Any], keys: Mapping[str, dict[str, Any]], catalog: Catalog
) -> tuple[dict[str, Any], str]:
    """The plan with the objects of all clusters; without them, and with the reason, if it has errors as a whole."""
    clusters = {
        name: {**cluster, **({_KEY: keys[name]} if name in keys else {})} for name, cluster in plan["clusters"].items()
    }
    whole = {**plan, "clusters": clusters}
    if len(clusters) > 1 and keys:
        document = parse_plan(whole)
        findings = check_plan(document, catalog).findings if document.content is not None else document.findings
        for item in findings:
            if item.severity is Severity.ERROR and _KEY in item.path:
                return dict(plan), f"{item.rule}: {item.message}"
    return whole, ""


def _unassigned(objects: Sequence[KubernetesObject], keys: Sequence[str], catalog: Catalog) -> ClusterOfObjects:
    """The objects of no known cluster."""
    relevance = Relevance(catalog)
    reason = (
        f"its cluster is not known: put its file into a folder with the name of the cluster ({listed(keys)})"
        if keys
        else "no cluster was adopted"
    )
    return ClusterOfObjects(
        "",
        "",
        (),
        tuple(ObjectLeftAlone(item, reason) for item in objects if relevance.concerns(item)),
        Counter(item.kind for item in objects if not relevance.concerns(item)),
    )
