"""``gke-tpu diff``: how much is read of a side, and how the rest is reported."""

import itertools
import os
import pathlib
import shutil
import subprocess
import tracemalloc
from typing import Any

import pytest
from support.clones import JSON, PLAN, Clone, changes
from support.sampling import sample
from support.small_plans import BASE, CHEAP, TODAY, plan

from pulumi_gke_tpu.cli.files import revisions, side_files
from pulumi_gke_tpu.cli.files.revisions import Repository
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ROOT = pathlib.Path(__file__).parents[3]
LARGE = f"# {'x' * LARGEST}\n"


def text_of(run: Any) -> str:
    return " ".join((run.out + run.err).split())


def make(clone: Clone, command: tuple[str, ...], content: str) -> str:
    done = subprocess.run(["git", *command], cwd=clone.folder, input=content.encode(), check=True, capture_output=True)
    return done.stdout.decode().strip()


def bomb(clone: Clone, file: str, levels: int, width: int = 10) -> None:
    """A branch ``bomb``: trees in trees, each named ``width`` times, so ``width ** levels`` files of one content."""
    blob = make(clone, ("hash-object", "-w", "--stdin"), BASE)
    tree = make(clone, ("mktree",), f"100644 blob {blob}\t{file}\n")
    for _ in range(levels):
        tree = make(clone, ("mktree",), "".join(f"040000 tree {tree}\t{name:x}\n" for name in range(width)))
    clone("branch", "bomb", clone("commit-tree", "-m", "bomb", "-p", "HEAD", tree))


def test_trees_in_trees_do_not_become_countless_plans(gke_tpu: Any, forked: Clone) -> None:
    bomb(forked, "plan.yaml", levels=5)
    run = gke_tpu("diff", "HEAD..bomb", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert "bomb exceeds the limit of 1,000 plans" in run.err


def test_plans_that_are_known_by_their_content_count_too(gke_tpu: Any, forked: Clone) -> None:
    bomb(forked, "a.yaml", levels=4)
    assert "bomb exceeds the limit of 1,000 plans" in gke_tpu("diff", "HEAD..bomb", *TODAY).err


@pytest.mark.parametrize("file", ["README", "other.yaml"])
def test_a_list_of_files_without_end_ends(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setattr(revisions, "LARGEST_LISTING", 1_000_000)
    bomb(forked, file, levels=15)
    run = gke_tpu("diff", "HEAD..bomb", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert "too many files (more than 1 MB of names); name the folder of the plans" in run.err
    assert changes(gke_tpu("diff", "HEAD~1..HEAD", "stacks", *JSON)) == {(PLAN, "train/pretrain"): "replace"}


def test_a_name_without_end_ends(gke_tpu: Any, forked: Clone) -> None:
    bomb(forked, "x" * 300_000, levels=0)
    assert "too many files" in gke_tpu("diff", "HEAD..bomb", *TODAY).err


def test_other_files_of_a_revision_take_no_memory(forked: Clone) -> None:
    """The list of 100,000 files has 7 MB."""
    bomb(forked, "README", levels=5)
    repository = Repository.around(forked.folder)
    commit = repository.commit("bomb")
    tracemalloc.start()
    try:
        tree = repository.tree(commit, (), (".yaml",))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tree.files, tree.empty) == ({}, False)
    assert peak < 2_000_000


@pytest.mark.parametrize("where", ["revisions", "folders"])
@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        ((side_files, "MOST_PLANS"), 2, "exceeds the limit of 2 plans"),
        ((side_files, "LARGEST_PLANS"), 2 * len(BASE), "exceed the limit of 0 MB; name a smaller folder"),
        ((side_files, "LARGEST_SEARCHED"), 2 * len(BASE), "exceed the limit of 0 MB; name a smaller folder"),
    ],
    ids=["plans", "bytes of plans", "bytes searched"],
)
def test_a_side_has_limits(
    gke_tpu: Any,
    clone: Clone,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    limit: tuple[Any, str],
    value: int,
    said: str,
) -> None:
    name = "other{}" if limit[1] == "LARGEST_SEARCHED" else "{}__plan"
    clone.commit(**{f"a__{name.format(index)}": plan(cluster=f"c{index}") for index in range(2)})
    shutil.copytree(clone.folder / "a", clone.folder / "b")
    clone.commit(**{f"b__{name.format(2)}": plan(cluster="c2")})
    arguments = ("HEAD:a", "HEAD:b") if where == "revisions" else ("./a", "./b")
    assert gke_tpu("diff", *arguments, *TODAY).code == 0
    monkeypatch.setattr(*limit, value)
    run = gke_tpu("diff", *arguments, *TODAY)
    assert (run.code, run.out) == (2, "")
    assert said in text_of(run)
    assert gke_tpu("diff", arguments[0], arguments[0], *TODAY).code == 0


def test_the_limits_are_documented() -> None:
    page = " ".join((ROOT / "docs" / "diff.md").read_text(encoding="utf-8").split())
    assert f"{side_files.MOST_PLANS:,} plans" in page
    for size in (side_files.LARGEST_PLANS, side_files.LARGEST_SEARCHED, revisions.LARGEST_LISTING, LARGEST):
        assert f"{size // 1_000_000} MB" in page


@pytest.mark.parametrize("side", ["base", "head"])
@pytest.mark.parametrize(
    "arguments",
    [("HEAD~1..HEAD",), ("HEAD~1", "stacks"), ("HEAD~1:stacks", "HEAD:stacks"), (f"HEAD~1:{PLAN}", PLAN)],
    ids=" ".join,
)
def test_a_plan_that_is_too_large_is_the_same_error_everywhere(
    gke_tpu: Any, forked: Clone, side: str, arguments: tuple[str, ...]
) -> None:
    forked.commit(stacks__prod__plan=LARGE if side == "base" else BASE)
    forked.commit(stacks__prod__plan=BASE if side == "base" else LARGE)
    run = gke_tpu("diff", *arguments, *TODAY)
    assert f"NOT COMPARED {PLAN}" in text_of(run)
    assert "DELETE" not in run.out
    assert "CREATE" not in run.out
    assert run.code == 1
    if side == "base":
        return
    said = f"{PLAN}:1:1: error TPU001: cannot read the file: it is larger than 5 MB"
    assert said in text_of(run)
    assert said in text_of(gke_tpu("validate", PLAN))


def test_a_plan_that_stays_too_large_is_not_compared_and_no_error_of_the_change(gke_tpu: Any, forked: Clone) -> None:
    forked.commit(stacks__big__plan=LARGE)
    forked.commit(stacks__prod__plan=CHEAP)
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY)
    assert run.code == 0
    assert "`stacks/big/plan.yaml` has errors, also before this change" in text_of(run)


def test_a_large_file_without_a_plan_name_is_named(gke_tpu: Any, forked: Clone) -> None:
    forked.commit(stacks__crds=LARGE)
    for arguments in (("HEAD~1..HEAD", "stacks"), ("HEAD~1", "stacks")):
        run = gke_tpu("diff", *arguments, *TODAY)
        assert (run.code, "stacks/crds.yaml" in text_of(run)) == (0, True)


@pytest.mark.parametrize("form", ["pipe", "dangling link", "link to a device", "directory"])
def test_a_plan_on_disk_that_is_not_a_file_is_not_a_removed_plan(gke_tpu: Any, forked: Clone, form: str) -> None:
    path = forked.folder / PLAN
    path.unlink()
    if form == "pipe":
        os.mkfifo(path)
    elif form == "directory":
        path.mkdir()
    else:
        path.symlink_to("nowhere" if form == "dangling link" else "/dev/zero")
    run = gke_tpu("diff", "HEAD", "stacks", *TODAY)
    if form == "directory":
        assert "DELETE" in run.out
        return
    assert run.code == 1
    assert "TPU001: cannot read the file" in text_of(run)
    assert "DELETE" not in run.out


def linked(clone: Clone, name: str, target: str) -> None:
    path = clone.folder / name
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)
    path.symlink_to(target)
    clone.commit()


def submodule(clone: Clone, name: str, commit: str) -> None:
    """What ``git submodule add`` records in the tree, without the repository."""
    shutil.rmtree(clone.folder / name, ignore_errors=True)
    clone("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", name)
    clone("update-index", "--add", "--cacheinfo", f"160000,{commit},{name}")
    clone("commit", "--quiet", "--message", "submodule")


@pytest.mark.parametrize(
    ("kind", "place", "back", "paths"),
    sample(
        itertools.product(
            ("symbolic link", "submodule"),
            ("stacks", "stacks/prod"),
            (False, True),
            ((), ("stacks",), ("stacks/prod",), (PLAN,)),
        ),
        8,
        lambda case: case[:3],
    ),
)
def test_a_folder_of_plans_that_is_not_followed_is_not_taken_for_gone_or_new(
    gke_tpu: Any, forked: Clone, kind: str, place: str, back: bool, paths: tuple[str, ...]
) -> None:
    if kind == "submodule":
        submodule(forked, place, forked("rev-parse", "main"))
    else:
        linked(forked, place, "elsewhere")
    revisions = "HEAD..HEAD~1" if back else "HEAD~1..HEAD"
    run = gke_tpu("diff", revisions, *paths, *TODAY, "--fail-on", "delete")
    assert run.code == (6 if back else 1)
    assert f"NOT COMPARED {PLAN}" in text_of(run)
    assert "DELETE" not in run.out
    assert "CREATE" not in run.out
    if not back:
        assert f"cannot read the file: `{place}` is a {kind}, and gke-tpu does not follow {kind}s" in text_of(run)


@pytest.mark.parametrize("kind", ["symbolic link", "submodule"])
def test_a_link_or_submodule_that_changes_is_noted(gke_tpu: Any, forked: Clone, kind: str) -> None:
    """What they lead to may hold plans, and these may be others now."""
    for target in ("main", "work"):
        if kind == "submodule":
            submodule(forked, "stacks/linked", forked("rev-parse", target))
        else:
            linked(forked, "stacks/linked", target)
    said = "Not compared: plans behind changed symbolic links and submodules: stacks/linked."
    assert said in text_of(gke_tpu("diff", "HEAD~1..HEAD", *TODAY))
    assert said not in text_of(gke_tpu("diff", "HEAD..HEAD", *TODAY))


def test_without_any_plan_a_submodule_is_named(gke_tpu: Any, forked: Clone) -> None:
    submodule(forked, "stacks", forked("rev-parse", "main"))
    run = gke_tpu("diff", "HEAD..HEAD", "stacks", *TODAY)
    assert run.code == 2
    assert "gke-tpu does not follow the submodule stacks" in text_of(run)


def test_links_to_folders_are_not_followed_on_disk_either(gke_tpu: Any, forked: Clone) -> None:
    (forked.folder / "stacks" / "prod").rename(forked.folder / "prod")
    (forked.folder / "stacks" / "prod").symlink_to("../prod")
    run = gke_tpu("diff", "HEAD", "stacks", *TODAY)
    assert run.code == 1
    assert "`stacks/prod` is a symbolic link" in text_of(run)


def test_hidden_folders_are_left_out_on_both_sides_when_a_folder_is_on_disk(gke_tpu: Any, forked: Clone) -> None:
    forked.commit(**{"stacks__.old__plan": plan(cluster="old")})
    assert gke_tpu("diff", "HEAD", "stacks", *TODAY, "--exit-code").code == 0
    found = changes(gke_tpu("diff", "HEAD~1..HEAD", *JSON))
    assert found[("stacks/.old/plan.yaml", "old/pretrain")] == "create"


def test_a_folder_that_cannot_be_read_is_an_error(gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Any) -> Any:
        raise PermissionError(13, "Permission denied", os.fspath(path))

    monkeypatch.setattr(os, "scandir", refuse)
    run = gke_tpu("diff", "HEAD", "stacks", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert "Permission denied" in run.err


@pytest.mark.parametrize("name", ["owned.yaml", "HEAD:owned.yaml"])
@pytest.mark.parametrize("form", ["large", "link", "absent"])
def test_owned_capacity_that_cannot_be_read_is_an_error(gke_tpu: Any, forked: Clone, name: str, form: str) -> None:
    if form == "large":
        forked.commit(owned=LARGE)
    elif form == "link":
        linked(forked, "owned.yaml", "other.yaml")
    forked.commit(stacks__prod__plan=BASE)
    run = gke_tpu("diff", "HEAD~1..HEAD", "--inventory", name, *TODAY)
    assert (run.code, run.out) == (2, "")
    assert ("it is larger than 5 MB" if form == "large" else "owned.yaml is not in") in text_of(run)


def test_owned_capacity_of_the_change_does_not_come_in_by_a_link_on_disk(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path
) -> None:
    """The whole path of a link that leads out of the repository is still a path of the repository."""
    (tmp_path / "owned.yaml").write_text("version: 1\nas_of: 2026-11-20\n", encoding="utf-8")
    linked(forked, "owned.yaml", "../owned.yaml")
    run = gke_tpu("diff", "HEAD~1..HEAD", "--inventory", str(forked.folder / "owned.yaml"), *TODAY)
    assert run.code == 2
    assert "owned.yaml is not in" in text_of(run)


def test_a_stored_preview_of_a_revision_may_be_larger_than_a_plan(gke_tpu: Any, forked: Clone) -> None:
    stored = gke_tpu("preview", PLAN, "--format", "json", "--resources", *TODAY).out
    (forked.folder / "stored.json").write_text(stored + " " * LARGEST, encoding="utf-8")
    forked.commit()
    assert changes(gke_tpu("diff", "HEAD:stored.json", PLAN, *JSON)) == {}


def test_moved_plans_of_the_same_content_are_paired_in_linear_time(gke_tpu: Any, forked: Clone) -> None:
    """Each stays with the folder of its name, where there is one."""
    for index in range(4):
        forked.commit(**{f"stacks__s{index}__plan": BASE})
    forked("mv", "stacks", "teams")
    forked.commit()
    run = gke_tpu("diff", "HEAD~1..HEAD", *TODAY)
    assert (run.code, "TPU971" in run.out) == (0, False)
    for index in range(4):
        assert f"`teams/s{index}/plan.yaml` was moved from `stacks/s{index}/plan.yaml`" in text_of(run)
