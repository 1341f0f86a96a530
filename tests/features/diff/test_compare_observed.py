"""Graphs compared with the observed behavior of the real engine and the real gcp provider."""

import functools
from collections import Counter

import pytest
from support.cascades import CASCADES, Cascade
from support.each import by_id, each
from support.replayed import NOISE, Change, observed_changes, program

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.preview import run_program

CHANGES = observed_changes()
DERIVED = ("__meta", "effectiveLabels", "pulumiLabels")
"""What the provider lists beside the changed property: outputs that follow, a reason without a name."""
DERIVED_HERE = {"c154": ("enableIntranodeVisibility",), "a252": ("email", "member")}
ONLY_THE_CLOUD_TELLS = {
    "p122": "the version is the one that the cluster runs at",
    "c161": "the version is the one that the cluster runs at",
    "p142": "the project is the one that the provider is configured with",
}
"""Equal in the cloud, and different as far as two programs tell."""


@functools.cache
def compared() -> dict[str, ResourceChange]:
    """All changes in one program, compared once."""
    before, after = (run_program(program(CHANGES, moment)) for moment in ("before", "after"))
    return {change.name: change for change in compare(before, after, read_catalog().provider)}


def operation(change: ResourceChange | None) -> str:
    if change is None:
        return "same"
    order = ", delete first" if change.delete_first else ", create first"
    return change.operation + order if change.operation == "replace" else change.operation


def told(change: Change) -> set[str]:
    """The properties that the provider told of, without those that only follow."""
    follows = (*DERIVED, *DERIVED_HERE.get(change.id, ()))
    return {path for path in change.diff if path.split(".")[0] not in follows}


def planned(change: ResourceChange | None) -> set[str]:
    found = change.differences if change else ()
    return {item.path for item in found if item.planned and not item.path.startswith(NOISE)}


def sends_nothing(change: ResourceChange) -> bool:
    """Whether all that is planned stays with the engine and the provider."""
    provider = read_catalog().provider
    client_side = {
        item.path
        for item in change.differences
        if (known := change_of(provider, change.type, item.path)) and known.change == "client-side"
    }
    return all(item.effect == "no-op" or item.path in client_side for item in change.differences if item.planned)


def test_every_observation_is_there() -> None:
    """Otherwise the tests below would pass with less data."""
    assert len({change.id for change in CHANGES}) == len(CHANGES)
    assert Counter(change.op for change in CHANGES) == {
        "update": 145,
        "replace, delete first": 83,
        "replace, create first": 10,
        "same": 16,
    }
    assert sum(change.fails for change in CHANGES) == 15
    assert sum(change.again != "same" for change in CHANGES) == 25
    assert len(CASCADES) == 7
    assert ONLY_THE_CLOUD_TELLS.keys() <= {change.id for change in CHANGES if change.op == "same"}


@each("change", CHANGES, by_id)
def test_observed_change(change: Change) -> None:
    found = compared().get(change.id)
    if change.id in ONLY_THE_CLOUD_TELLS:
        assert operation(found) != change.op, "an exception that is none any more"
        return
    assert operation(found) == change.op
    assert planned(found) == told(change)
    assert bool(found and found.refused) == change.fails
    if found is not None and found.operation == "update" and not change.fails:
        assert sends_nothing(found) == (change.writes == ())
        assert (found.effect == "no-op") <= sends_nothing(found)


@pytest.mark.parametrize("change", [change for change in CHANGES if change.op == "same"], ids=lambda change: change.id)
def test_removed_properties_that_gke_keeps_are_reported(change: Change) -> None:
    found = compared().get(change.id)
    if found is None or change.id in ONLY_THE_CLOUD_TELLS:
        return
    assert found.effect == "no-op"
    assert {item.planned for item in found.differences} == {False}


@pytest.mark.parametrize("cascade", CASCADES, ids=str)
def test_cascade(cascade: Cascade) -> None:
    before, after = run_program(cascade.before), run_program(cascade.after)
    found = compare(before, after, read_catalog().provider)
    assert {change.name for change in found} == {step.split()[1] for group in cascade.steps for step in group}
    assert {operation(change) for change in found} == {cascade.op}


def test_a_cascade_says_where_it_comes_from() -> None:
    cascade = next(cascade for cascade in CASCADES if cascade.what == "network description")
    found = compare(run_program(cascade.before), run_program(cascade.after), read_catalog().provider)
    because = {change.name: {urn.rsplit("::", 1)[1] for urn in change.because_of} for change in found}
    assert because == {"net": set(), "sub": {"net"}, "cl": {"net", "sub"}, "pool": {"cl"}, "slice": {"cl"}}
