"""README and docs: their plans are valid, their programs run, their commands exist, their output is what is printed.

Programs run in the embedded engine here; tests/engine runs those that show more than one stack, and holds commands of
Pulumi against its command line. Programs in other languages are run by the tests of the plugin, which name their page.
Programs and commands run as of the machine's date, and as of one far in the future: no page may age.
"""

import datetime
import importlib
import json
import pathlib
import re
import shlex
import sys
import types
from typing import Any

import pytest
import yaml
from support.documents import PAGES, ROOT, SHELL, Block, blocks, link_targets, write_files
from support.sampling import sample

from pulumi_gke_tpu.cli import main, options
from pulumi_gke_tpu.core.plan import Document, read_inventory, read_organization
from pulumi_gke_tpu.preview import run_program

BLOCKS = blocks()
JAVASCRIPT = ("js", "javascript", "ts", "typescript", "mjs")
OTHER_LANGUAGES = (*JAVASCRIPT, "go", "csharp", "java")
CHECKED = (*SHELL, *OTHER_LANGUAGES, "yaml", "python", "json", "text")
TOOLS = (
    "cd",
    "conftest",
    "export",
    "gcloud",
    "git",
    "kubectl",
    "npm",
    "node",
    "opa",
    "pip",
    "pipx",
    "python",
    "pulumi",
    "source",
    "terraform",
    "tofu",
    "uv",
)
"""Commands that are not ours; those of Pulumi are checked in tests/engine."""
CONFIG = {"gke-tpu:cluster": "projects/my-project/locations/us-east5/clusters/train-east"}
"""What programs read from Pulumi's configuration."""


class _Datetime(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime.datetime)


class Later(datetime.datetime, metaclass=_Datetime):
    """A clock that is far ahead."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
        return datetime.datetime(2099, 1, 1, tzinfo=tz)


@pytest.fixture
def machine_date(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The date of the machine: the real one, or one far in the future."""
    importlib.import_module("pulumi_gke_tpu.core.plan.key_table")  # it names the types of the real module
    if request.param == "2099":
        later = types.ModuleType("datetime")
        later.__dict__.update({**vars(datetime), "datetime": Later})
        monkeypatch.setattr(options, "datetime", later)
        monkeypatch.setitem(sys.modules, "datetime", later)  # for programs, which import it when they run


def dated(names: str, cases: list[Any]) -> pytest.MarkDecorator:
    """Each case on the date of the machine, and a sample of them far in the future."""
    later = sample(cases, len(cases) // 5, of=names)
    days = [("today", case) for case in cases] + [("2099", case) for case in later]
    rows = [pytest.param(day, *case.values, id=f"{day}-{case.id}") for day, case in days]
    return pytest.mark.parametrize(("machine_date", *names.split(",")), rows, indirect=["machine_date"])


def of(language: str) -> list[Any]:
    return [pytest.param(block, id=str(block)) for block in BLOCKS if block.language == language]


def is_plan(block: Block) -> bool:
    return "clusters" in (yaml.safe_load(block.text) or {})


def is_inventory(block: Block) -> bool:
    return "as_of" in (yaml.safe_load(block.text) or {})


def is_organization(block: Block) -> bool:
    return "standards" in (yaml.safe_load(block.text) or {})


def is_pulumi_program(block: Block) -> bool:
    return {"resources", "runtime"} <= set(yaml.safe_load(block.text) or {})


def status_of(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def shows_errors(arguments: list[str]) -> bool:
    """Whether a page shows the output of this command, and an error in it."""
    shown = [block.text for block in BLOCKS if block.command and shlex.split(block.command)[1:] == arguments]
    shown += ["\n".join(lines) for block in BLOCKS for words, lines in block.excerpts() if words[1:] == arguments]
    return any(re.search(r"^\d+ errors?\b|: error TPU|^[1-9]\d* problems?\b", text, re.MULTILINE) for text in shown)


def test_every_block_is_of_a_language_that_is_checked() -> None:
    assert [str(block) for block in BLOCKS if block.language not in CHECKED] == []


def test_there_is_something_of_each_kind() -> None:
    """The expression that finds blocks finds them."""
    assert {"", "yaml", "python"} <= {block.language for block in BLOCKS}
    assert sum(bool(block.command) for block in BLOCKS) >= 2
    fences = sum(line.startswith("```") for page in PAGES for line in page.read_text(encoding="utf-8").splitlines())
    assert fences == 2 * len(BLOCKS)


@pytest.mark.parametrize("block", of("yaml"))
def test_yaml(block: Block, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan validates without a finding, a file of facts can be laid over the catalog."""
    file = tmp_path / "file.yaml"
    file.write_text(block.text, encoding="utf-8")
    if shows_errors(["validate", block.file]):
        assert status_of(["validate", str(file)]) == 1
    elif is_pulumi_program(block):
        assert named_by_a_test_of_the_plugin(block)
    elif is_plan(block):
        assert (status_of(["validate", str(file), "--today", "2026-11-20"]), capsys.readouterr().out) == (
            0,
            "no findings\n",
        )
    elif is_inventory(block):
        assert_whole(read_inventory(file))
    elif is_organization(block):
        assert_whole(read_organization(file))
    else:
        assert status_of(["catalog", "sources", "--catalog", str(file)]) == 0


def assert_whole(document: Document[Any]) -> None:
    assert (document.findings, document.content is not None) == ((), True)


def test_the_organization_file_of_the_guide_is_the_one_that_its_commands_read() -> None:
    (shown,) = (block.text for block in BLOCKS if block.file == "organization.yaml")
    assert shown == (ROOT / "docs" / "examples" / "organization.yaml").read_text(encoding="utf-8")


def test_json() -> None:
    for block in BLOCKS:
        if block.language == "json":
            json.loads(block.text)


@pytest.mark.usefixtures("machine_date")
@dated("block", of("python"))
def test_program(block: Block, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs beside the files of its page, and registers something; tests that it defines pass."""
    write_files(tmp_path, block.page)
    file = tmp_path / (block.file or "__main__.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [path.stem for path in tmp_path.glob("*.py")]:
        monkeypatch.delitem(sys.modules, name, raising=False)  # another page may have a file of that name
    module: dict[str, Any] = {"__name__": "__main__", "__file__": str(file)}

    def run() -> None:
        exec(compile(block.text, str(file), "exec"), module)

    graph = run_program(run, config=CONFIG)
    tests = [value for name, value in module.items() if name.startswith("test_")]
    for test in tests:
        test()
    assert graph.resources or tests, "a program in a document registers something, or tests something"


def test_programs_in_other_languages_are_run_by_the_tests_of_the_plugin() -> None:
    theirs = [block for block in BLOCKS if block.language in OTHER_LANGUAGES]
    assert [str(block) for block in theirs if not named_by_a_test_of_the_plugin(block)] == []


def named_by_a_test_of_the_plugin(block: Block) -> bool:
    """Whether some other test names the page: it then runs the page's programs."""
    tests = [path for end in ("py", "js", "mjs", "ts") for path in (ROOT / "tests").rglob(f"*.{end}")]
    return any(block.page.name in path.read_text(encoding="utf-8") for path in tests if path != pathlib.Path(__file__))


def commands() -> list[Any]:
    return [
        pytest.param(block, words, id=f"{block} {shlex.join(words)}") for block in BLOCKS for words in block.commands()
    ]


@pytest.mark.usefixtures("machine_date")
@dated("block,words", commands())
def test_command(block: Block, words: list[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of ours runs, beside the files of its page or in the checkout."""
    if words[0] in ("tools/gke-tpu", "gke-tpu"):
        write_files(tmp_path, block.page)
        in_checkout = any((ROOT / word).exists() for word in words[1:])
        monkeypatch.chdir(ROOT if in_checkout else tmp_path)
        if in_checkout and "-o" in words:  # nothing is written into the checkout
            place = words.index("-o") + 1
            words = [*words[:place], str(tmp_path / words[place]), *words[place + 1 :]]
        assert status_of(words[1:]) == (1 if shows_errors(words[1:]) else 0)
    elif words[0].startswith("tools/"):
        assert (ROOT / words[0]).stat().st_mode & 0o111
    else:
        assert words[0].removeprefix(".venv/bin/") in TOOLS, "a picture or output is a block of `text`"


@pytest.mark.usefixtures("machine_date")
@dated("block", [pytest.param(block, id=str(block)) for block in BLOCKS if block.command])
def test_shown_output_is_what_the_command_prints(
    block: Block, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    words = shlex.split(block.command)
    assert words[0] == "gke-tpu"
    status_of(words[1:])
    printed = capsys.readouterr()
    assert block.text.rstrip() == (printed.out or printed.err).rstrip()


@pytest.mark.usefixtures("machine_date")
@dated("block", of("console"))
def test_excerpts_have_lines_of_the_output_in_order(
    block: Block, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    for words, shown in block.excerpts():
        if words[0] in ("gke-tpu", "tools/gke-tpu"):
            status_of(words[1:])
            printed = iter(capsys.readouterr().out.splitlines())
            assert shown
            assert [line for line in shown if line not in printed] == []


def test_the_first_screen_of_the_readme() -> None:
    """It has a plan with a mistake, the fix, a preview, a change and the installation in 25 lines."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    end = text.index("```\n", text.index("```console")) + len("```")
    visible = [line for line in text[:end].splitlines() if not line.startswith("<!--")]
    assert len(visible) <= 25
    plan, session = (block for block in blocks(ROOT / "README.md")[:2])
    assert len(plan.text.splitlines()) == 8
    assert [words[:2] for words, _ in session.excerpts()] == [
        ["tools/gke-tpu", "preview"],
        ["source", ".venv/bin/activate"],
        ["gke-tpu", "validate"],
        ["gke-tpu", "diff"],
    ]
    assert [len(shown) for _, shown in session.excerpts()] == [1, 0, 2, 1]
    variants = [
        (ROOT / "docs" / "examples" / f"first-plan-{name}.yaml").read_text("utf-8") for name in ("fixed", "larger")
    ]
    assert variants == [plan.text.replace("4x3", topology) for topology in ("4x4", "8x8")]


def test_the_index_of_the_documentation_has_every_page() -> None:
    targets = set(link_targets((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - targets == {"README.md"}
    assert {f"{folder}/README.md" for folder in ("schemas", "decisions", "contributing")} <= targets


def test_the_command_above_its_output_is_the_one_that_is_run() -> None:
    """Otherwise readers run another command than the one whose output the page shows."""
    for page in PAGES:
        shown: list[list[str]] = []
        for block in blocks(page):
            if block.command and shown:
                assert shown[-1] == shlex.split(block.command), str(block)
            shown = [["gke-tpu", *words[1:]] for words in block.commands() if words[0].endswith("gke-tpu")]


def test_a_block_that_is_a_file_of_the_checkout_has_its_content() -> None:
    """Commands run with the file; readers see the block."""
    shown = [block for block in BLOCKS if block.file and (ROOT / block.file).exists()]
    assert [str(block) for block in shown if (ROOT / block.file).read_text(encoding="utf-8") != block.text] == []
    assert any(block.file.startswith("docs/examples/") for block in shown)


def test_the_far_date_is_the_one_that_commands_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dates in a plan are checked by it, so a page that ages would be noticed."""
    monkeypatch.setattr(options, "datetime", types.SimpleNamespace(datetime=Later, timezone=datetime.timezone))
    assert options.clock(None) == datetime.date(2099, 1, 1)


def test_a_reader_sees_the_name_of_each_file() -> None:
    """The comment before a block, from which the tests write the file, is invisible on a page."""
    unnamed = []
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        for index, line in enumerate(lines):
            name = re.fullmatch("<!-- file: (.+) -->", line)
            if name and f"`{name[1]}`" not in " ".join(lines[max(index - 4, 0) : index]):
                unnamed.append(f"{page.name}:{index + 1}: {name[1]}")
    assert unnamed == []
