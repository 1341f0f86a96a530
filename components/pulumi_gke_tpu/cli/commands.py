"""Finds the commands: ``features/FEATURE/commands/NAME.py`` has the command NAME, and nothing lists it."""

import functools
import importlib
import pkgutil

import click

FEATURES = "pulumi_gke_tpu.features"
SECTIONS = ("Start", "Decide", "Review a change", "Kubernetes", "Learn")
"""The sections of the help, in this order. ``commands/__init__.py`` of a feature names the one of its commands."""


@functools.cache
def command_modules() -> dict[str, str]:
    """The name of the module of each command, sorted by command. Only names of files are read."""
    found = {
        command.name: f"{FEATURES}.{feature}.commands.{command.name}"
        for feature in feature_names()
        for command in pkgutil.iter_modules([f"{folder_of(FEATURES)}/{feature}/commands"])
    }
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


@functools.cache
def feature_names() -> tuple[str, ...]:
    """The names of the features."""
    return tuple(feature.name for feature in pkgutil.iter_modules([folder_of(FEATURES)]))


def folder_of(package: str) -> str:
    """The folder of a package, which is not imported: only its parents are."""
    parent, _, name = package.rpartition(".")
    (folder,) = importlib.import_module(parent).__path__
    return f"{folder}/{name}"
