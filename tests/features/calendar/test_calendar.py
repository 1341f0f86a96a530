"""``gke-tpu calendar``: formats, days, exit codes, and the extra for iCalendar."""

import datetime
import html
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import icalendar
import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from support.calendars import INVENTORY, PLAN, calendar_data
from support.work import function_calls
from support.written import markdown_of, text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import calendar_of
from pulumi_gke_tpu.features.calendar.output.document import calendar_page
from pulumi_gke_tpu.features.calendar.output.icalendar import calendar_ics

GkeTpu = Callable[..., Any]

TODAY = ("--today", "2026-11-20")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return path


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY, encoding="utf-8")
    return path


def shown(gke_tpu: GkeTpu, *arguments: object) -> dict[str, Any]:
    return calendar_data(gke_tpu, *arguments, *TODAY)


def test_the_table_has_runs_windows_exclusions_and_limits_of_capacity_by_day(
    gke_tpu: GkeTpu, plan: Path, inventory: Path
) -> None:
    arguments = (plan, "--inventory", inventory, *TODAY, "--from", "2026-11-25", "--until", "2026-12-12")
    run = gke_tpu("calendar", *arguments, "--format", "markdown")
    assert (run.code, run.err) == (0, "")
    lines = [" ".join(line.replace("|", " ").replace("\\", "").split()) for line in run.out.splitlines()]
    for expected in (
        "2026-11-25 Wed 2026-11-01 00:00 exclusion frozen train no_minor_upgrades, until the end of support",
        "reservation v6e-pretrain begins acme-ml/us-east5-b",
        "2026-11-28 Sat 02:00 08:00 maintenance window train",
        "2026-12-01 Tue 08:00 2026-12-11 08:00 exclusion llama train no_upgrades",
        "08:00 2026-12-11 08:00 run llama train/pretrain covered by exclusions",
        "2026-12-02 Wed 12:00 2026-12-07 12:00 run tune train/sweep no automatic upgrades of these nodes",
        "2026-12-09 Wed 12:00 flex-start nodes of run tune end train/sweep",
        "2026-12-12 Sat 00:00 2026-12-13 00:00 run gemma train/pretrain upgrades can interrupt it in 1 window",
    ):
        assert expected in lines, (expected, run.out)
    assert "2026-12-13 Sun" not in run.out
    text = gke_tpu("calendar", *arguments).out
    before, _, pasteable = text.partition("\nExclusions to add: replace clusters.train.maintenance.exclusions with:\n")
    assert pasteable, before
    added = yaml.safe_load(pasteable.partition("\n\n")[0])["exclusions"]
    assert added.keys() - yaml.safe_load(plan.read_text(encoding="utf-8"))["clusters"]["train"]["maintenance"][
        "exclusions"
    ].keys() == {"gemma"}


def test_the_calendar_states_what_no_exclusion_prevents(gke_tpu: GkeTpu, plan: Path) -> None:
    data = shown(gke_tpu, plan)
    text = " ".join(note["text"] for note in data["notes"])
    for phrase in (
        "only automatic upgrades",
        "maintenance of Compute Engine hosts",
        "re-creates the whole slice",
        "28 days",
        "at the end of support",
        "GKE may preempt reserved",
    ):
        assert phrase in text
    printed = " ".join(gke_tpu("calendar", plan, *TODAY).out.split())
    for note in data["notes"]:
        assert note["text"] in printed


def test_a_note_that_the_catalog_does_not_have_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, day = read_catalog(), datetime.date(2026, 11, 20)
    monkeypatch.setattr("pulumi_gke_tpu.core.schedule.events.ALWAYS", ("removed", "slice-repair"))
    checked = check_plan(parse_plan(yaml.safe_load(PLAN)), catalog, day)
    assert [note.id for note in calendar_of([checked], None, catalog, day).notes] == ["slice-repair"]


def test_json_has_the_state_of_each_run_and_the_exclusion_to_add(gke_tpu: GkeTpu, plan: Path) -> None:
    runs = {item["name"]: item for item in shown(gke_tpu, plan)["events"] if item["kind"] == "run"}
    assert {name: item["coverage"]["state"] for name, item in runs.items()} == {
        "llama": "covered",
        "tune": "exempt",
        "gemma": "interrupted",
    }
    assert runs["gemma"]["coverage"]["openings"] == [{"start": "2026-12-12T02:00:00Z", "end": "2026-12-12T08:00:00Z"}]
    assert runs["gemma"]["coverage"]["proposal"]["maintenance"] == {
        "exclusions": {
            "gemma": {"start": "2026-12-12T00:00:00Z", "end": "2026-12-13T00:00:00Z", "scope": "no_upgrades"}
        }
    }


def test_the_days_bound_the_events(gke_tpu: GkeTpu, plan: Path, inventory: Path) -> None:
    data = shown(gke_tpu, plan, "--inventory", inventory, "--from", "2026-12-31", "--until", "2026-12-31")
    assert [item["kind"] for item in data["events"]] == ["exclusion", "reservation_end"]
    assert (data["first"], data["last"]) == ("2026-12-31", "2026-12-31")
    usual = shown(gke_tpu, plan)
    assert (usual["first"], usual["last"]) == ("2026-11-20", "2027-02-18")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", "2026-12-02", "--until", "2026-12-01"), "before the first day"),
        (("--from", "2026-12-01", "--until", "2029-12-01"), "at most 731 days"),
        (("--from", "2026-12-01", "--until", "2028-12-01"), "at most 731 days"),
        (("--until", "3026-12-01"), "at most 731 days"),
        (("--until", "9999-12-31"), "at most 731 days"),
        (("--until", "2026-11-19"), "before the first day"),
        (("--until", "0001-01-01"), "before the first day"),
        (("--from", "1999-12-31"), "the year must be from 2000 to 2198"),
        (("--from", "2199-01-01"), "the year must be from 2000 to 2198"),
        (("--today", "9999-12-31"), "the year must be from 2000"),
        (("--from", "2026-02-30"), "invalid date"),
        (("--until", ""), "invalid date"),
        (("--from", "0001-01-01"), "the year must be from 2000"),
        (("--from", "9999-12-31"), "the year must be from 2000"),
        (("--from", "soon"), "invalid date"),
    ],
)
def test_impossible_days_are_a_mistake_in_the_command(
    gke_tpu: GkeTpu, plan: Path, arguments: tuple[str, ...], message: str
) -> None:
    run = gke_tpu("calendar", plan, *TODAY, *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in " ".join(run.err.split())


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [("2026-12-01", "2026-12-01", 1), ("2026-12-01", "2028-11-30", 731), ("2000-01-01", "2000-01-02", 2)],
)
def test_a_calendar_has_every_day_from_the_first_to_the_last(
    gke_tpu: GkeTpu, plan: Path, first: str, last: str, days: int
) -> None:
    window = "window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"
    assert window in PLAN
    daily = PLAN.replace(window, "window: {start: 2000-01-01T02:00:00Z, duration: 6h}")
    plan.write_text(daily, encoding="utf-8")
    data = shown(gke_tpu, plan, "--from", first, "--until", last)
    windows = [item for item in data["events"] if item["kind"] == "window"]
    assert len(windows) == days
    assert (windows[0]["start"][:10], windows[-1]["start"][:10]) == (first, last)


def test_an_event_is_in_every_calendar_that_has_a_part_of_it(gke_tpu: GkeTpu, plan: Path) -> None:
    for first, last, expected in (
        ("2026-11-20", "2026-11-30", set()),
        ("2026-11-20", "2026-12-01", {"llama"}),
        ("2026-12-05", "2026-12-05", {"llama", "tune"}),
        ("2026-12-11", "2026-12-11", {"llama"}),
        ("2026-12-12", "2026-12-12", {"gemma"}),
        # gemma ends at midnight
        ("2026-12-13", "2026-12-13", set()),
    ):
        data = shown(gke_tpu, plan, "--from", first, "--until", last)
        assert {item["name"] for item in data["events"] if item["kind"] == "run"} == expected, (first, last)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "icalendar"])
def test_several_plans_give_the_same_bytes_in_any_order(gke_tpu: GkeTpu, tmp_path: Path, form: str) -> None:
    paths = []
    for name in ("b", "a", "c d"):
        path = tmp_path / name / "plan.yaml"
        path.parent.mkdir()
        path.write_text(PLAN.replace("  train:", f"  train-{name[0]}:", 1), encoding="utf-8")
        paths.append(path)
    orders = [paths, paths[::-1], [*paths[1:], paths[0]], [*paths, paths[0]]]
    outputs = {gke_tpu("calendar", *order, "--format", form, *TODAY).out for order in orders}
    (output,) = outputs
    assert all(f"train-{name}" in output for name in "abc")


@pytest.mark.parametrize(
    ("start", "end", "kinds"),
    [
        ("2026-11-25", "9999-12-31", ["reservation_start"]),
        ("0001-01-01", "2026-12-31", ["reservation_end"]),
        ("9999-12-30", "9999-12-31", []),
        ("1999-12-31", "2200-01-01", []),
        ("2026-11-25", "2199-12-31", ["reservation_start"]),
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "markdown", "icalendar"])
def test_a_reservation_can_have_any_dates(
    gke_tpu: GkeTpu, plan: Path, inventory: Path, form: str, start: str, end: str, kinds: list[str]
) -> None:
    """Many people write 9999-12-31 for no end."""
    text = INVENTORY.replace("from: 2026-11-25", f"from: {start}").replace("until: 2026-12-31", f"until: {end}")
    inventory.write_text(text, encoding="utf-8")
    assert gke_tpu("calendar", plan, "--inventory", inventory, *TODAY, "--format", form).code == 0
    if form == "json":
        data = shown(gke_tpu, plan, "--inventory", inventory)["events"]
        assert [item["kind"] for item in data if item["kind"].startswith("reservation")] == kinds


def test_the_title_names_one_plan_or_the_number_of_plans(gke_tpu: GkeTpu, plan: Path, inventory: Path) -> None:
    (plan.parent / "b.yaml").write_text(PLAN.replace("acme-ml", "acme-web"), encoding="utf-8")
    one = gke_tpu("calendar", plan, *TODAY, "--format", "markdown").out
    assert f"{plan} · 2026-11-20 to 2027-02-18 · no inventory · catalog" in one.replace("\\", "")
    several = gke_tpu(
        "calendar", plan, plan.parent / "b.yaml", "--inventory", inventory, *TODAY, "--format", "markdown"
    )
    assert "2 plans · 2026-11-20 to 2027-02-18 · inventory 2026-11-20 · catalog" in several.out.replace("\\", "")


def test_nodes_end_surely_or_only_if_a_fallback_to_flex_start_is_used(gke_tpu: GkeTpu, plan: Path) -> None:
    flexible = "count: 3, capacity: {reservation: v6e-pretrain}"
    assert flexible in PLAN
    plan.write_text(PLAN.replace(flexible, f"{flexible}, fallback: [flex_start, spot]"), encoding="utf-8")
    data = shown(gke_tpu, plan)["events"]
    ends = {item["name"]: (item["start"], item["possible"]) for item in data if item["kind"] == "node_end"}
    assert ends == {
        "llama": ("2026-12-08T08:00:00Z", True),
        "gemma": ("2026-12-19T00:00:00Z", True),
        "tune": ("2026-12-09T12:00:00Z", False),
    }
    assert {item["name"]: item["spot"] for item in data if item["kind"] == "run"} == {
        "llama": True,
        "gemma": True,
        "tune": False,
    }
    lines = [" ".join(line.replace("|", " ").split()) for line in markdown(gke_tpu, plan).splitlines()]
    assert any("run llama end train/pretrain if the run is on flex-start nodes" in line for line in lines)
    assert any(line.endswith("run tune end train/sweep") for line in lines)
    assert any("covered by exclusions; Spot VMs can be preempted at any time" in line for line in lines)


def test_events_of_several_plans_name_their_plan(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    """Also if clusters of two projects have the same name."""
    for name in ("a", "b"):
        text = PLAN.replace("acme-ml", f"acme-{name}")
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    data = shown(gke_tpu, tmp_path / "a.yaml", tmp_path / "b.yaml")
    places = {(item["plan"], item["place"]) for item in data["events"] if item["name"] == "llama"}
    assert len(places) == 4
    found = events(gke_tpu, tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert len({str(item["uid"]) for item in found}) == len(data["events"])


def test_work_grows_with_the_number_of_runs_and_days() -> None:
    catalog, day = read_catalog(), datetime.date(2026, 11, 20)

    def calls(runs: int, days: int) -> int:
        data = yaml.safe_load(PLAN)
        cluster = data["clusters"]["train"]
        cluster["maintenance"]["window"] = {"start": "2026-01-03T02:00:00Z", "duration": "6h"}
        cluster["runs"] = {f"r{number}": cluster["runs"]["gemma"] for number in range(runs)}
        checked = check_plan(parse_plan(data), catalog, day)
        return function_calls(lambda: calendar_of([checked], None, catalog, day, day + datetime.timedelta(days=days)))

    calls(1, 1)
    assert calls(80, 10) - calls(40, 10) <= 2.2 * (calls(40, 10) - calls(20, 10))
    assert calls(1, 700) - calls(1, 350) <= 2.2 * (calls(1, 350) - calls(1, 175))


def test_a_plan_with_errors_has_no_calendar(gke_tpu: GkeTpu, plan: Path) -> None:
    plan.write_text(PLAN.replace("slices: sweep", "slices: sweeps"), encoding="utf-8")
    run = gke_tpu("calendar", plan, *TODAY)
    assert (run.code, run.out) == (1, "")
    assert "TPU621" in run.err


def events(gke_tpu: GkeTpu, *arguments: object) -> list[Any]:
    run = gke_tpu("calendar", *arguments, "--format", "icalendar", *TODAY)
    assert run.code == 0, run.err
    return list(icalendar.Calendar.from_ical(run.out).walk("VEVENT"))


def test_the_icalendar_has_every_event_with_the_same_times(gke_tpu: GkeTpu, plan: Path, inventory: Path) -> None:
    found = events(gke_tpu, plan, "--inventory", inventory)
    data = shown(gke_tpu, plan, "--inventory", inventory)["events"]
    assert len(found) == len(data) == len({str(item["uid"]) for item in found})
    by_summary = {str(item["summary"]): item for item in found}
    run = by_summary["run llama: train/pretrain"]
    utc = datetime.timezone.utc
    assert run["dtstart"].dt == datetime.datetime(2026, 12, 1, 8, tzinfo=utc)
    assert run["dtend"].dt == datetime.datetime(2026, 12, 11, 8, tzinfo=utc)
    assert "only automatic upgrades" in run["description"]
    assert by_summary["reservation v6e-pretrain ends: acme-ml/us-east5-b"]["dtstart"].dt == datetime.date(2026, 12, 31)


def test_a_moved_run_keeps_its_uid(gke_tpu: GkeTpu, plan: Path) -> None:
    def uid() -> str:
        (found,) = [item for item in events(gke_tpu, plan) if str(item["summary"]).startswith("run llama")]
        return str(found["uid"])

    before = uid()
    plan.write_text(
        PLAN.replace("start: 2026-12-01T08:00:00Z, duration: 10d", "start: 2026-12-03T08:00:00Z, duration: 5d")
    )
    assert uid() == before


@pytest.mark.parametrize("form", ["text", "json", "markdown", "icalendar"])
def test_the_same_plans_give_the_same_bytes(gke_tpu: GkeTpu, plan: Path, inventory: Path, form: str) -> None:
    calls = [gke_tpu("calendar", plan, "--inventory", inventory, "--format", form, *TODAY) for _ in range(2)]
    assert calls[0].code == 0
    assert calls[0].out == calls[1].out


@pytest.mark.parametrize("name", ["|x|", "<b>", "[a](b)", "`x`", "a;b,c:d", "BEGIN:VALARM"])
def test_a_strange_name_stays_text_in_every_format(gke_tpu: GkeTpu, plan: Path, name: str) -> None:
    plan.write_text(PLAN.replace("gemma:", f'"{name}":'), encoding="utf-8")
    data = shown(gke_tpu, plan)
    assert name in {item["name"] for item in data["events"]}
    found = events(gke_tpu, plan)
    assert f"run {name}: train/pretrain" in {str(item["summary"]) for item in found}
    assert len(found) == len(data["events"])
    tree = SyntaxTreeNode(MarkdownIt("gfm-like", {"linkify": False}).parse(markdown(gke_tpu, plan)))
    cells = {cell.children[0].content for cell in tree.walk() if cell.type == "td" and cell.children}
    assert any(name in html.unescape(cell.replace("\\", "")) for cell in cells)
    assert not [node for node in tree.walk() if node.type in ("link", "html_inline", "html_block")]


def markdown(gke_tpu: GkeTpu, plan: Path) -> str:
    text: str = gke_tpu("calendar", plan, *TODAY, "--format", "markdown").out
    return text


@pytest.mark.parametrize("name", ["\u202e", "a\nb", "\x1b[31m", "END:VEVENT\r\nBEGIN:VALARM", "\u2028"], ids=ascii)
def test_hidden_characters_of_a_name_never_reach_the_output(name: str) -> None:
    """A file with such a name is refused; a program can give one."""
    data = yaml.safe_load(PLAN)
    runs = data["clusters"]["train"]["runs"]
    runs[name] = runs.pop("gemma")
    catalog, day = read_catalog(), datetime.date(2026, 11, 20)
    calendar = calendar_of([check_plan(parse_plan(data), catalog, day)], None, catalog, day)
    texts = (
        text_of(calendar_page(calendar)),
        markdown_of(calendar_page(calendar)),
        calendar_ics(calendar, day).decode(),
    )
    for text in texts:
        assert not {"\u202e", "\x1b", "\u2028"} & set(text)
        assert "\nBEGIN:VALARM" not in text
    assert len(icalendar.Calendar.from_ical(texts[2]).walk("VEVENT")) == len(calendar.events)


def test_without_the_extra_the_message_names_it(gke_tpu: GkeTpu, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "icalendar" else found(name, *more)
    )
    run = gke_tpu("calendar", plan, *TODAY, "--format", "icalendar")
    assert (run.code, run.out) == (2, "")
    assert "with the extra `calendar`" in " ".join(run.err.split())
    assert gke_tpu("calendar", plan, *TODAY).code == 0
