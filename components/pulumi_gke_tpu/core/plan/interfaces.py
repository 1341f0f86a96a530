"""Models of additional network interfaces of TPU hosts, and of their networks."""

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import MaybeOutput, PlanModel, key, optional


class InterfaceNetworkSpec(PlanModel):
    """A new network for an additional network interface of TPU hosts."""

    # No default: the networks of a host must not overlap, and a default could overlap with that of another network.
    subnet: str = key(
        "IP range of the subnetwork, for the network interfaces.",
        form="cidr",
        sends={"subnetwork": "ipCidrRange", "firewall rule": "sourceRanges"},
    )
    mtu: int = key(
        "MTU in bytes. The default is the largest one, which traffic between slices needs.",
        default=8896,
        sends={"network": "mtu"},
    )


class AdditionalNetwork(PlanModel):
    """An additional network interface of every host."""

    name: str | None = optional(
        "Name of a network in additional_networks of the cluster; instead of network and subnetwork.", form="gke_name"
    )
    network: MaybeOutput[str] | None = optional("Name or ID of an existing network.")
    subnetwork: MaybeOutput[str] | None = optional("Name or ID of an existing subnetwork.")

    @model_validator(mode="after")
    def _one(self) -> "AdditionalNetwork":
        existing = self.network is not None, self.subnetwork is not None
        if any(existing) == (self.name is not None) or any(existing) != all(existing):
            raise PydanticCustomError(
                "exclusive",
                "an additional network requires `network` and `subnetwork`, or the `name` of a network in "
                "`additional_networks` of the cluster",
            )
        return self


def _interface(value: object) -> Any:
    return {"name": value} if isinstance(value, str) else value


_NetworkName = Annotated[str, WithJsonSchema({"type": "string", "form": "gke_name"})]
WrittenNetwork = Annotated[
    AdditionalNetwork, BeforeValidator(_interface, json_schema_input_type=_NetworkName | AdditionalNetwork)
]
"""A network interface, or only the name of its network."""
