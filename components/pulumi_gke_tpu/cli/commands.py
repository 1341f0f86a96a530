"""Finds the commands: ``features/FEATURE/commands/NAME.py`` has the command NAME, and nothing lists it."""

import functools
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

import click

from pulumi_gke_tpu.core.modules import in_features, names_in

SECTIONS = ("Start", "Decide", "Review a change", "Kubernetes", "Operate", "Learn")
"""The sections of the help, in this order. ``commands/__init__.py`` of a feature names the one of its commands."""

_WHOLE = "\N{NON-BREAKING HYPHEN}"


class _Formatter(click.HelpFormatter):
    """Breaks lines only between words: names such as gke-tpu and --today stay whole."""

    def write(self, string: str) -> None:
        super().write(string.replace(_WHOLE, "-"))

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _WHOLE))

    def write_dl(self, rows: Iterable[tuple[str, str]], *arguments: Any, **more: Any) -> None:
        super().write_dl([(term, text.replace("-", _WHOLE)) for term, text in rows], *arguments, **more)


class HelpContext(click.Context):
    """The context of a command, with the formatter of its help."""

    formatter_class = _Formatter


class CommandWithExamples(click.Command):
    """A command whose help shows examples. All of them run in a folder with the files that they name."""

    context_class = HelpContext

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the options."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{' ' * formatter.current_indent}{example}\n")
        super().format_options(ctx, formatter)


@functools.cache
def command_modules() -> dict[str, str]:
    """The name of the module of each command, sorted by command. Only names of files are read."""
    found = {name: f"{package}.{name}" for package in in_features("commands") for name in names_in(package)}
    return dict(sorted(found.items()))


def load_command(name: str) -> CommandWithExamples:
    """Import the module of a command.

    Raises:
        KeyError: no feature has such a command.
    """
    command: CommandWithExamples = importlib.import_module(command_modules()[name]).command
    return command


def commands_by_section() -> dict[str, tuple[str, ...]]:
    """The names of the commands in each section of the help."""
    sections: dict[str, tuple[str, ...]] = dict.fromkeys(SECTIONS, ())
    for name, module in command_modules().items():
        section = importlib.import_module(module.rpartition(".")[0]).SECTION
        sections[section] = (*sections[section], name)
    return sections


_SPELLINGS = {"organisation": "organization"}


def american(word: str) -> str:
    """The name that a word spells in another way; other words are returned unchanged."""
    return _SPELLINGS.get(word, word)
