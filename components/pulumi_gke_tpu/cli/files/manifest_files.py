"""Reads the manifests that the arguments of a command name: files, folders and standard input."""

import dataclasses
import itertools
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence

import click

from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.core.objects.manifests import ManifestFile
from pulumi_gke_tpu.core.resources.recognition import HCL_ENDINGS, HIDDEN, SCRIPT_ENDINGS, TABLE_ENDINGS
from pulumi_gke_tpu.core.text.findings import printable_path
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST, UnreadableError, read_bytes, unreadable

ENDINGS = (".yaml", ".yml", ".json")
SNAPSHOT_ENDINGS = (".jsonl", ".err")
"""The other files in the folder of a snapshot."""
MOST_FILES = 10_000
"""The maximum number of files of a command."""
LARGEST_JSON = 256_000_000
"""The maximum size in bytes of a file that may come from another tool, such as a Terraform plan."""
LARGEST_TOGETHER = 50_000_000
"""The maximum size in bytes of all files of a command, without those that are too large for manifests."""


def read_manifest_files(arguments: Sequence[str], *, tables: bool = False) -> Iterator[ManifestFile]:
    """Read each file once: files, all YAML and JSON files below folders, and standard input for ``-``.

    ``tables``: also the tables below folders that scripts can read.

    Raises:
        click.UsageError: a file does not exist, a folder contains no manifest, or the files are too many or too large.
        OSError: a folder cannot be read.
    """
    folders = {argument for argument in arguments if argument != STDIN and os.path.isdir(argument)}
    asked = {name for argument in arguments if argument not in folders for name in _names(argument)}
    beside = (
        name for argument in sorted(folders) if tables for name in _below(argument, TABLE_ENDINGS) if name not in asked
    )
    for file in _read_all(itertools.chain((name for argument in arguments for name in _names(argument)), beside)):
        yield dataclasses.replace(file, asked=file.name in asked or file.name == STDIN_NAME)


def manifest_files_below(folder: pathlib.Path) -> Iterator[ManifestFile]:
    """Read all YAML and JSON files below a folder, which may have none.

    Raises:
        click.UsageError: the files are too many or too large.
        OSError: a folder cannot be read.
    """
    yield from _read_all(_below(str(folder)))


def _read_all(every: Iterable[str]) -> Iterator[ManifestFile]:
    names = dict.fromkeys(every)
    distinct = {os.path.abspath(name) if name != STDIN else STDIN: name for name in reversed(names)}
    if len(distinct) > MOST_FILES:
        raise click.UsageError(f"More than {MOST_FILES:,} files; name a smaller folder.")
    total = 0
    for name in reversed(distinct.values()):
        file = read_manifest_file(name)
        total += len(file.content) if len(file.content) <= LARGEST else 0
        if total > LARGEST_TOGETHER:
            limit = LARGEST_TOGETHER // 1_000_000
            raise click.UsageError(f"The files exceed the limit of {limit} MB; name a smaller folder.")
        yield file


def read_manifest_file(name: str) -> ManifestFile:
    """Read one file, or standard input for ``-``. A file that cannot be read has a finding and no content."""
    if name == STDIN:
        from pulumi_gke_tpu.cli.files.plan_files import read_input

        return ManifestFile(STDIN_NAME, read_input(STDIN, LARGEST_JSON + 1))
    largest = LARGEST_JSON if name.endswith((".json", SNAPSHOT_ENDINGS[0])) else LARGEST
    in_snapshot = is_snapshot(os.path.dirname(name))
    try:
        return ManifestFile(name, read_bytes(pathlib.Path(name), largest), in_snapshot=in_snapshot)
    except UnreadableError as error:
        return ManifestFile(name, b"", unreadable(name, str(error)).findings)


def is_snapshot(folder: str) -> bool:
    """Whether a folder is one that the script of `gke-tpu snapshot` filled."""
    from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json

    try:
        data = parse_json(read_bytes(pathlib.Path(folder, "snapshot.json"), 10_000), Limits(10_000, 5))
    except (UnreadableError, JsonError):
        return False
    return isinstance(data, dict) and {"format", "taken"} <= data.keys()


def _names(argument: str) -> Iterator[str]:
    if argument == STDIN:
        yield STDIN
    elif os.path.isdir(argument):
        found = list(_below(argument, (*ENDINGS, *HCL_ENDINGS, *SCRIPT_ENDINGS)))
        if not found:
            raise click.UsageError(f"No YAML, JSON or Terraform file and no script below {printable_path(argument)}.")
        yield from found
    else:
        try:
            os.stat(argument)
        except (FileNotFoundError, NotADirectoryError) as error:
            reason = (error.strerror or "").lower()
            raise click.UsageError(f"cannot read {printable_path(argument)}: {reason}") from None
        except OSError:
            pass  # the reader reports every other reason as a finding
        name = str(pathlib.Path(argument))
        yield f"./{name}" if name == STDIN else name


def _below(folder: str, endings: tuple[str, ...] = ENDINGS) -> Iterator[str]:
    """The names of the manifests below a folder, without hidden files and folders except those of pipelines."""

    def refuse(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith(".") or name in HIDDEN)
        known = (*endings, *SNAPSHOT_ENDINGS) if "snapshot.json" in files and is_snapshot(place) else endings
        for name in sorted(files):
            if name.endswith(known) and (not name.startswith(".") or name in HIDDEN):
                yield str(pathlib.Path(place, name))
