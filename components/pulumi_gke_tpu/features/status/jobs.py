"""What jobs report, and why workloads wait: the problems of objects in each cluster, and the order of the queues."""

from collections.abc import Iterator, Mapping
from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.messages import MessageStage
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.messages.search import Explained, MessageSearch
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.outlines import listed_kind
from pulumi_gke_tpu.core.objects.reports import ObjectReport, condition_of, reports_of
from pulumi_gke_tpu.core.text.findings import listed, printable, quoted
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.model import Fault, Waiting

_MOST_NAMES, _LONGEST = 3, 400
_DEFAULT_PRIORITY = 0


def job_problems(fleet: Fleet, snapshot: Snapshot, catalog: Catalog, search: MessageSearch) -> Iterator[Fault]:
    """The problems that objects report, one for each cause in a cluster. Those of nodes belong to their slices."""
    for cluster in fleet.clusters:
        found: dict[str, list[tuple[ObjectReport, Explained | None]]] = {}
        objects = snapshot.objects.get(cluster.key, ())
        read = (name for name, of in snapshot.answers if of == cluster.key)
        whole = {listed_kind(name, catalog.statuses) for name in read}
        not_read = {listed_kind(each.name, catalog.statuses) for each in snapshot.not_read if each.of == cluster.key}
        for report in reports_of(objects, catalog.statuses, whole):
            if report.about is not None and report.about[0] in not_read:
                continue  # the object can be gone, or well since
            explained = search.explained(report.text)
            usual = explained.waits if explained is not None else report.may_be_usual
            if not usual and report.owner.kind != "Node":
                title = explained.titles if explained is not None else "An object reports a problem"
                found.setdefault(title, []).append((report, explained))
        for title, members in sorted(found.items(), key=lambda item: _distance(item[1][0][1])):
            report, explained = members[0]
            names = [*dict.fromkeys(each.title for each, _ in members)]
            subject = f"{listed(names, most=_MOST_NAMES)} in {quoted(cluster.key)}"
            since = min((each.since for each, _ in members if each.since), default="")
            said = printable(report.text, _LONGEST)
            advice = ("", "Read the text, and describe the object with kubectl.", "")
            if explained is not None:
                advice = (explained.cause, explained.fix, explained.page)
            yield Fault(subject, title, said, *advice, since)


def _distance(explained: Explained | None) -> int:
    """What names a cause comes first, and what is not known last."""
    return explained.distance if explained is not None else len(get_args(MessageStage))


def waiting(fleet: Fleet, snapshot: Snapshot, search: MessageSearch) -> Iterator[Waiting]:
    """The workloads that wait for a good reason, by cluster and in the order of their queues."""
    waits = {key: [each for each in objects if _waits(each)] for key, objects in snapshot.objects.items()}
    workloads = {cluster.key: waits.get(cluster.key, []) for cluster in fleet.clusters}
    elsewhere = {(each.namespace, each.name): (key, each) for key, those in workloads.items() for each in those}
    for key, those in workloads.items():
        queues: dict[str, list[KubernetesObject]] = {}
        for each in sorted(those, key=_order):
            queues.setdefault(text(each.spec.get("queueName")), []).append(each)
        for queue, members in queues.items():
            for number, each in enumerate(members, 1):
                said, since = _reason(each)
                explained = search.explained(said)
                if explained is not None and not explained.waits:
                    continue  # it is a problem
                why = explained.titles if explained is not None else "The queue has not admitted it yet"
                worker = elsewhere.get((each.namespace, each.name))
                if _is_dispatched(each) and worker is not None and worker[0] != key:
                    why = f"{why}; in worker {worker[0]}"
                    said = _reason(worker[1])[0] or said
                place = f"{number} of {len(members)}"
                yield Waiting(_title(each), key, queue, place, why, printable(said, _LONGEST), since)


def _waits(each: KubernetesObject) -> bool:
    ended = any(condition_of(each, name).get("status") == "True" for name in ("Admitted", "Finished"))
    return each.kind == "Workload" and not ended and each.spec.get("active") is not False


def _order(workload: KubernetesObject) -> tuple[int, str, str]:
    """As Kueue orders a queue: by priority, then by age."""
    priority = workload.spec.get("priority")
    number = priority if isinstance(priority, int) else _DEFAULT_PRIORITY
    return -number, text(workload.metadata.get("creationTimestamp")), workload.name


def _reason(workload: KubernetesObject) -> tuple[str, str]:
    """Why a workload is not admitted, in the words of Kueue, and since when."""
    reserved = condition_of(workload, "QuotaReserved")
    if reserved.get("status") != "True":
        return text(reserved.get("message")), text(reserved.get("lastTransitionTime"))
    checks: list[Mapping[str, object]] = [mapping(each) for each in items(workload.value("status", "admissionChecks"))]
    open_checks = [each for each in checks if each.get("state") != "Ready"]
    said = "; ".join(f"{text(each.get('name'))}: {text(each.get('message'))}" for each in open_checks)
    return said, text(reserved.get("lastTransitionTime"))


def _is_dispatched(workload: KubernetesObject) -> bool:
    return condition_of(workload, "QuotaReserved").get("status") == "True"


def _title(workload: KubernetesObject) -> str:
    owners = (mapping(each) for each in items(workload.metadata.get("ownerReferences")))
    owner = next((f"{text(each.get('kind'))} {quoted(text(each.get('name')))}" for each in owners), "")
    return owner or workload.title
