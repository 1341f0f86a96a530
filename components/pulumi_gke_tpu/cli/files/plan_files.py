"""Finds plans among files: which of them are plans, which are stored previews, and which are neither."""

import pathlib
import re

import click

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.graph.stored import LARGEST as LARGEST_STORED
from pulumi_gke_tpu.workflows.plan_file import STORED_ENDING
from pulumi_gke_tpu.yamlfile.file import LARGEST as LARGEST_YAML
from pulumi_gke_tpu.yamlfile.file import UnreadableError, read_bytes

ENDINGS = (".yaml", ".yml")
_ALWAYS = re.compile(r"(?:.*[/\\])?plan\.ya?ml\Z", re.DOTALL)
_KEYS = tuple(re.compile(rf"^[\"']?{key}[\"']?\s*:", re.MULTILINE) for key in ("version", "clusters"))
_FLOW = tuple(re.compile(rf"[{{,\s][\"']?{key}[\"']?\s*:") for key in ("version", "clusters"))
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def is_called_plan(name: str) -> bool:
    """Whether a file is a plan by its name alone, ``plan.yaml``."""
    return bool(_ALWAYS.match(name))


def holds_plan(content: bytes) -> bool:
    """Whether a YAML file is a plan, since it has the keys ``version`` and ``clusters``.

    It is decided without reading the YAML, so that a plan that became unreadable is still known for one.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    text = content.decode(encoding, "replace")
    if text.lstrip().startswith("{"):
        return all(key.search(text) for key in _FLOW)
    return all(key.search(text) for key in _KEYS)


def largest(name: str) -> int:
    """How many bytes a file of that name may have: a plan, or a stored preview."""
    return LARGEST_STORED if name.endswith(STORED_ENDING) else LARGEST_YAML


def read_file(path: pathlib.Path) -> bytes:
    """The content of a regular file.

    Raises:
        click.ClickException: it cannot be read, or is larger than a plan or a stored preview may be.
    """
    try:
        return read_bytes(path, largest(path.name))
    except UnreadableError as error:
        raise click.UsageError(f"{printable(path)} cannot be read: {error}") from None
