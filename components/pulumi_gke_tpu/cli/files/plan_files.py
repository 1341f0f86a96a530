"""Recognizes plans and stored previews among files."""

import pathlib
import re
import sys

import click

from pulumi_gke_tpu.cli.files.standard_input import STDIN
from pulumi_gke_tpu.core.graph.registered import LARGEST as LARGEST_STORED
from pulumi_gke_tpu.core.text.findings import is_misspelled, printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST as LARGEST_YAML
from pulumi_gke_tpu.core.text.yamlfile.file import UnreadableError, read_bytes
from pulumi_gke_tpu.core.workflows.check import STORED_ENDING

ENDINGS = (".yaml", ".yml")
_ALWAYS = lazy_pattern(r"(?:.*[/\\])?(?:(?P<shared>plan)|gke-tpu|[^/\\]*\.tpu)\.ya?ml\Z", re.DOTALL)
_FIRST_LINE = lazy_pattern(rb"\A(?:\xef\xbb\xbf)?#[^\n]*plan\.schema\.json")
_KEYS = tuple(lazy_pattern(rf"^[\"']?{key}[\"']?\s*:", re.MULTILINE) for key in ("version", "clusters"))
_FLOW = tuple(lazy_pattern(rf"[{{,\s][\"']?{key}[\"']?\s*:") for key in ("version", "clusters"))
WHAT_IS_A_PLAN = (
    "A plan is a file with the name plan.yaml, gke-tpu.yaml or NAME.tpu.yaml, or a YAML file with the keys version and "
    "clusters."
)
_TOP_KEYS = lazy_pattern(r"^[\"']?(\w+)[\"']?[ \t]*:[ \t]*([^\n#]*)", re.MULTILINE)
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def has_plan_name(name: str) -> bool:
    """Whether a file is a plan because of its name: ``plan.yaml``, ``gke-tpu.yaml`` or ``NAME.tpu.yaml``."""
    return bool(_ALWAYS.match(name))


def is_of_another_tool(name: str, content: bytes | None) -> bool:
    """Whether a file has a name that other tools use too, ``plan.yaml``, and nothing in it of a plan of gke-tpu.

    A plan with a misspelled key is still one: because of its first line, which names the schema, or because its other
    key is there and the version is that of plans.
    """
    found = _ALWAYS.match(name)
    if content is None or found is None or not found["shared"]:
        return False
    return not holds_plan(content) and not _FIRST_LINE.match(content) and not _holds_misspelled_plan(content)


def _holds_misspelled_plan(content: bytes) -> bool:
    """Whether a file has ``version: 1`` and ``clusters``, one of them misspelled."""
    keys = {key: value.strip() for key, value in _TOP_KEYS.findall(content.decode("utf-8-sig", "replace"))}
    for wrong, right in (("version", "clusters"), ("clusters", "version")):
        near = next((key for key in keys if is_misspelled(key, wrong, (right,))), None) if right in keys else None
        if near is not None:
            return bool(keys[near if wrong == "version" else right] == "1")
    return False


def holds_plan(content: bytes) -> bool:
    """Whether a YAML file is a plan because it has the keys ``version`` and ``clusters``.

    The function does not parse the YAML, so it also recognizes a plan with a syntax error.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    text = content.decode(encoding, "replace")
    if text.lstrip().startswith("{"):
        return all(key.search(text) for key in _FLOW)
    return all(key.search(text) for key in _KEYS)


def largest(name: str) -> int:
    """The maximum size in bytes of a file with that name: a plan or a stored preview."""
    return LARGEST_STORED if name.endswith(STORED_ENDING) else LARGEST_YAML


def read_file(path: pathlib.Path) -> bytes:
    """Read a regular file.

    Raises:
        click.ClickException: the file cannot be read or exceeds the size limit.
    """
    try:
        return read_bytes(path, largest(path.name))
    except UnreadableError as error:
        raise click.UsageError(f"cannot read {printable_path(path)}: {error}") from None


def read_input(path: str, most: int) -> bytes:
    """Read at most ``most`` bytes of a file or pipe; ``-`` is standard input.

    Raises:
        click.UsageError: the file cannot be read.
    """
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise click.UsageError("standard input is closed")
            return sys.stdin.buffer.read(most)
        with open(path, "rb") as stream:
            return stream.read(most)
    except OSError as error:
        name = "standard input" if path == STDIN else printable_path(path)
        raise click.UsageError(f"cannot read {name}: {error.strerror}") from None
