"""``gke-tpu validate --fix``: what it writes, what it shows, and when it writes nothing."""

import json
import os
import pathlib
import stat
from collections.abc import Callable

import pytest
import yaml

from pulumi_gke_tpu.cli.files.writing import CannotWriteError, replace_content

Run = Callable[..., "Result"]
RIGHT = """\
# The plan of the team.
version: 1
project: acme-ml
clusters:
  train:
    mode: standard      # not autopilot
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}   # two hosts
"""
WRONG = RIGHT.replace("topology: 4x4", "topolgy: 4X4").replace("standard ", "Standard ")
UNCLEAR = WRONG.replace("zone: us-east5-b", "zone: us-east5-b, count: two")


class Result:
    """The exit code and the output of a command."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("GKE_TPU_TRACEBACK", "1")

    def call(*arguments: object) -> Result:
        from pulumi_gke_tpu.cli import main

        with pytest.raises(SystemExit) as stop:
            main(["validate", "--today", "2026-11-20", *map(str, arguments)])
        return Result(stop.value.code, *capfd.readouterr())

    return call


def plan(folder: pathlib.Path, text: str, name: str = "plan.yaml") -> pathlib.Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_fixes_are_written_and_shown_as_a_diff(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG)
    result = run("--fix", path)
    assert (result.code, path.read_text()) == (0, RIGHT)
    assert "-      main: {tpu: v6e, topolgy: 4X4, zone: us-east5-b}   # two hosts" in result.out
    assert "+      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}   # two hosts" in result.out
    assert "fixed in 1 file" in result.out


def test_a_dry_run_shows_the_same_diff_and_writes_nothing(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG)
    dry = run("--fix", "--dry-run", path)
    assert (dry.code, path.read_text()) == (1, WRONG)
    assert [line for line in run("--fix", path).out.splitlines() if line[:1] in "+-@"] == [
        line for line in dry.out.splitlines() if line[:1] in "+-@"
    ]


@pytest.mark.parametrize(("most", "listed"), [(1, 1), (2, 2), (3, 3), (0, 3)])
def test_the_summary_lists_at_most_so_many_problems_that_are_not_fixed(
    run: Run, tmp_path: pathlib.Path, most: int, listed: int
) -> None:
    groups = "".join(f"      more{n}: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: two}}\n" for n in range(3))
    path = plan(tmp_path, WRONG + groups)
    result = run("--fix", "--max-findings", most, path)
    _, _, summary = result.out.partition("3 problems not fixed:\n")
    lines = summary.partition("\n\n")[0].splitlines()
    more = [] if listed == 3 else [f"  and {3 - listed} more: --max-findings 0 shows all"]
    assert lines[listed:] == more
    assert all(str(path) in line for line in lines[:listed])
    assert result.code == 1


def test_a_second_run_changes_nothing(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, UNCLEAR)
    run("--fix", path)
    once = path.read_bytes()
    again = run("--fix", path)
    assert path.read_bytes() == once
    assert "0 problems fixed" in again.out


def test_what_is_unclear_stays_with_the_decision_to_make(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, UNCLEAR)
    result = run("--fix", path)
    assert (result.code, path.read_text()) == (1, RIGHT.replace("zone: us-east5-b", "zone: us-east5-b, count: two"))
    assert "1 problem not fixed:" in result.out
    assert "TPU022: write the value that you mean" in result.out


def test_a_number_is_never_chosen(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, RIGHT.replace("4x4", "4x5"))
    result = run("--fix", path)
    assert "topology: 4x5" in path.read_text()
    assert "TPU112: other fixes are possible" in result.out


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_and_the_byte_order_mark_stay(run: Run, tmp_path: pathlib.Path, ending: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(("\ufeff" + WRONG.replace("\n", ending)).encode())
    run("--fix", path)
    assert path.read_bytes() == ("\ufeff" + RIGHT.replace("\n", ending)).encode()


def test_a_symbolic_link_and_the_permissions_stay(run: Run, tmp_path: pathlib.Path) -> None:
    (tmp_path / "shared").mkdir()
    path = plan(tmp_path / "shared", WRONG)
    path.chmod(0o640)
    link = tmp_path / "plan.yaml"
    link.symlink_to(path)
    assert run("--fix", link).code == 0
    assert link.is_symlink()
    assert path.read_text() == RIGHT
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(path.parent) == ["plan.yaml"]


def test_a_read_only_file_is_an_error_and_stays(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG)
    path.chmod(0o444)
    result = run("--fix", path)
    assert (result.code, path.read_text()) == (2, WRONG)
    assert "is read-only" in result.err


def test_a_file_that_changed_in_the_meantime_stays(tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, "other text")
    with pytest.raises(CannotWriteError, match="has changed"):
        replace_content(path, WRONG.encode(), RIGHT.encode())
    assert path.read_text() == "other text"


def test_of_standard_input_the_fixed_plan_is_printed(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    path = plan(tmp_path, UNCLEAR)
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        result = run("--fix", "-")
    assert result.out == RIGHT.replace("zone: us-east5-b", "zone: us-east5-b, count: two")
    assert "error TPU022" in result.err


def test_folders_and_the_inventory_are_fixed_together(run: Run, tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "stacks" / name).mkdir(parents=True)
        plan(tmp_path / "stacks" / name, WRONG.replace("train:", f"{name}-train:"))
    owned = plan(tmp_path, "version: 1\nas_of: 20.11.2026\n", "inventory.yaml")
    result = run("--fix", tmp_path / "stacks", "--inventory", owned)
    assert result.code == 0
    assert owned.read_text() == "version: 1\nas_of: 2026-11-20\n"
    texts = {path.read_text() for path in tmp_path.glob("stacks/*/plan.yaml")}
    assert texts == {RIGHT.replace("train:", f"{name}-train:") for name in ("a", "b")}
    assert "in 3 files" in result.out


@pytest.mark.parametrize(("comment", "applied"), [("", True), ("   # cheap", False)])
def test_a_fix_that_would_lose_a_comment_is_not_applied(
    run: Run, tmp_path: pathlib.Path, comment: str, applied: bool
) -> None:
    group = "main:\n        tpu: v6e\n        topology: 4x4\n        zone: us-east5-b\n        capacity:"
    head = RIGHT.partition("main:")[0]
    path = plan(tmp_path, f"{head}{group}\n          - spot{comment}\n")
    result = run("--fix", path)
    assert (path.read_text() == f"{head}{group} spot\n") is applied
    assert ("make it by hand" in result.out) is not applied


def test_syntax_errors_and_what_they_hide_are_fixed_in_one_run(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG.replace("location: us-east5", "location:us-east5"))
    assert (run("--fix", path).code, path.read_text()) == (0, RIGHT)


def test_other_formats_have_the_findings_alone_on_standard_output(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, UNCLEAR)
    result = run("--fix", "--dry-run", path, "--format", "json")
    assert [finding["rule"] for finding in json.loads(result.out)["findings"]] == ["TPU022"]
    assert "+++" in result.err


def test_terminal_control_characters_of_a_plan_do_not_reach_the_diff(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG.replace("acme-ml", "acme-ml  # \u202e hidden"))
    result = run("--fix", path)
    assert "\u202e" not in result.out


def test_a_dry_run_without_fix_is_an_invalid_command(run: Run, tmp_path: pathlib.Path) -> None:
    assert run("--dry-run", plan(tmp_path, RIGHT)).code == 2


def test_sarif_has_the_change_of_a_fix(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, RIGHT.replace("mode: standard", "mode: Standard"))
    (result,) = json.loads(run(path, "--format", "sarif").out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert change == {
        "deletedRegion": {"startLine": 6, "startColumn": 11, "endLine": 6, "endColumn": 12},
        "insertedContent": {"text": "s"},
    }


@pytest.mark.parametrize("dry", [True, False])
@pytest.mark.parametrize("name", ["plan.yaml", "train.yaml", "prod/plan.yaml"])
def test_a_link_below_a_folder_is_refused_and_nothing_is_written(
    run: Run, tmp_path: pathlib.Path, dry: bool, name: str
) -> None:
    """A pull request can add a link that leads anywhere."""
    outside = plan(tmp_path, WRONG, "outside.yaml")
    stacks = tmp_path / "stacks"
    (stacks / "prod").mkdir(parents=True)
    (stacks / "a").mkdir()
    other = plan(stacks / "a", WRONG.replace("train:", "other:"))
    (stacks / name).symlink_to(outside)
    result = run("--fix", *(["--dry-run"] if dry else []), stacks)
    assert (result.code, outside.read_text()) == (2, WRONG)
    assert other.read_text() == WRONG.replace("train:", "other:")
    assert f"{name}: is a symbolic link, which can lead out of the folder" in result.err
    assert run("--fix", stacks / name).code == 0
    assert outside.read_text() == RIGHT


def test_of_a_file_and_a_link_to_it_below_a_folder_the_file_is_fixed(run: Run, tmp_path: pathlib.Path) -> None:
    path = plan(tmp_path, WRONG, "z.yaml")
    (tmp_path / "plan.yaml").symlink_to(path)
    assert run("--fix", tmp_path).code == 0
    assert path.read_text() == RIGHT


@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_no_line_is_a_command_of_a_build_system(
    run: Run, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, dry: list[str]
) -> None:
    """GitHub's runner executes a line of a log that begins with `::`, also after spaces, and `##[...]` anywhere."""
    monkeypatch.chdir(tmp_path)
    text = UNCLEAR.replace("# The plan", "::error::top: 1\n# ##[error] The plan")
    for name in ("::error::x.yaml", "##[error]x.yaml"):
        plan(tmp_path, text, name)
        result = run("--fix", *dry, name)
        lines = (result.out + result.err).splitlines()
        assert [line for line in lines if line.strip().startswith("::") or "##[" in line] == []
        assert any("TPU022" in line and "error" in line for line in lines)


def test_the_hook_takes_a_file_whose_name_begins_with_a_dash(
    run: Run, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = plan(tmp_path, WRONG, "-x.yaml")
    hooks = yaml.safe_load((pathlib.Path(__file__).parents[3] / ".pre-commit-hooks.yaml").read_text())
    program, command, *options = next(hook["entry"] for hook in hooks if hook["id"] == "gke-tpu-fix").split()
    assert (program, command) == ("gke-tpu", "validate")
    assert (run(*options, path.name).code, path.read_text()) == (0, RIGHT)


TWO_HOSTS = RIGHT.replace("topology: 4x4", "topology: 2x4")


@pytest.mark.parametrize(("answer", "written"), [("1", "chips_per_host: 8"), ("2", "chips_per_host: 4"), ("", "")])
def test_a_terminal_asks_which_reading_is_meant(
    answer: str, written: str, run: Run, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(TWO_HOSTS)
    monkeypatch.setattr("pulumi_gke_tpu.features.plan.fix.is_interactive", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, default, **__: int(answer or default))
    result = run("--fix", path)
    assert "1  topology: 2x4, chips_per_host: 8 (1 host of ct6e-standard-8t)" in result.out
    assert "2  topology: 2x4, chips_per_host: 4 (2 hosts of ct6e-standard-4t)" in result.out
    assert written in path.read_text()
    assert (path.read_text() == TWO_HOSTS) is (not written)


@pytest.mark.parametrize("arguments", [["--dry-run"], ["--format", "json"], []])
def test_both_readings_are_printed_without_a_terminal(arguments: list[str], run: Run, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(TWO_HOSTS)
    result = run("--fix", *arguments, path)
    assert "chips_per_host: 8 (1 host of" in result.out + result.err
    assert "chips_per_host: 4 (2 hosts of" in result.out + result.err
    assert path.read_text() == TWO_HOSTS
