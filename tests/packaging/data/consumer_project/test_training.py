"""The platform, tested without cloud, credentials and Pulumi CLI."""

import functools

import pytest
import training

from pulumi_gke_tpu import FindingsError
from pulumi_gke_tpu.preview import Graph, Unknown, run_program

NODE_POOL = "gcp:container/nodePool:NodePool"


@functools.cache
def graph() -> Graph:
    """Everything that the program would register."""
    return run_program(training.main, project="research", stack="test")


def test_there_are_two_slices_of_four_hosts() -> None:
    pools = {pool.inputs["name"]: pool.inputs["nodeCount"] for pool in graph().of_type(NODE_POOL)}
    assert pools == {"pretrain-0": 4, "pretrain-1": 4}


def test_slices_go_into_the_cluster_that_exists() -> None:
    (cluster,) = graph().of_type("gcp:container/cluster:Cluster")
    for pool in graph().of_type(NODE_POOL):
        assert pool.inputs["cluster"] == Unknown((cluster.urn,))


def test_a_slice_cannot_be_replaced_by_accident() -> None:
    for pool in graph().of_type(NODE_POOL):
        assert pool.options.protect


def test_the_team_is_on_every_node() -> None:
    for pool in graph().of_type(NODE_POOL):
        assert pool.inputs["nodeConfig"]["resourceLabels"] == {"team": "research"}


def test_a_shape_that_does_not_exist_is_refused() -> None:
    with pytest.raises(FindingsError) as refused:
        run_program(lambda: training.main("4x3"))
    (finding,) = refused.value.findings
    assert (finding.rule, finding.path) == ("TPU112", ("topology",))
