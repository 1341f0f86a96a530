"""``gke-tpu check`` of a snapshot: the reasons that whole objects have, and nothing of a healthy fleet."""

import itertools
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from support.each import each
from support.fixtures.commands import Run
from support.healthy_cluster import healthy_cluster
from support.incident_cases import CASES, POD, objects
from support.live_objects import event, listed, plural
from support.sampling import sample
from support.snapshots import PLANS, TAKEN, Answers, as_gke_shows, checked_plan, healthy, in_lines, write

from pulumi_gke_tpu.core.catalog import read_catalog

ROOT = pathlib.Path(__file__).parents[3]
READ = frozenset(kind.partition(".")[0] for kind in read_catalog().reads.kubectl)
MANIFEST = {"format": 1, "taken": TAKEN}


def answers_of(items: list[Any]) -> Answers:
    kinds = dict.fromkeys(map(plural, items))
    return {f"{kind}-train.jsonl": listed([each for each in items if plural(each) == kind]) for kind in kinds}


def read_by_script(case: dict[str, Any]) -> bool:
    return all(plural(item) in READ for item in objects(case))


WRONG = [case for case in CASES["wrong"] if read_by_script(case)]
USUAL = [case for case in CASES["usual"] if read_by_script(case)]


@pytest.fixture
def findings(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> Callable[..., list[Any]]:
    """What `check` finds in a folder with these answers."""

    folders = (tmp_path / str(number) for number in itertools.count())

    def found(answers: Answers, *options: object) -> list[Any]:
        folder = next(folders)
        write(folder, {"snapshot.json": MANIFEST, **answers})
        done = gke_tpu("check", folder, "--format", "json", *options)
        assert done.code in (0, 1), done.err
        data = json.loads(done.out)
        assert data["read"]["not_read"] == []
        result: list[Any] = data["findings"]
        return result

    return found


@each("case", WRONG, lambda case: str(case["says"])[:40])
def test_lines_have_the_reasons_of_whole_objects(findings: Callable[..., list[Any]], case: dict[str, Any]) -> None:
    answers = answers_of(objects(case))
    whole = [item["message"] for item in findings(answers) if item["rule"] == "TPU572"]
    lines = findings(in_lines(answers))
    if "message" in case.get("pod", ()):  # kubectl cannot write it as JSON; the event of the eviction has it, too
        whole = [f"Pod `trainer`: {case['pod']['reason']}"]
    assert [item["message"] for item in lines] == whole
    assert len(whole) == 1


@each("case", USUAL, lambda case: str(case)[:60])
def test_lines_of_what_is_usual_have_none(findings: Callable[..., list[Any]], case: dict[str, Any]) -> None:
    assert findings(in_lines(answers_of(objects(case)))) == []


def test_a_line_is_read_outside_of_its_folder_too(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    (content,) = in_lines(answers_of(objects(WRONG[0]))).values()
    (tmp_path / "pods.txt").write_bytes(b"\n" + content)
    done = gke_tpu("check", tmp_path / "pods.txt", "--format", "json")
    (finding,) = json.loads(done.out)["findings"]
    assert finding["rule"] == "TPU572"


def test_events_of_objects_that_are_gone_count_only_if_their_kind_was_not_read(
    findings: Callable[..., list[Any]],
) -> None:
    failed = {"events-train.jsonl": listed([event(POD, "Warning", "FailedScaleUp", "GCE quota exceeded")])}
    assert [each["rule"] for each in findings(failed)] == ["TPU572"]
    assert findings({**failed, "pods-train.jsonl": b""}) == []
    assert [each["rule"] for each in findings({**failed, "pods-west.jsonl": b""})] == ["TPU572"]


@pytest.mark.parametrize("with_plan", [False, True])
def test_what_is_around_a_healthy_fleet_has_no_finding(findings: Callable[..., list[Any]], *, with_plan: bool) -> None:
    items = [item for item in healthy_cluster() if plural(item) in READ]
    options = ("--plan", ROOT / "docs/examples/incident/plan.yaml") if with_plan else ()
    answers = in_lines(answers_of(items))
    twice = answers | {name.replace("-train", "-serve"): content for name, content in answers.items()}
    assert [each["message"] for each in findings(twice, *options)] == []


@each("path", lambda: sample(PLANS, 5))
def test_a_healthy_folder_has_no_finding(
    path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory, gke_tpu: Callable[..., Run]
) -> None:
    """Neither the folder nor any of its files, alone and against the plan."""
    checked, folder = checked_plan(path), tmp_path_factory.mktemp("snapshot")
    if checked.fleet is None or checked.has_errors:
        pytest.skip("the plan has errors")
    answers = healthy(checked)
    as_gke_shows(checked, answers)
    write(folder, in_lines(answers))
    elsewhere = () if checked.fleet.clusters[0].has_system_pool else ("TPU541",)  # other plans have pools there
    for options in ((), ("--plan", path)):
        for files in ([folder], sorted(folder.iterdir())):
            done = gke_tpu("check", *files, *options, "--format", "json")
            data = json.loads(done.out)
            about = [each for each in data["findings"] if str(folder) in each["file"] and each["rule"] not in elsewhere]
            assert (about, data["read"]["not_read"]) == ([], [])


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("reservations-acme-ml.json", b"{", "JSON"),
        ("pods-train.jsonl", b"7", "TPU720"),
        ("pods-train.jsonl", b'{"kind":"Pod","apiVersion":"v1","metadata.name":"a\n', "JSON"),
        ("pods-train.jsonl.err", b"Error from server (Forbidden): pods is forbidden", "is forbidden"),
    ],
)
def test_an_answer_that_cannot_be_read_is_named(
    name: str, content: bytes, told: str, tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]
) -> None:
    write(tmp_path, {"snapshot.json": MANIFEST, name: content})
    done = gke_tpu("check", tmp_path)
    assert told in done.out + done.err
