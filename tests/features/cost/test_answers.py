"""``gke-tpu recommend --advice``: what Compute Engine answered about capacity, beside the rows that it is about."""

import datetime
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.fixtures.commands import Run

from pulumi_gke_tpu.features.cost.recommend.answers import AnswerError, read_answer

CALENDAR = {
    "recommendations": [
        {
            "recommendationsPerSpec": {
                "spec": {
                    "recommendationType": "FUTURE_RESERVATION",
                    "location": "zones/us-east5-a",
                    "startTime": "2026-12-03T00:00:00Z",
                    "endTime": "2026-12-13T00:00:00Z",
                    "otherLocations": {
                        "zones/us-east5-b": {"status": "NO_CAPACITY"},
                        "zones/asia-northeast1-b": {"status": "CONDITIONS_NOT_MET", "details": "Too short.\x1b[31m"},
                    },
                }
            }
        }
    ]
}
SHARDS = [
    {"zone": "us-central1-b", "machineType": "ct6e-standard-4t", "instanceCount": 4, "provisioningModel": "SPOT"},
    {"zone": "us-east1-d", "machineType": "ct6e-standard-4t", "instanceCount": 4, "provisioningModel": "FLEX_START"},
]
SCORES = {"obtainability": 0.7, "estimatedUptime": "43200s"}
CAPACITY = {"recommendations": [{"scores": SCORES, "shards": SHARDS}]}
ASKED = ("--chips", "16", "--tpu", "v6e", "--run", "10d", "--today", "2026-11-29")


@pytest.fixture
def answered(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> Callable[..., Run]:
    """Runs the command with answers in files."""

    def run(answers: dict[str, Any], *options: str, write: Callable[[Any], str] = json.dumps) -> Run:
        names = []
        for name, content in answers.items():
            (tmp_path / name).write_text(write(content), encoding="utf-8")
            names += ["--advice", tmp_path / name]
        return gke_tpu("recommend", *names, *options)

    return run


def reasons(run: Run) -> dict[str, str]:
    rows = json.loads(run.out)["rows"]
    found: dict[str, str] = {}
    for row in rows:
        capacity = "calendar" if row["calendar"] else row["capacity"]
        found[capacity] = found.get(capacity, "") + str([each["text"] for each in row["reasons"]])
    return found


@pytest.mark.parametrize("write", [json.dumps, yaml.safe_dump], ids=["json", "yaml"])
def test_calendar_mode_has_the_window_and_the_other_zones(answered: Callable[..., Run], write: Any) -> None:
    found = reasons(answered({"advice-2026-11-28.json": CALENDAR}, *ASKED, "--format", "json", write=write))
    assert "us-east5-a: recommends to reserve from 2026-12-03 to 2026-12-13" in found["calendar"]
    assert "us-east5-b: no capacity" in found["calendar"]
    assert "asia-northeast1-b: conditions not met: Too short" in found["calendar"]
    assert "advice-2026-11-28.json, 2026-11-28" in found["calendar"]
    assert "Compute Engine, " not in found["spot"] + found["on_demand"]


def test_capacity_is_beside_its_machine_type_zone_and_model(answered: Callable[..., Run]) -> None:
    found = reasons(answered({"advice-2026-11-28.json": CAPACITY}, *ASKED, "--format", "json"))
    assert "us-central1-b: 4 VMs, obtainability 0.70 of 1, estimated uptime 12.0 h" in found["spot"]
    assert "Compute Engine, us-east1-d" not in found["spot"], "the answer about it is for flex-start"
    assert "Compute Engine, " not in found["on_demand"] + found["calendar"]
    other = reasons(answered({"advice-2026-11-28.json": CAPACITY}, "--chips", "16", "--tpu", "v5e", "--format", "json"))
    assert "Compute Engine, " not in str(other)


def test_the_text_has_no_control_characters_and_names_limits(answered: Callable[..., Run]) -> None:
    done = answered({"old-2026-11-01.json": CALENDAR, "undated.json": CAPACITY}, *ASKED[:2], "--today", "2026-11-29")
    out = " ".join(done.out.split())
    assert "old-2026-11-01.json, 2026-11-01: 28 days old" in out
    assert "undated.json, of an unknown day: name the file with its day, such as advice-2026-11-29.json" in out
    assert "add --tpu and --run" in out
    assert "\x1b" not in answered({"a.json": CALENDAR}, *ASKED).out


def test_the_order_and_the_rows_stay_the_same(answered: Callable[..., Run], gke_tpu: Callable[..., Run]) -> None:
    def rows(run: Run) -> list[Any]:
        return [{**row, "reasons": 0} for row in json.loads(run.out)["rows"]]

    answers = {"a-2026-11-28.json": CALENDAR, "b-2026-11-28.json": CAPACITY}
    assert rows(answered(answers, *ASKED, "--format", "json")) == rows(gke_tpu("recommend", *ASKED, "--format", "json"))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"7", b"[]", b'{"recommendations": []}', b'{"recommendations": {"a": 1}}', b"\xff\xfe\x00"],
)
def test_something_else_is_refused(content: bytes, tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    with pytest.raises(AnswerError):
        read_answer(content, "advice.json")
    (tmp_path / "advice.json").write_bytes(content)
    done = gke_tpu("recommend", "--chips", "16", "--advice", tmp_path / "advice.json")
    assert done.code == 2
    assert "gcloud compute advice" in done.err
    assert gke_tpu("recommend", "--chips", "16", "--advice", tmp_path / "missing.json").code == 2


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [[]], {"spec": 7}, {"spec": {"otherLocations": [1]}}])
def test_no_form_of_an_answer_ends_in_a_traceback(value: Any) -> None:
    for key in ("recommendationsPerSpec", "shards", "scores"):
        found = read_answer(json.dumps({"recommendations": [{key: value}, value]}).encode(), "advice-2026-99-99.json")
        assert (found.day, found.zones) == (None, ())


def test_the_day_is_that_of_the_name() -> None:
    content = json.dumps(CALENDAR).encode()
    assert read_answer(content, "/2026-01-01/advice-2026-11-28T10.json").day == datetime.date(2026, 11, 28)
    assert read_answer(content, "/2026-01-01/advice.json").day is None
