"""The resources and Kubernetes objects in files with commands of gcloud, and what is not known of them."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud
from pulumi_gke_tpu.core.resources.embedded_scripts import EmbeddedScript
from pulumi_gke_tpu.core.resources.gcloud_scripts import (
    NO_VALUE,
    Files,
    GcloudScript,
    read_gcloud_parts,
    read_gcloud_script,
)
from pulumi_gke_tpu.core.resources.gcloud_spelling import position_of
from pulumi_gke_tpu.core.resources.model import Rejected, Resources, Unread
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import HereDocument
from pulumi_gke_tpu.core.text.shell.expansion import SEVERAL

_VARIABLE = lazy_pattern(r"\$(?P<name>_\w+)", re.ASCII)
_LONGEST = 300
_API_VERSION = lazy_pattern(r"^[ \t]*(?:- )?[\"']?apiVersion[\"']?:", re.MULTILINE)


def read_script_file(text: str, file: str, facts: Gcloud, files: Files | None = None) -> Resources:
    """The resources and Kubernetes objects of a script, and what is not known of them."""
    script = read_gcloud_script(text, file, facts, files=files)
    ends_early = None
    if script.problem is not None:
        at = position_of(file, text.splitlines(), script.problem.line, script.problem.column)
        ends_early = Rejected(script.problem.message, at)
    objects = _objects(script.documents)
    unread = tuple(_unread(script, file))
    if not script.resources and not objects and not unread:
        unread = (Unread(file, _no_command(text)),)
    return Resources(
        script.resources,
        unread=unread,
        rejected=script.rejected,
        ends_early=ends_early,
        alternatives=script.alternatives,
        objects=objects,
    )


_OTHER_COMMANDS = lazy_pattern(
    r"^(?!\s*#).*\b(?:(?P<xpk>xpk)(?:\.py)?\s+(?:cluster|workload)|gcluster\s+job)\b", re.MULTILINE
)


def _no_command(text: str) -> str:
    """Why nothing in a script is read; for commands of other tools, with the command that reads them."""
    found = _OTHER_COMMANDS.search(text)
    if found is None:
        return "no command of gcloud in it makes clusters or node pools"
    tool = "xpk" if found["xpk"] else "gcluster"
    return f"its commands are those of {tool}: `gke-tpu adopt --from {tool}` makes a plan of them"


def read_embedded(
    scripts: Iterable[EmbeddedScript], text: str, file: str, facts: Gcloud, files: Files | None = None
) -> Resources:
    """The resources of scripts in a file of another kind."""
    script, ended, expressions = read_gcloud_parts(scripts, text, file, facts, files)
    unread = (*ended, *(_with_expressions(each, expressions) for each in _unread(script, file)))
    if not script.resources and not unread:
        unread = (Unread(file, _no_command(text)),)
    return Resources(script.resources, unread=unread, rejected=script.rejected, alternatives=script.alternatives)


def _with_expressions(unread: Unread, written: Mapping[str, str]) -> Unread:
    """A reason that names an expression instead of the variable in its place."""
    match = _VARIABLE.search(unread.reason)
    expression = written.get(match["name"]) if match is not None else None
    return dataclasses.replace(unread, reason=f"only a run knows {expression}") if expression else unread


def _unread(script: GcloudScript, file: str) -> Iterator[Unread]:
    """The options whose values are not known, each place once."""
    seen: set[tuple[int, int]] = set()
    options = (option for option in script.options if option.fact is not None and option.given.problem != NO_VALUE)
    for option in (*options, *script.further_flags):
        given = option.given
        if not given.problem or (given.line, given.column) in seen:
            continue
        if given.problem.endswith(SEVERAL) and option.start in script.tried:
            continue
        seen.add((given.line, given.column))
        part = f"{option.resource}: {given.option}" if option.resource else given.option
        yield Unread(file, given.problem, printable(part, _LONGEST), given.line)
    yield from script.unread_files


def _objects(documents: Sequence[HereDocument]) -> bytes:
    """The here-documents with Kubernetes objects as one stream of YAML, in which every line keeps its number."""
    lines: list[str] = []
    for document in documents:
        if not _API_VERSION.search(document.text) or len(lines) >= document.line:
            continue
        lines += [""] * (document.line - 1 - len(lines))
        if any(lines):
            lines[-1] = "---"
        lines += document.text.splitlines()
    return "\n".join([*lines, ""]).encode() if lines else b""
