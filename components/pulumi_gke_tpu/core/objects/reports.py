"""What objects that exist say is wrong with them, in their own words: their conditions, containers and events."""

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.catalog.records.messages import KindStatus
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject, items, mapping
from pulumi_gke_tpu.core.objects.document import text as text_of
from pulumi_gke_tpu.core.text.findings import Path, quoted

_OLD = datetime.timedelta(hours=1)
"""How long the API server keeps events."""
_Key = tuple[str, str, str]
"""Kind, namespace and name."""
_Event = tuple[KubernetesObject, _Key, datetime.datetime | None]
"""An event, what it is about, and its time."""


@frozen(eq=False)
class ObjectReport:
    """A problem that an object reports. ``path`` leads to it in the object."""

    owner: KubernetesObject
    path: Path
    text: str
    """Reason and message."""
    since: str = ""
    """The time of the object itself; empty if it states none."""
    may_be_usual: bool = False
    """Whether it is a problem only if its text is known to be one."""
    about: _Key | None = None
    """The object that an event is about."""

    @property
    def title(self) -> str:
        """The object for a message: ``Pod `train-0```."""
        return f"{self.about[0]} {quoted(self.about[2])}" if self.about is not None else self.owner.title


def reports_of(
    objects: Iterable[KubernetesObject], kinds: Mapping[str, KindStatus], listed: Collection[str] = ()
) -> Iterator[ObjectReport]:
    """The problems that objects report, in their order. Events count only while their objects have the problem.

    ``listed`` are kinds of which every object is known, besides those of lists.
    """
    every = [each for each in objects if "deletionTimestamp" not in each.metadata]
    whole = {*listed, *(each.kind for each in every if each.base)}
    known = {_key(each): each for each in every if each.kind != "Event"}
    events = [(each, _about(each), _time(each)) for each in every if each.kind == "Event"]
    newest = max((time for *_, time in events if time is not None), default=_NEVER)
    pods = [each for each in known.values() if each.kind == "Pod"]
    scaling = _scaling(events, newest, kinds["Event"])
    waiting = {each for each in scaling if each in known and not _is_scheduled(known[each])}
    silent = waiting | _replaced(pods, kinds["Pod"])
    yield from (report for key, each in known.items() if key not in silent for report in _reports(each, kinds, known))
    yield from _events(events, newest, kinds, known=known, whole=whole, silent=silent)


def held_by_finalizers(objects: Iterable[KubernetesObject], kinds: Mapping[str, KindStatus]) -> Iterator[ObjectReport]:
    """Objects that are being deleted, and that a finalizer can hold forever; only their age tells whether it does."""
    for owner in objects:
        kind = kinds.get(owner.kind)
        if kind is None or kind.group != owner.group or "deletionTimestamp" not in owner.metadata:
            continue
        for index, condition in enumerate(map(mapping, items(owner.value("status", "conditions")))):
            if text_of(condition.get("reason")) in kind.held and items(owner.metadata.get("finalizers")):
                deleted = text_of(owner.metadata["deletionTimestamp"])
                said = f"{_text(condition, 'reason', 'message')} (deleted at {deleted})"
                yield ObjectReport(owner, ("status", "conditions", index), said)


def condition_of(owner: KubernetesObject, name: str) -> Mapping[str, object]:
    """A condition of an object by its type; empty if there is none."""
    conditions = items(owner.value("status", "conditions"))
    return next((mapping(each) for each in conditions if mapping(each).get("type") == name), {})


def _key(owner: KubernetesObject) -> _Key:
    return owner.kind, owner.namespace, owner.name


def _reports(
    owner: KubernetesObject, kinds: Mapping[str, KindStatus], known: Mapping[_Key, KubernetesObject]
) -> Iterator[ObjectReport]:
    kind = kinds.get(owner.kind)
    if kind is None or kind.group != owner.group or is_settled(owner, kind):
        return
    for index, condition in enumerate(map(mapping, items(owner.value("status", "conditions")))):
        reason, holds = text_of(condition.get("reason")), str(condition.get("status"))
        if reason in kind.usual:
            continue
        if holds in kind.problems.get(str(condition.get("type")), ()) or reason in kind.reasons:
            since, text = text_of(condition.get("lastTransitionTime")), _text(condition, "reason", "message")
            waits = owner.kind == "Workload" and holds == "False"
            yield ObjectReport(owner, ("status", "conditions", index), text or str(condition.get("type")), since, waits)
    status = mapping(owner.data.get("status"))
    for name, values in kind.fields.items():
        if status.get(name) in values:
            yield ObjectReport(owner, ("status", name), _text(status, *kind.fields))
            break
    for index, check in enumerate(map(mapping, items(status.get(kind.checks)))):
        if check.get("state") in ("Retry", "Rejected"):
            since = text_of(check.get("lastTransitionTime"))
            yield ObjectReport(owner, ("status", kind.checks, index), _text(check, "name", "state", "message"), since)
    if owner.kind == "Pod":
        yield from _of_pod(owner, status, kind, known)


def is_settled(owner: KubernetesObject, kind: KindStatus) -> bool:
    """Whether nothing that was reported earlier matters any more."""
    if owner.kind == "Pod":
        status = mapping(owner.data.get("status"))
        if condition_of(owner, "PodScheduled").get("reason") in kind.usual:
            return True
        states = [mapping(each) for each in items(status.get("containerStatuses"))]
        running = status.get("phase") == "Running" and all(each.get("ready") is True for each in states)
        return status.get("phase") == "Succeeded" or (running and not condition_of(owner, "DisruptionTarget"))
    return any(str(condition_of(owner, name).get("status")) in values for name, values in kind.ends.items())


def has_ended(owner: KubernetesObject, kinds: Mapping[str, KindStatus]) -> bool:
    """Whether an object did what it was made for, such as a Job that is complete: no Pod of it starts any more."""
    kind = kinds.get(owner.kind)
    if kind is None or kind.group != owner.group:
        return False
    if owner.kind == "Pod":
        return owner.value("status", "phase") in ("Succeeded", "Failed")
    return kind.over and is_settled(owner, kind)


def _of_pod(
    owner: KubernetesObject,
    status: Mapping[str, object],
    kind: KindStatus,
    known: Mapping[_Key, KubernetesObject],
) -> Iterator[ObjectReport]:
    """The problems of the containers, and why a Pod failed; a Job that is complete has replaced its failed Pods."""
    failed = status.get("phase") == "Failed"
    jobs = [known.get((each.get("kind"), owner.namespace, each.get("name"))) for each in _owners(owner)]  # type: ignore[arg-type]
    if failed and any(condition_of(job, "Complete").get("status") == "True" for job in jobs if job is not None):
        return
    found = False
    for key in ("initContainerStatuses", "containerStatuses"):
        for index, container in enumerate(map(mapping, items(status.get(key)))):
            state = mapping(container.get("state"))
            waiting, ended = mapping(state.get("waiting")), mapping(state.get("terminated"))
            text = _text(waiting, "reason", "message") if waiting.get("reason") not in kind.usual else ""
            if ended.get("exitCode") not in (None, 0):
                text = f"{_text(ended, 'reason')}: exit code {ended.get('exitCode')}"
            last = mapping(mapping(container.get("lastState")).get("terminated"))
            if waiting and text and last:
                text += f"; before: {_text(last, 'reason')}: exit code {last.get('exitCode')}"
            if text:
                found = True
                yield ObjectReport(owner, ("status", key, index), text, text_of(ended.get("finishedAt")))
    if failed and (not found or "reason" in status):
        yield ObjectReport(owner, ("status", "phase"), _text(status, "reason", "message") or "Failed")


def _is_scheduled(pod: KubernetesObject) -> bool:
    return condition_of(pod, "PodScheduled").get("status") == "True"


def _replaced(pods: Collection[KubernetesObject], kind: KindStatus) -> set[_Key]:
    """The Pods that failed because their nodes stopped, and in whose place their owners run other Pods."""
    running: dict[object, str] = {}
    for pod in pods:
        if pod.value("status", "phase") == "Running" and is_settled(pod, kind):
            place = _place(pod, kind)
            running[place] = max(_created(pod), running.get(place, ""))
    return {_key(pod) for pod in pods if _is_lost(pod, kind) and _created(pod) <= running.get(_place(pod, kind), "")}


def _is_lost(pod: KubernetesObject, kind: KindStatus) -> bool:
    status = mapping(pod.data.get("status"))
    lost = status.get("reason") in kind.replaced or condition_of(pod, "DisruptionTarget").get("status") == "True"
    return lost and status.get("phase") == "Failed" and any(_owners(pod))


def _created(pod: KubernetesObject) -> str:
    return text_of(pod.metadata.get("creationTimestamp"))


def _place(pod: KubernetesObject, kind: KindStatus) -> object:
    """The owner of a Pod, and the number that it gives to the Pod."""
    owners = tuple((text_of(each.get("kind")), text_of(each.get("name"))) for each in _owners(pod))
    return pod.namespace, owners, text_of(pod.labels.get(kind.number))


def _scaling(events: Iterable[_Event], newest: datetime.datetime, kind: KindStatus) -> set[_Key]:
    """The Pods for which the autoscaler creates nodes, and for which it never failed to."""
    longest = datetime.timedelta(minutes=kind.scaling_minutes or 0)
    recent = ((event, about) for event, about, time in events if time is not None and newest - time <= longest)
    scales = {about for event, about in recent if event.data.get("reason") in kind.scales}
    return scales - {about for event, about, _ in events if event.data.get("reason") in kind.scales_not}


def _has_ended_once(pod: KubernetesObject) -> bool:
    """Whether a container of a Pod ended, so that it does not start for the first time."""
    states = [mapping(each) for each in items(pod.value("status", "containerStatuses"))]
    return any(mapping(each.get(name)).get("terminated") for each in states for name in ("state", "lastState"))


def _owners(owner: KubernetesObject) -> Iterator[Mapping[str, object]]:
    return map(mapping, items(owner.metadata.get("ownerReferences")))


def _events(
    events: Iterable[_Event],
    newest: datetime.datetime,
    kinds: Mapping[str, KindStatus],
    *,
    known: Mapping[_Key, KubernetesObject],
    whole: set[str],
    silent: set[_Key],
) -> Iterator[ObjectReport]:
    kind = kinds["Event"]
    good: dict[_Key, datetime.datetime] = {}
    for event, about, time in events:
        if time is not None and event.data.get("reason") in kind.ends.get(str(event.data.get("type")), ()):
            good[about] = max(time, good.get(about, time))
    seen: set[tuple[_Key, str]] = set()
    for event, about, time in events:
        reasons = kind.problems.get(str(event.data.get("type")))
        if reasons is None or (reasons and event.data.get("reason") not in reasons):
            continue
        if time is not None and (newest - time > _OLD or time <= good.get(about, _NEVER)):
            continue
        owner, status = known.get(about), kinds.get(about[0])
        if about in silent or (owner is None and about[0] in whole) or (owner and status and is_settled(owner, status)):
            continue
        if text_of(event.data.get("message")).startswith(kind.starts) and owner and not _has_ended_once(owner):
            continue
        text = _text(event.data, "reason", "message") or _text(event.data, "reason", "note")
        if (about, text) not in seen:
            seen.add((about, text))
            since = text_of(event.data.get("firstTimestamp")) or text_of(event.data.get("eventTime"))
            yield ObjectReport(event, ("message",) if "message" in event.data else ("note",), text, since, True, about)


_NEVER = datetime.datetime.min


def _about(event: KubernetesObject) -> _Key:
    place = mapping(event.data.get("involvedObject") or event.data.get("regarding"))
    return text_of(place.get("kind")), text_of(place.get("namespace")), text_of(place.get("name"))


def _time(event: KubernetesObject) -> datetime.datetime | None:
    series = mapping(event.data.get("series"))
    for value in (series.get("lastObservedTime"), event.data.get("lastTimestamp"), event.data.get("eventTime")):
        try:
            return datetime.datetime.fromisoformat(text_of(value)[:19])
        except ValueError:
            continue
    return None


def _text(data: Mapping[str, object], *keys: str) -> str:
    return ": ".join(dict.fromkeys(text for key in keys if (text := text_of(data.get(key)).strip())))
