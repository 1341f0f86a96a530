"""Finds plans among files: which of them are plans, which are stored previews, and which are neither."""

import os
import pathlib
import re
import stat

import click

from pulumi_gke_tpu.comparing import STORED_ENDING
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.preview.stored import LARGEST as LARGEST_STORED
from pulumi_gke_tpu.yamlfile.file import LARGEST as LARGEST_YAML

ENDINGS = (".yaml", ".yml")
_ALWAYS = re.compile(r"(?:.*[/\\])?plan\.ya?ml\Z", re.DOTALL)
_KEYS = tuple(re.compile(rf"^[\"']?{key}[\"']?\s*:", re.MULTILINE) for key in ("version", "clusters"))
_FLOW = tuple(re.compile(rf"[{{,\s][\"']?{key}[\"']?\s*:") for key in ("version", "clusters"))
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def is_plan(name: str, content: bytes) -> bool:
    """Whether a file is a plan: by its name, ``plan.yaml``, or because it has the keys ``version`` and ``clusters``.

    It is decided without reading the YAML, so that a plan that became unreadable is still known for one.
    """
    if _ALWAYS.match(name):
        return True
    if not name.endswith(ENDINGS):
        return False
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    text = content.decode(encoding, "replace")
    if text.lstrip().startswith("{"):
        return all(key.search(text) for key in _FLOW)
    return all(key.search(text) for key in _KEYS)


def read_file(path: pathlib.Path) -> bytes:
    """The content of a regular file.

    Raises:
        click.ClickException: it is none, or larger than a plan or a stored preview may be.
        OSError: the system refuses.
    """
    largest = LARGEST_STORED if path.name.endswith(STORED_ENDING) else LARGEST_YAML
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise click.UsageError(f"{printable(path)} is not a regular file")
    if status.st_size > largest:
        raise click.UsageError(f"{printable(path)} is larger than {largest // 1_000_000} MB")
    return path.read_bytes()


def files_below(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Every YAML file below a folder, by its path from there with slashes. Hidden folders and files are left out."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = pathlib.Path(place) / name
            if name.endswith(ENDINGS) and not name.startswith(".") and path.is_file():
                found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))
