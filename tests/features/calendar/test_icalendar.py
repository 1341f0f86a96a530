"""The iCalendar that ``gke-tpu calendar`` writes, against RFC 5545."""

import datetime
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import icalendar
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support import calendars

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import calendar_of
from pulumi_gke_tpu.features.calendar.output.icalendar import calendar_ics

UTC = datetime.timezone.utc
TODAY = datetime.date(2026, 11, 20)
CATALOG = read_catalog()
WINDOW = "window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"
PLAN = calendars.PLAN.replace(WINDOW, "window: {start: 2026-01-02T22:00:00Z, duration: 6h, days: [FRI, SAT]}")
"""Its windows end on the day after their start."""


def written(
    plan: dict[str, Any],
    first: datetime.date = TODAY,
    last: datetime.date | None = None,
    today: datetime.date = TODAY,
) -> bytes:
    inventory = Inventory.model_validate(yaml.safe_load(calendars.INVENTORY))
    checked = check_plan(parse_plan(plan), CATALOG, TODAY)
    return calendar_ics(calendar_of([checked], inventory, CATALOG, first, last), today)


def plan(name: str = "gemma") -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(PLAN)
    runs = data["clusters"]["train"]["runs"]
    runs[name] = runs.pop("gemma")
    return data


def events(content: bytes) -> dict[str, Any]:
    """Summary -> event."""
    return {str(item["summary"]): item for item in icalendar.Calendar.from_ical(content).walk("VEVENT")}


def unfolded(content: bytes) -> list[str]:
    return content.decode("utf-8").replace("\r\n ", "").replace("\r\n\t", "").split("\r\n")[:-1]


def assert_lines_keep_the_rfc(content: bytes) -> None:
    assert content.endswith(b"END:VCALENDAR\r\n")
    lines = content.split(b"\r\n")
    for line in lines:
        assert len(line) <= 75
        assert b"\n" not in line
        assert b"\r" not in line
        line.decode("utf-8")  # no character is cut
    depth = []
    for line in unfolded(content):
        name, colon, _ = line.partition(":")
        assert colon, line
        assert re.match(r"[A-Z][A-Z0-9-]*(;[A-Z-]+=[^;:,\"]+)*\Z", name), line
        if name == "BEGIN":
            depth.append(line[6:])
        elif name == "END":
            assert depth.pop() == line[4:]
    assert depth == []


def test_the_output_of_the_command_is_utf_8_with_crlf_in_every_locale(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("gemma:", '"größe-日本":'), encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from pulumi_gke_tpu.cli import main; main()",
        "calendar",
        "plan.yaml",
        "--today",
        "2026-11-20",
    ]
    outputs = {
        subprocess.run(
            [*command, "--format", "icalendar"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            env={"PATH": "", "PYTHONIOENCODING": encoding, "LC_ALL": locale},
        ).stdout
        for encoding, locale in (("utf-8", "C.UTF-8"), ("ascii", "C"), ("latin-1", "C"))
    }
    (content,) = outputs
    assert_lines_keep_the_rfc(content)
    assert "run größe-日本: train/pretrain" in events(content)


def test_every_event_has_what_the_rfc_requires_once() -> None:
    content = written(plan())
    assert_lines_keep_the_rfc(content)
    head = unfolded(content)[: unfolded(content).index("BEGIN:VEVENT")]
    assert [line.partition(":")[0] for line in head][:4] == ["BEGIN", "VERSION", "PRODID", "CALSCALE"]
    assert "VERSION:2.0" in head
    assert "METHOD:PUBLISH" in head
    found = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert {str(item["summary"]).partition(":")[0] for item in found} >= {
        "run llama",
        "run gemma",
        "maintenance window",
        "exclusion llama",
        "exclusion frozen",
        "flex-start nodes of run tune end",
        "reservation v6e-pretrain begins",
        "reservation v6e-pretrain ends",
    }
    for item in found:
        for key in ("uid", "dtstamp", "dtstart", "summary", "transp"):
            assert not isinstance(item[key], list), key
        assert str(item["transp"]) == "TRANSPARENT"  # the time of people is not busy
        assert all(str(item.get("description", "text")).split("\n"))
        start, stamp = item["dtstart"].dt, item["dtstamp"].dt
        assert stamp == datetime.datetime(2026, 11, 20, tzinfo=UTC)
        if isinstance(start, datetime.datetime):
            assert start.utcoffset() == datetime.timedelta(0)
            assert b"DTSTART:" + start.strftime("%Y%m%dT%H%M%SZ").encode() in item.to_ical()
        else:
            assert str(item["summary"]).startswith(("reservation", "support"))
            assert b"DTSTART;VALUE=DATE:" + start.strftime("%Y%m%d").encode() in item.to_ical()
        if "dtend" in item:
            assert type(item["dtend"].dt) is type(start)
            assert item["dtend"].dt > start
    uids = [str(item["uid"]) for item in found]
    assert len(set(uids)) == len(uids)


def test_an_event_keeps_its_uid_and_its_times_when_other_days_are_selected() -> None:
    """A window from Friday evening to Saturday is one event, also in a calendar that begins on Saturday."""
    saturday = datetime.date(2026, 11, 28)
    whole, later = (icalendar.Calendar.from_ical(written(plan(), first)).walk("VEVENT") for first in (TODAY, saturday))
    times = {str(item["uid"]): item["dtstart"].dt for item in whole}
    assert datetime.datetime(2026, 11, 27, 22, tzinfo=UTC) in [item["dtstart"].dt for item in later]
    shared = [item for item in later if str(item["uid"]) in times]
    assert all(times[str(item["uid"])] == item["dtstart"].dt for item in shared)
    # Only what begins after the last day of the other calendar is new
    last = datetime.datetime(2027, 2, 19, tzinfo=UTC)
    assert all(item["dtstart"].dt >= last for item in later if item not in shared)


def test_the_day_changes_only_the_stamp() -> None:
    first, second = (written(plan(), today=TODAY + datetime.timedelta(days=days)) for days in (0, 1))
    assert first != second
    assert first.replace(b"20261120T000000Z", b"") == second.replace(b"20261121T000000Z", b"")
    assert written(plan()) == first


def test_a_calendar_without_events_has_one_event_for_its_first_day() -> None:
    empty = {"version": 1, "project": "acme-ml", "clusters": {}}
    body = {"mode": "standard", "location": "us-east5"}
    content = written({**empty, "clusters": {"web": body}})
    assert_lines_keep_the_rfc(content)
    ((summary, event),) = events(content).items()
    assert summary == "No events from 2026-11-20 to 2027-02-18"
    assert event["dtstart"].dt == TODAY
    assert "only automatic upgrades" in event["description"]


def test_the_calendar_and_its_runs_state_what_no_exclusion_prevents() -> None:
    content = written(plan())
    whole = icalendar.Calendar.from_ical(content)
    found = events(content)
    for text in (
        str(whole["description"]),
        str(found["run llama: train/pretrain"]["description"]),
        str(found["exclusion llama: train"]["description"]),
    ):
        for phrase in ("only automatic upgrades", "repair", "preempt reserved", "maintenance of Compute", "28 days"):
            assert phrase in text
    assert str(whole["name"]) == str(whole["x-wr-calname"])
    described = str(found["run gemma: train/pretrain"]["description"])
    assert "\nExclusions to add: replace clusters.train.maintenance.exclusions with:\nexclusions:" in described
    assert "gemma: {start: " in described
    assert "Exclusions to add" not in str(found["run llama: train/pretrain"]["description"])


NAMES = st.one_of(
    st.text(max_size=120),
    st.text("日本😀é;,:\\\"' =", min_size=30, max_size=200),
    st.sampled_from(["END:VEVENT", "a\\nb", "a\\;b", "X" * 400, '"quoted"', "^n", "TZID=x:y", "é" * 37 + "😀" * 40]),
)


@given(NAMES)
def test_any_name_stays_text(name: str) -> None:
    content = written(plan(name))
    assert_lines_keep_the_rfc(content)
    assert len(events(content)) == len(events(written(plan())))
    names = set(events(content)) - set(events(written(plan())))
    visible = name.isprintable() and len(name) < 100 and name == name.strip() and name != "gemma"
    if visible and name.isascii() and name:
        assert names == {f"run {name}: train/pretrain"}
