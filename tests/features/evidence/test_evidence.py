"""``gke-tpu evidence``: what a run shows beside what the catalog predicts, and nothing that identifies anyone."""

import copy
import json
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from support.fixtures.commands import Run
from support.sampling import sample
from support.snapshots import Answers, checked_plan, healthy, write

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.evidence import EVIDENCE_FACTS

PLAN = """\
version: 1
project: marker-project
clusters:
  marker-cluster:
    mode: standard
    location: us-east5
    node_service_account: marker@marker-project.iam.gserviceaccount.com
    slices:
      marker-group: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: marker-reservation}}
      marker-hosts: {tpu: v6e, topology: 2x2, zone: us-east5-b, node_labels: {marker: marker}}
"""
CHECKED = checked_plan(PLAN)
POOLS, NODES, CLUSTER = (f"{name}-marker-cluster.{end}" for name, end in
                         (("node-pools", "json"), ("nodes", "jsonl"), ("cluster", "json")))  # fmt: skip
TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}
VERSION = "1.34.4-gke.1047000"
_NODE_POOL = "gcp:container/nodePool:NodePool"
URN = f"urn:pulumi:marker-stack::marker-program::{_NODE_POOL}::marker-cluster/marker-group/marker-group-0"


def as_gke_answers() -> Answers:
    """A fleet as its plan says, with what GKE adds to the answers."""
    answers = healthy(CHECKED)
    for pool in answers[POOLS]:
        pool["version"] = VERSION
        if pool["name"] != "system":
            pool["config"]["advancedMachineFeatures"] = {"threadsPerCore": "1"}
            pool["config"]["taints"] = [TPU_TAINT]
            pool["config"]["diskType"] = "hyperdisk-balanced"
    return answers


def preview(**step: Any) -> str:
    """What the engine prints about one node pool after the update."""
    metadata = {"op": "same", "urn": URN, "type": _NODE_POOL, **step}
    events = [
        {"sequence": 0, "preludeEvent": {"config": {"gcp:project": "marker-project"}}},
        {"sequence": 1, "resourcePreEvent": {"metadata": metadata, "planning": True}},
        {"sequence": 2, "summaryEvent": {"isPreview": True, "result": "succeeded", "resourceChanges": {}}},
        {"sequence": 3, "cancelEvent": {}},
    ]
    return "".join(f"{json.dumps(event)}\n" for event in events)


class Evidence:
    """Runs the command for a fleet."""

    def __init__(self, folder: pathlib.Path, gke_tpu: Run) -> None:
        self.folder, self._run = folder, gke_tpu
        (folder / "plan.yaml").write_text(PLAN)

    def code_and_text(self, answers: Answers, *options: object, events: str = "") -> tuple[int, str]:
        write(self.folder / "snapshot", answers)
        (self.folder / "events").write_text(events or preview())
        events_option = ("--engine-events", self.folder / "events")
        plan, folder = self.folder / "plan.yaml", self.folder / "snapshot"
        done = self._run("evidence", plan, "--snapshot", folder, *events_option, *options)
        return done.code, done.out + done.err

    def seen(self, answers: Answers, events: str = "") -> dict[tuple[str, str], tuple[str | None, list[str]]]:
        _, text = self.code_and_text(answers, events=events)
        found = yaml.safe_load(text)["observations"]
        return {(each["fact"], each["of"]): (each.get("predicted"), each["seen"]) for each in found}


@pytest.fixture
def evidence(tmp_path: pathlib.Path, gke_tpu: Run) -> Evidence:
    return Evidence(tmp_path, gke_tpu)


def test_a_fleet_as_predicted_confirms_each_fact(evidence: Evidence) -> None:
    code, text = evidence.code_and_text(as_gke_answers())
    assert code == 0, text
    found = yaml.safe_load(text)
    assert (found["month"], found["gke_tpu"]) == ("2026-11", "0.1.0")
    facts = {each["fact"] for each in found["observations"]}
    assert facts == set(EVIDENCE_FACTS)
    open_facts = [each for each in found["observations"] if "predicted" not in each]
    assert [each["fact"] for each in open_facts] == ["placement-name"], "the catalog predicts nothing"
    confirmed = [each for each in found["observations"] if "predicted" in each]
    assert all(each["seen"] == [each["predicted"]] for each in confirmed)
    assert evidence.code_and_text(as_gke_answers(), "--issue")[1] == "Nothing contradicts the catalog.\n"


def pool(answers: Answers) -> Any:
    return next(each for each in answers[POOLS] if each["name"] == "marker-group-0")


def node(answers: Answers) -> Any:
    return answers[NODES]["items"][0]


Change = Callable[[Answers], object]
CONTRADICTIONS: dict[tuple[str, str], tuple[Change, str]] = {
    ("threads-per-core", "ct6e"): (
        lambda a: pool(a)["config"].update(advancedMachineFeatures={"threadsPerCore": "2"}),
        "2",
    ),
    ("pool-taint", "ct6e"): (lambda a: pool(a)["config"].update(taints=[]), "not reported"),
    ("ip-endpoint", "cluster"): (
        lambda a: a[CLUSTER]["controlPlaneEndpointsConfig"]["ipEndpointsConfig"].update(enablePublicEndpoint=False),
        "reported",
    ),
    ("boot-disk", "ct6e"): (lambda a: pool(a)["config"].update(diskType="pd-balanced"), "pd-balanced"),
    ("minimum-version", "ct6e"): (lambda a: pool(a).update(version="1.30.1-gke.1"), "an earlier version"),
    ("placement", "ct6e"): (lambda a: pool(a).pop("placementPolicy"), "absent"),
    ("node-labels", "ct6e"): (
        lambda a: node(a)["metadata"]["labels"].update({"cloud.google.com/gke-tpu-topology": "marker"}),
        "another cloud.google.com/gke-tpu-topology",
    ),
    ("node-taint", "ct6e"): (lambda a: node(a)["spec"].update(taints=[]), "absent"),
    ("chips-per-node", "ct6e-standard-4t"): (
        lambda a: node(a)["status"]["allocatable"].update({"google.com/tpu": "8"}),
        "8",
    ),
}  # fmt: skip


@pytest.mark.parametrize("key", CONTRADICTIONS, ids="-".join)
def test_one_pool_or_node_that_differs_contradicts_the_fact(key: tuple[str, str], evidence: Evidence) -> None:
    change, expected = CONTRADICTIONS[key]
    answers = as_gke_answers()
    before = evidence.seen(answers)
    change(answers)
    after = evidence.seen(answers)
    assert {each for each in after if after[each] != before[each]} == {key}
    predicted, seen = after[key]
    assert seen == sorted({expected, predicted} if len(before[key][1]) and key[0] != "ip-endpoint" else {expected})
    code, issue = evidence.code_and_text(answers, "--issue")
    assert code == 1
    assert issue.startswith("GKE differs in 1 fact from the catalog")
    assert f"| `{key[1]}` | `{predicted}` |" in issue


def test_every_predicted_fact_has_a_contradiction() -> None:
    """Also that of the engine, below; for the name of a placement policy, the catalog predicts nothing."""
    assert {fact for fact, _ in CONTRADICTIONS} | {"second-preview", "placement-name"} == set(EVIDENCE_FACTS)


def test_a_property_that_differs_after_the_update_is_named_without_its_value(evidence: Evidence) -> None:
    detailed = {
        "nodeConfig.advancedMachineFeatures.threadsPerCore": {"diffKind": "update"},
        'nodeConfig.labels["marker.example.com/x"]': {"diffKind": "add"},
        "markerProperty": {"diffKind": "add"},
    }
    found = evidence.seen(as_gke_answers(), preview(op="update", detailedDiff=detailed))
    names = ["another property", "nodeConfig.advancedMachineFeatures.threadsPerCore", "nodeConfig.labels"]
    assert found["second-preview", "ct6e"] == ("none", names)


def test_what_the_snapshot_does_not_have_is_not_said(evidence: Evidence) -> None:
    answers = as_gke_answers()
    answers[POOLS] = "permission denied for marker@example.com"
    facts = {fact for fact, _ in evidence.seen(answers)}
    assert facts == {"ip-endpoint", "node-labels", "node-taint", "chips-per-node", "second-preview"}


def test_an_answer_that_is_cut_or_of_a_pool_that_does_not_run_contradicts_nothing(evidence: Evidence) -> None:
    changes: list[tuple[Change, set[str]]] = [
        (lambda a: pool(a).update(status="PROVISIONING", config={}, placementPolicy={}), set()),
        (lambda a: pool(a).update(config=["acme"]), set()),
        (lambda a: pool(a).update(placementPolicy="acme"), set()),
        (lambda a: pool(a)["config"].update(advancedMachineFeatures="acme", taints="acme", diskType=["acme"]), set()),
        (lambda a: pool(a).update(name=["acme"]), set()),
        (lambda a: node(a)["metadata"]["labels"].update({"cloud.google.com/gke-nodepool": ["acme"]}), set()),
        (lambda a: node(a)["spec"].update(taints="acme"), set()),
        (lambda a: node(a)["status"].update(allocatable="acme"), set()),
        (lambda a: a.update({CLUSTER: "{"}), {"ip-endpoint"}),
        (lambda a: a.update({CLUSTER: ["acme"]}), {"ip-endpoint"}),
        (lambda a: a.update({POOLS: None}), {"threads-per-core", "pool-taint", "boot-disk", "minimum-version"}),
    ]  # fmt: skip
    for index, (change, missing) in enumerate(changes):
        answers = as_gke_answers()
        change(answers)
        shutil.rmtree(evidence.folder / "snapshot", ignore_errors=True)
        code, text = evidence.code_and_text(answers, "--issue")
        assert code == 0, (index, text)
        note = next((line for line in text.splitlines() if line.startswith("note: not seen: ")), "")
        assert missing <= set(note.removeprefix("note: not seen: ").split(", ")), (index, text)


def test_no_text_of_an_overlay_comes_out(evidence: Evidence, tmp_path: pathlib.Path) -> None:
    catalog = read_catalog()
    disks = catalog.section("disks")["families"]
    families = {name: {**each, "boot": [*each["boot"], f"{MARKER}-disk"]} for name, each in disks.items()}
    overlay = tmp_path / "overlay.yaml"
    content = {"about": {**catalog.section("about"), "version": f"{MARKER}-version"}, "disks": {"families": families}}
    overlay.write_text(yaml.safe_dump(content))
    answers = as_gke_answers()
    pool(answers)["config"]["diskType"] = f"{MARKER}-disk"
    for option in ((), ("--issue",)):
        code, text = evidence.code_and_text(answers, "--catalog", overlay, *option)
        assert code == 1
        assert "another value" in text
        assert MARKER not in text


@pytest.mark.parametrize(
    "change",
    [
        *({"month": "2026-13"}, {"month": "x"}, {"gke_tpu": "acme"}, {"catalog": "x"}),
        *({"of": "acme"}, {"of": "ct6e\nacme"}, {"of": "ct6e-acme"}, {"of": "ct9e"}, {"of": "v6e"}, {"of": ""}),
        *({"of": "ct6e-standard-3t"}, {"predicted": "<b>"}, {"seen": ["`x`"]}, {"seen": ["x" * 300]}),
    ],
    ids=str,
)
def test_a_file_of_the_catalog_has_only_words_of_the_catalog(
    change: dict[str, Any], evidence: Evidence, gke_tpu: Run, tmp_path: pathlib.Path
) -> None:
    run = yaml.safe_load(evidence.code_and_text(as_gke_answers())[1])
    (run if change.keys() <= run.keys() else run["observations"][0]).update(change)
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"evidence": {"a": run}}))
    done = gke_tpu("catalog", "evidence", "--catalog", overlay)
    assert done.code != 0
    assert "evidence.a." in done.err


def test_every_machine_type_of_the_catalog_can_be_observed(
    evidence: Evidence, gke_tpu: Run, tmp_path: pathlib.Path
) -> None:
    catalog = read_catalog()
    generations = [catalog.generation(name) for name in catalog.generation_names]
    names = {each for item in generations for each in (*item.families, *item.machine_types)}
    run = yaml.safe_load(evidence.code_and_text(as_gke_answers())[1])
    first = run["observations"][0]
    run["observations"] = [{**first, "of": name} for name in sorted(names)]
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"evidence": {"a": run}}))
    assert gke_tpu("catalog", "evidence", "--catalog", overlay).code == 0


def test_a_file_is_written_once(evidence: Evidence) -> None:
    target = evidence.folder / "run.yaml"
    code, _ = evidence.code_and_text(as_gke_answers(), "-o", target)
    assert code == 0
    text = target.read_text(encoding="utf-8")
    changed = as_gke_answers()
    pool(changed)["version"] = "1.30.1-gke.1"
    assert evidence.code_and_text(changed, "-o", target)[0] == 2
    assert target.read_text(encoding="utf-8") == text


# Nothing that identifies anyone

MARKER = "marker9"
_KEPT = ("name", "kind", "apiVersion", "cloud.google.com/gke-nodepool", "status")
"""By which an answer is found to be about the plan."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, (dict, list)):
        yield path
    for key, inner in children:
        yield from leaves(inner, (*path, key))


def marked(answers: Answers, paths: list[tuple[Any, ...]]) -> Answers:
    found = copy.deepcopy(answers)
    for *above, last in paths:
        inner = found
        for step in above:
            inner = inner[step]
        inner[last] = f"{MARKER}-{'-'.join(map(str, above))}"
        if isinstance(inner, dict):
            inner[f"{MARKER}/key"] = MARKER
    return found


FIELDS = [path for path in leaves(as_gke_answers()) if path[0] != "snapshot.json"]
IDENTIFYING = ("marker", "us-east5", "us-east5-b", "iam.gserviceaccount.com", "@", "example.com")


def test_no_field_of_an_answer_comes_out(evidence: Evidence) -> None:
    """All fields at once, and in sixty groups of distant ones; names of the plan have the marker as well."""
    fields = [path for path in FIELDS if path[-1] not in _KEPT]
    assert len(fields) > 500
    text = evidence.code_and_text(marked(as_gke_answers(), fields))[1]
    assert len(yaml.safe_load(text)["observations"]) >= 6, "the fleet is still recognized"
    assert not [word for word in IDENTIFYING if word in text.lower()]
    detailed = {f'nodeConfig.labels["{MARKER}"]': {"diffKind": "update"}, MARKER: {"diffKind": "add"}}
    new = {"urn": URN, "inputs": {MARKER: MARKER}, "custom": True}
    events = preview(op="update", detailedDiff=detailed, new=new)
    tried = sample(FIELDS, 60)
    for group in (tried[start::60] for start in range(60)):
        for option in ((), ("--issue",)):
            text = evidence.code_and_text(marked(as_gke_answers(), group), *option, events=events)[1]
            assert not [word for word in IDENTIFYING if word in text.lower()], group


# The catalog counts the runs


def test_the_catalog_counts_the_runs_that_confirm_a_fact(
    evidence: Evidence, gke_tpu: Run, tmp_path: pathlib.Path
) -> None:
    run = yaml.safe_load(evidence.code_and_text(as_gke_answers())[1])
    later = {**run, "month": "2026-12"}
    wrong = copy.deepcopy(later)
    wrong["observations"][0]["seen"] = ["2"]
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"evidence": {"a": run, "b": later, "c": wrong}}))
    shown = gke_tpu("catalog", "evidence", "--catalog", overlay).out
    data = json.loads(gke_tpu("catalog", "evidence", "--catalog", overlay, "--format", "json").out)
    assert [each["month"] for each in data["evidence"].values()] == ["2026-11", "2026-12", "2026-12"]
    (line,) = [line for line in shown.splitlines() if "taint of TPUs on nodes" in line]
    assert "confirmed on GKE, 3 runs, last 2026-12" in line
    threads = " ".join(shown[shown.index("threads per core") :].split())
    assert "confirmed on GKE, 2 runs, last 2026-12" in threads
    assert "contradicted (2) on GKE, 1 run, last 2026-12" in threads
    without = gke_tpu("catalog", "evidence").out
    assert without.count("no run yet") == len(EVIDENCE_FACTS)
