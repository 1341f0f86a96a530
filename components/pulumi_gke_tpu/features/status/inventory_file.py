"""An inventory as a file: written anew from a snapshot, or an existing one with the values of the snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.core.text.findings.wording import LINE_BREAK
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile import YamlFile
from pulumi_gke_tpu.features.status.capacity import inventory_data
from pulumi_gke_tpu.features.status.folder import Snapshot

_COMMANDS = {
    "reservations": "gcloud compute reservations list",
    "quotas": "gcloud beta quotas info describe",
    "workload_policies": "gcloud compute resource-policies list",
    "gke_versions": "gcloud container get-server-config",
}
_IDENTITY = {
    "reservations": ("project", "zone", "name"),
    "quotas": ("project", "metric", "family", "region"),
    "workload_policies": ("project", "region", "name"),
}
"""The keys by which entries of both sides are the same."""
_COMMENT = lazy_pattern(r"# (?P<day>\d{4}-\d\d-\d\d): gcloud ")
_FAMILY = "family"
"""An inventory can have the last part of the VM family, or all of it."""
_OWN = ("in_use",)
"""Keys of which a snapshot knows another number: in use by plans and by others."""


def new_inventory(snapshot: Snapshot) -> str:
    """A new file, with the date and the command beside each entry."""
    data = inventory_data(snapshot)
    lines = ["version: 1", f"as_of: {data['as_of']}"]
    for section, command in _COMMANDS.items():
        if data.get(section):
            lines += [f"{section}:", *_section(section, data[section], snapshot)]
        elif section in data:
            lines.append(f"{section}: [] # {snapshot.taken:%Y-%m-%d}: {command}")
    return "\n".join(lines) + "\n"


def refreshed(file: YamlFile, snapshot: Snapshot) -> str:
    """The text of an inventory with the values of a snapshot. What it does not have, and all comments, stay."""
    data, text = inventory_data(snapshot), file.text
    starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
    edits = [*_edit(file, starts, ("as_of",), str(data["as_of"]))]
    added: dict[str, list[Any]] = {}
    for section, keys in _IDENTITY.items():
        written = file.data.get(section) or []
        places = {_key(entry, keys): index for index, entry in enumerate(written)}
        for entry in data.get(section, ()):
            index = places.get(_key(entry, keys))
            if index is None:
                added.setdefault(section, []).append(entry)
                continue
            for key, value in entry.items():
                was = written[index].get(key)
                if key == _FAMILY and isinstance(was, str):
                    was = was.rpartition("_")[2].lower()
                if key in written[index] and key not in (*keys, *_OWN) and was != value:
                    edits += _edit(file, starts, (section, index, key), flow(value))
            edits += _dated(file, starts, (section, index), str(data["as_of"]))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    for section, entries in added.items():
        text = _appended(text, section, [*_section(section, entries, snapshot)])
    return text


def _section(section: str, entries: Mapping[str, Any] | Sequence[Any], snapshot: Snapshot) -> Iterator[str]:
    told = f"# {snapshot.taken:%Y-%m-%d}: {_COMMANDS[section]}"
    if isinstance(entries, Mapping):
        for name, channels in entries.items():
            yield f"  {flow(name)}: {told}"
            yield from (f"    {flow(channel)}: {flow(versions)}" for channel, versions in channels.items())
        return
    for entry in entries:
        in_use = f", {entry['in_use']} in use by plans and others" if entry.get("in_use") else ""
        own = {key: value for key, value in entry.items() if key not in _OWN}
        yield f"  - {flow(own)} {told}{in_use}"


def _key(entry: object, keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(entry.get(key, "")).lower() for key in keys) if isinstance(entry, Mapping) else ()


def _edit(
    file: YamlFile, starts: Sequence[int], path: tuple[str | int, ...], new: str
) -> Iterator[tuple[int, int, str]]:
    """The replacement of a single value; lists and mappings stay as they are."""
    if isinstance(value_at(file.data, path), Mapping | list):
        return
    place = file.position(path)
    start = starts[place.line - 1]
    yield start + place.column - 1, start + place.end_column - 1, new


def _dated(
    file: YamlFile, starts: Sequence[int], path: tuple[str | int, ...], day: str
) -> Iterator[tuple[int, int, str]]:
    """The replacement of the date in the comment that was written beside an entry."""
    line = file.position(path).line
    end = starts[line] if line < len(starts) else len(file.text)
    comment = _COMMENT.search(file.text, starts[line - 1], end)
    if comment is not None:
        yield comment.start("day"), comment.end("day"), day


def _appended(text: str, section: str, lines: list[str]) -> str:
    """The text with further entries at the end of a section in block style, or with a new section at its end."""
    empty = f"{section}: []"
    kept = [f"{section}:" if line.partition("#")[0].rstrip() == empty else line for line in text.splitlines()]
    start = next((number for number, line in enumerate(kept) if line.rstrip() == f"{section}:"), None)
    if start is None:
        return "\n".join([*kept, f"{section}:", *lines]) + "\n"
    end = start + 1
    while end < len(kept) and (kept[end][:1] in (" ", "-", "#", "") and not kept[end][:1].isalpha()):
        end += 1
    while end > start + 1 and not kept[end - 1].strip():
        end -= 1
    first = next((line for line in kept[start + 1 : end] if line.lstrip().startswith("- ")), "  - ")
    indent = " " * (len(first) - len(first.lstrip()))
    return "\n".join([*kept[:end], *(f"{indent}{line.strip()}" for line in lines), *kept[end:]]) + "\n"
