"""Findings as GitHub Actions workflow commands, which become annotations at the lines of a pull request."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.output.parts import (
    detail_lines,
    first_of,
    in_order,
    is_accepted,
    left_out_text,
    path_text,
    slashed,
    slashed_file,
    weight_of,
)
from pulumi_gke_tpu.core.output.read_sources import ReadSources
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, Severity, one_line

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def findings_github(findings: Iterable[Finding], most: int = MOST_SHOWN, read: ReadSources | None = None) -> str:
    """Give one workflow command for each finding, one to a line, without a final line break; empty without findings.

    Nothing a plan contains can end its command or begin another. Of more findings than ``most``, 0 for no limit, the
    most severe are written, and the number of the others. GitHub shows at most ten annotations of each kind for one
    step; the log of the step has all that are written. Notices say what of the files of a command was
    read, and what was not.
    """
    shown, left_out = first_of(in_order(findings), most, weight_of)
    rest = [_notice(left_out_text(left_out))] if left_out else []
    return "\n".join([*map(_command, shown), *rest, *(_reading(read) if read is not None else ())])


def _reading(read: ReadSources) -> Iterator[str]:
    yield _notice(read.counted)
    shown, rest = read.first_not_read
    for each in shown:
        file = slashed(each.file)
        yield _notice(f"not read: {each.text}", f"file={_property(file)},line={each.line or 1}," if file else "")
    yield from map(_notice, rest)


def _notice(text: str, place: str = "") -> str:
    return f"::notice {place}title=gke-tpu::{_data(text)}"


def _command(finding: Finding) -> str:
    place = finding.position
    properties: list[tuple[str, str | int]] = []
    file = slashed_file(finding)
    if place and file:
        properties += [("file", file), ("line", place.line), ("col", place.column), ("endColumn", place.end_column)]
    properties.append(("title", one_line(finding.rule)))
    command = "notice" if is_accepted(finding) else _COMMANDS[finding.severity]
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{command} {listed}::{_data(_message(finding))}"


def _message(finding: Finding) -> str:
    message = one_line(finding.message)
    if not slashed_file(finding):
        message = f"{path_text(finding) or 'plan'}: {message}"
    if is_accepted(finding):
        message = f"accepted: {message}"
    return "\n".join([message, *detail_lines(finding)])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str | int) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
