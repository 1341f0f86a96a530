"""Rules about GKE versions of the plans against the offered versions in the inventory."""

import datetime
from collections.abc import Callable

import pytest
from support.inventory_texts import cluster

from pulumi_gke_tpu.core.text.findings import Finding

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]

SERVE = "tpu: v6e, topology: 2x2, zone: us-east5-b"


@pytest.mark.parametrize(("count", "older"), [(8, []), (9, ["1 older"]), (11, ["3 older"])])
def test_the_newest_versions_are_named_and_the_older_ones_counted(
    findings: Callable[..., tuple[Finding, ...]], count: int, older: list[str]
) -> None:
    versions = [f"1.34.{minor}-gke.1" for minor in range(count)]
    listed = ", ".join(f'"{version}"' for version in versions)
    (finding,) = findings(
        cluster(SERVE, min_version='"1.35"'), inventory=f"gke_versions: {{us-east5: {{regular: [{listed}]}}}}"
    )
    assert list(finding.allowed) == [*older, *versions[-8:]]


@pytest.mark.parametrize(
    ("keys", "versions", "expected"),
    [
        ({"min_version": '"1.34"'}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.34.4-gke.1047000"'}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.34.3"'}, '{regular: ["1.34.4-gke.1047000"]}', ["TPU821 warning"]),
        ({"min_version": '"1.34.4"'}, '{regular: ["1.34"]}', []),
        ({"min_version": '"1.35"'}, '{rapid: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.35"'}, "{regular: []}", []),
        ({"min_version": '"1.35"'}, '{regular: ["1.34.4-gke.1047000", "1.35.1-gke.1"]}', []),
        ({"min_version": '"1.35"', "release_channel": "none"}, '{none: ["1.34.4-gke.1"]}', ["TPU821 warning"]),
        ({"min_version": '"1.35"'}, '{regular: ["1.34.4-gke.1", "?"]}', ["TPU836 warning"]),
        ({"min_version": '"1.35"'}, '{reguler: ["1.34.4-gke.1"]}', ["TPU836 warning"]),
        ({}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({}, '{regular: ["1.31.1-gke.1", "1.31.2-gke.1115000"]}', []),
        ({}, '{regular: ["1.31.1-gke.1", "1.31.2-gke.1114999"]}', ["TPU822 warning"]),
        ({}, '{regular: ["1.31.1-gke.1845999"]}', ["TPU822 error"]),
        ({"min_version": '"1.32"'}, '{regular: ["1.31.1-gke.1"]}', ["TPU822 error"]),
    ],
)
def test_versions(found: Found, keys: dict[str, str], versions: str, expected: list[str]) -> None:
    assert found(cluster(SERVE, SERVE, **keys), inventory=f"gke_versions: {{us-east5: {versions}}}") == expected


@pytest.mark.parametrize(
    ("location", "expected"), [("us-east5-b", ["TPU821 warning"]), ("us-east5", []), ("us-east5-a", [])]
)
def test_versions_hold_for_exactly_one_location(found: Found, location: str, expected: list[str]) -> None:
    plan = cluster(SERVE, location="us-east5-b", min_version='"1.35"')
    assert found(plan, inventory=f'gke_versions: {{{location}: {{regular: ["1.34.4-gke.1"]}}}}') == expected


def test_a_channel_that_has_the_generation_is_offered(findings: Callable[..., tuple[Finding, ...]]) -> None:
    versions = '{regular: ["1.30.1-gke.1"], stable: ["1.29.1-gke.1"], rapid: ["1.35.1-gke.1"]}'
    (finding,) = findings(cluster(SERVE), inventory=f"gke_versions: {{us-east5: {versions}}}")
    assert (finding.allowed, finding.fix) == (("rapid",), "release_channel: rapid")
