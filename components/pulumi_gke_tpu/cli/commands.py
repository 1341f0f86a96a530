"""Finds the commands: ``features/FEATURE/commands/NAME.py`` has the command NAME, and nothing lists it."""

import functools
import importlib

import click

from pulumi_gke_tpu.core.modules import in_features, names_in

SECTIONS = ("Start", "Decide", "Review a change", "Kubernetes", "Operate", "Learn")
"""The sections of the help, in this order. ``commands/__init__.py`` of a feature names the one of its commands."""


@functools.cache
def command_modules() -> dict[str, str]:
    """The name of the module of each command, sorted by command. Only names of files are read."""
    found = {name: f"{package}.{name}" for package in in_features("commands") for name in names_in(package)}
    return dict(sorted(found.items()))


def load_command(name: str) -> click.Command:
    """Import the module of a command.

    Raises:
        KeyError: no feature has such a command.
    """
    command: click.Command = importlib.import_module(command_modules()[name]).command
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
