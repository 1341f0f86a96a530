"""Finds the output formats: ``writers/KIND/FORMAT.py`` writes content of a kind in a format, and nothing lists it.

Kinds that several commands write have their folder here, the others in their feature. Such a module has one function,
``write(content, screen)``. It returns text, or bytes that are written as they are. It is imported when it writes.

=============  =====================================================================================
kind           content
=============  =====================================================================================
``page``       :class:`~pulumi_gke_tpu.core.text.document.model.Page`
``data``       what ``json.dumps`` takes
``findings``   :class:`~pulumi_gke_tpu.cli.writers.findings.ShownFindings`
=============  =====================================================================================

So a new format of findings is one file in ``writers/findings``, and every command that writes findings has it.
"""

import functools
import importlib
import io
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.modules import in_features, names_in

_FIRST = "text"
"""The default format of every command that has it."""


@frozen
class Screen:
    """Where text is shown: the number of columns, and whether colors are wanted."""

    width: int
    color: bool


@functools.cache
def formats_of(*kinds: str) -> Mapping[str, tuple[str, str]]:
    """Each format of these kinds of content -> the first kind that has it, and the module that writes it.

    Only names of files are read. Text is first, which makes it the default; the others are sorted by name.
    """
    found: dict[str, tuple[str, str]] = {}
    for kind in kinds:
        for name, module in _writers().get(kind, {}).items():
            found.setdefault(name, (kind, module))
    return dict(sorted(found.items(), key=lambda item: (item[0] != _FIRST, item[0])))


@functools.cache
def _writers() -> Mapping[str, Mapping[str, str]]:
    """Kind of content -> format -> the module that writes it. Help reads it for every command, so it is read once."""
    found: dict[str, dict[str, str]] = {}
    for package in (__name__, *in_features("writers")):
        for kind in names_in(package):
            for name in names_in(f"{package}.{kind}"):
                found.setdefault(kind, {}).setdefault(name, f"{package}.{kind}.{name}")
    return found


def written(output_format: str, screen: Screen, **offered: Callable[[], Any]) -> str | bytes:
    """What a format writes. ``offered`` are the kinds of content that the command has, each computed only if used.

    Raises:
        KeyError: no kind of content has this format.
    """
    kind, module = formats_of(*offered)[output_format]
    result: str | bytes = importlib.import_module(module).write(offered[kind](), screen)
    return result


def echo(text: str | bytes, *, err: bool = False) -> None:
    """Write the result of :func:`written`: text with one line break at its end, bytes as they are in any locale."""
    if isinstance(text, str):
        click.echo(text.rstrip("\n"), color=True, err=err)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    click.echo(text.decode("utf-8"), nl=False, color=True)
