"""A message about a value of the wrong form names the value as the plan does."""

import pytest

from pulumi_gke_tpu.core.plan import parse_plan, read_plan_content
from pulumi_gke_tpu.core.plan.base import Unknown

AUTOPILOT = {"mode": "autopilot", "location": "us-east5"}


@pytest.mark.parametrize(
    ("cluster", "more", "message"),
    [
        ({}, {1: "x"}, "1: Keys should be strings"),
        ({"addons": [{}]}, {}, "`addons[0]` must be a string"),
    ],
)
def test_an_entry_is_named_with_what_it_is_in(
    cluster: dict[object, object], more: dict[object, object], message: str
) -> None:
    train = {"mode": "standard", "location": "us-east5"} | cluster
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}} | more)
    assert [finding.message for finding in document.findings] == [message]


def test_the_name_of_a_slice_in_chips_is_read_as_the_number_it_stands_for() -> None:
    group = {"tpu": "v6e", "chips": "v6e-64", "zone": "us-east5-b"}
    train = {"mode": "standard", "location": "us-east5", "slices": {"main": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}})
    assert [finding.rule for finding in document.findings] == ["TPU022"]
    assert document.content is not None
    assert document.content.clusters["train"].slices["main"].chips == 64


@pytest.mark.parametrize(
    ("group", "message", "fix"),
    [
        ("topology: 8", "`topology` must be a string such as 4x4; YAML reads the value as a number", ""),
        ("tpu: 6", "`tpu` must be a string such as v6e; YAML reads the value as a number", ""),
        ("node_labels: {a: 8}", "`a` must be a string; YAML reads the value as a number", 'a: "8"'),
        ("upgrade: blue-green", "invalid `upgrade`: blue-green", "upgrade: blue_green"),
        ("upgrade: {strategy: blue-green}", "invalid `strategy`: blue-green", "strategy: blue_green"),
        ("host_maintenance: periodc", "invalid `host_maintenance`: periodc", "host_maintenance: periodic"),
    ],
)
def test_the_fix_is_for_the_written_key(group: str, message: str, fix: str) -> None:
    cluster = f"{{mode: standard, location: us-east5, slices: {{s: {{{group}}}}}}}"
    text = f"version: 1\nproject: acme-ml\nclusters:\n  a: {cluster}\n"
    findings = [finding for finding in read_plan_content(text.encode(), "p.yaml").findings if finding.rule != "TPU021"]
    assert [(finding.message, finding.fix) for finding in findings] == [(message, fix)]
    place = findings[0].position
    assert place is not None
    assert place.text[place.column - 1 :].startswith(group.rpartition(": ")[2].rstrip("}"))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("min_version: 1.30", "without quotes, YAML reads a version as a number, and a zero at its end is lost"),
        ("min_version: 1", "YAML reads only a quoted value of this form as a string"),
        ("resource_labels: {a: 1.30}", "YAML reads only a quoted value of this form as a string"),
    ],
)
def test_only_a_version_with_a_point_can_have_lost_a_zero(entry: str, why: str) -> None:
    text = f"version: 1\nproject: acme-ml\nclusters:\n  a: {{mode: standard, location: us-east5, {entry}}}\n"
    assert [finding.why for finding in read_plan_content(text.encode(), "p.yaml").findings] == [why]


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ("1 Dec 2026", "gke-tpu reads a date without a time as 00:00 UTC on that day"),
        ("2026-12-01T04:00:00Z or later", ""),
        ("12/10/2026", "12/10/2026 is 2026-12-10 or 2026-10-12"),
        ("soon", ""),
    ],
)
def test_midnight_is_named_only_for_a_date_without_a_time(start: str, why: str) -> None:
    exclusion = {"start": start, "end": "2026-12-20T00:00:00Z", "scope": "no_upgrades"}
    train = {"mode": "standard", "location": "us-east5", "maintenance": {"exclusions": {"launch": exclusion}}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}})
    assert [finding.why for finding in document.findings if finding.path[-1] == "start"] == [why]


@pytest.mark.parametrize(
    ("rule", "fix"), [("tpu302", "rule: TPU302"), ("capacity-mode-needs-allowlist", ""), ("TPU3", ""), ("302", "")]
)
def test_the_rule_of_an_acceptance_is_named_by_its_id(rule: str, fix: str) -> None:
    accept = [{"rule": rule, "reason": "allowlisted", "until": "2027-01-31"}]
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"a": AUTOPILOT}, "accept": accept})
    (found,) = document.findings
    assert (found.rule, found.message, found.fix) == ("TPU023", f"invalid `rule`: {rule}", fix)


@pytest.mark.parametrize(
    ("network", "fix", "why"),
    [
        ("my-vpc", "network: {network: my-vpc, subnetwork: my-subnetwork}", "replace `my-subnetwork`"),
        (
            "projects/p/global/networks/vpc",
            "network: {network: vpc, subnetwork: my-subnetwork}",
            "replace `my-subnetwork`",
        ),
        ("default", "", "remove the key"),
        ("projects/p/global/networks/default", "", "remove the key"),
        ("crate", "network: create", ""),
    ],
)
def test_the_name_of_a_network_has_the_form_that_works(network: str, fix: str, why: str) -> None:
    cluster = {"mode": "standard", "location": "us-east5", "network": network}
    (finding,) = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert (finding.rule, finding.fix) == ("TPU023", fix)
    assert why in finding.why
    assert finding.only_fix is (fix == "network: create")


@pytest.mark.parametrize(
    ("network", "form"),
    [
        ({"existing": Unknown()}, "in `existing: {network: ..., subnetwork: ...}`, the values can be outputs"),
        (Unknown(), "in `network: {network: ..., subnetwork: ...}`, the values can be outputs"),
    ],
)
def test_an_output_as_the_network_has_the_form_with_outputs(network: object, form: str) -> None:
    cluster = {"mode": "standard", "location": "us-east5", "network": network}
    (finding,) = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert finding.why.startswith(form)
