"""``gke-tpu diff`` in a hostile repository: nothing is run, and what is compared is what the commits hold."""

import os
import pathlib
import shutil
import struct
import subprocess
from typing import Any

import pytest
from support.clones import JSON, PLAN, Clone, changes
from support.small_plans import BASE, CHEAP, TODAY

from pulumi_gke_tpu.cli.files import revisions

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

REPLACED = {(PLAN, "train/pretrain"): "replace"}


@pytest.fixture
def trap(tmp_path: pathlib.Path) -> pathlib.Path:
    """A program that leaves a mark, the file of its name with ``.sprung`` behind."""
    path = tmp_path / "trap"
    path.write_text(f"#!/bin/sh\ntouch '{path}.sprung'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def sprung(trap: pathlib.Path) -> bool:
    mark = trap.with_name("trap.sprung")
    found = mark.exists()
    mark.unlink(missing_ok=True)
    return found


def plain_git(clone: Clone, *arguments: str) -> str:
    """The behavior of git alone: it shows that the attack would work."""
    done = subprocess.run(
        ["git", *arguments], cwd=clone.folder, check=False, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


EXECUTED = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "gpg.program",
    "pager.ls-tree",
    "remote.origin.uploadpack",
    "uploadpack.packObjectsHook",
)


@pytest.mark.parametrize("included", [False, True], ids=["in the configuration", "in an included file"])
def test_no_program_of_the_configuration_is_run(
    gke_tpu: Any, forked: Clone, trap: pathlib.Path, tmp_path: pathlib.Path, included: bool
) -> None:
    other = tmp_path / "other-config"
    if included:
        forked("config", "include.path", str(other))
    where = ("--file", str(other)) if included else ("--local",)
    for key in EXECUTED:
        forked("config", *where, key, f"'{trap}'")
    for command in ("rev-parse", "ls-tree", "cat-file", "merge-base"):
        forked("config", *where, f"alias.{command}", f"!'{trap}'")
    (forked.folder / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    plain_git(forked, "status")
    assert sprung(trap), "plain git runs a program of this configuration"
    assert changes(gke_tpu("diff", "main...work", *JSON)) == REPLACED
    assert changes(gke_tpu("diff", "HEAD~1", "stacks", *JSON)) == REPLACED
    assert not sprung(trap)


def test_no_hook_is_run(gke_tpu: Any, forked: Clone, trap: pathlib.Path) -> None:
    hooks = forked.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"):
        shutil.copy(trap, hooks / hook)
    plain_git(forked, "update-ref", "refs/heads/other", "HEAD")
    assert sprung(trap), "plain git runs the hook of a change of references"
    assert changes(gke_tpu("diff", "main...work", *JSON)) == REPLACED
    assert not sprung(trap)


@pytest.mark.parametrize("old_git", [False, True], ids=["git of today", "git without GIT_NO_LAZY_FETCH"])
@pytest.mark.parametrize("transport", ["ext", "file", "helper"])
def test_missing_objects_are_not_fetched_by_any_transport(
    gke_tpu: Any,
    forked: Clone,
    trap: pathlib.Path,
    tmp_path: pathlib.Path,
    transport: str,
    old_git: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A partial clone names a server for what it lacks; ``protocol.ext.allow`` lets that server be a command."""
    if old_git:
        monkeypatch.delitem(revisions._ENVIRONMENT, "GIT_NO_LAZY_FETCH")
    if transport == "helper":
        shutil.copy(trap, tmp_path / "git-remote-trap")
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    url = {"ext": f"ext::{str(trap).replace(' ', '% ')} x", "file": str(forked.folder), "helper": "trap::x"}[transport]
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "remote.origin.url": url,
        "remote.origin.uploadpack": f"'{trap}'",
        "protocol.allow": "always",
        f"protocol.{transport.replace('helper', 'trap')}.allow": "always",
    }
    for key, value in settings.items():
        forked("config", key, value)
    lost = forked("rev-parse", f"work:{PLAN}")
    (forked.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    plain_git(forked, "cat-file", "-p", lost)
    assert sprung(trap), "plain git fetches missing objects from the server"
    run = gke_tpu("diff", "main...work", *JSON)
    assert (run.code, run.out) == (2, "")
    assert "does not contain the content of some files" in run.err
    assert not sprung(trap)


@pytest.mark.parametrize("where", ["beside", "above", "below"])
def test_a_work_tree_that_is_elsewhere_is_refused(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path, where: str
) -> None:
    """With ``core.worktree`` git itself takes paths, and even the repository, from another folder."""
    beside = tmp_path / "beside"
    beside.mkdir()
    place = {"beside": beside, "above": tmp_path, "below": forked.folder / "stacks"}[where]
    other = Clone(place)
    other.commit(stacks__prod__plan=BASE)
    other("checkout", "--quiet", "-b", "work")
    forked("config", "core.worktree", str(place))
    run = gke_tpu("diff", "main...work", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert "sets core.worktree" in run.err


def test_linked_work_trees_submodules_and_links_to_a_repository_are_read(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked("worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    outer = tmp_path / "outer"
    outer.mkdir()
    Clone(outer)("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(forked.folder), "inner")
    assert "inner" in (outer / ".git" / "modules" / "inner" / "config").read_text(encoding="utf-8")
    inner = str(outer / "inner")
    forked("-C", inner, "fetch", "--quiet", "origin", "main:main", "work:refs/heads/other")
    (tmp_path / "link").symlink_to(forked.folder)
    for folder, head in (("linked", "work"), ("outer/inner", "other"), ("link", "work"), ("link/stacks", "work")):
        monkeypatch.chdir(tmp_path / folder)
        assert changes(gke_tpu("diff", f"refs/heads/main...refs/heads/{head}", *JSON)) == REPLACED, folder
    monkeypatch.chdir(forked.folder)
    assert changes(gke_tpu("diff", "main...work", str(tmp_path / "link" / "stacks"), *JSON)) == REPLACED


def test_the_environment_names_no_other_repository(
    gke_tpu: Any, forked: Clone, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git sets these for its hooks, and a hook may look at another repository than its own."""
    folder = tmp_path / "other"
    folder.mkdir()
    other = Clone(folder)
    other.commit(stacks__prod__plan=BASE)
    other("checkout", "--quiet", "-b", "work")
    for name, value in {
        "GIT_DIR": str(folder / ".git"),
        "GIT_COMMON_DIR": str(folder / ".git"),
        "GIT_WORK_TREE": str(folder),
        "GIT_INDEX_FILE": str(folder / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(folder / ".git" / "objects"),
        "GIT_NAMESPACE": "other",
        "GIT_PREFIX": "other/",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_ICASE_PATHSPECS": "1",
        "GIT_REPLACE_REF_BASE": "refs/heads",
        "GIT_TRACE": "1",
        "GIT_ALLOW_PROTOCOL": "ext",
    }.items():
        monkeypatch.setenv(name, value)
    assert changes(gke_tpu("diff", "main...work", *JSON)) == REPLACED


def test_replaced_objects_do_not_hide_a_change(gke_tpu: Any, forked: Clone) -> None:
    forked("replace", forked("rev-parse", f"work:{PLAN}"), forked("rev-parse", f"main:{PLAN}"))
    assert plain_git(forked, "show", f"work:{PLAN}") == CHEAP.strip()
    assert changes(gke_tpu("diff", "main...work", *JSON)) == REPLACED


def test_grafts_do_not_move_the_merge_base(gke_tpu: Any, forked: Clone) -> None:
    main, work, base = (forked("rev-parse", name) for name in ("main", "work", "main~1"))
    (forked.folder / ".git" / "info" / "grafts").write_text(f"{work} {main}\n", encoding="utf-8")
    assert plain_git(forked, "merge-base", "main", "work") == main
    run = gke_tpu("diff", "main...work", *JSON)
    assert f"(merge base {base[:12]})" in run.out
    assert changes(run) == REPLACED


def test_a_false_commit_graph_does_not_move_the_merge_base(gke_tpu: Any, forked: Clone) -> None:
    """The graph is a cache of parents that git believes without looking at the commits."""
    forked.commit()
    forked("-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
    path = forked.folder / ".git" / "objects" / "info" / "commit-graph"
    content = bytearray(path.read_bytes())
    chunks = {bytes(content[at : at + 4]): struct.unpack_from(">Q", content, at + 4)[0] for at in _chunk_rows(content)}
    main, work, base = (forked("rev-parse", name) for name in ("main", "work~1", "main~1"))
    ids = sorted([main, work, base, forked("rev-parse", "work")])
    entry = chunks[b"CDAT"] + ids.index(work) * 36 + 20
    assert struct.unpack_from(">I", content, entry) == (ids.index(base),)
    struct.pack_into(">I", content, entry, ids.index(main))
    struct.pack_into(">I", content, entry + 8, 3 << 2)  # its generation, one more than that of its new parent
    path.chmod(0o644)
    path.write_bytes(content)
    assert plain_git(forked, "merge-base", "main", "work") == main
    assert changes(gke_tpu("diff", "main...work", *JSON)) == REPLACED


def _chunk_rows(content: bytearray) -> range:
    return range(8, 8 + 12 * content[6], 12)


def test_a_repository_inside_the_repository_is_not_used(
    gke_tpu: Any, forked: Clone, trap: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change can add the files of a bare repository, configuration included."""
    bare = forked.folder / "stacks" / "bare"
    forked("init", "--quiet", "--bare", str(bare))
    forked("config", "--file", str(bare / "config"), "core.bare", "false")
    forked("config", "--file", str(bare / "config"), "core.worktree", ".")
    forked("config", "--file", str(bare / "config"), "core.fsmonitor", f"'{trap}'")
    forked.commit()
    monkeypatch.chdir(bare)
    plain_git(forked, "-C", str(bare), "status")
    assert sprung(trap), "plain git believes the configuration in the change"
    run = gke_tpu("diff", "main...work", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert not sprung(trap)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"core.repositoryFormatVersion": "1", "extensions.unheardOf": "true"}, "unknown repository extension"),
        ({"core.repositoryFormatVersion": "99"}, "git cannot use the repository"),
        ({"core.bare": "true"}, "git cannot use the repository"),
    ],
)
def test_a_repository_that_git_cannot_read_is_an_error(
    gke_tpu: Any, forked: Clone, settings: dict[str, str], said: str
) -> None:
    for key, value in settings.items():
        forked("config", key, value)
    run = gke_tpu("diff", "main...work", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


def test_a_repository_of_another_user_is_refused_with_the_way_to_allow_it(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(revisions._ENVIRONMENT, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    run = gke_tpu("diff", "main...work", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert "dubious ownership" in run.err
    assert "git config --global --add safe.directory" in run.err


@pytest.mark.parametrize("damage", ["emptied", "garbled"])
@pytest.mark.parametrize("what", [f"work:{PLAN}", "work:stacks", "work^{tree}", "work"])
def test_damaged_objects_are_an_error(gke_tpu: Any, forked: Clone, what: str, damage: str) -> None:
    name = forked("rev-parse", what)
    path = forked.folder / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(b"" if damage == "emptied" else path.read_bytes()[:10] + bytes(40))
    run = gke_tpu("diff", "main..work", *TODAY)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("Error: ")


@pytest.mark.parametrize("hanging", ["git", "what git has started", "an included pipe"])
def test_git_that_does_not_end_is_ended(
    gke_tpu: Any, forked: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, hanging: str
) -> None:
    monkeypatch.setattr(revisions, "SECONDS", 0.3)
    if hanging == "an included pipe":
        os.mkfifo(tmp_path / "pipe")
        forked("config", "include.path", str(tmp_path / "pipe"))
    else:
        fake = tmp_path / "bin" / "git"
        fake.parent.mkdir()
        fake.write_text(f"#!/bin/sh\nsleep 1000{'' if hanging == 'git' else ' &'}\n", encoding="utf-8")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    run = gke_tpu("diff", "main...work", *TODAY)
    assert run.code == 2
    assert "did not finish within 0.3 s" in run.err
