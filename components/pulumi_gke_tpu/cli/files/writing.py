"""Writes files atomically: new ones, never over an existing file unless asked, and new content of existing ones."""

import os
import pathlib
import secrets
import stat
from collections.abc import Collection, Mapping

import click

from pulumi_gke_tpu.core.text.findings import printable, printable_path

_LONGEST = 1000


class CannotWriteError(Exception):
    """A file cannot be written. The message contains its path and the reason."""


def write_and_name(
    folder: pathlib.Path,
    files: Mapping[str, str],
    *,
    overwrite: bool,
    may_exist: Collection[str] = (),
    quiet: bool = False,
) -> bool:
    """Write files to paths below ``folder`` and print the path of each, or to stderr why nothing was written.

    Missing folders are created. A file of ``may_exist`` that already has the content is not written. Each file is
    written under a temporary name and then renamed. ``quiet`` prints no paths: the command shows something else.

    Raises:
        OSError: the system cannot write a file.
    """
    try:
        written = _write_files(folder, files, overwrite=overwrite, may_exist=may_exist)
    except CannotWriteError as error:
        click.echo(f"Nothing was written. {printable(error, _LONGEST)}", err=True)
        return False
    for name in () if quiet else written:
        click.echo(f"wrote {printable_path(folder / name)}")
    return True


def replace_content(path: pathlib.Path, before: bytes, after: bytes) -> None:
    """Replace the content of an existing file in one step. A symbolic link and the permissions of the file stay.

    Raises:
        CannotWriteError: the file is read-only, or its content is no longer ``before``.
        OSError: the system cannot write the file.
    """
    target = pathlib.Path(os.path.realpath(path))
    mode = stat.S_IMODE(target.stat().st_mode)
    if not mode & 0o222 or not os.access(target, os.W_OK):
        raise CannotWriteError(f"{path}: is read-only")
    if target.read_bytes() != before:
        raise CannotWriteError(f"{path}: has changed since it was read")
    _write(target, after, mode)


def check_inside(folder: pathlib.Path, path: pathlib.Path) -> None:
    """Reject symbolic links below the folder, and paths that are not regular files.

    Raises:
        CannotWriteError: the path is or has one.
    """
    for place in (path, *path.parents):
        if place == folder:
            break
        if place.is_symlink():
            raise CannotWriteError(f"{place}: is a symbolic link, which can lead out of the folder")
        if place == path and place.exists() and not place.is_file() and not place.is_dir():
            raise CannotWriteError(f"{place}: is not a regular file")  # such as a pipe or a device
        if place.exists() and place.is_dir() == (place == path):
            raise CannotWriteError(f"{place}: {'is' if place == path else 'is not'} a directory")


def _write_files(
    folder: pathlib.Path, files: Mapping[str, str], *, overwrite: bool, may_exist: Collection[str] = ()
) -> tuple[str, ...]:
    """The paths of the written files, without those that already have the content.

    Raises:
        CannotWriteError: a file exists and ``overwrite`` is false, or a path leads out of the folder.
        OSError: the system cannot write a file.
    """
    targets = {name: folder / name for name in files}
    for path in targets.values():
        check_inside(folder, path)
    changed = [name for name, path in targets.items() if not (name in may_exist and _has(path, files[name]))]
    existing = [name for name in changed if os.path.lexists(targets[name])]
    if existing and not overwrite:
        exist = "already exists" if len(existing) == 1 else "already exist"
        raise CannotWriteError(f"{', '.join(existing)} {exist}; use --force to overwrite")
    for name in changed:
        targets[name].parent.mkdir(parents=True, exist_ok=True)
        _write(targets[name], files[name].encode())
    return tuple(changed)


def _has(path: pathlib.Path, content: str) -> bool:
    return path.is_file() and path.read_bytes() == content.encode()


def _write(path: pathlib.Path, content: bytes, mode: int | None = None) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(handle, "wb") as stream:
            stream.write(content)
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
