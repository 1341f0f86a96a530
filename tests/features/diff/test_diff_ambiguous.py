"""``gke-tpu diff`` refuses what is both a revision and a path: a change names its own files."""

import itertools
import json
import pathlib
import shutil
from typing import Any

import pytest
from support.clones import JSON, PLAN, Clone, changes
from support.sampling import sample
from support.small_plans import BASE, TODAY

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

REPLACED = {(PLAN, "train/pretrain"): "replace"}
RANGES = ("main...work", "main..work", "main...", "main..", "main...HEAD", "main..HEAD", "...HEAD", "..HEAD")
REVISIONS = ("main", "work", "v1", "origin/main", "HEAD", "refs/heads/main", "main:stacks")
FORMS = ("folder", "file", "link", "dangling link")


def put(path: pathlib.Path, form: str = "folder") -> None:
    """Put a path with that name into the checkout: what it holds is the plan of the base."""
    if form == "folder":
        path.mkdir(parents=True)
        (path / "plan.yaml").write_text(BASE, encoding="utf-8")
    elif form == "file":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BASE, encoding="utf-8")
    else:
        path.symlink_to("stacks" if form == "link" else "nowhere")


def refused(run: Any) -> str:
    assert (run.code, run.out) == (2, "")
    return " ".join(run.err.split())


@pytest.mark.parametrize(("name", "form"), sample(itertools.product(RANGES, FORMS), 12, lambda case: case[0]))
def test_a_path_with_the_name_of_a_range_is_refused(gke_tpu: Any, forked: Clone, name: str, form: str) -> None:
    put(forked.folder / name, form)
    said = refused(gke_tpu("diff", name, "stacks", *TODAY))
    assert "ambiguous" in said if name.startswith("main") else "has no base" in said


@pytest.mark.parametrize("known", [True, False], ids=["the base is known", "the base is not fetched"])
def test_the_shadow_of_a_range_hides_no_change(gke_tpu: Any, forked: Clone, known: bool) -> None:
    """The attack: the change adds a folder with the name of the range, which holds the plans of the base."""
    name = f"{'main' if known else 'origin/main'}...HEAD"
    put(forked.folder / name / "prod")
    forked.commit()
    assert "ambiguous: both a range of revisions and a path" in refused(gke_tpu("diff", name, "stacks", *TODAY))


@pytest.mark.parametrize(
    ("side", "name", "form"),
    sample(itertools.product(("--base-rev", "--head-rev"), REVISIONS, FORMS), 16, lambda case: case[:2]),
)
def test_a_path_with_the_name_of_a_revision_is_refused(
    gke_tpu: Any, forked: Clone, name: str, side: str, form: str
) -> None:
    """Branches, tags, remote branches, full names, a folder of a revision: as the base and as the head."""
    forked("tag", "v1")
    forked("update-ref", "refs/remotes/origin/main", "main")
    (forked.folder / name).parent.mkdir(parents=True, exist_ok=True)
    put(forked.folder / name, form)
    sides = (name, "./stacks") if side == "--base-rev" else ("./stacks", name)
    said = refused(gke_tpu("diff", *sides, *TODAY))
    assert f"{name} is ambiguous: both a revision and a path" in said
    assert f"`{side} {name}`" in said
    assert f"`./{name}`" in said


def test_a_path_with_the_id_of_a_commit_is_refused(gke_tpu: Any, forked: Clone) -> None:
    for name in (forked("rev-parse", "HEAD"), forked("rev-parse", "--short=7", "HEAD")):
        put(forked.folder / name)
        assert "is ambiguous" in refused(gke_tpu("diff", name, "stacks", *TODAY))


def test_it_is_refused_in_a_folder_below_the_root_too(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("main...work", "main"):
        put(forked.folder / "stacks" / name)
    monkeypatch.chdir(forked.folder / "stacks")
    assert "ambiguous" in refused(gke_tpu("diff", "main...work", *TODAY))
    assert "ambiguous" in refused(gke_tpu("diff", "main", "prod", *TODAY))


def test_in_another_folder_than_the_path_nothing_is_ambiguous(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(forked.folder / "main...work")
    monkeypatch.chdir(forked.folder / "stacks")
    assert changes(gke_tpu("diff", "main...work", "prod", *JSON)) == REPLACED


@pytest.mark.parametrize("below", ["", "stacks"], ids=["root", "subfolder"])
def test_the_options_always_name_revisions(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    folder = forked.folder / below
    for name in ("main", "work", "HEAD"):
        put(folder / name)
    monkeypatch.chdir(folder)
    where = "." if below else "stacks"
    revisions = ("--base-rev", "main", "--head-rev", "HEAD")
    run = gke_tpu("diff", *revisions, "--merge-base", where, *JSON)
    assert changes(run) == REPLACED
    assert "main (merge base " in run.out
    assert set(changes(gke_tpu("diff", *revisions, where, *JSON))) == {*REPLACED, (PLAN, "train")}


def test_one_option_leaves_the_other_side_to_the_arguments(gke_tpu: Any, forked: Clone) -> None:
    put(forked.folder / "main")
    run = gke_tpu("diff", "--base-rev", "main", "stacks", *JSON)
    assert json.loads(run.out)["base"] == "main"
    assert {item for _, item in changes(run)} == {"train/pretrain", "train"}
    assert changes(gke_tpu("diff", "--head-rev", "HEAD", "HEAD~1", *JSON)) == REPLACED
    assert changes(gke_tpu("diff", "--base-rev", "HEAD~1:stacks", "--head-rev", "HEAD:stacks", *JSON)) == {
        ("stacks/prod/plan.yaml", "train/pretrain"): "replace"
    }


def test_a_dot_and_a_slash_always_name_a_path(gke_tpu: Any, forked: Clone) -> None:
    for name in ("main", "main...work"):
        put(forked.folder / name / "prod")
        run = gke_tpu("diff", f"./{name}", "./stacks", *JSON)
        assert set(changes(run).values()) == {"replace"}
    assert gke_tpu("diff", "stacks/..", "stacks/..", *TODAY, "--exit-code").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--base-rev", "", "stacks"), "Empty side"),
        (("--base-rev", "main", "--head-rev", ""), "Empty side"),
        (("--base-rev", "main"), "Missing side"),
        (("--head-rev", "main"), "Missing side"),
        (("--base-rev", "nope", "--head-rev", "HEAD"), "nope: no such file, and no such revision"),
        (("--base-rev", "--output=x", "--head-rev", "HEAD"), "invalid revision"),
        (("--base-rev", "main...HEAD", "stacks"), "no such revision"),
        (("--base-rev", "main", "--merge-base", "stacks"), "--merge-base requires two revisions"),
    ],
)
def test_options_that_name_no_revision_are_refused(
    gke_tpu: Any, forked: Clone, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(gke_tpu("diff", *arguments))


@pytest.mark.parametrize("other", ["refs/tags/main", "refs/remotes/main/HEAD"])
@pytest.mark.parametrize(
    "arguments", [("main...HEAD",), ("main", "HEAD"), ("main", "stacks"), ("--base-rev", "main", "stacks")]
)
def test_a_name_of_two_references_is_refused(
    gke_tpu: Any, forked: Clone, other: str, arguments: tuple[str, ...]
) -> None:
    """Git would use the tag: anyone who may push tags could replace the base."""
    forked("update-ref", other, "HEAD")
    said = refused(gke_tpu("diff", *arguments, *TODAY))
    assert "main is ambiguous: more than one branch, tag or commit has this name" in said
    assert changes(gke_tpu("diff", "refs/heads/main...HEAD", *JSON)) == REPLACED


def test_the_full_id_of_a_commit_is_never_ambiguous(gke_tpu: Any, forked: Clone) -> None:
    """A branch can have the id of another commit as its name; git reads the id."""
    base = forked("merge-base", "main", "work")
    forked("update-ref", f"refs/heads/{base}", "HEAD")
    assert changes(gke_tpu("diff", f"{base}..HEAD", *JSON)) == REPLACED


def test_a_short_id_that_is_a_branch_too_is_refused(gke_tpu: Any, forked: Clone) -> None:
    short = forked("rev-parse", "--short=7", "HEAD~1")
    forked("update-ref", f"refs/heads/{short}", "HEAD")
    assert "is ambiguous" in refused(gke_tpu("diff", f"{short}..HEAD", *TODAY))
