"""Models of networks of clusters."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import MaybeOutput, PlanModel, key, optional, unchanged


class CreateNetwork(PlanModel):
    """A new network for the cluster."""

    # The same for every cluster: a default that depended on the slices would change when a group is added.
    mtu: int = key(
        "MTU in bytes. The default is the largest one, which traffic between slices needs.",
        default=8896,
        sends={"network": "mtu"},
    )
    subnet: str = key(
        "Primary IP range of the subnetwork, for nodes.",
        default="10.0.0.0/20",
        form="cidr",
        sends={"subnetwork": "ipCidrRange"},
    )
    pods: str = key(
        "Secondary IP range for Pods.",
        default="10.16.0.0/14",
        form="cidr",
        sends={"subnetwork": "secondaryIpRanges.ipCidrRange"},
        excludes="clusterIpv4Cidr",
    )
    services: str = key(
        "Secondary IP range for Services.",
        default="10.20.0.0/20",
        form="cidr",
        sends={"subnetwork": "secondaryIpRanges.ipCidrRange"},
    )
    nat: bool = key(
        "Cloud NAT, which gives private nodes access to the internet.", default=True, creates=("router", "Cloud NAT")
    )


class ExistingNetwork(PlanModel):
    """An existing network."""

    network: MaybeOutput[str] = key("Name or ID of the network.", sends="network")
    subnetwork: MaybeOutput[str] = key(
        "Name or ID of the subnetwork, in the region of the cluster.", sends="subnetwork"
    )
    pods_range: MaybeOutput[str] | None = optional(
        "Name of the secondary range for Pods.",
        existing="refused",
        instead_existing="the cluster has its ranges already",
        sends="ipAllocationPolicy.clusterSecondaryRangeName",
    )
    services_range: MaybeOutput[str] | None = optional(
        "Name of the secondary range for Services.",
        existing="refused",
        instead_existing="the cluster has its ranges already",
        sends="ipAllocationPolicy.servicesSecondaryRangeName",
    )


def short_network(value: object) -> Any:
    """Convert `create`, and the keys of an existing network, to a mapping."""
    if value == "create":
        return {"create": {}}
    if isinstance(value, dict):
        if "create" in value and value["create"] in (None, True):
            return value | {"create": {}}
        if value.keys() & ExistingNetwork.model_fields.keys() and not value.keys() & {"create", "existing"}:
            return {"existing": value}
    return value


class Network(PlanModel):
    """The network of the cluster: new or existing."""

    create: Annotated[
        CreateNetwork | None, BeforeValidator(unchanged, json_schema_input_type=Literal[True] | CreateNetwork | None)
    ] = optional(
        "Create a network; true for its defaults.",
        existing="refused",
        instead_existing="the cluster has a network already; name it with network and subnetwork, or remove the key",
        sends=("network", "subnetwork"),
        creates=("network", "subnetwork"),
    )
    existing: ExistingNetwork | None = optional("Use an existing network.")

    @model_validator(mode="after")
    def _one(self) -> "Network":
        if (self.create is None) == (self.existing is None):
            raise PydanticCustomError("exclusive", "`network` requires exactly one of `create` and `existing`")
        return self
