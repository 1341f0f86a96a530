"""Reads the plans that the arguments of a command name: files, folders and standard input."""

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.core.plan import Document, Plan, read_inventory, read_organization, read_plan, read_plan_content
from pulumi_gke_tpu.core.text.findings import listed, printable_path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.plan.organization import Organization

DEFAULTS = ("plan.yaml", "gke-tpu.yaml")
"""The plan that a command reads if it gets none: the first of these files that exists, and is not of another tool."""
_Folder = Callable[[str], Iterable[str]]
_MOST_NAMED = 5
"""How many plans a message names."""


def read_plans(arguments: Sequence[str]) -> tuple[Document[Plan], ...]:
    """Read each plan once: files, all plans below folders, and standard input for ``-``; ``plan.yaml`` without any.

    Reading goes on behind syntax errors that have only one fix.

    Raises:
        click.UsageError: a file does not exist, or a folder contains no plan.
        OSError: a folder cannot be read.
    """
    return tuple(_read(name, past_syntax=True) for name in names_of(arguments))


def read_one_plan(argument: str | None) -> Document[Plan]:
    """Read the plan of an argument: a file, a folder with one plan, or ``-``; ``plan.yaml`` without an argument.

    Raises:
        click.UsageError: the file does not exist, or the folder does not contain exactly one plan.
        OSError: the folder cannot be read.
    """
    names = list(_names(argument or _default()))
    if len(names) > 1:
        raise several_plans([argument or _default()], names)
    return _read(names[0])


def several_plans(arguments: Sequence[str], names: Sequence[str | None]) -> click.UsageError:
    """The error of arguments that have several plans where a command takes one."""
    given = listed([printable_path(argument) for argument in arguments], "and", most=_MOST_NAMED)
    verb = "contains" if len(arguments) == 1 else "contain"
    shown = ", ".join(map(printable_path, names[:_MOST_NAMED]))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return click.UsageError(f"{given} {verb} {len(names)} plans; name one of them: {shown}{more}.")


def read_contents(arguments: Sequence[str]) -> dict[str, bytes | None]:
    """The content of each plan by name, as :func:`read_plans` finds them; None for a file that cannot be read.

    Raises:
        click.UsageError: a file does not exist, or a folder contains no plan.
        OSError: a folder cannot be read.
    """
    return {name: read_content(name) for name in names_of(arguments)}


def without_other_tools(arguments: Sequence[str]) -> tuple[str, ...]:
    """The names of the plan files of the arguments, without files named plan.yaml that belong to another tool.

    Raises:
        click.UsageError: a file does not exist, or a folder contains no plan.
        OSError: a folder cannot be read.
    """
    from pulumi_gke_tpu.cli.files.plan_files import is_of_another_tool

    return tuple(name for name, content in read_contents(arguments).items() if not is_of_another_tool(name, content))


def has_own_plan(argument: str | None) -> bool:
    """Whether the plan of an argument exists, and is one of gke-tpu; ``plan.yaml`` without an argument."""
    if argument == STDIN:
        return True
    try:
        return bool(without_other_tools([argument or _default()]))
    except click.UsageError:
        return False


def read_content(name: str) -> bytes | None:
    """The content of a file, or of standard input for ``-``; None if it cannot be read.

    Raises:
        click.UsageError: the file does not exist.
    """
    from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST, UnreadableError, read_bytes

    if name == STDIN:
        from pulumi_gke_tpu.cli.files.plan_files import read_input

        return read_input(STDIN, LARGEST + 1)
    _require(name)
    try:
        return read_bytes(pathlib.Path(name))
    except UnreadableError:
        return None


def read_inventory_file(path: str | None, *, past_syntax: bool = False) -> "Document[Inventory] | None":
    """Read the inventory of ``--inventory``; None without one.

    With ``past_syntax``, reading goes on behind syntax errors that have only one fix.

    Raises:
        click.UsageError: the file does not exist.
    """
    if path is None:
        return None
    _require(path)
    return read_inventory(pathlib.Path(path), past_syntax=past_syntax)


def read_organization_file(path: str | None, *, past_syntax: bool = False) -> "Document[Organization] | None":
    """Read the organization file of ``--organization``; None without one.

    With ``past_syntax``, reading goes on behind syntax errors that have only one fix.

    Raises:
        click.UsageError: the file does not exist.
    """
    if path is None:
        return None
    _require(path)
    return read_organization(pathlib.Path(path), past_syntax=past_syntax)


def names_of(arguments: Sequence[str], without_plan: _Folder | None = None) -> list[str]:
    """The names of all plan files of the arguments, each file once, even if several symbolic links lead to it.

    Of several names of a file it is the first one that is not a link. ``without_plan`` has the names for a folder
    without a plan.

    Raises:
        click.UsageError: a file does not exist, or a folder contains no such file.
        OSError: a folder cannot be read.
    """
    distinct: dict[str, str] = {}
    for name in (name for argument in arguments or [_default()] for name in _names(argument, without_plan)):
        file = os.path.realpath(name) if name != STDIN else STDIN
        if file not in distinct or (os.path.islink(distinct[file]) and not os.path.islink(name)):
            distinct[file] = name
    return [*distinct.values()]


def _default() -> str:
    found = [*filter(os.path.lexists, DEFAULTS)]
    if not found:
        raise click.UsageError(
            f"No {' or '.join(DEFAULTS)} in this folder: name a plan, a folder with plans, or - for standard input. "
            "`gke-tpu init` writes a first plan."
        )
    return found[-1] if len(found) > 1 and not has_own_plan(found[0]) else found[0]


def _names(argument: str, without_plan: _Folder | None = None) -> Iterator[str]:
    """The names of the plan files of an argument."""
    if argument == STDIN:
        yield STDIN
    elif os.path.isdir(argument):
        from pulumi_gke_tpu.cli.files.plan_files import WHAT_IS_A_PLAN
        from pulumi_gke_tpu.cli.files.side_files import DiskFiles, plan_keys

        files = DiskFiles(pathlib.Path(argument))
        keys = plan_keys(files, printable_path(argument))
        others = list(without_plan(argument)) if not keys and without_plan is not None else []
        if not keys and not others:
            raise click.UsageError(f"No plan below {printable_path(argument)}. {WHAT_IS_A_PLAN}")
        yield from (files.names[key] for key in sorted(keys))
        yield from others
    else:
        _require(argument)
        name = str(pathlib.Path(argument))
        yield f"./{name}" if name == STDIN else name


def _require(path: str) -> None:
    """Refuse a path without a file, which is a mistake in the command and not in a plan."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise click.UsageError(f"cannot read {printable_path(path)}: {(error.strerror or '').lower()}") from None
    except (OSError, ValueError):
        return  # the reader reports every other reason as a finding


def _read(name: str, *, past_syntax: bool = False) -> Document[Plan]:
    if name != STDIN:
        return read_plan(pathlib.Path(name), past_syntax=past_syntax)
    return read_plan_content(read_content(STDIN) or b"", STDIN_NAME, past_syntax=past_syntax)
