"""Findings as a test report in the format of JUnit, which Jenkins, Azure Pipelines, CircleCI and GitLab show."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree

from pulumi_gke_tpu.core.output.parts import detail_lines, in_order, is_accepted, path_text, slashed, slashed_file
from pulumi_gke_tpu.core.output.read_sources import NotRead, ReadSources
from pulumi_gke_tpu.core.text.findings import Finding, Severity, one_line


def findings_junit(findings: Sequence[Finding], read: ReadSources | None = None) -> str:
    """A test suite for each file, and a test case for each finding: only errors fail.

    Without findings, the report says what was read. What was not read is a skipped test case.
    """
    suites = ElementTree.Element("testsuites", name="gke-tpu")
    for file, group in groupby(in_order(findings), key=slashed_file):
        suites.append(_suite(file or "plan", [_case(finding) for finding in group]))
    if not findings:
        # Jenkins and Azure Pipelines reject a report without test cases.
        case = ElementTree.Element("testcase", classname="plan", name="no findings")
        if read is not None:
            ElementTree.SubElement(case, "system-out").text = read.counted
        suites.append(_suite("plan", [case]))
    if read is not None and read.not_read:
        suites.append(_suite("not read", [*map(_not_read, read.not_read)]))
    ElementTree.indent(suites)
    report: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return report.decode() + "\n"


def _suite(name: str, cases: list[ElementTree.Element]) -> ElementTree.Element:
    """A suite with the counts that readers of the format expect."""
    failures, skipped = (str(sum(case.find(tag) is not None for case in cases)) for tag in ("failure", "skipped"))
    suite = ElementTree.Element(
        "testsuite", name=name, tests=str(len(cases)), failures=failures, skipped=skipped, errors="0"
    )
    suite.extend(cases)
    return suite


def _not_read(part: NotRead) -> ElementTree.Element:
    file = slashed(part.file)
    case = ElementTree.Element("testcase", classname=file or "plan", name=f"not read: {part.part}".rstrip(": "))
    case.set("file", file)
    case.set("line", str(part.line or 1))
    ElementTree.SubElement(case, "skipped", message=part.reason)
    return case


def _case(finding: Finding) -> ElementTree.Element:
    """An error fails, an accepted finding is skipped, and other findings pass with their text as output."""
    rule, message, file = one_line(finding.rule), one_line(finding.message), slashed_file(finding)
    case = ElementTree.Element("testcase", classname=file or "plan", name=f"{rule} {path_text(finding)}".rstrip())
    if finding.position and file:
        case.set("file", file)
        case.set("line", str(finding.position.line))
    details = "\n".join(_details(finding))
    if finding.severity is Severity.ERROR:
        ElementTree.SubElement(case, "failure", type=rule, message=message).text = details
    elif is_accepted(finding):
        ElementTree.SubElement(case, "skipped", message=f"accepted: {one_line(finding.accepted)}")
    else:
        ElementTree.SubElement(case, "system-out").text = details
    return case


def _details(finding: Finding) -> Iterator[str]:
    """The finding as text, for people who open the test case."""
    place = finding.position
    location = f"{slashed_file(finding)}:{place.line}:{place.column}: " if place and slashed_file(finding) else ""
    yield f"{location}{finding.severity.word} {one_line(finding.rule)}: {one_line(finding.message)}"
    yield from detail_lines(finding)
