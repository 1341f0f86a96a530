"""Names that one resource releases and another one needs: when `pulumi up` fails for certain, perhaps, or not."""

from collections.abc import Callable

import pulumi
import pulumi_gcp as gcp
import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.preview import run_program

Program = Callable[[], None]


def network(key: str, name: str, *after: pulumi.Resource, project: str = "acme-ml") -> gcp.compute.Network:
    options = pulumi.ResourceOptions(depends_on=[*after])
    return gcp.compute.Network(key, name=name, project=project, auto_create_subnetworks=False, opts=options)


def policy(key: str, name: str) -> gcp.compute.ResourcePolicy:
    """A policy that is created again before the old one is deleted."""
    return gcp.compute.ResourcePolicy(
        key,
        name=name,
        project="acme-ml",
        region="us-east5",
        workload_policy={"type": "HIGH_THROUGHPUT"},
        opts=pulumi.ResourceOptions(replace_on_changes=["name"]),
    )


def one() -> None:
    network("a", "main")


def two() -> None:
    network("a", "main")
    network("b", "other")


def changed(before: Program, after: Program) -> dict[str, ResourceChange]:
    found = compare(run_program(before), run_program(after), read_catalog().provider)
    return {change.name: change for change in found}


def refusals(before: Program, after: Program) -> dict[str, tuple[str, bool]]:
    """By resource, the refusal, and whether it is certain."""
    found = changed(before, after)
    return {name: (change.refused_by, change.refusal_is_certain) for name, change in found.items() if change.refused_by}


def test_a_new_resource_with_the_name_of_a_deleted_one_fails() -> None:
    def after() -> None:
        network("b", "main")

    assert refusals(one, after) == {"b": ("GKE", True)}


def test_a_replacement_with_the_name_of_a_deleted_resource_fails() -> None:
    def after() -> None:
        network("a", "other")

    assert refusals(two, after) == {"a": ("GKE", True)}


def test_a_new_resource_with_the_name_of_a_replaced_one_fails_perhaps() -> None:
    def after() -> None:
        network("a", "other")
        network("b", "main")

    assert refusals(one, after) == {"b": ("GKE", False)}


def test_exchanged_names_fail_perhaps_at_both() -> None:
    def after() -> None:
        network("a", "other")
        network("b", "main")

    assert refusals(two, after) == dict.fromkeys("ab", ("GKE", False))


def test_a_resource_that_waits_for_the_replacement_gets_the_name() -> None:
    def after() -> None:
        network("b", "main", network("a", "other"))

    assert refusals(one, after) == {}


def test_a_resource_that_waits_for_one_that_waits_gets_the_name() -> None:
    def after() -> None:
        network("b", "main", network("between", "between", network("a", "other")))

    assert refusals(one, after) == {}


def test_the_name_of_a_resource_that_is_created_again_first_is_free_only_at_the_end() -> None:
    def before() -> None:
        policy("a", "main")

    def after() -> None:
        policy("a", "other")
        policy("b", "main")

    assert refusals(before, after) == {"b": ("GKE", True)}


@pytest.mark.parametrize("place", ["acme-ml", "acme-other"])
def test_the_same_name_in_another_project_is_another_name(place: str) -> None:
    def after() -> None:
        network("b", "main", project=place)

    assert bool(refusals(one, after)) == (place == "acme-ml")


def test_a_resource_of_another_type_does_not_have_the_name() -> None:
    def after() -> None:
        policy("b", "main")

    assert refusals(one, after) == {}


def test_the_reason_names_the_resource_that_has_the_name() -> None:
    def after() -> None:
        network("a", "other")
        network("b", "main")

    reasons = {name: change.refused for name, change in changed(one, after).items()}
    assert reasons == {"a": "", "b": "main is still in use: the engine does not wait until a is deleted"}
