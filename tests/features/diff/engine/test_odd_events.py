"""Odd files of engine events: they are read, or rejected with a message that names the place."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engine_samples import Event, digest, end, lines, prelude, protected, replaced, said, step, urn
from support.odd_json import nested, odd_versions

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.engine.events import read_engine_events
from pulumi_gke_tpu.features.diff.engine.json import EventsError
from pulumi_gke_tpu.features.diff.engine.view import PlanResources, engine_view

PROVIDER = read_catalog().provider
KEY = "gcp:container/nodePool:NodePool::a"
POLICY = {"policyPackName": "p", "policyName": "n", "enforcementLevel": "mandatory", "resourceUrn": urn("a")}
EVENTS: list[Event] = [
    prelude(token="a secret value"),
    step("a", "update", "nodeConfig.labels", "version"),
    *replaced("b", "placementPolicy.tpuTopology"),
    protected("c"),
    said("error", "no such zone", urn("a")),
    {"policyEvent": {**POLICY, "message": "m", "policyPackVersion": "1"}},
    {"policyRemediationEvent": POLICY},
    {"errorEvent": {"error": "x"}},
    *end("failed", pack="1"),
]


def looked_at(content: bytes) -> None:
    """Reads a file and compares it with a plan; any invalid file may only cause a readable error."""
    run, refused = None, ""
    try:
        run = read_engine_events(content)
    except EventsError as error:
        refused = str(error)
    assert refused.isprintable()
    if run is None:
        return
    plan = PlanResources("plan.yaml", frozenset({KEY}), frozenset({KEY}))
    engine_view([run], [plan], [], PROVIDER)


@given(odd_versions(json.loads(json.dumps([{"sequence": 1, **event} for event in EVENTS]))))
def test_odd_events_are_read_or_refused(events: list[Any]) -> None:
    looked_at("".join(json.dumps(event) + "\n" for event in events).encode())


@given(odd_versions(json.loads(digest(*EVENTS))))
def test_an_odd_digest_is_read_or_refused(document: Any) -> None:
    looked_at(json.dumps(document).encode())


@given(st.binary(max_size=200) | st.integers(0, len(lines(*EVENTS))).map(lambda size: lines(*EVENTS)[:size]))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    looked_at(content)


def with_kind(kind: Any) -> bytes:
    event = step("a", "update", "version")
    event["resourcePreEvent"]["metadata"]["detailedDiff"]["version"]["diffKind"] = kind
    return lines(event, *end())


@pytest.mark.parametrize("kind", [{}, [], ["update"], None, 1, "other", {"update": 1}])
def test_a_kind_of_difference_that_is_not_a_word_is_rejected(kind: Any) -> None:
    with pytest.raises(EventsError, match=r"^line 1: detailedDiff of version: diffKind is one of add,"):
        read_engine_events(with_kind(kind))


@pytest.mark.parametrize("levels", [200, 900, 960, 980, 100_000])
@pytest.mark.parametrize("place", ["%s", '{"sequence": 1, "preludeEvent": {"config": %s}}\n', '{"steps": %s}'])
def test_a_deep_file_is_read_or_refused(levels: int, place: str) -> None:
    looked_at((place % ("[" * levels + "]" * levels)).encode())
    if levels < 1_000:
        looked_at(json.dumps({"steps": [{"urn": nested(levels - 100)}]}).encode())
