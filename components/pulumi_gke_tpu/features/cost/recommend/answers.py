"""Answers of Compute Engine about capacity: when and where, as ``gcloud compute advice`` prints them."""

import datetime
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.findings import number, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.stream import only_document
from pulumi_gke_tpu.features.cost.recommend.candidates import Need
from pulumi_gke_tpu.features.cost.recommend.search import Row

_DAY = lazy_pattern(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_MODELS: dict[str, CapacityMode] = {"SPOT": "spot", "FLEX_START": "flex_start", "STANDARD": "on_demand"}
_LONGEST = 200


class AnswerError(ValueError):
    """The content is not an answer about capacity. The message has the reason."""


@frozen
class ZoneAnswer:
    """What an answer says about slices in a zone."""

    zone: str
    told: str
    """A clause: ``no capacity``."""
    machine_type: str = ""
    """Empty if the answer does not name it: it is for a reservation in calendar mode, of the generation asked for."""
    capacity: CapacityMode = "reservation"


@frozen
class CapacityAnswer:
    """The answer in a file."""

    file: str
    day: datetime.date | None
    """The day in the name of the file: the answer itself has none."""
    zones: tuple[ZoneAnswer, ...]

    @property
    def source(self) -> str:
        """The file and the day of the answer."""
        return f"{printable(self.file, _LONGEST)}, {self.day or 'of an unknown day'}"


def read_answer(content: bytes, file: str) -> CapacityAnswer:
    """The answer in a file, in YAML or JSON.

    Raises:
        AnswerError: it is something else.
    """
    document = only_document(content, file)
    data = document.data if document is not None else None
    entries = [mapping(each) for each in items(mapping(data).get("recommendations"))]
    if not entries:
        what = "`gcloud compute advice calendar-mode` or `gcloud compute advice capacity`"
        raise AnswerError(f"it has no `recommendations`: save the output of {what} with --format=json")
    found = tuple(zone for each in entries for zone in (*_windows(each), *_shards(each)))
    match = _DAY.search(pathlib.PurePath(file).name)
    try:
        day = datetime.date.fromisoformat(match[0]) if match else None
    except ValueError:
        day = None
    return CapacityAnswer(file, day, found)


def reasons_of(row: Row, need: Need, answers: Iterable[CapacityAnswer]) -> Iterator[str]:
    """What the answers say about the zones of a row."""
    candidate = row.option.candidate
    zones = (candidate.zone, *(place.zone for place in row.places))
    for answer in answers:
        for each in answer.zones:
            of_calendar = candidate.calendar and not each.machine_type and len(need.generations) == 1
            of_shard = each.machine_type == candidate.slices.machine_type and each.capacity == candidate.capacity
            if each.zone in zones and (of_calendar or of_shard):
                yield f"Compute Engine, {each.zone}: {each.told} ({answer.source})"


def notes_of(need: Need, answers: Iterable[CapacityAnswer], today: datetime.date) -> Iterator[str]:
    """What limits the answers: their age, and what they do not state."""
    for answer in answers:
        if answer.day is None:
            yield f"{answer.source}: name the file with its day, such as advice-{today}.json"
        elif (today - answer.day).days > 1:
            yield f"{answer.source}: {number((today - answer.day).days, 'day')} old; capacity changes, so ask again"
        calendar = any(not each.machine_type for each in answer.zones)
        if calendar and (len(need.generations) != 1 or need.run is None):
            yield f"{answer.source}: is about one generation, which it does not state: add --tpu and --run"


def _windows(entry: Mapping[str, Any]) -> Iterator[ZoneAnswer]:
    """The zones of an answer about calendar mode: the recommended one with its time, and the others."""
    for each in map(mapping, mapping(entry.get("recommendationsPerSpec")).values()):
        zone, start, end = _zone(each.get("location")), _day(each.get("startTime")), _day(each.get("endTime"))
        if zone:
            yield ZoneAnswer(zone, f"recommends to reserve from {start} to {end}" if start and end else "recommended")
        for name, other in mapping(each.get("otherLocations")).items():
            status, details = text(mapping(other).get("status")), text(mapping(other).get("details"))
            told = ": ".join(part for part in (status.replace("_", " ").lower(), details.rstrip(".")) if part)
            if told and _zone(name) != zone:
                yield ZoneAnswer(_zone(name), printable(told, _LONGEST))


def _shards(entry: Mapping[str, Any]) -> Iterator[ZoneAnswer]:
    """The zones of an answer about capacity now."""
    scores = mapping(entry.get("scores"))
    told = []
    if isinstance(scores.get("obtainability"), int | float):
        told.append(f"obtainability {float(scores['obtainability']):.2f} of 1")
    hours = _hours(scores.get("estimatedUptime"))
    told += [f"estimated uptime {hours}"] if hours else []
    for shard in map(mapping, items(entry.get("shards"))):
        capacity, count = _MODELS.get(text(shard.get("provisioningModel"))), shard.get("instanceCount")
        machine = text(shard.get("machineType")).rpartition("/")[2]
        if capacity is not None and machine and isinstance(count, int):
            about = ", ".join((number(count, "VM"), *told))
            yield ZoneAnswer(_zone(shard.get("zone")), about, machine, capacity)


def _zone(written: object) -> str:
    return text(written).rpartition("/")[2]


def _day(written: object) -> str:
    match = _DAY.match(str(written))
    return match[0] if match else ""


def _hours(written: object) -> str:
    """A duration such as ``7200s`` in hours."""
    seconds = text(written).removesuffix("s")
    return f"{int(seconds) / 3600:.1f} h" if seconds.isdecimal() and len(seconds) < len(text(written)) else ""
