"""Command lines of Pulumi in the documents: the real one knows their commands and flags."""

import functools
import re
import subprocess

import pytest
from support.documents import commands_of
from support.engine.pulumi_cli import PulumiCli

COMMANDS = commands_of("pulumi")


@functools.cache
def help_of(cli: PulumiCli, *command: str) -> str:
    words = [str(cli.root / "bin" / "pulumi"), *command, "--help"]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout


def has_command(cli: PulumiCli, command: tuple[str, ...], word: str) -> bool:
    listed = re.compile(rf"^  +(?:\w+, )*{re.escape(word)}(?:,| {{2,}})", re.MULTILINE)
    return listed.search(help_of(cli, *command)) is not None or word in aliases_of(cli, *command, word)


def aliases_of(cli: PulumiCli, *command: str) -> list[str]:
    """The names of a command, if it has several; the list of commands shows one of them."""
    found = re.search(r"^Aliases:\n +(.+)$", help_of(cli, *command), re.MULTILINE)
    return found[1].split(", ") if found else []


def flags_of(cli: PulumiCli, command: tuple[str, ...]) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", help_of(cli, *command)))


def unknown_words(cli: PulumiCli, words: list[str]) -> list[str]:
    """The commands and flags in a command line that this CLI does not know."""
    command: tuple[str, ...] = ()
    for word in words[1:]:
        if not word.startswith("-") and has_command(cli, command, word):
            command = (*command, word)
    if not command:
        return words[1:] or ["nothing"]
    flags = [word.split("=")[0] for word in words[1:] if word.startswith("-")]
    return [flag for flag in flags if flag not in flags_of(cli, command)]


@pytest.mark.parametrize("where", COMMANDS)
def test_the_cli_knows_it(cli: PulumiCli, where: str) -> None:
    assert unknown_words(cli, COMMANDS[where]) == []


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("pulumi up -s prod --yes", []),
        ("pulumi -C folder stack init prod", []),
        ("pulumi package get-schema .", []),
        ("pulumi launch -s prod", ["launch", "-s", "prod"]),
        ("pulumi up --stock prod", ["--stock"]),
        ("pulumi stack init --continue-on-error", ["--continue-on-error"]),
    ],
)
def test_it_would_not_know_others(cli: PulumiCli, line: str, unknown: list[str]) -> None:
    assert unknown_words(cli, line.split()) == unknown
