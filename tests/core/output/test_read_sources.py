"""What was read and what was not is in every format, so that no exit code 0 hides a file that nothing looked at."""

import json
import re
from xml.etree import ElementTree

import pytest
from support.findings_samples import ERROR
from support.written import FORMATS_OF_FINDINGS, text

from pulumi_gke_tpu.cli.writers import Screen, ShownFindings, written
from pulumi_gke_tpu.core.output.read_sources import NotRead, ReadSources, not_read
from pulumi_gke_tpu.core.text.findings import Finding

PARTS = (
    NotRead("deploy/main.tf", 3, "module.gke", "a module decides what it creates: 100%"),
    NotRead("deploy/main.tf", 3, "module.gke", "a module decides what it creates: 100%"),
    NotRead("up.sh", 0, "", "no command"),
)
READ = ReadSources(1, 2, 0, 3, PARTS)
COUNTED = "read: 1 cluster, 2 node pools, 3 objects"


def shown_as(output_format: str, read: ReadSources, *findings: Finding) -> str:
    shown = ShownFindings(findings, read=read)
    return text(written(output_format, Screen(300, color=False), findings=lambda: shown))


@pytest.mark.parametrize("findings", [(), (ERROR,)], ids=["no findings", "an error"])
@pytest.mark.parametrize("output_format", FORMATS_OF_FINDINGS)
def test_every_format_names_what_was_not_read(output_format: str, findings: tuple[Finding, ...]) -> None:
    shown = shown_as(output_format, READ, *findings)
    without = shown_as(output_format, ReadSources(1, 2, 0, 3, ()), *findings)
    for part in PARTS:
        said = part.reason.replace("%", "%25") if output_format == "github" else part.reason
        assert said in shown
        assert said not in without
        assert part.file in shown


def test_annotations_are_at_the_files() -> None:
    assert shown_as("github", READ).splitlines() == [
        f"::notice title=gke-tpu::{COUNTED}",
        *["::notice file=deploy/main.tf,line=3,title=gke-tpu::not read: module.gke (a module decides what it "
          "creates: 100%25)"] * 2,
        "::notice file=up.sh,line=1,title=gke-tpu::not read: (no command)",
    ]  # fmt: skip


def test_entries_of_gitlab_have_different_fingerprints() -> None:
    entries = json.loads(shown_as("gitlab", READ, ERROR))
    assert [each["severity"] for each in entries] == ["critical", "info", "info", "info"]
    assert [each["location"] for each in entries[1:]] == [
        {"path": each.file, "lines": {"begin": each.line or 1}} for each in PARTS
    ]
    assert len({each["fingerprint"] for each in entries}) == len(entries)


def test_the_run_of_sarif_has_notifications() -> None:
    (run,) = json.loads(shown_as("sarif", READ))["runs"]
    (invocation,) = run["invocations"]
    first, *others = invocation["toolExecutionNotifications"]
    assert (first["level"], first["message"]["text"]) == ("note", COUNTED)
    assert [each["level"] for each in others] == ["warning"] * len(PARTS)
    places = [each["locations"][0]["physicalLocation"] for each in others]
    assert [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places] == [
        (each.file, each.line or 1) for each in PARTS
    ]


def test_a_report_of_tests_skips_what_was_not_read() -> None:
    suites = ElementTree.fromstring(shown_as("junit", READ))
    (suite,) = [each for each in suites if each.get("name") == "not read"]
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("3", "3", "0")


def test_formats_for_people_list_a_limited_number_of_parts() -> None:
    many = ReadSources(0, 0, 0, 0, tuple(NotRead(f"{number}.tf", 0, "", "empty") for number in range(40)))
    for output_format in ("text", "github"):
        shown = shown_as(output_format, many)
        assert "20 other parts" in shown
        assert len(re.findall(r"\d\.tf", shown)) == 20


HOSTILE = "\x1b[31m,::error title=x::\r\n]](http://x) {0} <&\x00%0A"


@pytest.mark.parametrize("output_format", FORMATS_OF_FINDINGS)
def test_hostile_names_change_no_format(output_format: str) -> None:
    read = ReadSources(0, 0, 0, 1, (not_read(HOSTILE, HOSTILE, HOSTILE, 1),))
    shown = shown_as(output_format, read)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
    match output_format:
        case "github":
            assert [line[:9] for line in shown.splitlines()] == ["::notice "] * 2
        case "junit":
            assert ElementTree.fromstring(shown) is not None
        case "json" | "gitlab" | "sarif":
            assert json.loads(shown)
