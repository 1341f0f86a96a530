"""Planned runs against maintenance windows and exclusions, and the exclusion that is proposed."""

import copy
import datetime
import itertools
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.sampling import sample
from support.work import function_calls

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Window
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.availability import openings
from pulumi_gke_tpu.core.schedule.coverage import Coverage, coverage_of, run_span, written
from pulumi_gke_tpu.core.schedule.spans import Span, exclusion_span, least_free, span_of, without
from pulumi_gke_tpu.core.text.findings import Finding

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
UTC = datetime.timezone.utc
WEEKENDS = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
RESERVED = {"reservation": "v6e-pretrain"}


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=UTC)


def plan(
    start: str = "2026-12-01T08:00:00Z",
    duration: str = "10d",
    *,
    window: dict[str, Any] | None = WEEKENDS,
    exclusions: dict[str, Any] | None = None,
    capacity: Any = RESERVED,
    name: str = "llama",
    **cluster: Any,
) -> dict[str, Any]:
    """A plan with one run."""
    maintenance = {**({"window": window} if window else {}), "exclusions": exclusions or {}}
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": capacity}
    body = {
        "mode": "standard",
        "location": "us-east5",
        "slices": {"pretrain": group},
        "maintenance": maintenance,
        "runs": {name: {"slices": "pretrain", "start": start, "duration": duration}},
        **cluster,
    }
    return {"version": 1, "project": "acme-ml", "clusters": {"train": body}}


def checked(data: dict[str, Any], today: datetime.date = TODAY) -> CheckedPlan:
    found = check_plan(parse_plan(data), CATALOG, today)
    assert found.fleet is not None, found.findings
    return found


def findings(data: dict[str, Any], today: datetime.date = TODAY) -> list[Finding]:
    return list(checked(data, today).findings)


def rules(data: dict[str, Any], today: datetime.date = TODAY) -> set[str]:
    return {finding.rule for finding in findings(data, today)}


def coverage(data: dict[str, Any]) -> Coverage:
    fleet = checked(data).fleet
    assert fleet is not None
    (cluster,) = fleet.clusters
    ((name, run),) = cluster.plan.runs.items()
    span = run_span(run)
    assert span is not None
    return coverage_of(name, span, cluster, cluster.groups[0], CATALOG)


def blocking(start: str, end: str, scope: str = "no_upgrades") -> dict[str, str]:
    return {"start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z", "scope": scope}


@pytest.mark.parametrize(
    ("data", "state"),
    [
        (plan(), "interrupted"),
        (plan(exclusions={"a": blocking("2026-12-01", "2026-12-12")}), "covered"),
        (plan(exclusions={"a": blocking("2026-12-01", "2026-12-12", "no_minor_or_node_upgrades")}), "covered"),
        (plan(exclusions={"a": blocking("2026-12-01", "2026-12-12", "no_minor_upgrades")}), "interrupted"),
        (plan(exclusions={"a": blocking("2026-12-01", "2026-12-06")}), "interrupted"),
        (
            plan(
                exclusions={
                    "a": blocking("2026-12-01", "2026-12-06"),
                    "b": blocking("2026-12-06", "2026-12-07"),
                }
            ),
            "covered",
        ),
        (
            plan(
                exclusions={
                    "a": {
                        "start": "2026-11-01T00:00:00Z",
                        "end": "end_of_support",
                        "scope": "no_minor_or_node_upgrades",
                    }
                }
            ),
            "covered",
        ),
        (plan(start="2026-11-30T08:00:00Z", duration="4d"), "clear"),
        (plan(start="2026-12-05T08:00:00Z", duration="18h"), "clear"),
        (plan(start="2026-12-05T07:59:00Z", duration="2m"), "interrupted"),
        (plan(window=None, maintenance={}), "interrupted"),
        (plan(capacity={"flex_start": {"max_run_duration": "7d"}}), "exempt"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_run_is_covered_if_exclusions_prevent_all_upgrades_of_nodes_during_it(data: Any, state: str) -> None:
    assert coverage(data).state == state


def test_the_openings_are_the_ones_that_no_exclusion_covers() -> None:
    found = coverage(plan(exclusions={"a": blocking("2026-12-01", "2026-12-06")}))
    assert found.openings == (Span(at("2026-12-06T02:00:00"), at("2026-12-06T08:00:00")),)


@pytest.mark.parametrize(
    ("data", "scope", "reason"),
    [
        (plan(duration="10d"), "no_upgrades", ""),
        (plan(duration="91d"), "no_minor_or_node_upgrades", "90 days"),
        (plan(duration="90d"), "no_minor_or_node_upgrades", "48 h"),
        (
            plan(exclusions={key: blocking(f"2027-0{key}-01", f"2027-0{key}-02") for key in "135"}),
            "no_minor_or_node_upgrades",
            "number of exclusions of all upgrades to 3",
        ),
        (
            plan(exclusions={key: blocking(f"2027-0{key}-01", f"2027-0{key}-02") for key in "13"}),
            "no_upgrades",
            "",
        ),
        (
            plan(duration="40d", exclusions={"a": blocking("2026-10-01", "2026-11-28")}),
            "no_minor_or_node_upgrades",
            "48 h",
        ),
        (plan(window={**WEEKENDS, "duration": "4h"}, duration="14d"), "no_upgrades", ""),
        (plan(window={**WEEKENDS, "duration": "4h"}, duration="60d"), "no_minor_or_node_upgrades", "48 h"),
        # The window that is proposed with the exclusion counts
        (plan(window=None, maintenance={}, duration="80d"), "no_minor_or_node_upgrades", "48 h"),
        (plan(window=None, maintenance={}, duration="50d"), "no_upgrades", ""),
    ],
    ids=[
        "short",
        "91 days",
        "90 days",
        "three",
        "two",
        "together",
        "enough window",
        "little window",
        "proposed window",
        "enough of it",
    ],
)
def test_the_other_scope_is_proposed_where_no_upgrades_would_break_a_limit(data: Any, scope: str, reason: str) -> None:
    proposal = coverage(data).proposal
    assert proposal is not None
    assert proposal.scope == scope
    assert reason in proposal.reason
    assert bool(reason) == bool(proposal.reason)


def test_pieces_below_four_hours_do_not_count_as_maintenance_time() -> None:
    """The rest of the windows of the first and the last day is shorter than a piece."""
    window = {"start": "2026-01-01T02:00:00Z", "duration": "5h", "recurrence": "FREQ=WEEKLY;BYDAY=TU"}
    # 92 days have at least 13 Tuesdays: 65 h. Three of them in the run leave 50 h, a part of a fourth one 45 h.
    three = coverage(plan(start="2026-12-01T00:00:00Z", duration="15d", window=window)).proposal
    four = coverage(plan(start="2026-12-01T00:00:00Z", duration="21d3h30m", window=window)).proposal
    assert three is not None
    assert four is not None
    assert (three.scope, four.scope) == ("no_upgrades", "no_minor_or_node_upgrades")


def test_a_cluster_with_all_exclusions_that_the_provider_accepts_has_no_proposal() -> None:
    many = {
        f"e{day}": blocking(f"2027-01-{day:02}", f"2027-01-{day + 1:02}", "no_minor_upgrades") for day in range(1, 21)
    }
    found = coverage(plan(exclusions=many))
    assert (found.state, found.proposal) == ("impossible", None)
    assert "TPU625" in rules(plan(exclusions=many))
    many.pop("e1")
    assert coverage(plan(exclusions=many)).state == "interrupted"


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [("llama", [], "llama"), ("llama", ["llama"], "llama-2"), ("llama", ["llama", "llama-2"], "llama-3")],
)
def test_the_name_of_the_proposal_is_free(name: str, taken: list[str], expected: str) -> None:
    proposal = coverage(
        plan(name=name, exclusions={key: blocking("2027-01-01", "2027-01-02") for key in taken})
    ).proposal
    assert proposal is not None
    assert proposal.name == expected


@pytest.mark.parametrize(("length", "kept"), [(1, True), (99, True), (100, False), (101, False)])
def test_a_long_name_of_a_run_is_not_the_name_of_an_exclusion(length: int, kept: bool) -> None:
    proposal = coverage(plan(name="x" * length)).proposal
    assert proposal is not None
    assert proposal.name == ("x" * length if kept else "run")
    taken = coverage(plan(name="x" * 99, exclusions={"x" * 99: blocking("2027-01-01", "2027-01-02")})).proposal
    assert taken is not None
    assert taken.name == f"{'x' * 96}-2"


@pytest.mark.parametrize("name", ["é" * 99, "{[,]}" * 19, "x: y " * 19 + "z", "'\"" * 49])
def test_every_proposal_can_be_pasted(name: str) -> None:
    data = plan(name=name)
    proposal = coverage(data).proposal
    assert proposal is not None
    (found,) = [item for item in findings(data) if item.rule == "TPU624"]
    assert yaml.load(found.fix, yaml.BaseLoader) == {"exclusions": proposal.maintenance["exclusions"]}
    assert proposal.name == name


@pytest.mark.parametrize("name", ["", " ", "a" * 200, "\u202e", "a\nb", "\x1b[31m", "null", "1", "a: b", "{x}"])
def test_a_hostile_name_of_a_run_gives_a_name_without_findings(name: str) -> None:
    data = plan(name=name)
    assert {rule for rule in rules(data) if rule != "TPU034"} == {"TPU624"}
    assert not {"TPU618", "TPU624"} & rules(pasted(data))


def pasted(data: dict[str, Any]) -> dict[str, Any]:
    """The plan with the fix of the finding, as text."""
    (found,) = [item for item in findings(data) if item.rule == "TPU624"]
    ((key, value),) = yaml.safe_load(found.fix).items()
    data = copy.deepcopy(data)
    mapping = data
    for step in found.path if found.path[-1] != key else found.path[:-1]:
        mapping = mapping[step]
    before = mapping.get(key) or {}
    mapping[key] = value
    kept = before.get("exclusions", before) if key == "maintenance" else before
    now = value["exclusions"] if key == "maintenance" else value
    assert kept.keys() < now.keys(), "an exclusion is lost"
    assert key != "maintenance" or "window" not in before
    return data


HOUR = datetime.timedelta(hours=1)
FIRST = at("2026-12-01T00:00:00")
SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=6).map(
    lambda items: [Span(FIRST + first * HOUR, FIRST + (first + length) * HOUR) for first, length in items]
)
MOMENTS = st.integers(0, 400 * 24).map(lambda hours: at("2026-11-21T00:00:00") + datetime.timedelta(hours=hours))
LENGTHS = st.integers(1, 200 * 24)
WINDOWS = st.one_of(
    st.none(),
    st.builds(
        lambda days, hours: {"start": "2026-01-03T02:00:00Z", "duration": f"{hours}h", "days": sorted(days)},
        st.sets(st.sampled_from(["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]), min_size=1),
        st.integers(8, 24),
    ),
    st.sampled_from(
        [
            "FREQ=DAILY",
            "FREQ=MONTHLY;BYDAY=1SA,2SA,3SA,4SA",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU",
            "FREQ=DAILY;COUNT=400",
            "FREQ=WEEKLY;BYDAY=SA,SU;UNTIL=20270601T000000Z",
        ]
    ).map(lambda rule: {"start": "2026-01-03T02:00:00Z", "duration": "12h", "recurrence": rule}),
)
EXCLUSIONS = st.lists(
    st.tuples(
        st.integers(0, 300),
        st.integers(1, 60),
        st.sampled_from(["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]),
    ),
    max_size=4,
).map(
    lambda items: {
        f"e{number}": {
            "start": written(at("2026-11-21T00:00:00") + datetime.timedelta(days=first)),
            "end": written(at("2026-11-21T00:00:00") + datetime.timedelta(days=first + days)),
            "scope": scope,
        }
        for number, (first, days, scope) in enumerate(items)
    }
)
OF_EXCLUSIONS = {
    "TPU601",
    "TPU605",
    "TPU611",
    "TPU612",
    "TPU613",
    "TPU614",
    "TPU615",
    "TPU616",
    "TPU617",
    "TPU618",
    "TPU634",
}


@given(start=MOMENTS, hours=LENGTHS, window=WINDOWS, exclusions=EXCLUSIONS)
def test_a_proposed_exclusion_is_valid_and_covers_its_run(
    start: datetime.datetime, hours: int, window: Any, exclusions: Any
) -> None:
    data = plan(written(start), f"{hours}h", window=window, exclusions=exclusions if window else {})
    before = rules(data)
    proposal = coverage(data).proposal
    assert (proposal is not None) == ("TPU624" in before)
    if proposal is None:
        return
    run = span_of(start, datetime.timedelta(hours=hours))
    assert proposal.span == run
    after = pasted(data)
    assert coverage(after).state == "covered" or (window is None and coverage(after).state == "clear")
    assert not (rules(after) - before) & (OF_EXCLUSIONS | {"TPU624", "TPU625"})


@given(start=MOMENTS, hours=LENGTHS, window=WINDOWS, exclusions=EXCLUSIONS)
def test_a_run_is_covered_exactly_if_no_opened_hour_is_left(
    start: datetime.datetime, hours: int, window: Any, exclusions: Any
) -> None:
    data = plan(written(start), f"{hours}h", window=window, exclusions=exclusions if window else {})
    assert coverage(data).state == state_by_the_hour(data, start, hours)


def state_by_the_hour(data: dict[str, Any], start: datetime.datetime, hours: int) -> str:
    """Whether maintenance interrupts a run, by other code than that of the package."""
    cluster = parse_plan(data).content
    assert cluster is not None
    maintenance = cluster.clusters["train"].maintenance
    assert maintenance is not None
    end = start + datetime.timedelta(hours=hours)
    opened: set[datetime.datetime] = set()
    for opening in openings(maintenance.window, Span(start, end)):
        opened |= {
            opening.start + datetime.timedelta(hours=n) for n in range(int(opening.length.total_seconds() // 3600))
        }
    kept = [item for item in maintenance.exclusions.values() if item.scope != "no_minor_upgrades"]
    left = {hour for hour in opened if not any(item.start <= hour < end_of(item) for item in kept)}
    return "clear" if not opened else "interrupted" if left else "covered"


@given(start=MOMENTS, hours=LENGTHS, window=WINDOWS, exclusions=EXCLUSIONS, filled=st.integers(12, 16))
def test_no_exclusion_is_proposed_exactly_if_the_provider_accepts_no_more(
    start: datetime.datetime, hours: int, window: Any, exclusions: Any, filled: int
) -> None:
    many = {f"x{number}": blocking("2029-01-01", "2029-01-02", "no_minor_upgrades") for number in range(filled)}
    data = plan(written(start), f"{hours}h", window=window or WEEKENDS, exclusions={**many, **exclusions})
    found, state = coverage(data), state_by_the_hour(data, start, hours)
    full = filled + len(exclusions) == CATALOG.maintenance.exclusions.max_total
    interrupted = state == "interrupted"
    assert found.state == ("impossible" if interrupted and full else state)
    assert (found.proposal is not None) == (interrupted and not full)
    reported = ["TPU625" if full else "TPU624"] if interrupted else []
    assert sorted(rules(data) & {"TPU624", "TPU625"}) == reported


@pytest.mark.parametrize("year", ["1000", "1999", "2200", "9999"])
@pytest.mark.parametrize("rule", ["FREQ=WEEKLY", "FREQ=MONTHLY;BYDAY=SA"])
def test_a_window_with_an_implausible_year_is_unknown(year: str, rule: str) -> None:
    window = {"start": f"{year}-01-04T02:00:00Z", "duration": "12h", "recurrence": rule}
    data = plan(window=window)
    assert coverage(data).state == "unknown"
    assert "TPU606" in rules(data)
    work = function_calls(lambda: check_plan(parse_plan(data), CATALOG, TODAY))
    assert work < 100_000


DURATIONS = ("36h", "3000d", "900000d", "9999999d")
RECURRENCES = ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SA", "FREQ=MONTHLY;BYMONTHDAY=1", "FREQ=YEARLY")
STARTS = ("2000-01-01T00:00:00Z", "2026-12-05T08:00:00Z", "2199-12-01T08:00:00Z")


@pytest.mark.parametrize(
    ("duration", "recurrence", "start"),
    sample(itertools.product(DURATIONS, RECURRENCES, STARTS), 16, kind=lambda case: case[:2]),
)
def test_a_window_of_any_length_is_compared(duration: str, recurrence: str, start: str) -> None:
    window = {"start": "2000-01-01T02:00:00Z", "duration": duration, "recurrence": recurrence}
    found = coverage(plan(start, "2d", window=window))
    assert found.state in ("interrupted", "clear")
    assert all(span_of(at(start[:-1]), 48 * HOUR).common(opening) == opening for opening in found.openings)  # type: ignore[union-attr]


def test_runs_beside_more_exclusions_than_allowed_are_not_checked() -> None:
    many = {
        f"e{day}": blocking(f"2027-01-{day:02}", f"2027-01-{day + 1:02}", "no_minor_upgrades") for day in range(1, 22)
    }
    assert coverage(plan(exclusions=many)).state == "unknown"
    assert rules(plan(exclusions=many)) == {"TPU614"}


def test_an_exclusion_until_the_end_of_support_covers_every_later_run() -> None:
    hold = {"start": "2026-11-01T00:00:00Z", "end": "end_of_support"}
    for scope, state in (
        ("no_minor_or_node_upgrades", "covered"),
        ("no_minor_upgrades", "interrupted"),
    ):
        data = plan(start="2029-12-01T08:00:00Z", exclusions={"hold": {**hold, "scope": scope}})
        assert coverage(data).state == state


def end_of(exclusion: Exclusion) -> datetime.datetime:
    assert exclusion.end is not None
    return exclusion.end


@given(
    cycle=st.sampled_from(
        [
            "FREQ=DAILY;INTERVAL=5",
            "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,TH",
            "FREQ=WEEKLY;BYDAY=SU",
            "FREQ=MONTHLY;BYDAY=-1FR",
        ]
    ),
    offset=st.integers(-400, 4000),
    days=st.integers(1, 60),
    length=st.integers(4, 60),
)
def test_the_openings_in_a_span_are_those_of_the_whole_recurrence(
    cycle: str, offset: int, days: int, length: int
) -> None:
    """Days before the span are skipped."""
    window = Window(start=at("2026-01-05T02:00:00"), duration=datetime.timedelta(hours=length), recurrence=cycle)
    begin = window.start + datetime.timedelta(hours=24 * offset)
    span = Span(begin, begin + datetime.timedelta(days=days))
    whole = openings(window, Span(window.start - datetime.timedelta(days=500), span.end))
    assert list(openings(window, span)) == [found for item in whole if (found := item.common(span))]


@given(spans=SPANS, removed=SPANS)
def test_without_removes_exactly_the_common_hours(spans: list[Span], removed: list[Span]) -> None:
    def hours(items: list[Span]) -> set[datetime.datetime]:
        return {item.start + n * HOUR for item in items for n in range(int(item.length / HOUR))}

    assert hours(list(without(spans, removed))) == hours(spans) - hours(removed)


def test_an_exclusion_without_length_covers_nothing() -> None:
    empty = Exclusion(start=at("2026-12-05T02:00:00"), end=at("2026-12-05T02:00:00"), scope="no_upgrades")
    assert exclusion_span(empty) is None


def test_the_least_time_between_no_spans_is_the_whole_period() -> None:
    assert least_free([], 92) == (datetime.timedelta(days=92), None)


@pytest.mark.parametrize(
    ("start", "duration", "rule"),
    [
        ("0226-12-01T00:00:00Z", "10d", "TPU622"),
        ("2026-12-01T00:00:00Z", "0s", "TPU622"),
        ("2026-12-01T00:00:00Z", "9999999d", "TPU622"),
        ("2026-12-01T00:00:00Z", "94694401s", "TPU622"),
        ("2199-12-01T00:00:00Z", "40d", "TPU622"),
        ("2200-01-01T00:00:00Z", "1d", "TPU622"),
        ("1999-12-31T00:00:00Z", "1d", "TPU622"),
        ("0001-01-01T00:00:00Z", "1s", "TPU622"),
        ("9999-12-01T00:00:00Z", "9999999d", "TPU622"),
    ],
)
def test_an_impossible_time_is_an_error_and_nothing_else_is_reported(start: str, duration: str, rule: str) -> None:
    assert rules(plan(start, duration)) == {rule}


def test_the_longest_run_is_checked() -> None:
    found = {item.rule: item.message for item in findings(plan(duration="1096d"))}
    assert set(found) == {"TPU624"}
    (finding,) = findings(plan(duration="1096d1s"))
    assert finding.message == "run `llama` lasts 1,096 days, and the limit is 1,096"


def test_a_run_in_an_existing_cluster_is_not_compared_with_an_unknown_window() -> None:
    data = plan()
    cluster = data["clusters"]["train"]
    del cluster["maintenance"], cluster["location"]
    cluster |= {
        "existing": "projects/acme-ml/locations/us-east5/clusters/train",
        "node_service_account": "nodes@acme-ml.iam.gserviceaccount.com",
    }
    assert coverage(data).state == "unknown"
    assert rules(data) == {"TPU636"}
    group = cluster["slices"]["pretrain"]
    group |= {"capacity": {"flex_start": {"max_run_duration": "7d"}}, "max": 1}
    cluster["runs"]["llama"]["duration"] = "7d"
    assert coverage(data).state == "exempt"
    assert not rules(data) & {"TPU624", "TPU625", "TPU636"}


def test_runs_that_have_ended_are_not_checked() -> None:
    assert rules(plan(), datetime.date(2027, 2, 1)) == {"TPU629"}
    assert "TPU624" in rules(plan(), datetime.date(2026, 12, 5))
