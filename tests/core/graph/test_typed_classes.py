"""Resources are registered without the classes of pulumi_gcp, and the engine receives the same requests as with them.

The classes take a second to load. What they add to a request (version, secret outputs, former model) is declared here.
"""

from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.plan_corpus import Source, catalog, sources
from support.recording import record
from support.wire import comparable

from pulumi_gke_tpu import TpuFleet
from pulumi_gke_tpu.components.registration import Registration, alone, inside
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declared


def classes() -> dict[str, Any]:
    """Type -> class of pulumi_gcp, for every type that is registered."""
    return {
        resource_types.CLUSTER: gcp.container.Cluster,
        resource_types.NODE_POOL: gcp.container.NodePool,
        resource_types.NETWORK: gcp.compute.Network,
        resource_types.SUBNETWORK: gcp.compute.Subnetwork,
        resource_types.FIREWALL: gcp.compute.Firewall,
        resource_types.ROUTER: gcp.compute.Router,
        resource_types.ROUTER_NAT: gcp.compute.RouterNat,
        resource_types.RESOURCE_POLICY: gcp.compute.ResourcePolicy,
        resource_types.ACCOUNT: gcp.serviceaccount.Account,
        resource_types.IAM_MEMBER: gcp.projects.IAMMember,
        resource_types.ACCOUNT_MEMBER: gcp.serviceaccount.IAMMember,
        resource_types.BUCKET_MEMBER: gcp.storage.BucketIAMMember,
    }


def test_every_type_has_a_class() -> None:
    tokens = {value for value in vars(resource_types).values() if isinstance(value, str) and value.startswith("gcp:")}
    assert classes().keys() == tokens


PLANS = ("stack dev", "stack prod", "stack ironwood", "stack shared", "base full", "every key", "data/fuller.yaml")


def test_requests_are_those_of_the_typed_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = {plan.name: plan for plan in sources("stacks") if plan.name in PLANS}
    ours = {name: requests(plan) for name, plan in plans.items()}
    registered: set[str] = set()

    def with_class(self: Registration, declared: Declared, parent: pulumi.Resource) -> None:
        registered.add(declared.type)
        properties = {snake_case(name): self.resolve(value) for name, value in declared.properties.items()}
        options = self._options(declared, parent)
        options.version = None
        options.additional_secret_outputs = None
        options.aliases = [alias for alias in options.aliases or [] if alias.type_ is ...]  # type: ignore[union-attr]
        resource = classes()[declared.type](declared.name, opts=options, **properties)
        for name in self.declared.wanted(declared.key) - {"id"}:
            resource.__dict__[name] = getattr(resource, snake_case(name))
        self.add(declared.key, resource)

    monkeypatch.setattr(Registration, "register", with_class)
    assert {name: requests(plan) for name, plan in plans.items()} == ours
    assert registered == classes().keys()


def requests(plan: Source) -> dict[str, Any]:
    """URN -> what is sent."""

    def program() -> None:
        within = alone(tpu_fleet(plan.fleet, catalog(), plan.data, "fleet"), catalog())
        inside(TpuFleet, within, pulumi.ResourceOptions())

    return {item.urn: comparable(item.request) for item in record(program)}
