"""Resources that no plan has, registered by the components' walker: the graph is what the SDK sends for them, too.

``test_wire_equality`` holds for every plan of this repository; here are values, references and options of every form.
"""

from typing import Any

import pulumi
from hypothesis import given
from hypothesis import strategies as st
from support.plan_corpus import catalog
from support.recording import record
from support.wire import differences

from pulumi_gke_tpu.components.registration import DeclaredComponent, Within, alone
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.declared import Alias, Declarations, Declared, DeclaredOptions, Ref
from pulumi_gke_tpu.core.graph.registered import registered
from pulumi_gke_tpu.core.plan.base import Unknown

OUTER, INNER = "test:index:Outer", "test:index:Inner"
REFERRED = ("id", "name", "size", "email")
"""Properties that others refer to: what only a provider knows, and scalars that may be sent. A list or mapping that is
referred to would lose the nulls in it on its way through the SDK; nothing refers to one."""
NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False).map(
    lambda value: value or 0.0
)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=8)


class Inner(DeclaredComponent):
    """A component inside another one."""

    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions, *, _within: Within) -> None:
        super().__init__(opts, _within)


class Outer(DeclaredComponent):
    """The component around everything."""

    def _classes(self) -> Any:
        return {INNER: Inner}


def references(targets: list[Declared]) -> st.SearchStrategy[Ref]:
    """References to earlier declarations."""
    return st.builds(Ref, st.sampled_from([target.key for target in targets]), st.sampled_from(REFERRED))


def values(targets: list[Declared]) -> st.SearchStrategy[Any]:
    """Any value."""
    leaves: st.SearchStrategy[Any] = SCALARS | references(targets) if targets else SCALARS
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    )


def properties(targets: list[Declared]) -> st.SearchStrategy[dict[str, Any]]:
    """Any properties of a resource."""
    scalars = SCALARS | references(targets) if targets else SCALARS
    inside = values(targets)
    optional = {"name": scalars, "size": scalars, "nodeConfig": inside, "tags": inside}
    return st.fixed_dictionaries({}, optional=optional)


def options(before: list[Declared]) -> st.SearchStrategy[DeclaredOptions]:
    """Any options."""
    paths = st.lists(st.sampled_from(["name", "nodeConfig.labels", "size"]), max_size=2).map(tuple)
    return st.builds(
        DeclaredOptions,
        protect=st.none() | st.booleans(),
        delete_before_replace=st.none() | st.booleans(),
        replace_on_changes=paths,
        ignore_changes=paths,
        custom_timeouts=st.sampled_from([(), (("create", "1h"), ("delete", "2h"), ("update", "3h"))]),
        aliases=st.lists(
            st.builds(Alias, name=st.just("former"), type=st.sampled_from(["", resource_types.ROUTER])), max_size=2
        ).map(tuple),
        depends_on=st.lists(st.sampled_from([item.key for item in before]), max_size=2).map(tuple)
        if before
        else st.just(()),
        secret_outputs=st.sampled_from([(), ("email",)]),
    )


@st.composite
def programs(draw: st.DrawFn) -> list[Declared]:
    """A component with resources and another component inside."""
    outer = Declared(OUTER, "outer", "", draw(properties([])), outputs={})
    made: list[Declared] = []
    for number in range(draw(st.integers(1, 4))):
        resource_type = draw(st.sampled_from([resource_types.NETWORK, resource_types.ROUTER, resource_types.CLUSTER]))
        made.append(Declared(resource_type, f"r{number}", outer.key, draw(properties(made)), draw(options(made))))
    inner = Declared(INNER, "inner", outer.key, {}, outputs={"id": made[0]["id"], "text": draw(st.text())})
    pool = Declared(resource_types.NODE_POOL, "pool", inner.key, {"cluster": made[-1]["id"]}, draw(options(made)))
    return [outer, *made, inner, pool]


@given(declared=programs())
def test_the_graph_is_what_the_sdk_sends(declared: list[Declared]) -> None:
    recording = record(lambda: Outer(None, alone(iter(declared), catalog())))
    graph = registered(Declarations(iter(declared)), project="gke-tpu", stack="preview")
    assert differences(Declarations(iter(declared)), graph, recording, hook="") == []


def test_a_value_of_the_program_is_unknown_and_its_output_is_registered() -> None:
    """The walker hands the output on; the graph only knows that it will have a value."""

    def declared(value: Any) -> list[Declared]:
        return [
            Declared(OUTER, "outer", "", {}, outputs={}),
            Declared(resource_types.NETWORK, "r", f"{OUTER}::outer", {"tags": [Unknown(output=value)], "name": "x"}),
        ]

    graph = registered(Declarations(iter(declared(None))), project="gke-tpu", stack="preview")
    assert graph.resources[0].inputs == {"name": "x", "tags": [Unknown()]}
    recording = record(
        lambda: Outer(None, alone(iter(declared(pulumi.Output.from_input("known"))), catalog())), known=lambda _: {}
    )
    assert recording.one(resource_types.NETWORK).inputs == {"name": "x", "tags": ["known"]}
