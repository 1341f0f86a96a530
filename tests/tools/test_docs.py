"""The generated part of the documentation: complete, linked, the same in every run, not among the written pages."""

import json
import os
import pathlib
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator

import jsonschema
import pytest
from support.built_once import built_once
from support.documents import ROOT, link_targets
from support.tools import tool

from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.rules import all_rules

TOOL = ROOT / "tools" / "docs.py"
SITE = tool("release").site(ROOT)
WRITTEN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.yaml")])
"""The pages and examples that people write."""


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *map(str, words)]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)


def build(folder: pathlib.Path, seed: str = "1") -> None:
    done = run(folder, PYTHONHASHSEED=seed)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Path below docs/ -> content of every generated file, as the command writes it."""
    return contents(built_once(tmp_path_factory, "docs", build))


def contents(folder: pathlib.Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_every_rule_and_every_schema_is_there_and_nothing_else(built: dict[str, str]) -> None:
    rules = {f"rules/{rule.id}.md" for rule in all_rules()}
    schemas = {f"schemas/{name}.schema.json" for name in all_schemas()}
    keys = {"plan-keys.md", "inventory-keys.md", "organization-keys.md"}
    assert built.keys() == {
        *rules,
        "rules/README.md",
        *schemas,
        *keys,
        "policies.md",
        "rules-by-source.md",
        "changes.md",
        "examples/comment.md",
    }


def test_every_page_has_one_title(built: dict[str, str]) -> None:
    pages = {name: text for name, text in built.items() if name.endswith(".md") and not name.startswith("examples/")}
    assert [name for name, text in pages.items() if not re.match(r"# \S.*\n\n\S", text)] == []


@pytest.mark.parametrize("name", all_schemas())
def test_a_schema_is_that_of_the_command(name: str, built: dict[str, str]) -> None:
    schema = json.loads(built[f"schemas/{name}.schema.json"])
    jsonschema.validators.validator_for(schema).check_schema(schema)
    assert schema == all_schemas()[name]()
    assert schema.get("$id", f"{SITE}docs/schemas/{name}.schema.json") == f"{SITE}docs/schemas/{name}.schema.json"


def test_links_of_generated_pages_lead_to_a_generated_or_a_written_page(built: dict[str, str]) -> None:
    links = [(page, target) for page in built if page.endswith(".md") for target in relative(built[page])]
    broken = [
        f"{page}: {target}"
        for page, target in links
        if (found := posixpath.normpath(posixpath.join(posixpath.dirname(page), target.partition("#")[0])))
        and found not in built
        and not (ROOT / "docs" / found).exists()
    ]
    assert broken == []
    assert len(links) > len(all_rules())


def relative(text: str) -> Iterator[str]:
    return (target for target in link_targets(text) if not re.match(r"[a-z+]+:|#", target))


def addresses() -> Iterator[tuple[pathlib.Path, str]]:
    """Every address of the site in pages and examples, with the file that has it."""
    for path in WRITTEN:
        for address in re.findall(rf"{re.escape(SITE)}([^\s)#\"'`>]*)", path.read_text(encoding="utf-8")):
            yield path, address


def test_addresses_of_the_site_are_those_of_generated_files(built: dict[str, str]) -> None:
    """A written page is linked by its path in the repository, which also works in a checkout."""
    pages = {f"docs/{name}" for name in built}
    on_site = {re.sub(r"(README)?\.md$", lambda end: "index.html" if end[1] else ".html", name) for name in pages}
    found = list(addresses())
    assert [f"{path.relative_to(ROOT)}: {address}" for path, address in found if address not in on_site] == []
    assert len(found) > 30
    assert any(path.suffix == ".yaml" for path, _ in found), "the schema that an example names for editors"


def test_every_run_writes_the_same(built: dict[str, str], tmp_path: pathlib.Path) -> None:
    build(tmp_path / "again", seed="2")
    assert contents(tmp_path / "again") == built


def test_nothing_generated_is_among_the_written_pages(built: dict[str, str]) -> None:
    assert [name for name in built if (ROOT / "docs" / name).exists()] == [], "delete them: tools/docs.py writes them"


def test_a_generated_page_never_replaces_a_written_one(tmp_path: pathlib.Path) -> None:
    (tmp_path / "stacks.md").write_text("written", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"stacks\.md"):
        tool("docs").write({"stacks.md": "generated"}, tmp_path)
    assert (tmp_path / "stacks.md").read_text(encoding="utf-8") == "written"


def test_a_folder_with_other_files_is_left_as_it_is(tmp_path: pathlib.Path) -> None:
    (tmp_path / "thesis.txt").write_text("important")
    done = run(tmp_path)
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_command_that_fails_fails_the_build(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    docs = tool("docs")
    monkeypatch.setattr(docs, "COMMENT", ("docs/examples/no-such-plan.yaml", "stacks/prod/plan.yaml"))
    monkeypatch.setattr(docs, "docs_pages", lambda rules, sources: {})
    monkeypatch.setattr(sys, "argv", ["docs.py", str(tmp_path / "new")])
    with pytest.raises(RuntimeError, match="gke-tpu diff exits with 2"):
        docs.main()
    assert not (tmp_path / "new").exists()
