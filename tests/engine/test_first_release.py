"""What a stack without a property would go through if a later release added it: why ours send these from the first."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pulumi
import pytest
from support.engine.engine_cloud import started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import DELETE_FIRST, EngineStack
from support.gcp_standin.identity import PROJECT
from support.gcp_standin.knowledge import CLUSTER, POOL

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of

PLAN: Any = {
    "project": PROJECT,
    "clusters": {
        "east": {
            "mode": "standard",
            "location": "us-east5",
            "network": {
                "create": {"subnet": "10.0.0.0/20", "pods": "10.16.0.0/14", "services": "10.20.0.0/20", "nat": False}
            },
            "slices": {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}},
        }
    },
}
SYSTEM = "NodePool east/system"
POOLS = {SYSTEM: DELETE_FIRST, "NodePool east/train/train-0": DELETE_FIRST}
EVERYTHING = {"Cluster east": DELETE_FIRST, **POOLS}


@dataclass(frozen=True)
class Sent:
    """Properties that the components send from the first release, and what adding them later does."""

    what: str
    token: str
    paths: tuple[str, ...]
    ops: dict[str, str]
    without: Callable[[Any], Any] = lambda value: None
    """What a release without them would have sent instead."""

    def __str__(self) -> str:
        return self.what


FIRST = (
    Sent("Dataplane V2", CLUSTER, ("datapathProvider",), EVERYTHING),
    Sent("VPC-native ranges", CLUSTER, ("networkingMode", "ipAllocationPolicy"), EVERYTHING),
    Sent("node account", POOL, ("nodeConfig.serviceAccount",), POOLS),
    Sent("scope", POOL, ("nodeConfig.oauthScopes",), POOLS),
    Sent("no reservation", POOL, ("nodeConfig.reservationAffinity",), POOLS),
    Sent("secure boot", POOL, ("nodeConfig.shieldedInstanceConfig",), {SYSTEM: DELETE_FIRST}),
    Sent("cluster by its name", POOL, ("cluster",), POOLS, without=lambda cluster: cluster.apply(_id)),
)
"""Replaced, if they came later."""
SILENT = (
    Sent("release channel", CLUSTER, ("releaseChannel",), {}),
    Sent("project", POOL, ("project",), {}),
)
"""Values of the provider or GKE are not a change while they are equal; they can change, so the library sends them."""


def removed(sent: Sent) -> Callable[[pulumi.ResourceTransformationArgs], pulumi.ResourceTransformationResult]:
    """Takes the properties out of what the components register."""

    def transform(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        props = copy.copy(dict(args.props))
        if args.type_ == sent.token:
            for path in sent.paths:
                block, _, name = path.rpartition(".")
                target = props
                if block:
                    target = props[block] = dict(props[block])
                target[name] = sent.without(target.get(name))
        return pulumi.ResourceTransformationResult(props, args.opts)

    return transform


def program(*left_out: Sent) -> Callable[[], None]:
    def run() -> None:
        from pulumi_gke_tpu import TpuFleet

        transformations = [removed(sent) for sent in left_out]
        TpuFleet("fleet", copy.deepcopy(PLAN), pulumi.ResourceOptions(transformations=transformations))

    return run


@pytest.fixture(scope="module")
def bare(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineStack]:
    """A stack of a release that left all of them out."""
    with started(cli, tmp_path_factory.mktemp("bare")) as engine:
        stack = engine.stack("bare")
        assert stack.up(program(*FIRST, *SILENT)).error == ""
        yield stack


@pytest.mark.parametrize("sent", [*FIRST, *SILENT], ids=str)
def test_added_later(bare: EngineStack, sent: Sent) -> None:
    others = [other for other in (*FIRST, *SILENT) if other is not sent]
    run = bare.preview(program(*others))
    assert (run.error, run.ops()) == ("", sent.ops)


@pytest.mark.parametrize("sent", FIRST, ids=str)
def test_the_catalog_contains_these_defaults(sent: Sent) -> None:
    provider = read_catalog().provider
    changes = [change_of(provider, sent.token, path) for path in sent.paths]
    assert "replace" in {change.change for change in changes if change}


def test_a_description_never_comes(bare: EngineStack) -> None:
    """Of a cluster or a network it would replace everything in it, so none is ever sent."""

    def described(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        extra = {"description": "x"} if args.type_ == CLUSTER else {}
        return pulumi.ResourceTransformationResult({**args.props, **extra}, args.opts)

    def run() -> None:
        from pulumi_gke_tpu import TpuFleet

        transformations = [*(removed(sent) for sent in (*FIRST, *SILENT)), described]
        TpuFleet("fleet", copy.deepcopy(PLAN), pulumi.ResourceOptions(transformations=transformations))

    assert bare.preview(run).ops() == EVERYTHING


def _id(cluster: str) -> str:
    return f"projects/{PROJECT}/locations/us-east5/clusters/{cluster}"
