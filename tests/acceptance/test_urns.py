"""What a release has put into the state of somebody's stack is found there by every later one.

A resource that changes name, type or parent without an alias is deleted and created again by ``pulumi up``: for a slice
that means to give its hosts away. ``data/urns.yaml`` remembers every URN of the shipped stacks; whoever renames leaves
the old lines in it, so that the alias cannot be dropped later either.
"""

import pathlib
import runpy
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
import yaml
from support.former_urns import known_as, lost, unlisted
from support.recording import Recording, record
from support.retyping import retype

from pulumi_gke_tpu.core.graph.builders import slices
from pulumi_gke_tpu.core.graph.declared import Alias

ROOT = pathlib.Path(__file__).parents[2]
FILE = pathlib.Path(__file__).parent / "data" / "urns.yaml"
RELEASED: dict[str, list[str]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
STACKS = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/plan.yaml"))

GONE = """stack {stack}: nothing takes the place any more of
  {urns}
The next `pulumi up` would delete what has this URN, and create something else.
If it only has another name, type or parent now: give the component or resource that takes its place an alias,
  pulumi.ResourceOptions(aliases=[pulumi.Alias(name="its old name")])    or type_=, or parent=
and leave the line in {file}; children find their old URNs through an alias of their parent.
If it is to go for good: take the line out of that file, and tell users what is deleted."""
NEW = """stack {stack}: these are new; add them to {file}, so that later releases keep them:
  {urns}"""


def run_stack(stack: str) -> Recording:
    return record(lambda: runpy.run_path(str(ROOT / "stacks" / "__main__.py")), stack=stack)


def complaint(stack: str, released: list[str], recording: Recording) -> str:
    """What to do about URNs that changed; empty where none did."""
    file = FILE.relative_to(ROOT)
    for text, urns in ((GONE, lost(released, recording)), (NEW, unlisted(released, recording))):
        if urns:
            return text.format(stack=stack, file=file, urns="\n  ".join(urns))
    return ""


@pytest.mark.parametrize("stack", STACKS)
def test_every_released_urn_is_found(stack: str) -> None:
    found = complaint(stack, RELEASED[stack], run_stack(stack))
    assert not found, found


def test_the_file_knows_the_shipped_stacks() -> None:
    assert sorted(RELEASED) == STACKS
    for stack, urns in RELEASED.items():
        assert urns == sorted(set(urns))
        assert {urn.split("::")[0] for urn in urns} == {f"urn:pulumi:{stack}"}


# The test itself


OTHER = "gke-tpu:index:SliceGroup"


def test_a_type_without_alias_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    retype(monkeypatch, "TPU_SLICES", OTHER)
    text = complaint("prod", RELEASED["prod"], run_stack("prod"))
    gone = [urn for urn in RELEASED["prod"] if "gke-tpu:index:TpuSlices" in urn]
    assert len(gone) == 7
    for urn in gone:
        assert f"\n  {urn}\n" in text
    assert "give the component or resource that takes its place an alias" in text
    assert "take the line out of that file" in text
    assert "tests/acceptance/data/urns.yaml" in text


def test_a_type_with_alias_passes_and_its_new_urns_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    retype(monkeypatch, "TPU_SLICES", OTHER, (Alias(type="gke-tpu:index:TpuSlices"),))
    recording = run_stack("prod")
    text = complaint("prod", RELEASED["prod"], recording)
    assert text.startswith("stack prod: these are new; add them to tests/acceptance/data/urns.yaml")
    urns = [line.strip() for line in text.splitlines()[1:]]
    assert len(urns) == 7
    assert complaint("prod", sorted([*RELEASED["prod"], *urns]), recording) == ""


def test_a_name_without_alias_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also deep inside, where no test of names may look."""
    original = slices.tpu_slices

    def renamed(context: Any, group: Any, args: Any, parent: str) -> Any:
        return original(context, group, args, parent, name=f"{group.key}-slices")

    monkeypatch.setattr(slices, "tpu_slices", renamed)
    (urn,) = [urn for urn in RELEASED["dev"] if urn.endswith("::dev/batch")]
    assert urn in complaint("dev", RELEASED["dev"], run_stack("dev"))


# Which URNs an alias leads to


PLACE = "urn:pulumi:preview::gke-tpu"


class Group(pulumi.ComponentResource):
    """A component with a child that is called after it."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None, type_: str = "a:b:Group") -> None:
        super().__init__(type_, name, {}, opts)
        self.child = pulumi.ComponentResource("a:b:Child", f"{name}-child", {}, pulumi.ResourceOptions(parent=self))


def options(*aliases: pulumi.Alias | str, parent: pulumi.Resource | None = None) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(parent=parent, aliases=list(aliases))


BEFORE = ("a:b:Group::one", "a:b:Group$a:b:Child::one-child")
ROOT_STACK = pulumi.ROOT_STACK_RESOURCE
CHANGED: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "nothing": (lambda: Group("one"), BEFORE),
    "name": (lambda: Group("two"), ()),
    "name with alias": (lambda: Group("two", options(pulumi.Alias(name="one"))), BEFORE),
    "name with another alias": (lambda: Group("two", options(pulumi.Alias(name="three"))), ()),
    "type": (lambda: Group("one", type_="a:b:Other"), ()),
    "type with alias": (lambda: Group("one", options(pulumi.Alias(type_="a:b:Group")), "a:b:Other"), BEFORE),
    "type with URN": (lambda: Group("one", options(f"{PLACE}::a:b:Group::one"), "a:b:Other"), BEFORE),
    "parent": (lambda: Group("one", options(parent=Group("x"))), ()),
    "parent with alias": (lambda: Group("one", options(pulumi.Alias(parent=ROOT_STACK), parent=Group("x"))), BEFORE),
    "parent and name with alias": (
        lambda: Group("two", options(pulumi.Alias(name="one", parent=ROOT_STACK), parent=Group("x"))),
        BEFORE,
    ),
    "parent and name with alias for one": (
        lambda: Group("two", options(pulumi.Alias(name="one"), parent=Group("x"))),
        (),
    ),
}


@pytest.mark.parametrize("changed", CHANGED)
def test_what_is_found_after_a_change(changed: str) -> None:
    program, found = CHANGED[changed]
    known = known_as(record(program))
    everything = {urn for urns in known.values() for urn in urns}
    assert {urn for urn in BEFORE if f"{PLACE}::{urn}" in everything} == set(found)
