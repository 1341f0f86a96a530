"""Writes several new files into a directory: all of them or none, each whole, nothing overwritten unasked."""

import os
import pathlib
import secrets
from collections.abc import Collection, Mapping


class CannotWriteError(Exception):
    """Files are in the way. The message says which, and why they are left alone."""


def write_files(
    folder: pathlib.Path, files: Mapping[str, str], *, overwrite: bool, may_exist: Collection[str] = ()
) -> tuple[str, ...]:
    """Write files by their path below ``folder``, which is made where it is missing. Returns what was written.

    Files of ``may_exist`` are left as they are where they have the same content already. Each file appears whole: it
    is written beside its place under another name and moved there.

    Raises:
        CannotWriteError: a file exists and ``overwrite`` is not asked for, or a path leads out of the folder.
        OSError: the system refuses.
    """
    targets = {name: folder / name for name in files}
    for path in targets.values():
        _check_inside(folder, path)
    changed = [name for name, path in targets.items() if not (name in may_exist and _has(path, files[name]))]
    in_the_way = [name for name in changed if os.path.lexists(targets[name])]
    if in_the_way and not overwrite:
        raise CannotWriteError(f"{', '.join(in_the_way)}: there already; --force overwrites")
    for name in changed:
        targets[name].parent.mkdir(parents=True, exist_ok=True)
        _write(targets[name], files[name])
    return tuple(changed)


def _check_inside(folder: pathlib.Path, path: pathlib.Path) -> None:
    """Refuse symbolic links below the folder, and what is no plain file."""
    for place in (path, *path.parents):
        if place == folder:
            break
        if place.is_symlink():
            raise CannotWriteError(f"{place}: a symbolic link, which may lead elsewhere")
        if place.exists() and place.is_dir() == (place == path):
            raise CannotWriteError(f"{place}: {'a directory' if place == path else 'no directory'}")


def _has(path: pathlib.Path, content: str) -> bool:
    return path.is_file() and path.read_bytes() == content.encode()


def _write(path: pathlib.Path, content: str) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
