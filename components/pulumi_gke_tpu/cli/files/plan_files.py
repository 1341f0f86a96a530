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
_KEYS = ("version", "clusters")
_BEFORE = lazy_pattern(r"(?:\s+|#[^\n]*|%[^\n]*|---(?=\s))*")
_BLOCK_KEY = r"^{indentation}(?:\?[ \t]+)?[\"']?(\w+)[\"']?\s*:[ \t]*([^\n#]*)"
_FLOW_TOKEN = lazy_pattern(r"#[^\n]*|\"(?:[^\"\\]|\\.?)*\"?|'[^']*'?|[{}\[\],:]|[^\s{}\[\],:\"']+", re.DOTALL)
_GENERATION = lazy_pattern(r"\btpu[\"']?\s*:\s*[\"']?(?:v\d|tpu7x)", re.IGNORECASE)
_MODE = lazy_pattern(r"\bmode[\"']?\s*:\s*[\"']?(?:standard|autopilot)\b", re.IGNORECASE)
WHAT_IS_A_PLAN = (
    "A plan is a file with the name plan.yaml, gke-tpu.yaml or NAME.tpu.yaml, or a YAML file with the keys version and "
    "clusters."
)
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def has_plan_name(name: str) -> bool:
    """Whether a file is a plan because of its name: ``plan.yaml``, ``gke-tpu.yaml`` or ``NAME.tpu.yaml``."""
    return bool(_ALWAYS.match(name))


def is_of_another_tool(name: str, content: bytes | None) -> bool:
    """Whether a file has a name that other tools use too, ``plan.yaml``, and nothing in it of a plan of gke-tpu.

    A plan without ``version`` or ``clusters``, or with one of them misspelled, is still one: because of its first line,
    which names the schema, or because its other key is there beside a generation of TPUs or a mode of a cluster.
    """
    found = _ALWAYS.match(name)
    if content is None or found is None or not found["shared"]:
        return False
    return not holds_plan(content) and not _FIRST_LINE.match(content) and not _holds_incomplete_plan(_decoded(content))


def _holds_incomplete_plan(text: str) -> bool:
    of_slices = _GENERATION.search(text)
    if not of_slices and not _MODE.search(text):
        return False
    keys = _top_keys(text)
    if of_slices and keys.get("version", "").strip("\"'") == "1":
        return True
    return any(is_misspelled(key, "clusters", ("version",)) for key in keys)


def holds_plan(content: bytes) -> bool:
    """Whether a YAML file is a plan because it has the keys ``version`` and ``clusters``.

    The function does not parse the YAML, so it also recognizes a plan with a syntax error.
    """
    text = _decoded(content)
    return all(key in text for key in _KEYS) and _top_keys(text).keys() >= set(_KEYS)


def _decoded(content: bytes) -> str:
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    return content.decode(encoding, "replace")


def _top_keys(text: str) -> dict[str, str]:
    """The keys of the mapping that a text is, in block or flow style, with the first word of each value."""
    before = _BEFORE.match(text)
    start = before.end() if before else 0
    if text.startswith("{", start):
        return _flow_keys(text[start:])
    indentation = text[text.rfind("\n", 0, start) + 1 : start]
    found = re.findall(_BLOCK_KEY.format(indentation=re.escape(indentation)), text[start - len(indentation) :], re.M)
    return {key: value.strip() for key, value in found}


def _flow_keys(text: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    depth, key, last = 0, None, ""
    for token in _FLOW_TOKEN.findall(text):
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and token == ":":
            key = last.strip("\"'")
            keys[key] = ""
        elif depth == 1 and key is not None and last == ":":
            keys[key] = token
        last = token
    return keys


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
