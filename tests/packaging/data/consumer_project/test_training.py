"""Tests of the platform, without a cloud, credentials and the Pulumi CLI."""

import functools

import pytest
import training

from pulumi_gke_tpu import FindingsError
from pulumi_gke_tpu.preview import Graph, Unknown, run_program

NODE_POOL = "gcp:container/nodePool:NodePool"


@functools.cache
def graph() -> Graph:
    """All resources of the program."""
    return run_program(training.main, project="research", stack="test")


def test_there_are_two_slices_of_four_hosts() -> None:
    pools = {pool.inputs["name"]: pool.inputs["nodeCount"] for pool in graph().of_type(NODE_POOL)}
    assert pools == {"pretrain-0": 4, "pretrain-1": 4}


def test_node_pools_are_in_the_existing_cluster() -> None:
    (cluster,) = graph().of_type("gcp:container/cluster:Cluster")
    for pool in graph().of_type(NODE_POOL):
        assert pool.inputs["cluster"] == Unknown((cluster.urn,))


def test_node_pools_are_protected() -> None:
    for pool in graph().of_type(NODE_POOL):
        assert pool.options.protect


def test_nodes_have_the_team_label() -> None:
    for pool in graph().of_type(NODE_POOL):
        assert pool.inputs["nodeConfig"]["resourceLabels"] == {"team": "research"}


def test_an_unknown_topology_is_an_error() -> None:
    with pytest.raises(FindingsError) as error:
        run_program(lambda: training.main("4x3"))
    (finding,) = error.value.findings
    assert (finding.rule, finding.path) == ("TPU112", ("topology",))
