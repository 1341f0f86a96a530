"""``gke-tpu manifests`` with operators: their folders, and the comparison of files with them."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.workload_plans import TRAIN, workload_plan

EVERY: dict[str, Any] = {name: {} for name in ("cert_manager", "jobset", "leaderworkerset", "kuberay", "kueue")}


@pytest.fixture
def plan(tmp_path: pathlib.Path) -> Callable[[dict[str, Any] | None], pathlib.Path]:
    """Writes a plan with these operators."""

    def write(operators: dict[str, Any] | None) -> pathlib.Path:
        kubernetes = {"queues": {"q": {}}, **({} if operators is None else {"operators": operators})}
        content = workload_plan({"train": TRAIN}, {"w": {"slices": "train", "queue": "q"}}, kubernetes=kubernetes)
        path = tmp_path / "plan.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write


def test_the_objects_are_the_same_with_operators(gke_tpu: Any, plan: Any) -> None:
    without, run = gke_tpu("manifests", plan(None)), gke_tpu("manifests", plan(EVERY))
    assert run.out == without.out
    assert (without.err.startswith("note: the cluster needs Kueue "), run.code) == (True, 0)
    assert run.err == "note: the operators are not in this stream; write files with -o DIR, and install them first\n"


def test_operators_are_in_folders_of_their_own(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    run = gke_tpu("manifests", plan({"kueue": {}, "kuberay": {}, "cert_manager": {}}), "-o", tmp_path / "out")
    assert (run.code, run.err) == (0, "")
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.yaml"))
    assert [name for name in written if name.startswith("operators/")] == [
        "operators/10-cert-manager/kustomization.yaml",
        "operators/10-cert-manager/namespace.yaml",
        "operators/40-kuberay/kustomization.yaml",
        "operators/40-kuberay/namespace.yaml",
        "operators/50-kuberay-tpu-webhook/kustomization.yaml",
        "operators/60-kueue/kustomization.yaml",
    ]
    assert not any(path.name.startswith("operators") for path in (tmp_path / "out").glob("*.yaml"))


def test_a_plan_with_operators_alone_has_files(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    content = workload_plan({"train": TRAIN}, {}, kubernetes={"operators": {"jobset": {}}})
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(content))
    run = gke_tpu("manifests", tmp_path / "plan.yaml", "-o", tmp_path / "out")
    assert run.out == f"wrote {tmp_path}/out/operators/20-jobset/kustomization.yaml\n"


def test_a_file_of_an_operator_that_left_the_plan_is_reported(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("manifests", plan({"kueue": {}, "jobset": {}}), "-o", tmp_path / "out")
    run = gke_tpu("manifests", plan({"kueue": {}}), "-o", tmp_path / "out", "--force")
    file = f"{tmp_path}/out/operators/20-jobset/kustomization.yaml"
    assert run.err == f"{file}: no object of the plan; delete the file\n"


def test_the_files_are_what_the_plan_renders(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("manifests", plan(EVERY), "-o", tmp_path / "out")
    run = gke_tpu("manifests", plan(EVERY), "--check", tmp_path / "out")
    assert (run.code, run.err) == (0, "")


@pytest.mark.parametrize(
    ("operators", "rule", "place"),
    [
        ({**EVERY, "kueue": {"version": "0.19.1"}}, "TPU683", "60-kueue/kustomization.yaml"),
        ({**EVERY, "kueue": {"retention": {"finished": "1d"}}}, "TPU683", "60-kueue/kustomization.yaml"),
        ({**EVERY, "kuberay": {"version": "1.7.1"}}, "TPU683", "40-kuberay/kustomization.yaml"),
        ({name: {} for name in EVERY if name != "jobset"}, "TPU682", "20-jobset/kustomization.yaml"),
    ],
    ids=["release", "configuration", "chart", "removed"],
)
def test_files_of_another_plan_are_found(
    gke_tpu: Any, plan: Any, tmp_path: pathlib.Path, operators: dict[str, Any], rule: str, place: str
) -> None:
    gke_tpu("manifests", plan(EVERY), "-o", tmp_path / "out")
    run = gke_tpu("manifests", plan(operators), "--check", tmp_path / "out")
    assert run.code == 1
    assert f"operators/{place}" in run.out
    assert rule in run.out


def test_a_missing_operator_is_found(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("manifests", plan({"jobset": {}}), "-o", tmp_path / "out")
    run = gke_tpu("manifests", plan({"jobset": {}, "kueue": {}}), "--check", tmp_path / "out")
    assert run.code == 1
    assert "no file has Kustomization `kueue`, which the plan renders" in " ".join(run.out.split())


def test_check_has_no_findings_about_the_files(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    path = plan(EVERY)
    gke_tpu("manifests", path, "-o", tmp_path / "out")
    assert gke_tpu("check", tmp_path / "out", "--plan", path).out == "no findings\nread: 15 objects\n"
