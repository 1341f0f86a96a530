"""The engine's own view of a change: verdicts resource by resource, what they name, and which plan a preview is of."""

import dataclasses
from typing import Any

import pytest
from support.engine_samples import (
    CHAIN,
    POOL_TYPE,
    STACK,
    Event,
    digest,
    end,
    lines,
    prelude,
    protected,
    replaced,
    said,
    step,
    stream,
    urn,
)

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.engine.events import read_engine_events
from pulumi_gke_tpu.features.diff.engine.model import EngineView, Verdict
from pulumi_gke_tpu.features.diff.engine.view import PlanResources, engine_view
from pulumi_gke_tpu.features.diff.model import Difference, ItemChange, Operation, ResourceChange, SourcedReason

PROVIDER = read_catalog().provider
INPUTS = {"version": "1.34", "nodeConfig": {"labels": {"team": "ml"}}}
PLAN = "stacks/prod/plan.yaml"
TOPOLOGY = "placementPolicy.tpuTopology"


def key(name: str) -> str:
    return f"{POOL_TYPE}::{name}"


def expected(name: str, operation: Operation, *paths: str, unplanned: tuple[str, ...] = (), **more: Any) -> Any:
    """A resource that we expect to change, under the stack and the components of our own preview."""
    differences = [
        Difference(path, 1, 2, "in-place", SourcedReason(""), path not in unplanned) for path in (*paths, *unplanned)
    ]
    own = f"urn:pulumi:preview::plan::{POOL_TYPE}::{name}"
    given = {"former_urn": "" if operation == "create" else own, "differences": tuple(differences), **more}
    return ResourceChange(own, type=POOL_TYPE, name=name, plan_path="", operation=operation, effect="in-place", **given)


def item(*resources: ResourceChange, plan: str = PLAN, name: str = "east/a") -> ItemChange:
    none = Range(0, 0)
    return ItemChange(
        plan, name, name, "slices", "", "in-place", (), "", (), "", (), None, none, none, tuple(resources)
    )


def viewed(content: bytes, *changes: ResourceChange, same: tuple[str, ...] = ()) -> EngineView:
    """The view of one plan in which some resources change, and others stay the same."""
    names = frozenset(map(key, [*(change.name for change in changes), *same]))
    plan = PlanResources(PLAN, names, names, dict.fromkeys(names, INPUTS))
    return engine_view([read_engine_events(content)], [plan], [item(*changes)] if changes else [], PROVIDER)


UPDATED = expected("a", "update", "autoscaling.maxNodeCount")
REPLACED = expected("a", "replace", TOPOLOGY, "nodeCount", delete_first=True)
REFUSED = expected("a", "replace", TOPOLOGY, delete_first=True, refused="protected", refused_by="engine")
KEPT = expected("a", "delete", refused="protected", refused_by="engine")
DELETE_REFUSED = said("error", f'resource "{urn("a")}" cannot be deleted\nbecause it is protected.', urn("a"))

TABLE: list[tuple[str, Any, list[Event], Verdict, str]] = [
    # what it is, what we expect, what the engine plans, the verdict, words of the sentence
    ("update", UPDATED, [step("a", "update", "autoscaling.maxNodeCount")], "confirmed", ""),
    ("update around", UPDATED, [step("a", "update", "autoscaling")], "confirmed", ""),
    ("update, top level", UPDATED, [step("a", "update", diffs=["autoscaling"])], "confirmed", ""),
    ("update, unnamed", UPDATED, [step("a", "update")], "confirmed", ""),
    ("list", expected("a", "update", "nodeLocations[1]"), [step("a", "update", "nodeLocations[0]")], "confirmed", ""),
    (
        "label",
        expected("a", "update", 'nodeConfig.labels["x.io/y"]'),
        [step("a", "update", 'nodeConfig.labels["x.io/y"]')],
        "confirmed",
        "",
    ),
    ("same", expected("a", "same", unplanned=("nodeCount",)), [step("a", "same")], "confirmed", ""),
    ("create", expected("a", "create"), [step("a", "create")], "confirmed", ""),
    ("delete", expected("a", "delete"), [step("a", "delete")], "confirmed", ""),
    ("replace", REPLACED, replaced("a", TOPOLOGY, "nodeCount"), "confirmed", ""),
    (
        "replace for another",
        expected("a", "replace", because_of=("x",), delete_first=True),
        replaced("a"),
        "confirmed",
        "",
    ),
    ("refused", REFUSED, [*replaced("a", TOPOLOGY), protected("a")], "confirmed", ""),
    ("refused, no step", REFUSED, [protected("a")], "confirmed", ""),
    ("deletion refused", KEPT, [step("a", "delete"), DELETE_REFUSED], "confirmed", ""),
    (
        "drift too",
        UPDATED,
        [step("a", "update", "autoscaling", "version")],
        "different",
        "difference of `version`, which",
    ),
    (
        "base not there",
        UPDATED,
        [step("a", "update", "version")],
        "different",
        "gke-tpu expects a difference of `autoscaling.maxNodeCount`",
    ),
    (
        "left out",
        expected("a", "update", "x", unplanned=("nodeCount",)),
        [step("a", "update", "x", "nodeCount")],
        "different",
        "The engine plans a change of `nodeCount`, but gke-tpu expects none",
    ),
    (
        "nothing to do",
        UPDATED,
        [step("a", "same")],
        "different",
        "plans nothing for it; gke-tpu expects an update",
    ),
    (
        "semantics",
        expected("a", "update", TOPOLOGY),
        replaced("a", TOPOLOGY),
        "different",
        f"The cause is `{TOPOLOGY}`, so the catalog is wrong about the provider.",
    ),
    (
        "drift replaces",
        UPDATED,
        replaced("a", "location"),
        "different",
        "The cause is `location`, which the plans do not explain: it was changed outside of Pulumi (drift)",
    ),
    ("order", REPLACED, replaced("a", TOPOLOGY, "nodeCount", delete_first=False), "different", "the other order"),
    (
        "gone",
        UPDATED,
        [step("a", "create")],
        "different",
        "The stack does not contain it: it was deleted outside of Pulumi",
    ),
    ("there already", expected("a", "create"), [step("a", "same")], "different", "The stack already contains it"),
    (
        "other program",
        UPDATED,
        [step("a", "delete")],
        "different",
        "The previewed program does not contain the resource",
    ),
    ("unknown word", UPDATED, [step("a", "import")], "different", "plans `import` for it"),
    ("not protected", REFUSED, replaced("a", TOPOLOGY), "different", "it is not protected in the stack"),
    (
        "protected",
        REPLACED,
        [*replaced("a", TOPOLOGY, "nodeCount"), protected("a")],
        "different",
        "rejects it because it is protected",
    ),
    ("error", UPDATED, [said("error", "no such zone", urn("a"))], "different", "reports an error for it"),
    ("not in program", UPDATED, [], "missing", "The previewed program does not contain the resource"),
    ("not in stack", expected("a", "delete"), [], "missing", "nothing to delete"),
    ("protected, not in program", REFUSED, [], "missing", "The previewed program does not contain the resource"),
    ("protected, not in stack", KEPT, [], "missing", "nothing to delete"),
]


@pytest.mark.parametrize(
    ("change", "events", "verdict", "words"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_verdict(change: ResourceChange, events: list[Event], verdict: Verdict, words: str) -> None:
    failed = any("diagnosticEvent" in event for event in events)
    view = viewed(stream(*events, result="failed" if failed else "succeeded"), change)
    (found,) = view.verdicts
    assert (found.plan, found.item, found.name, found.verdict) == (PLAN, "east/a", "a", verdict)
    assert words in found.said
    assert bool(words) == bool(found.said)
    assert view.agrees == (verdict == "confirmed")
    assert view.contradicts == (verdict != "confirmed")


@pytest.mark.parametrize(
    ("change", "events"),
    [row[1:3] for row in TABLE if row[3] == "confirmed"],
    ids=[row[0] for row in TABLE if row[3] == "confirmed"],
)
def test_a_digest_confirms_the_same(change: ResourceChange, events: list[Event]) -> None:
    assert viewed(digest(*events), change).agrees


def test_properties_of_both_sides_are_named() -> None:
    (found,) = viewed(stream(step("a", "update", "version", "nodeConfig.labels")), UPDATED).verdicts
    assert found.engine_only == ("nodeConfig.labels", "version")
    assert found.ours_only == ("autoscaling.maxNodeCount",)
    assert (found.expected, found.seen) == ("update", "update")


def test_derived_outputs_are_not_drift() -> None:
    label = expected("a", "update", 'nodeConfig.labels["team"]')
    follows = ("__meta", "instanceGroupUrls", "nodeConfig.effectiveTaints[0]")
    assert viewed(stream(step("a", "update", "nodeConfig.labels.team", *follows)), label).agrees
    (found,) = viewed(stream(step("a", "update", "nodeConfig.labels.team", "version")), label).verdicts
    assert found.engine_only == ("version",)
    (found,) = viewed(stream(step("a", "update", *follows)), label).verdicts
    assert found.engine_only == tuple(sorted(follows))


CLUSTER_TYPE = "gcp:container/cluster:Cluster"
CLUSTER_URN = urn("east", f"gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster${CLUSTER_TYPE}")


def cluster_labels(*paths: str, kind: str) -> Event:
    """The real provider lists for a cluster with other labels: the labels, and two outputs computed from them."""
    return step("east", "update", *paths, kind=kind, of=CLUSTER_URN)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", ["add", "update", "delete"])
def test_effective_labels_are_not_drift(kind: str, whole: bool) -> None:
    told = "resourceLabels" if whole else "resourceLabels.team"
    event = cluster_labels(told, "effectiveLabels.team", "pulumiLabels.team", kind=kind)
    change = dataclasses.replace(expected("east", "update", "resourceLabels"), type=CLUSTER_TYPE, urn=CLUSTER_URN)
    by_key = dataclasses.replace(expected("east", "update", "resourceLabels.team"), type=CLUSTER_TYPE, urn=CLUSTER_URN)
    for foretold in (change, by_key):
        (found,) = viewed(stream(event), foretold).verdicts
        assert (found.verdict, found.said) == ("confirmed", "")


def test_a_label_in_effect_that_no_label_of_the_plan_explains_is_drift() -> None:
    event = cluster_labels("resourceLabels.team", "effectiveLabels.team", "effectiveLabels.owner", kind="delete")
    change = dataclasses.replace(expected("east", "update", "resourceLabels.team"), type=CLUSTER_TYPE, urn=CLUSTER_URN)
    (found,) = viewed(stream(event), change).verdicts
    assert found.engine_only == ("effectiveLabels.owner",)


def test_what_only_the_cloud_has_is_drift() -> None:
    label = expected("a", "update", 'nodeConfig.labels["team"]')
    gone = step("a", "update", "nodeConfig.labels.team", "nodeConfig.resourceLabels.cost", kind="delete")
    (found,) = viewed(stream(gone), label).verdicts
    assert found.engine_only == ("nodeConfig.resourceLabels.cost",)


def test_what_stays_the_same_is_only_counted() -> None:
    view = viewed(stream(step("a", "same"), step("b", "same")), same=("a", "b"))
    assert (view.verdicts, view.unchanged, view.agrees) == ((), 2, True)


@pytest.mark.parametrize("form", [stream, digest])
def test_drift_of_an_unchanged_resource_is_unexpected(form: Any) -> None:
    view = viewed(form(step("a", "update", "nodeCount"), step("b", "same")), same=("a", "b"))
    (found,) = view.verdicts
    assert (found.verdict, found.item, found.plan, found.engine_only) == ("unexpected", "", PLAN, ("nodeCount",))
    assert "The cause is `nodeCount`, which the plans do not explain" in found.said
    assert (view.unchanged, view.contradicts) == (1, True)


def test_components_and_providers_are_left_out() -> None:
    component = step("c", "update", of=f"{STACK}gke-tpu:index:TpuFleet::c", new={"custom": False})
    provider = step("p", "update", of=f"{STACK}pulumi:providers:gcp::default")
    view = viewed(stream(component, provider))
    assert (view.verdicts, view.others) == ((), 0)


def test_other_resources_of_the_stack_are_only_counted() -> None:
    other = step("bucket", "delete", of=f"{STACK}gcp:storage/bucket:Bucket::bucket")
    view = viewed(stream(other, step("a", "same")), same=("a",))
    assert (view.verdicts, view.others, view.agrees) == ((), 1, True)


def test_the_deletion_of_a_slice_in_no_plan_is_unexpected() -> None:
    view = viewed(stream(step("old", "delete")), same=())
    (found,) = view.verdicts
    assert (found.verdict, found.plan, found.name, found.seen) == ("unexpected", "", "old", "delete")
    assert view.others == 0


def test_a_moved_resource_is_found_by_its_former_name() -> None:
    moved = expected("b", "update", "x", former_urn=f"{STACK}{CHAIN}{POOL_TYPE}::a")
    (found,) = viewed(stream(step("a", "delete")), moved).verdicts
    assert (found.name, found.verdict, found.seen) == ("b", "different", "delete")
    assert viewed(stream(step("b", "update", "x")), moved).agrees


def test_what_comes_below_other_components_is_the_same_resource() -> None:
    former = step("a", "delete-replaced", of=f"{STACK}gke-tpu:index:AutopilotCluster${POOL_TYPE}::a")
    for events in ([former, *replaced("a", TOPOLOGY, "nodeCount")], [*replaced("a", TOPOLOGY, "nodeCount"), former]):
        assert viewed(stream(*events), REPLACED).agrees


def test_a_cluster_whose_pool_is_protected_would_be_replaced() -> None:
    a, b = urn("a"), urn("b")
    message = f'unable to replace resource "{a}" as part of replacing "{b}" as it is currently marked for protection.'
    view = viewed(stream(said("error", message, urn("b")), result="failed"), REFUSED, expected("b", "replace"))
    assert [found.verdict for found in view.verdicts] == ["confirmed", "confirmed"]
    assert view.agrees


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (stream(said("error", "bad program"), result="failed"), "ended before it reached any resource (failed)"),
        (lines(prelude()), "ended before it reached any resource (cut off)"),
        (lines(prelude(), step("b", "same")), "is incomplete"),
        (stream(step("b", "same"), said("error", "bad program"), result="failed"), "failed; see its messages"),
        (stream(step("b", "same"), result="canceled"), "was canceled"),
        (digest(said("error", "bad program")), "ended before it reached any resource (failed)"),
    ],
)
def test_a_preview_that_ended_early_confirms_nothing(content: bytes, note: str) -> None:
    view = viewed(content, UPDATED)
    assert [found.verdict for found in view.verdicts] == ["open"]
    assert note in " ".join(view.notes)
    assert (view.agrees, view.contradicts) == (False, False)


@pytest.mark.parametrize(("events", "verdict"), [([], "open"), ([step("a", "update", "version")], "different")])
def test_of_what_is_protected_a_failed_preview_confirms_only_what_it_came_to(
    events: list[Event], verdict: Verdict
) -> None:
    (found,) = viewed(stream(*events, result="failed"), REFUSED).verdicts
    assert found.verdict == verdict


def test_a_replacement_that_is_only_begun_is_open() -> None:
    view = viewed(stream(step("a", "delete-replaced"), said("error", "bad program"), result="failed"), REPLACED)
    assert [found.verdict for found in view.verdicts] == ["open"]


def test_a_mandatory_policy_stops_a_preview() -> None:
    policy = {"policyName": "p", "policyPackName": "k", "enforcementLevel": "mandatory", "message": "no"}
    events = [step("a", "update", "autoscaling"), {"policyEvent": policy}]
    view = viewed(lines(*events, *end("failed", k="1.0")), UPDATED)
    assert [found.verdict for found in view.verdicts] == ["confirmed"]
    assert not view.agrees
    assert view.runs[0].packs == ("k v1.0",)


# Which plan


def plans_of(**names: tuple[str, ...]) -> list[PlanResources]:
    """Plans of stacks, by the names of their resources."""
    found = {f"stacks/{name}/plan.yaml": frozenset(map(key, some)) for name, some in names.items()}
    return [PlanResources(name, keys, keys) for name, keys in found.items()]


def in_stack(stack: str, *names: str) -> Any:
    steps = [step(name, "update", "x", of=urn(name).replace(":prod:", f":{stack}:")) for name in names]
    return read_engine_events(stream(*steps))


def test_a_preview_is_of_the_plan_with_its_resources() -> None:
    plans = plans_of(dev=("d",), prod=("a", "b"))
    view = engine_view([in_stack("blue", "a", "b"), in_stack("green", "d")], plans, [], PROVIDER)
    assert [(found.plan.split("/")[1], found.name) for found in view.verdicts] == [
        ("dev", "d"),
        ("prod", "a"),
        ("prod", "b"),
    ]


def test_plans_with_the_same_names_are_told_apart_by_the_stack() -> None:
    plans = plans_of(dev=("a",), prod=("a",))
    view = engine_view([in_stack("prod", "a")], plans, [], PROVIDER)
    assert [found.plan for found in view.verdicts] == ["stacks/prod/plan.yaml"]
    both = engine_view([in_stack("prod", "a"), in_stack("dev", "a")], plans, [], PROVIDER)
    assert [found.plan for found in both.verdicts] == ["stacks/dev/plan.yaml", "stacks/prod/plan.yaml"]


def test_what_nothing_tells_apart_is_not_guessed() -> None:
    plans = plans_of(dev=("a",), prod=("a",))
    change = item(expected("a", "update", "x"), plan="stacks/dev/plan.yaml")
    view = engine_view([in_stack("blue", "a")], plans, [change], PROVIDER)
    assert [found for found in view.verdicts if found.plan] == []
    assert any("No preview matches the resources of `stacks/dev/plan.yaml`" in note for note in view.notes)


def test_a_changed_plan_without_events_is_named() -> None:
    change = item(expected("d", "update", "x"), plan="stacks/dev/plan.yaml")
    view = engine_view([in_stack("prod", "a")], plans_of(dev=("d",), prod=("a",)), [change], PROVIDER)
    assert any("No preview matches the resources of `stacks/dev/plan.yaml`" in note for note in view.notes)
    assert not view.agrees
