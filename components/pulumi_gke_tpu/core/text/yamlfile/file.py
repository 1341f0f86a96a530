"""Reads a YAML file into plain data that knows the position of each value."""

import contextlib
import os
import pathlib
import stat

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.yamlfile.build import Builder
from pulumi_gke_tpu.core.text.yamlfile.content import YamlFile
from pulumi_gke_tpu.core.text.yamlfile.decode import decode
from pulumi_gke_tpu.core.text.yamlfile.problem import Problems, StopReading, YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

LARGEST = 5_000_000
"""Maximum size of a file, in bytes."""

LFS = b"version https://git-lfs.github.com/spec/"
LFS_POINTER = "it is a Git LFS pointer, not the file itself: run `git lfs pull`; Git revisions hold only the pointer"


class UnreadableError(Exception):
    """Raised for a file that cannot be read. The message is the reason; it follows "cannot read the file: "."""


def read_yaml(path: pathlib.Path, name: str | None = None) -> YamlFile:
    """Read a file. ``name`` is what findings call it, the path unless given.

    Raises:
        YamlProblem: it cannot be read, or is not one valid YAML document.
    """
    name = str(path) if name is None else name
    return parse_yaml(read_content(path, name), name)


def read_content(path: pathlib.Path, name: str) -> bytes:
    """The bytes of a file.

    Raises:
        YamlProblem: it cannot be read.
    """
    try:
        return read_bytes(path)
    except UnreadableError as error:
        raise unreadable(name, str(error)) from None


def read_bytes(path: pathlib.Path, largest: int = LARGEST) -> bytes:
    """The bytes of a regular file. Opening never blocks, even if a pipe replaces the file in the meantime.

    Raises:
        UnreadableError: it cannot be read, or has more than ``largest`` bytes.
    """
    try:
        _check(os.stat(path), largest)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as stream:
            _check(os.fstat(handle), largest)
            content = stream.read(largest + 1) or b""
    except UnicodeError:
        raise UnreadableError("its name contains characters that file names cannot contain") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError(reason[:1].lower() + reason[1:]) from None
    if len(content) > largest:
        raise UnreadableError(too_large(largest))
    return content


def too_large(largest: int = LARGEST) -> str:
    """Why a file of more than ``largest`` bytes is not read."""
    return f"it is larger than {largest // 1_000_000} MB"


def parse_yaml(content: bytes, name: str) -> YamlFile:
    """Read the content of a file. ``name`` is what findings call it.

    Raises:
        YamlProblem: it is not one valid YAML document.
    """
    if len(content) > LARGEST:
        raise unreadable(name, too_large())
    if content.startswith(LFS):
        raise unreadable(name, LFS_POINTER)
    return parse_source(decode(content, name))


def parse_source(source: SourceText) -> YamlFile:
    """Read the text of a file.

    Raises:
        YamlProblem: it is not one valid YAML document.
    """
    problems = Problems(source)
    builder = Builder(problems)
    with contextlib.suppress(StopReading):
        builder.read()
    file = YamlFile(source.name, builder.data, source, builder.places)
    if problems.findings:
        raise YamlProblem(problems.findings, file if builder.complete else None)
    return file


def _check(status: os.stat_result, largest: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError("it is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("it is not a regular file")
    if status.st_size > largest:
        raise UnreadableError(too_large(largest))


def unreadable(name: str, reason: str) -> YamlProblem:
    """The problem of a file that cannot be read."""
    problems = Problems(SourceText(name, ""))
    problems.add("TPU001", 0, 0, f"cannot read the file: {printable(reason)}")
    return YamlProblem(problems.findings)
