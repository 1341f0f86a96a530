"""``gke-tpu manifests --check DIR``: the files are what the plan renders, or every difference is a finding."""

import copy
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from support.documents import ROOT
from support.each import by_id, each
from support.sampling import sample
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import Rule, check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.examples import manifest_files_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.findings import Finding, format_path
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.rendered import compare_files

KINDS = ("job", "jobset", "leaderworkerset", "rayjob", "pathways")
PLAN = workload_plan(
    {"train": {**TRAIN, "count": 6}, "serve": {**TRAIN, "topology": "2x2"}},
    {
        **{kind: {"slices": "train", "kind": kind, "env": {"A": "b", "C": "d"}, "queue": "q"} for kind in KINDS},
        "chat": {"slices": "serve", "kind": "deployment", "port": 80},
    },
    kubernetes={"namespace": "research", "queues": {"q": {}}, "priority_classes": {"urgent": {"value": 5}}},
)
PLAN["clusters"]["c"]["addons"] = ["ray_operator"]


def files_of(objects: list[dict[str, Any]]) -> list[ManifestFile]:
    text = yaml.dump_all(objects, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper))
    return [ManifestFile("a.yaml", text.encode())]


def rendered() -> list[dict[str, Any]]:
    (cluster,) = manifests_of(checked(PLAN))
    return [json.loads(json.dumps(item.object)) for item in cluster.manifests]  # without shared values


def found(objects: list[dict[str, Any]]) -> list[Finding]:
    plan = checked(PLAN)
    (cluster,) = manifests_of(plan)
    return list(compare_files(plan.document, cluster.manifests, files_of(objects), plan.catalog))


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [leaf for key, entry in entries for leaf in leaves(entry, (*path, key))]
    yield from below or [path]


def some_leaves(objects: list[dict[str, Any]], *but: str) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Leaves of objects of every kind, with the numbers of their objects; without those below some keys."""
    every = [(number, path) for number, item in enumerate(objects) for path in leaves(item) if path[0] not in but]
    yield from sample(every, 60, lambda leaf: objects[leaf[0]]["kind"])


def parent(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def test_the_same_objects_in_another_order_and_layout_are_equal() -> None:
    assert found(list(reversed(rendered()))) == []
    assert found([{"apiVersion": "v1", "kind": "List", "items": rendered()}]) == []


def test_every_value_that_changes_is_found_where_it_is_and_nothing_else() -> None:
    objects, wrong = rendered(), []
    for index, path in some_leaves(objects, "kind", "apiVersion"):
        if path in (("metadata", "name"), ("metadata", "namespace")):
            continue
        changed = copy.deepcopy(objects)
        parent(changed[index], path)[path[-1]] = "another"
        place = [f"{finding.rule} {format_path(finding.path)}" for finding in found(changed)]
        wrong += [] if place == [f"TPU683 {format_path(path)}"] else [f"{objects[index]['kind']} {path}: {place}"]
    assert not wrong


def test_every_value_that_is_removed_is_found() -> None:
    objects, wrong = rendered(), []
    for index, path in some_leaves(objects, "kind", "apiVersion", "metadata"):
        changed = copy.deepcopy(objects)
        del parent(changed[index], path)[path[-1]]
        if "TPU683" not in {finding.rule for finding in found(changed)}:
            wrong.append(f"{objects[index]['kind']} {path}")
    assert not wrong


def test_an_object_without_its_identity_is_missing_and_the_other_one_obsolete() -> None:
    for name, value in (("name", "another"), ("namespace", "another")):
        objects = rendered()
        job = next(item for item in objects if item["kind"] == "RayJob")
        job["metadata"][name] = value
        assert sorted(finding.rule for finding in found(objects)) == ["TPU681", "TPU682"]


def test_a_true_is_not_a_one_and_text_is_not_a_number() -> None:
    for kind, change in (("JobSet", ("maxRestarts", False)), ("PriorityClass", ("value", "5"))):
        objects = rendered()
        item = next(item for item in objects if item["kind"] == kind)
        place = item["spec"]["failurePolicy"] if kind == "JobSet" else item
        place[change[0]] = change[1]
        assert [finding.rule for finding in found(objects)] == ["TPU683"]


def test_amounts_are_compared_by_value() -> None:
    """The API server and other writers have other forms of a quantity."""
    objects = rendered()
    for item in objects:
        for leaf in leaves(item):
            if leaf[-1] == "google.com/tpu" and leaf[-2] in ("requests", "limits"):
                parent(item, leaf)[leaf[-1]] = 4
            elif leaf[-1] == "cpu" and leaf[-2] == "requests":
                parent(item, leaf)["cpu"] = parent(item, leaf)["cpu"].replace("100m", "0.1")
            elif leaf[-1] == "nominalQuota":
                parent(item, leaf)["nominalQuota"] = f"{parent(item, leaf)['nominalQuota']}".replace(
                    "5760Gi", "5760.0Gi"
                )
    assert objects != rendered()
    assert found(objects) == []
    for item in objects:
        for leaf in leaves(item):
            if leaf[-1] in ("google.com/tpu", "nominalQuota"):
                parent(item, leaf)[leaf[-1]] = "5"
    assert {finding.rule for finding in found(objects)} == {"TPU683"}


def test_an_object_that_the_plan_lost_is_deleted_in_the_cluster_too() -> None:
    gone = [{**item, "metadata": {**item["metadata"], "name": "gone"}} for item in rendered()]
    messages = [finding.message for finding in found([*rendered(), *gone]) if finding.rule == "TPU682"]
    assert (
        "delete it here, and in the cluster with `kubectl delete jobset.jobset.x-k8s.io/gone --namespace research`"
        in ("\n".join(messages))
    )
    assert any(message.endswith("with `kubectl delete clusterqueue.kueue.x-k8s.io/gone`") for message in messages)
    assert any("Namespace `gone`; delete it here" in message and "kubectl" not in message for message in messages)


def test_an_entry_of_a_list_with_names_is_found_by_its_name() -> None:
    objects = rendered()
    deployment = next(item for item in objects if item["kind"] == "JobSet")
    containers = deployment["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    containers[0]["env"].insert(0, {"name": "NEW", "value": "1"})
    (finding,) = found(objects)
    assert "the plan does not render" in finding.message
    assert format_path(finding.path).endswith("containers[0].env[0]")


def test_objects_of_others_are_left_alone_also_if_they_are_copies_of_each_other() -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}, "data": {"a": "b"}}
    assert found([*rendered(), other, other]) == []


def test_a_second_copy_of_an_object_is_found() -> None:
    objects = rendered()
    (finding,) = found([*objects, objects[-1]])
    assert finding.rule == "TPU682"
    assert finding.message.startswith("duplicate ")


def test_a_secret_is_never_shown() -> None:
    labels = {"app.kubernetes.io/managed-by": "gke-tpu"}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "labels": labels},
        "stringData": {"a": "hidden"},
    }
    (finding,) = found([*rendered(), secret])
    assert "hidden" not in repr(finding)


@each("rule", rules_of(Scope.RENDERED), by_id)
def test_the_examples_of_a_rule_are_right(rule: Rule[Any]) -> None:
    for example, expected in ((rule.failing, {rule.id}), (rule.passing, set())):
        files = manifest_files_of(example)
        assert files.plan is not None
        plan = check_plan(read_plan_content(files.plan.encode(), "plan.yaml"), read_catalog())
        (cluster,) = manifests_of(plan)
        content = [ManifestFile("a.yaml", files.manifests.encode())]
        assert {
            item.rule for item in compare_files(plan.document, cluster.manifests, content, plan.catalog)
        } == expected


@pytest.fixture
def folder(tmp_path: pathlib.Path, gke_tpu: Callable[..., Any]) -> pathlib.Path:
    """A folder with the plan and its files."""
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(PLAN), encoding="utf-8")
    assert gke_tpu("manifests", tmp_path / "plan.yaml", "-o", tmp_path / "files").code == 0
    return tmp_path


def test_written_files_are_equal_and_the_exit_code_says_if_they_are_not(folder: pathlib.Path, gke_tpu: Any) -> None:
    arguments = ("manifests", folder / "plan.yaml", "--check", folder / "files")
    run = gke_tpu(*arguments)
    assert (run.code, run.out) == (0, "no findings\n")
    before = {path: path.read_bytes() for path in (folder / "files").rglob("*.yaml")}
    (folder / "plan.yaml").write_text(yaml.safe_dump(PLAN).replace("value: 5", "value: 6"), encoding="utf-8")
    run = gke_tpu(*arguments)
    assert run.code == 1
    assert run.out.count("error TPU683") == 2
    assert "try:     value: 6" in run.out
    assert {path: path.read_bytes() for path in (folder / "files").rglob("*.yaml")} == before
    assert gke_tpu("manifests", folder / "plan.yaml", "-o", folder / "files", "--force").code == 0
    assert gke_tpu(*arguments).code == 0


def test_formats_are_those_of_findings(folder: pathlib.Path, gke_tpu: Any) -> None:
    (folder / "files" / "60-workloads.yaml").unlink()
    arguments = ("manifests", folder / "plan.yaml", "--check", folder / "files", "--format")
    assert {item["rule"] for item in json.loads(gke_tpu(*arguments, "json").out)["findings"]} == {"TPU681"}
    assert "::error file=" in gke_tpu(*arguments, "github").out


def test_each_cluster_has_its_folder_and_the_folder_of_a_removed_one_is_found(
    tmp_path: pathlib.Path, gke_tpu: Any
) -> None:
    two = copy.deepcopy(PLAN)
    two["clusters"]["d"] = {**two["clusters"]["c"], "name": "other"}
    plan, files = tmp_path / "plan.yaml", tmp_path / "files"
    plan.write_text(yaml.safe_dump(two), encoding="utf-8")
    assert gke_tpu("manifests", plan, "-o", files).code == 0
    assert gke_tpu("manifests", plan, "--check", files).code == 0
    assert gke_tpu("manifests", plan, "--check", files / "d", "--cluster", "d").code == 0
    (files / "d" / "60-workloads.yaml").unlink()
    run = gke_tpu("manifests", plan, "--check", files)
    assert (run.code, "TPU682" in run.out, run.out.count("TPU681")) == (1, False, 7)
    plan.write_text(yaml.safe_dump({**two, "clusters": {"c": two["clusters"]["c"]}}), encoding="utf-8")
    assert gke_tpu("manifests", plan, "--check", files).code == 1


def test_an_empty_folder_lacks_every_object(folder: pathlib.Path, gke_tpu: Any) -> None:
    (folder / "empty").mkdir()
    run = gke_tpu("manifests", folder / "plan.yaml", "--check", folder / "empty")
    assert (run.code, run.out.count("error TPU681")) == (1, len(rendered()))


def test_a_plan_without_objects_still_finds_the_files_of_before(folder: pathlib.Path, gke_tpu: Any) -> None:
    without = copy.deepcopy(PLAN)
    del without["clusters"]["c"]["kubernetes"]
    (folder / "plan.yaml").write_text(yaml.safe_dump(without), encoding="utf-8")
    run = gke_tpu("manifests", folder / "plan.yaml", "--check", folder / "files")
    assert (run.code, run.out.count("error TPU682")) == (1, len(rendered()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--check", ".", "-o", "x"), "--check writes no files; omit -o and --force."),
        (("--check", ".", "--force"), "--check writes no files; omit -o and --force."),
        (("--format", "json"), "--format requires --check"),
        (("--skip-others",), "--skip-others requires --check"),
        (("--check", "absent"), "No folder absent: write the objects"),
    ],
)
def test_options_that_exclude_each_other(gke_tpu: Any, arguments: tuple[str, ...], message: str) -> None:
    run = gke_tpu("manifests", *arguments)
    assert run.code == 2
    assert message in run.err


def test_others_are_skipped_only_without_files_of_an_earlier_run(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skip = ("manifests", "--skip-others", "--check", "manifests")
    text = yaml.safe_dump(PLAN)

    def code(*words: str) -> int:
        return int(gke_tpu(*skip, *words).code)

    assert (code(), code("plan.yaml"), code("stacks")) == (0, 0, 0), "there is nothing"
    assert gke_tpu("manifests", "--check", "manifests").code == 2
    pathlib.Path("manifests").mkdir()
    pathlib.Path("manifests/a.yaml").write_text("kind: ConfigMap\n")
    pathlib.Path("stacks").mkdir()
    pathlib.Path("plan.yaml").write_text("steps: []\n")
    assert (code(), code("plan.yaml"), code("stacks")) == (0, 0, 0)
    pathlib.Path("stacks/plan.yaml").write_text(text)
    assert code("stacks") == 1, "the objects are missing"
    assert gke_tpu("manifests", "stacks", "-o", "manifests").code == 0
    assert code("stacks") == 0
    assert code("plan.yaml") == 1, "the plan of these files is gone"
    pathlib.Path("gke-tpu.yaml").write_text(text)
    assert code() == 0


def test_a_plan_without_objects_needs_no_folder(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with_objects = yaml.safe_dump(PLAN)
    pathlib.Path("plan.yaml").write_text((ROOT / "docs" / "examples" / "first-plan-fixed.yaml").read_text())
    check = ("manifests", "--check", "manifests")
    assert gke_tpu(*check, "--skip-others").code == 0
    pathlib.Path("plan.yaml").write_text(with_objects)
    run = gke_tpu(*check, "--skip-others")
    assert (run.code, "gke-tpu manifests -o manifests" in run.err) == (2, True)
    pathlib.Path("manifests").write_text("a file")
    assert gke_tpu(*check).code == 2
