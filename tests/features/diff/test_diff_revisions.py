"""``gke-tpu diff`` of revisions: from the merge base, without touching the work tree, without running anything."""

import io
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import pytest
from support.clones import JSON, PLAN, Clone, changes
from support.small_plans import BASE, REPLACING, TODAY, plan

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_three_dots_start_at_the_merge_base(gke_tpu: Any, forked: Clone) -> None:
    run = gke_tpu("diff", "main...work", *JSON)
    assert changes(run) == {(PLAN, "train/pretrain"): "replace"}
    base = forked("merge-base", "main", "work")[:12]
    data = json.loads(run.out)
    assert (data["base"], data["head"]) == (f"main (merge base {base})", "work")


def test_two_dots_compare_the_two_as_they_are(gke_tpu: Any, forked: Clone) -> None:
    assert set(changes(gke_tpu("diff", "main..work", *JSON))) == {(PLAN, "train/pretrain"), (PLAN, "train")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("main...",),
        ("main...HEAD",),
        ("main...work", "stacks"),
        ("main...work", "stacks/"),
        ("main...work", "stacks/prod/plan.yaml"),
        ("main...work", "."),
        ("HEAD~1..HEAD",),
        ("HEAD~1", "HEAD"),
        ("HEAD~1", "HEAD", "stacks"),
        ("HEAD~1:stacks", "HEAD:stacks"),
        ("HEAD~1:stacks", "stacks"),
        ("HEAD~1", "stacks"),
        ("HEAD~1", PLAN),
        (f"HEAD~1:{PLAN}", PLAN),
        (f"HEAD~1:./{PLAN}", f"./{PLAN}"),
    ],
    ids=" ".join,
)
def test_all_ways_to_name_the_sides(gke_tpu: Any, forked: Clone, arguments: tuple[str, ...]) -> None:
    found = changes(gke_tpu("diff", *arguments, *JSON))
    assert {(item, change) for (_, item), change in found.items()} == {("train/pretrain", "replace")}


def test_standard_input_is_compared_with_a_file_of_a_revision(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given() -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pathlib.Path(PLAN).read_bytes())))

    given()
    found = changes(gke_tpu("diff", f"HEAD~1:{PLAN}", "-", *JSON))
    assert list(found.values()) == ["replace"]
    given()
    run = gke_tpu("diff", "HEAD~1", "-")
    assert (run.code, run.out) == (2, "")
    assert "Standard input is one plan: name the file in the revision, HEAD~1:PATH." in run.err


def test_paths_are_those_of_the_current_folder(gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(forked.folder / "stacks")
    assert changes(gke_tpu("diff", "main...work", "prod", *JSON)) == {(PLAN, "train/pretrain"): "replace"}
    assert "outside of the repository" in gke_tpu("diff", "main...work", "../../elsewhere").err


def test_a_path_may_go_through_the_name_of_the_repository_s_folder(gke_tpu: Any, forked: Clone) -> None:
    assert changes(gke_tpu("diff", "HEAD~1", f"../{forked.folder.name}/stacks", *JSON)) == {
        (f"../clone/{PLAN}", "train/pretrain"): "replace"
    }


def test_a_note_reports_that_both_sides_are_one_commit(gke_tpu: Any, forked: Clone) -> None:
    commit = forked("rev-parse", "HEAD")[:12]
    assert f"note: Both sides are the same commit, {commit}." in gke_tpu("diff", "work...HEAD", *TODAY).out
    assert "Both sides" not in gke_tpu("diff", "main...HEAD", *TODAY).out


def test_new_and_removed_plans(gke_tpu: Any, forked: Clone) -> None:
    forked.commit(stacks__prod__plan=None, stacks__dev__plan=plan(cluster="dev"))
    found = changes(gke_tpu("diff", "HEAD~1..HEAD", "stacks", *JSON))
    assert found[(PLAN, "train/pretrain")] == "delete"
    assert found[("stacks/dev/plan.yaml", "dev/pretrain")] == "create"


@pytest.mark.parametrize("path", ["stacks", "stacks/", "./stacks", "stacks/prod", PLAN, f"./{PLAN}"])
@pytest.mark.parametrize("base", ["HEAD", "main", f"HEAD:{PLAN}"])
def test_a_deleted_path_is_compared_with_its_plans_in_the_revision(
    gke_tpu: Any, forked: Clone, base: str, path: str
) -> None:
    if ":" in base and not path.endswith(".yaml"):
        base = f"HEAD:{path.removeprefix('./')}"
    shutil.rmtree(forked.folder / "stacks")
    found = changes(gke_tpu("diff", base, path, *JSON))
    assert {item: change for (_, item), change in found.items()} == {"train": "delete", "train/pretrain": "delete"}


def test_a_folder_without_its_last_plan_is_compared_too(gke_tpu: Any, forked: Clone) -> None:
    (forked.folder / PLAN).unlink()
    (forked.folder / "stacks" / "__main__.py").touch()
    assert set(changes(gke_tpu("diff", "HEAD", "stacks", *JSON)).values()) == {"delete"}


def test_a_revision_with_the_name_of_a_deleted_path_is_the_revision(gke_tpu: Any, forked: Clone) -> None:
    forked("branch", "stacks", "HEAD~1")
    shutil.rmtree(forked.folder / "stacks")
    assert changes(gke_tpu("diff", "HEAD", "stacks", *JSON)) == {(PLAN, "train/pretrain"): "replace"}


@pytest.mark.parametrize("path", ["stack", "./stack", "stacks/dev"])
def test_a_path_that_is_on_neither_side_is_an_error(gke_tpu: Any, forked: Clone, path: str) -> None:
    shutil.rmtree(forked.folder / "stacks")
    run = gke_tpu("diff", "HEAD", path, *JSON)
    assert (run.code, run.out) == (2, "")
    assert "no such file" in run.err.lower()


def test_nothing_in_the_folder_is_touched(gke_tpu: Any, forked: Clone) -> None:
    """Not the files, though they differ from what is compared, and not the index, though it is out of date."""
    (forked.folder / PLAN).write_text("uncommitted")
    os.utime(forked.folder / "other.yaml", (1, 1))

    def state() -> dict[str, tuple[int, bytes]]:
        paths = [path for path in forked.folder.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}

    before = state()
    assert changes(gke_tpu("diff", "main...work", *JSON)) == {(PLAN, "train/pretrain"): "replace"}
    assert state() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope..HEAD",), "nope: no such file, and no such revision"),
        (("origin/main...HEAD",), "fetch-depth: 0"),
        (("main", "nope"), "nope: no such file"),
        (("main:nope", "work"), "nope is not in the revision main:nope"),
        (("main:stacks", f"work:{PLAN}"), "folder with a file"),
        (("main:stacks", "stacks", "stacks"), "require two revisions"),
        (("main...work", "nope"), "No plan in"),
        (("main...work", "other.yaml"), "No plan in"),
        ((":stacks", "stacks"), "invalid revision"),
        (("--", "-x", "HEAD"), "invalid revision -x"),
        (("--", "--output=x..HEAD"), "invalid revision"),
        (("main\nwork", "HEAD"), "invalid revision"),
        (("$(touch x)..HEAD",), "no such revision"),
        (("...",), "... has no base"),
        (("..",), "Missing side"),
        (("...HEAD",), "...HEAD has no base"),
        (("..HEAD",), "..HEAD has no base"),
        (("", "HEAD"), "Empty side"),
        (("HEAD", ""), "Empty side"),
        (("",), "Empty side"),
    ],
)
def test_errors_of_git_are_reported(gke_tpu: Any, forked: Clone, arguments: tuple[str, ...], said: str) -> None:
    run = gke_tpu("diff", *arguments)
    assert (run.code, run.out) == (2, "")
    assert said in run.err
    assert "Traceback" not in run.err


def test_an_option_is_not_a_revision(gke_tpu: Any, forked: Clone) -> None:
    assert gke_tpu("diff", "--upload-pack=x", "HEAD").code == 2


def test_outside_of_a_repository_the_message_names_the_reason(
    gke_tpu: Any, clone: Clone, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    run = gke_tpu("diff", "main...HEAD")
    assert run.code == 2
    assert "is not in a git repository; compare two files or folders instead" in run.err
    assert "plan.yaml: no such file" in gke_tpu("diff", "plan.yaml", "other.yaml").err


def test_without_git_the_message_names_the_reason(gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    run = gke_tpu("diff", "main...HEAD")
    assert run.code == 2
    assert "git is not on PATH" in run.err


def test_a_shallow_clone_without_the_merge_base_says_what_to_fetch(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = forked.folder.as_uri()
    subprocess.run(
        ["git", "clone", "--quiet", "--depth", "1", "--no-single-branch", source, str(tmp_path / "shallow")], check=True
    )
    monkeypatch.chdir(tmp_path / "shallow")
    run = gke_tpu("diff", "origin/main...origin/work")
    assert run.code == 2
    assert "this shallow clone" in run.err
    assert "fetch-depth: 0" in run.err
    assert set(changes(gke_tpu("diff", "origin/main..origin/work", *JSON))) == {
        (PLAN, "train/pretrain"),
        (PLAN, "train"),
    }


def test_histories_without_a_common_commit(gke_tpu: Any, forked: Clone) -> None:
    forked("checkout", "--quiet", "--orphan", "alone")
    forked.commit(stacks__prod__plan=REPLACING)
    run = gke_tpu("diff", "main...alone")
    assert run.code == 2
    assert "have no merge base" in run.err


def test_a_clone_without_contents_fetches_nothing(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked("config", "uploadpack.allowFilter", "true")
    source = forked.folder.as_uri()
    target = str(tmp_path / "partial")
    subprocess.run(
        ["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", source, target],
        check=True,
        capture_output=True,
    )
    monkeypatch.chdir(target)
    run = gke_tpu("diff", "origin/main...origin/work")
    assert run.code == 2
    assert "does not contain the content of some files" in run.err


def link(clone: Clone, name: str, target: str) -> None:
    path = clone.folder / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    clone.commit()


def test_a_plan_that_becomes_a_link_is_not_taken_for_gone(gke_tpu: Any, forked: Clone) -> None:
    link(forked, PLAN, "../../other.yaml")
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY)
    assert (run.code, run.err) == (1, "")
    assert f"NOT COMPARED {PLAN}" in run.out
    assert "the file is a symbolic link" in " ".join(run.out.split())
    assert "DELETE" not in run.out


def test_a_link_does_not_keep_other_plans_from_being_compared(gke_tpu: Any, forked: Clone) -> None:
    link(forked, "stacks/linked/plan.yaml", "x")
    forked.commit(stacks__prod__plan=BASE)
    run = gke_tpu("diff", "HEAD~1..HEAD", *JSON)
    assert changes(run) == {(PLAN, "train/pretrain"): "replace"}
    assert run.code == 0
    (note,) = [note for note in json.loads(run.out)["notes"] if "stacks/linked/plan.yaml" in note]
    assert "it is not compared" in note


def test_a_link_that_becomes_a_plan_is_not_taken_for_new(gke_tpu: Any, forked: Clone) -> None:
    link(forked, PLAN, "x")
    (forked.folder / PLAN).unlink()
    forked.commit(stacks__prod__plan=BASE)
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--fail-on", "delete")
    assert run.code == 6
    assert "failed gates: the base cannot be compared" in run.out
    assert "CREATE" not in run.out


@pytest.mark.parametrize("stored", [b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"])
def test_a_pointer_of_lfs_is_called_one(gke_tpu: Any, forked: Clone, stored: bytes) -> None:
    (forked.folder / PLAN).write_bytes(stored)
    forked.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY)
    assert run.code == 1
    assert "it is a Git LFS pointer" in " ".join(run.out.split())


def test_a_moved_plan_is_that_of_another_stack(gke_tpu: Any, forked: Clone) -> None:
    forked("mv", "stacks/prod", "stacks/production")
    forked.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--exit-code")
    assert run.code == 5
    said = " ".join(run.out.split())
    assert "1 plan moved to another folder · no other changes" in said
    warning = f"TPU971: this plan was moved from {PLAN}, so its folder is now the name of another stack"
    assert f"stacks/production/plan.yaml:1:1: warning {warning}" in said
    assert "try: pulumi stack rename production --stack prod" in said
    assert gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--strict").code == 1
    assert gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--fail-on", "delete").code == 6


def test_a_moved_plan_whose_folder_keeps_its_name_is_the_same(gke_tpu: Any, forked: Clone) -> None:
    (forked.folder / "teams").mkdir()
    forked("mv", "stacks/prod", "teams/prod")
    forked.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--exit-code", "--strict", "--fail-on", "dangerous")
    assert (run.code, "TPU971" in run.out) == (0, False)
    assert f"note: `teams/prod/plan.yaml` was moved from `{PLAN}`" in run.out


def test_the_warning_of_a_move_can_be_accepted_before_it(gke_tpu: Any, forked: Clone) -> None:
    entry = "accept: [{rule: TPU971, reason: stacks are called otherwise, until: 2026-12-01}]\n"
    forked.commit(stacks__prod__plan=BASE + entry)
    forked("mv", "stacks/prod", "stacks/production")
    forked.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY, "--exit-code", "--strict", "--fail-on", "dangerous")
    assert run.code == 0
    assert "accepted TPU971" in run.out


def test_names_of_files_can_be_anything(gke_tpu: Any, clone: Clone) -> None:
    odd = 'a b"\u202e\n\té:*'
    clone.commit()
    for text in (BASE, REPLACING):
        path = clone.folder / odd / "plan.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        clone.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", "--format", "markdown", *TODAY)
    assert "**REPLACE**" in run.out
    assert "\u202e" not in run.out


@pytest.mark.parametrize(
    ("given", "limit"), [("owned.yaml", "4"), ("HEAD:owned.yaml", "400"), ("main:owned.yaml", "4")]
)
def test_what_is_owned_comes_from_the_base(gke_tpu: Any, clone: Clone, given: str, limit: str) -> None:
    """A change cannot contain its own facts, unless the command selects them."""

    def owned(vms: int) -> str:
        return (
            "version: 1\nas_of: 2026-11-20\nreservations:\n"
            f"  - {{name: r, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: {vms}}}\n"
        )

    reserved = plan("4x4", capacity="{reservation: r}")
    clone.commit(plan=reserved, owned=owned(4))
    clone("checkout", "--quiet", "-b", "work")
    clone.commit(plan=reserved.replace("4x4", "4x8"), owned=owned(400))
    run = gke_tpu("diff", "main...work", "--inventory", given, *JSON)
    (use,) = json.loads(run.out)["totals"]["uses"]
    assert str(use["limit"]) == limit


def test_facts_that_are_new_with_the_change_have_to_be_asked_for(gke_tpu: Any, clone: Clone) -> None:
    clone.commit(plan=BASE)
    clone.commit(plan=REPLACING, facts="about: {version: 2026-11-21}\n")
    run = gke_tpu("diff", "HEAD~1..HEAD", "--catalog", "facts.yaml")
    assert run.code == 2
    assert "use HEAD:facts.yaml" in run.err


def test_what_is_owned_may_lie_outside_of_the_repository(gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path) -> None:
    owned = tmp_path / "owned.yaml"
    owned.write_text("version: 1\nas_of: 2026-11-20\n")
    run = gke_tpu("diff", "main...work", "--inventory", owned, *JSON)
    assert (run.code, run.err) == (0, "")
