"""What the stand-in knows of a resource type: the catalog's change semantics, and ``answers.yaml``."""

import copy
import functools
import pathlib
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import yaml
from support.gke.values import ANSWERS, at

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, Provider, change_of

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
FIREWALL = "gcp:compute/firewall:Firewall"
NAT = "gcp:compute/routerNat:RouterNat"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:projects/iAMMember:IAMMember"
ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"


@dataclass(frozen=True)
class Kind:
    """One resource type."""

    token: str
    provider: Provider
    reported: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    crashing: tuple[str, ...] = ()
    cleared: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    made: dict[str, Any] = field(default_factory=dict)
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
        return path in self._blocks

    def holds_blocks(self, path: str) -> bool:
        """Whether a property has blocks inside."""
        return any(block.startswith(f"{path}.") for block in self._blocks)

    @functools.cached_property
    def _blocks(self) -> frozenset[str]:
        parts = [name.split(".") for name in self.properties]
        return frozenset(".".join(steps[:length]) for steps in parts for length in range(1, len(steps)))

    @property
    def follows(self) -> Collection[str]:
        """The outputs that the provider computes from inputs."""
        return self.provider.resources[self.token].computed_from

    @property
    def properties(self) -> dict[str, PropertyChange]:
        return self.provider.resources[self.token].properties

    def filled(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Inputs with the provider's defaults in every block that is there."""
        return filled(inputs, self.defaults)

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
    properties = provider.resources[token].properties
    answers = yaml.safe_load(pathlib.Path(__file__).with_name("answers.yaml").read_text())[token]
    lists = {name: tuple(answers[name]) for name in ("unset",) if name in answers}
    defaults = {path: item.default for path, item in properties.items() if item.default is not None}
    known = {path: item.reported for path, item in sorted(properties.items()) if item.reported is not None}
    # Blocks that are always there come first, and with them what the provider and GKE have to say inside.
    reported = filled({}, {path: value for path, value in known.items() if isinstance(value, dict)})
    answered = {path: at(ANSWERS["cluster"], path) for path in answers.get("answered", ())}
    versions = dict.fromkeys(("masterVersion", "nodeVersion"), ANSWERS["versions"]["default"]) if answered else {}
    inside = {path: value for path, value in answered.items() if "." in path}
    reported = filled(filled(reported, defaults), {**known, **versions, **inside, **answers.get("reported", {})})
    return Kind(
        token,
        provider,
        reported,
        defaults,
        sets=tuple(path for path, item in properties.items() if item.unordered),
        whole=tuple(path for path, item in properties.items() if item.unknown_replaces),
        crashing=tuple(path for path, item in properties.items() if item.crashes_unknown),
        cleared=tuple(
            (tuple(path.split(".")), tuple(item.cleared_without.split(".")))
            for path, item in properties.items()
            if item.cleared_without
        ),
        made={**{path: value for path, value in answered.items() if "." not in path}, **answers.get("made", {})},
        requests=answers.get("requests", {}),
        **lists,
    )


def filled(inputs: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Inputs with values, by their paths, in every block that is there."""
    inputs = copy.deepcopy(inputs)
    for path, value in values.items():
        *blocks, name = path.split(".")
        block: Any = inputs
        for step in blocks:
            block = block.get(step) if isinstance(block, dict) else None
        if isinstance(block, dict):
            block.setdefault(name, copy.deepcopy(value))
    return inputs
