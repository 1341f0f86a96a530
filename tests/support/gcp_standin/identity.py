"""Ids of the stand-in's resources, and names for those that a program leaves unnamed."""

import hashlib
from typing import Any

from support.gcp_standin.knowledge import (
    ACCOUNT,
    ACCOUNT_MEMBER,
    BUCKET_MEMBER,
    CLUSTER,
    FIREWALL,
    MEMBER,
    NAT,
    NETWORK,
    POLICY,
    POOL,
    ROUTER,
    SUBNETWORK,
    Kind,
)

PROJECT, LOCATION = "test-project", "us-west4"
"""Where resources go that name neither."""
_COLLECTIONS = {
    FIREWALL: "global/firewalls",
    NETWORK: "global/networks",
    SUBNETWORK: "regions/{region}/subnetworks",
    POLICY: "regions/{region}/resourcePolicies",
    ROUTER: "regions/{region}/routers",
    CLUSTER: "locations/{location}/clusters",
}

_MEMBERS = {
    MEMBER: "{project}/{role}/{member}",
    ACCOUNT_MEMBER: "{serviceAccountId}/{role}/{member}",
    BUCKET_MEMBER: "b/{bucket}/{role}/{member}",
}


def named(kind: Kind, inputs: dict[str, Any], old: dict[str, Any], logical: str, seed: bytes) -> dict[str, Any]:
    """Completed inputs with a name: the given one, the one that the resource has already, or a new one.

    A made-up name is listed under ``__defaults``: only such a resource can exist twice for a while.
    """
    if "name" in inputs or "name" not in kind.properties or kind.token == ACCOUNT:
        return inputs
    kept = old.get("name") if has_made_up_name(old) else None
    suffix = hashlib.sha256(seed + logical.encode()).hexdigest()[:7]
    defaults = sorted([*inputs["__defaults"], "name"])
    return {**inputs, "name": kept or f"{logical}-{suffix}", "__defaults": defaults}


def has_made_up_name(inputs: dict[str, Any]) -> bool:
    """Whether the program left the name out."""
    return "name" in inputs.get("__defaults", ())


def placed(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs with project and location, which a pool takes from its cluster's id."""
    if "project" in kind.properties:
        inputs = {"project": PROJECT, **inputs}
    if kind.token == POOL:
        parts = str(inputs["cluster"]).split("/")
        if len(parts) == 6:
            inputs = {**inputs, "project": parts[1], "location": parts[3]}
    if "region" in kind.properties:
        return {"region": LOCATION, **inputs}
    if "location" in kind.properties:
        return {"location": LOCATION, **inputs}
    return inputs


def id_of(kind: Kind, state: dict[str, Any]) -> str:
    """The id of a resource in the form of the real provider."""
    if kind.token in _MEMBERS:
        return _MEMBERS[kind.token].format(**state)
    project = f"projects/{state['project']}"
    if kind.token == POOL:
        cluster = str(state["cluster"])
        parent = cluster if "/" in cluster else f"{project}/locations/{state['location']}/clusters/{cluster}"
        return f"{parent}/nodePools/{state['name']}"
    if kind.token == NAT:
        return f"{state['project']}/{state['region']}/{state['router']}/{state['name']}"
    if kind.token == ACCOUNT:
        return f"{project}/serviceAccounts/{state['email']}"
    return f"{project}/{_COLLECTIONS[kind.token].format(**state)}/{state['name']}"
