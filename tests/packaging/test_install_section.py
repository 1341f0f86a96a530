"""Every way to install that a page shows works, from a repository on loopback in place of the public one."""

import importlib.metadata
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.documents import PAGES, ROOT, Block, blocks
from support.installed_wheel import run
from support.published import PLACEHOLDER, TAG, environment, git, needs_git, pip, served
from support.sampling import sample

REPOSITORY = "pulumi-gke-tpu"
PROGRAM = "gke-tpu[pulumi]"
INSTALLERS = ("pip", "pipx", "uv")


def program(words: list[str]) -> str:
    return pathlib.PurePosixPath(words[0]).name


def commands(block: Block) -> list[list[str]]:
    """The command lines of a block that get or install something."""
    return [words for words in block.commands() if program(words) in INSTALLERS or words[:2] == ["git", "clone"]]


def sources(block: Block) -> set[str]:
    """What a block installs, without extras."""
    return {re.sub(r"\[.*?\]", "", words[-1]) for words in commands(block)}


INSTALLING = [block for block in blocks() if any(program(words) in INSTALLERS for words in commands(block))]
WAYS = {str(sorted(sources(block))): block for block in reversed(INSTALLING)}
"""Blocks with different sources: the program and the extras change nothing where dependencies are not installed."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("published")) as (address, _):
        yield address


@needs_git
@pytest.mark.setup
@pytest.mark.parametrize("block", WAYS.values(), ids=str)
def test_what_a_block_installs_is_the_command(block: Block, url: str, tmp_path: pathlib.Path) -> None:
    """pipx and uv take the same address, with their own environments; here pip installs it for them."""
    target = environment(tmp_path)
    for words in commands(block):
        said = [word.replace(PLACEHOLDER, url) for word in words]
        if words[0] == "git":
            git(tmp_path, "-c", "advice.detachedHead=false", *said[1:])
        elif words[:2] == ["pip", "wheel"]:
            pip(target, *said[1:], cwd=tmp_path)
        else:
            pip(target, "install", "--quiet", "--force-reinstall", said[-1], cwd=tmp_path)
            assert target("--version").startswith("gke-tpu, version ")
            where = run(target.python, "-c", "import pulumi_gke_tpu as p; print(p.__file__)", cwd=target.folder)
            assert pathlib.Path(where.strip()).is_relative_to(target.site)


def test_every_extra_that_a_page_installs_exists() -> None:
    named = {name for block in INSTALLING for words in commands(block) for name in re.findall(r"\[(.*?)\]", words[-1])}
    offered = importlib.metadata.metadata("gke-tpu").get_all("Provides-Extra") or []
    assert {extra for name in named for extra in name.split(",")} <= {*offered}
    assert "pulumi" in offered


def test_the_page_shows_each_way() -> None:
    shown = [words for block in INSTALLING if block.page == ROOT / "docs" / "install.md" for words in commands(block)]
    assert {program(words) for words in shown} == {"pip", "pipx", "uv", "git"}
    assert any(".whl" in words[-1] for words in shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tag_is_that_of_this_version(page: pathlib.Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(rf"OWNER/{REPOSITORY}@(v[\w.]+)", text)) <= {TAG}
    assert set(re.findall(r"\bgke_tpu-([\w.]+)-py3", text)) <= {TAG.removeprefix("v")}


# Where requirements.txt comes from


def by_tag(url: str, folder: pathlib.Path) -> list[Any]:
    return [f"{PROGRAM} @ git+{url}@{TAG}"]


def by_commit(url: str, folder: pathlib.Path) -> list[Any]:
    return [f"{PROGRAM} @ git+{url}@{git(clone(url, folder), 'rev-parse', 'HEAD').strip()}"]


def by_wheel(url: str, folder: pathlib.Path) -> list[Any]:
    pip(
        environment(folder / "builder"),
        "wheel",
        "--quiet",
        "--wheel-dir",
        folder / "a dist",
        clone(url, folder),
        cwd=folder,
    )
    return list((folder / "a dist").glob("*.whl"))


def by_folder(url: str, folder: pathlib.Path) -> list[Any]:
    return [clone(url, folder)]


def by_editable(url: str, folder: pathlib.Path) -> list[Any]:
    return ["--editable", clone(url, folder)]


def clone(url: str, folder: pathlib.Path) -> pathlib.Path:
    git(folder, "clone", "--quiet", url, "a clone")
    return folder / "a clone"


@needs_git
@pytest.mark.setup
@pytest.mark.parametrize("way", sample([by_tag, by_commit, by_wheel, by_folder, by_editable], 2))
def test_init_names_the_source_it_was_installed_from(way: Any, url: str, tmp_path: pathlib.Path) -> None:
    """Another user installs from the file that init wrote, and gets the same version."""
    (tmp_path / "builder").mkdir()
    mine, theirs = environment(tmp_path / "mine"), environment(tmp_path / "theirs")
    pip(mine, "install", "--quiet", *way(url, tmp_path), cwd=tmp_path)
    said = mine("init", "infra")
    requirements = mine.folder / "infra" / "requirements.txt"
    pip(theirs, "install", "--quiet", "--requirement", requirements, cwd=theirs.folder)
    assert theirs("validate", mine.folder / "infra" / "plan.yaml") == "no findings\n"
    text = requirements.read_text(encoding="utf-8")
    if way in (by_tag, by_commit):
        assert re.fullmatch(rf"{re.escape(PROGRAM)} @ git\+{re.escape(url)}@[0-9a-f]{{40}}\n", text)
    assert ("Edit requirements.txt before other people use it" in said) == (way not in (by_tag, by_commit))
    if way is by_wheel:
        assert re.search(r"\.whl#sha256=[0-9a-f]{64}$", text, re.MULTILINE)
