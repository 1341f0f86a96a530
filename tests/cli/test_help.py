"""The first call of a newcomer: the command without arguments, and the commands that other tools have."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest
from support.clones import Clone
from support.documents import ROOT
from support.each import each

from pulumi_gke_tpu.cli.commands import command_modules, commands_by_section, load_command

GkeTpu = Callable[..., Any]
EXAMPLES = ROOT / "docs/examples"
FILES = {
    "inventory.yaml": "docs/examples/inventory.yaml",
    "training.yaml": "docs/examples/training.yaml",
    "tfplan.json": "docs/examples/terraform-plan.json",
    "clusters.json": "tests/data/fleets/gcloud_cluster.json",
}
"""The files that the examples of the help name, and where the repository has such a file."""


def test_the_command_without_arguments_prints_its_help(gke_tpu: GkeTpu) -> None:
    run = gke_tpu()
    assert (run.code, run.err) == (0, "")
    assert run.out == gke_tpu("--help").out
    assert run.out.startswith("Usage: gke-tpu [OPTIONS]")


def test_the_help_lists_every_command_once_with_its_purpose(gke_tpu: GkeTpu) -> None:
    lines = gke_tpu("--help").out.splitlines()
    starts = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].islower() and "  " in line[2:]]
    assert sorted(starts) == sorted(command_modules())


def test_an_option_without_a_command_is_an_error(gke_tpu: GkeTpu) -> None:
    assert gke_tpu("--no-such-option").code == 2


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("plan", "Did you mean preview? To see the effect of a change, use diff."),
        ("apply", "`pulumi up` creates and changes the resources of a plan."),
        ("up", "`pulumi up` creates"),
        ("destroy", "`pulumi destroy` deletes the resources of a plan."),
        ("lint", "Did you mean validate?"),
        ("validat", "Did you mean validate?"),
        ("x" * 20, f"Use one of: {', '.join(command_modules())}."),
    ],
)
def test_an_unknown_command_leads_to_the_right_one(gke_tpu: GkeTpu, word: str, hint: str) -> None:
    run = gke_tpu(word)
    assert run.code == 2
    assert f"Unknown command {word}. {hint}" in " ".join(run.err.split())


def options_of(command: str) -> Iterator[click.Option]:
    return (each for each in load_command(command).params if isinstance(each, click.Option))


@pytest.mark.parametrize("command", command_modules())
def test_every_example_of_the_help_runs(command: str, gke_tpu: GkeTpu, clone: Clone) -> None:
    for name, source in FILES.items():
        shutil.copy(ROOT / source, clone.folder / name)
    shutil.copytree(EXAMPLES / "incident", clone.folder / "snapshot")
    plan = (clone.folder / "snapshot/plan.yaml").read_text(encoding="utf-8")
    texts = {
        "plan.yaml": f"{plan}    kubernetes: {{queues: {{research: {{}}}}}}\n",
        "stacks/plan.yaml": plan,
        "before.yaml": plan.replace("count: 2", "count: 1"),
        "create.sh": "xpk cluster create --cluster=a --tpu-type=v6e-16 --project=p --zone=us-east5-b\n",
    }
    (clone.folder / "stacks").mkdir()
    for name, text in texts.items():
        (clone.folder / name).write_text(text, encoding="utf-8")
    (clone.folder / "diff.json").write_text(gke_tpu("diff", "before.yaml", "plan.yaml", "--format", "json").out)
    clone.commit()
    for example in load_command(command).examples:
        run = gke_tpu(*shlex.split(example)[1:])
        assert run.code in (0, 1), (example, run)  # 1: the fleet of the snapshot has problems
        assert run.out or not run.code, (example, run)


def commands_in_texts() -> Iterator[tuple[str, str]]:
    """The commands of gke-tpu in texts that people read, between backticks, each with its file."""
    files = [*(ROOT / "components").rglob("*.py"), *(ROOT / "catalog").glob("**/*.yaml")]
    for file in files:
        text = re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8"))
        for found in re.findall(r"`(gke-tpu [a-z][^`]*)`", re.sub(r"\n\s*", " ", text)):
            yield file.name, found


@each("file,text", commands_in_texts)
def test_every_command_in_a_text_exists_with_its_options(file: str, text: str) -> None:
    _, command, *words = text.replace("|", " | ").split()
    assert command in (*command_modules(), "COMMAND"), file
    if command != "COMMAND":
        ends = words.index("|") if "|" in words else len(words)
        known = {name for option in options_of(command) for name in (*option.opts, *option.secondary_opts)}
        given = {word.partition("=")[0].strip(".,;") for word in words[:ends] if re.match(r"--?[a-z]", word)}
        assert given <= {*known, "-h", "--help"}, file


@each("option", lambda: (option for command in command_modules() for option in options_of(command)))
def test_the_help_of_an_option_is_a_sentence_that_states_its_default_once(option: click.Option) -> None:
    text = option.help or ""
    assert re.fullmatch(r"[A-Z].*[^.]\.", text), text
    assert not re.search(r"\b[Dd]efault\b|stdin|[Cc]an be repeated", text), text
    assert option.multiple == ("may be repeated" in text), text
    assert option.is_flag or option.metavar or isinstance(option.type, click.Choice), "no metavar"


def test_an_option_with_a_name_and_a_metavar_has_one_of_both_in_all_commands() -> None:
    shown: dict[str, set[str | None]] = {}
    for command in command_modules():
        for option in options_of(command):
            shown.setdefault(option.opts[-1], set()).add(option.metavar)
    differing = {name: metavars for name, metavars in shown.items() if len(metavars) > 1}
    assert differing == {
        "--check": {"PLAN", "DIR"},  # a plan of clusters, and a folder of manifests
        "--from": {"DAY", None},  # the first day of a calendar, and a tool
        "--output": {"DIR", "FILE"},
        "--tpu": {"GENERATION", "GENERATION,..."},
    }


def test_no_line_of_the_help_breaks_a_name(gke_tpu: GkeTpu, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in ("60", "80", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        pages = [gke_tpu(command, "--help").out for command in command_modules()]
        assert [line for page in pages for line in page.splitlines() if re.search(r"\w-$", line)] == []


def test_the_first_sentences_of_the_help_name_what_the_command_does() -> None:
    """As those of kubectl: a verb and its object, in one line of the list of commands."""
    assert sorted(name for names in commands_by_section().values() for name in names) == sorted(command_modules())
    texts = {command: load_command(command).get_short_help_str(200) for command in command_modules()}
    assert [text for text in texts.values() if not re.fullmatch(r"[A-Z][a-z]+ .*\.", text) or len(text) > 80] == []
