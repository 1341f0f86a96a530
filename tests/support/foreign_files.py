"""The same resources as each tool writes them: a Terraform plan or state, a Pulumi state, an answer of the API."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import (
    CLUSTER,
    NETWORK,
    NODE_POOL,
    RESOURCE_POLICY,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.core.resources.api_names import api_name
from pulumi_gke_tpu.core.resources.terraform_names import names_of, types_of
from pulumi_gke_tpu.core.text.formats.names import parse_cluster

Properties = dict[str, Any]
Made = tuple[str, str, Properties]
"""Type token, name in the program, properties."""

_CATALOG = read_catalog()
_TERRAFORM = {token: name for name, token in types_of(_CATALOG).items()}
_LINK = "https://container.googleapis.com/v1/projects/{}/locations"


def terraform_plan(resources: Iterable[Made]) -> bytes:
    """What ``terraform show -json`` writes of a plan that creates them."""
    changes = [
        {
            "address": address(token, name),
            "mode": "managed",
            "type": _TERRAFORM[token],
            "name": name,
            "provider_name": "registry.terraform.io/hashicorp/google",
            "change": {"actions": ["create"], "before": None, "after": attributes(token, values), "after_unknown": {}},
        }
        for token, name, values in resources
    ]
    return json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": changes}).encode()


def terraform_configuration(resources: Iterable[Made]) -> bytes:
    """Files of Terraform that write the same values in HCL."""
    blocks = []
    for token, name, values in resources:
        body = "\n".join(_hcl(attributes(token, values), "  "))
        blocks.append(f'resource "{_TERRAFORM[token]}" "{name}" {{\n  provider = google-beta\n{body}\n}}\n')
    return "\n".join(blocks).encode()


def _hcl(values: Mapping[str, Any], margin: str) -> Iterable[str]:
    for name, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                yield f"{margin}{name} {{"
                yield from _hcl(item, f"{margin}  ")
                yield f"{margin}}}"
        elif isinstance(value, dict):
            entries = "".join(f"{margin}  {json.dumps(key)} = {json.dumps(each)}\n" for key, each in value.items())
            yield f"{margin}{name} = {{\n{entries}{margin}}}"
        else:
            yield f"{margin}{name} = {json.dumps(value)} # {name}"


def terraform_json(resources: Iterable[Made]) -> bytes:
    """The same in Terraform's JSON syntax."""
    found: dict[str, Properties] = {}
    for token, name, values in resources:
        found.setdefault(_TERRAFORM[token], {})[name] = {**attributes(token, values), "provider": "google-beta"}
    return json.dumps({"terraform": {"required_version": ">= 1.8"}, "resource": found}, indent=2).encode()


POOL = {
    "name": "train",
    "initial_node_count": 4,
    "node_config": [{"machine_type": "ct6e-standard-4t"}],
    "node_locations": ["us-east5-b"],
    "placement_policy": [{"type": "COMPACT", "tpu_topology": "4x4"}],
}
COMPUTED = {"id": True, "location": True, "node_count": True, "version": True}


def module_plan(
    pool: Mapping[str, Any] = POOL,
    written: Mapping[str, Any] | None = None,
    location: str = "us-east5",
    clusters: int = 1,
    cluster: Mapping[str, Any] | None = None,
) -> bytes:
    """A plan that creates a node pool in a module, whose cluster is an output of another module.

    ``written`` has expressions of the node pool beside those of its values, ``cluster`` values of the cluster.
    """
    main = {"name": "main", "location": location, **(cluster or {})}
    expressions = {name: {"constant_value": value} for name, value in pool.items()}
    expressions |= {"cluster": {"references": ["var.cluster"]}, **(written or {})}
    root = {
        "module_calls": {
            "gke": {
                "module": {
                    "outputs": {"id": {"expression": {"references": ["google_container_cluster.main"]}}},
                    "resources": [_block("google_container_cluster", "main", {})],
                }
            },
            "tpu": {
                "expressions": {"cluster": {"references": ["module.gke.id", "module.gke"]}},
                "module": {"resources": [_block("google_container_node_pool", "train", expressions)]},
            },
        }
    }
    indexes = [""] if clusters == 1 else [f"[{number}]" for number in range(clusters)]
    changes = [
        _created("module.gke", "google_container_cluster", "main", main, {"id": True}, index) for index in indexes
    ]
    changes.append(
        _created("module.tpu", "google_container_node_pool", "train", pool, {**COMPUTED, "cluster": True}, "")
    )
    return json.dumps(
        {
            "format_version": "1.2",
            "terraform_version": "1.9.0",
            "resource_changes": changes,
            "configuration": {"root_module": root},
        }
    ).encode()


def _block(kind: str, name: str, expressions: Mapping[str, Any]) -> dict[str, Any]:
    return {"address": f"{kind}.{name}", "mode": "managed", "type": kind, "name": name, "expressions": expressions}


def _created(
    module: str, kind: str, name: str, after: Mapping[str, Any], unknown: Mapping[str, Any], index: str
) -> dict[str, Any]:
    return {
        "address": f"{module}.{kind}.{name}{index}",
        "module_address": module,
        "mode": "managed",
        "type": kind,
        "name": name,
        "change": {
            "actions": ["create"],
            "before": None,
            "after": after,
            "after_unknown": {key: value for key, value in unknown.items() if key not in after},
        },
    }


def terraform_state(resources: Iterable[Made]) -> bytes:
    """What ``terraform show -json`` writes of a state that has them, in a module."""
    found = [
        {
            "address": f"module.tpu.{address(token, name)}",
            "mode": "managed",
            "type": _TERRAFORM[token],
            "name": name,
            "values": attributes(token, values),
        }
        for token, name, values in resources
    ]
    root = {"child_modules": [{"address": "module.tpu", "resources": found}]}
    return json.dumps({"format_version": "1.0", "values": {"root_module": root}}, indent=2).encode()


def pulumi_state(resources: Iterable[Made], inputs: Iterable[Made] | None = None) -> bytes:
    """What ``pulumi stack export`` writes. ``inputs`` are those of the program, if they differ from the outputs."""
    resources = [*resources]
    found = [
        {
            "urn": urn(token, name),
            "type": token,
            "custom": True,
            "id": name,
            "inputs": {"__defaults": [], **given},
            "outputs": values,
        }
        for (token, name, values), (_, _, given) in zip(resources, inputs or resources, strict=True)
    ]
    return json.dumps({"version": 3, "deployment": {"resources": found}}, indent=4).encode()


def pulumi_preview(resources: Iterable[Made]) -> bytes:
    """What ``pulumi preview --json`` writes of a program that creates them."""
    steps = [
        {
            "op": "create",
            "urn": urn(token, name),
            "provider": "urn:pulumi:dev::fleet::pulumi:providers:gcp::default::04da6b54-80e4-46f7-96ec-b56ff0331ba9",
            "newState": {
                "urn": urn(token, name),
                "custom": True,
                "type": token,
                "inputs": {"__defaults": [], "resourceLabels": "04da6b54-80e4-46f7-96ec-b56ff0331ba9", **values},
                "outputs": values,
            },
        }
        for token, name, values in resources
    ]
    document = {"config": {"gcp:project": "acme-ml"}, "steps": steps, "duration": 1, "changeSummary": {"create": 1}}
    return json.dumps(document, indent=4).encode()


def pulumi_program(resources: Iterable[Made]) -> bytes:
    """A program of Pulumi in YAML, whose options are those that no rule reports."""
    options = {"ignoreChanges": ["nodeCount", "initialNodeCount"], "deleteBeforeReplace": True}
    found = {
        name: {
            "type": token.replace("/nodePool", "").replace("/cluster", ""),
            "properties": {**values, "resourceLabels": {"team": "${team}"}},
            "options": {**options, "protect": True},
        }
        for token, name, values in resources
    }
    return f"name: fleet\nruntime: yaml\nresources:\n  {json.dumps(found, indent=2)}\n".encode()


def answer(resources: Iterable[Made]) -> bytes:
    """What ``gcloud ... list --format=json`` writes, which has a Cloud NAT inside its router."""
    return json.dumps([_answer(*made) for made in resources if made[0] != ROUTER_NAT], indent=2).encode()


def address(token: str, name: str) -> str:
    """The address in Terraform."""
    return f"{_TERRAFORM[token]}.{name}"


def urn(token: str, name: str) -> str:
    """The URN in Pulumi."""
    return f"urn:pulumi:dev::fleet::{token}::{name}"


def attributes(token: str, values: Mapping[str, Any], path: str = "") -> Properties:
    """Properties in Pulumi's spelling as Terraform has them: each block is a list."""
    names, found = names_of(_CATALOG, token), {}
    for key, value in values.items():
        at = f"{path}{key}"
        name, kind = names.terraform(at).rpartition(".")[2], names.types.get(at)
        if isinstance(value, dict) and kind != "map":
            found[name] = [attributes(token, value, f"{at}.")]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            found[name] = [attributes(token, item, f"{at}.") for item in value]
        else:
            found[name] = value
    return found


def _answer(token: str, name: str, values: Properties) -> Properties:
    found: Properties = {}
    for path, value in _leaves(values, token):
        *above, last = api_name(token, path).split(".")
        inner = found
        for step in above:
            inner = inner.setdefault(step, {})
        inner[last] = value
    own = values.get("name", name)
    parent = parse_cluster(values.get("cluster", ""))
    link = _LINK.format(values.get("project") or (parent.project if parent else "") or "acme-ml")
    location, cluster = values.get("location", "us-east5"), values.get("cluster", "train").rpartition("/")[2]
    if token == NODE_POOL:
        for key in ("cluster", "location", "nodeCount", "ignoreNodeCountChanges"):
            found.pop(key, None)
        found.setdefault("initialNodeCount", values.get("nodeCount", 0))
        if "autoscaling" in found:
            found["autoscaling"]["enabled"] = True
        found |= {"name": own, "selfLink": f"{link}/{location}/clusters/{cluster}/nodePools/{own}"}
    elif token == CLUSTER:
        policy = found.pop("maintenancePolicy", None)
        if policy:
            found["maintenancePolicy"] = {"window": _window(policy)}
        found |= {"name": own, "selfLink": f"{link}/{location}/clusters/{own}"}
    elif token == RESOURCE_POLICY:
        region = f"https://www.googleapis.com/compute/v1/projects/acme-ml/regions/{values.get('region', 'us-east5')}"
        link = f"{region}/resourcePolicies/{own}"
        found |= {"kind": "compute#resourcePolicy", "name": own, "region": region, "selfLink": link}
    elif token in (NETWORK, SUBNETWORK):
        kind = "network" if token == NETWORK else "subnetwork"
        found |= {"kind": f"compute#{kind}", "name": own}
    return found


def _window(policy: Mapping[str, Any]) -> Properties:
    """A maintenance policy of the provider as the API answers it."""
    recurring = policy.get("recurringWindow")
    found: Properties = {name: policy[name] for name in ("dailyMaintenanceWindow",) if name in policy}
    if recurring:
        times = {name: recurring[name] for name in ("startTime", "endTime")}
        found["recurringWindow"] = {"window": times, "recurrence": recurring["recurrence"]}
    found["maintenanceExclusions"] = {
        item["exclusionName"]: {
            **{name: item[name] for name in ("startTime", "endTime") if name in item},
            "maintenanceExclusionOptions": item.get("exclusionOptions", {}),
        }
        for item in policy.get("maintenanceExclusions", ())
    }
    return found


def _leaves(values: Mapping[str, Any], token: str, path: str = "") -> Iterable[tuple[str, Any]]:
    kinds = names_of(_CATALOG, token).types
    for key, value in values.items():
        if isinstance(value, dict) and value and kinds.get(f"{path}{key}") != "map" and key != "maintenancePolicy":
            yield from _leaves(value, token, f"{path}{key}.")
        else:
            yield f"{path}{key}", value
