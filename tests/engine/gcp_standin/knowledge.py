"""What the stand-in knows of a resource type: the catalog's change semantics, and ``answers.yaml``."""

import copy
import functools
import pathlib
from dataclasses import dataclass, field
from typing import Any

import yaml

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.catalog.provider import PropertyChange, Provider, change_of

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
NAT = "gcp:compute/routerNat:RouterNat"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:projects/iAMMember:IAMMember"


@dataclass(frozen=True)
class Kind:
    """One resource type."""

    token: str
    provider: Provider
    reported: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    requests: dict[str, str] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The last word of the token."""
        return self.token.rsplit(":", 1)[1]

    def change(self, path: str) -> PropertyChange | None:
        """What changing a property does; None where the catalog does not know it."""
        return change_of(self.provider, self.token, path)

    def is_block(self, path: str) -> bool:
        """Whether a property has named properties inside; a map of free keys has none."""
        return any(name.startswith(f"{path}.") for name in self.properties)

    @property
    def properties(self) -> dict[str, PropertyChange]:
        return self.provider.resources[self.token].properties

    def filled(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Inputs with the provider's defaults in every block that is there."""
        inputs = copy.deepcopy(inputs)
        for path, value in self.defaults.items():
            *blocks, name = path.split(".")
            block: Any = inputs
            for step in blocks:
                block = block.get(step) if isinstance(block, dict) else None
            if isinstance(block, dict):
                block.setdefault(name, value)
        return inputs

    def request_for(self, path: str) -> str:
        """The name of the request that sends an update of a property."""
        matches = [prefix for prefix in self.requests if not prefix or path == prefix or path.startswith(f"{prefix}.")]
        return self.requests[max(matches, key=len)]


@functools.cache
def kind_of(token: str) -> Kind:
    """The resource type of that token.

    Raises:
        KeyError: the components register nothing of that type.
    """
    provider = read_catalog().provider
    if token not in provider.resources:
        raise KeyError(token)
    answers = yaml.safe_load(pathlib.Path(__file__).with_name("answers.yaml").read_text())[token]
    lists = {name: tuple(answers[name]) for name in ("unset", "sets", "unknown", "whole", "outputs") if name in answers}
    maps = {name: answers[name] for name in ("reported", "defaults", "requests") if name in answers}
    return Kind(token, provider, **lists, **maps)
