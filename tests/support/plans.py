"""Registers plans written as YAML fragments, and shows how the inputs of two resources differ."""

from collections.abc import Mapping
from typing import Any

import yaml
from support.recording import Recording, record

from pulumi_gke_tpu import TpuFleet

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:projects/iAMMember:IAMMember"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
FIREWALL = "gcp:compute/firewall:Firewall"
NAT = "gcp:compute/routerNat:RouterNat"


def fleet(plan: str) -> Recording:
    """What a plan registers; ``version`` and ``project`` need not be written, ``today`` may be."""
    args: Any = {"version": 1, "project": "acme-ml", **yaml.load(plan, Loader=_TextDates)}
    return record(lambda: TpuFleet("fleet", args))


class _TextDates(yaml.SafeLoader):
    """Leaves timestamps as text, as a program would write them."""


_TextDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def leaves(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted path -> value, for everything except mappings; an empty mapping counts as a value."""
    found: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            found |= leaves(item, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = item
    return found


def difference(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Path -> value in ``other`` of everything that differs from ``base``; None where it is absent."""
    before, after = leaves(base), leaves(other)
    return {path: after.get(path) for path in sorted({*before, *after}) if before.get(path) != after.get(path)}
