"""Writes ``catalog/terraform.yaml``: how Terraform spells the resources and properties that gke-tpu creates.

Reads the schema of ``hashicorp/google`` (JSON: resource -> properties with type, block, required, computed, at most
one, ForceNew), which its own code printed. A property has the same name in Terraform and in Pulumi, in snake_case and
in camelCase, except that Pulumi names lists that may have several items in the plural. Only the names that differ are
written, and the properties that only ``google-beta`` has or sends. Ends with an error if the schema and
``catalog/provider.yaml`` disagree about what is a block, or about what replaces a resource.

    tools/terraform_names.py ../shared/reference/terraform-schema.json
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case

CATALOG = Path(__file__).parents[1] / "catalog"
_LOCATED = "projects/{project}/locations/{location}"
_REGIONAL = "projects/{project}/regions/{region}"
_EMAIL = "{accountId}@{project}.iam.gserviceaccount.com"
RESOURCES: dict[str, tuple[str, str]] = {
    "gcp:compute/firewall:Firewall": ("google_compute_firewall", "projects/{project}/global/firewalls/{name}"),
    "gcp:compute/network:Network": ("google_compute_network", "projects/{project}/global/networks/{name}"),
    "gcp:compute/resourcePolicy:ResourcePolicy": (
        "google_compute_resource_policy",
        f"{_REGIONAL}/resourcePolicies/{{name}}",
    ),
    "gcp:compute/router:Router": ("google_compute_router", f"{_REGIONAL}/routers/{{name}}"),
    "gcp:compute/routerNat:RouterNat": ("google_compute_router_nat", "{project}/{region}/{router}/{name}"),
    "gcp:compute/subnetwork:Subnetwork": ("google_compute_subnetwork", f"{_REGIONAL}/subnetworks/{{name}}"),
    "gcp:container/cluster:Cluster": ("google_container_cluster", f"{_LOCATED}/clusters/{{name}}"),
    "gcp:container/nodePool:NodePool": ("google_container_node_pool", "{project}/{location}/{cluster}/{name}"),
    "gcp:projects/iAMMember:IAMMember": ("google_project_iam_member", "{project} {role} {member}"),
    "gcp:serviceaccount/account:Account": (
        "google_service_account",
        f"projects/{{project}}/serviceAccounts/{_EMAIL}",
    ),
    "gcp:serviceaccount/iAMMember:IAMMember": (
        "google_service_account_iam_member",
        "{serviceAccountId} {role} {member}",
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": ("google_storage_bucket_iam_member", "b/{bucket} {role} {member}"),
}
"""Type -> the type of Terraform, and the ID by which ``import`` finds a resource."""
_MEMBER: dict[str, Any] = {
    "role": {"type": "TypeString", "required": True, "force_new": True},
    "member": {"type": "TypeString", "required": True, "force_new": True},
    "condition": {
        "type": "TypeList",
        "elem": "block",
        "max": 1,
        "optional": True,
        "force_new": True,
        "props": {
            name: {"type": "TypeString", "optional": True, "force_new": True}
            for name in ("title", "expression", "description")
        },
    },
}
_TEXT = {"type": "TypeString", "required": True, "force_new": True}
UNREAD = {
    "google_service_account_iam_member": {"props": {"service_account_id": _TEXT, **_MEMBER}},
    "google_storage_bucket_iam_member": {"props": {"bucket": _TEXT, **_MEMBER}},
}
"""Resources that the schema file does not have, from the same Go source (IamMember of tpgiamresource)."""
UNSENT = dict.fromkeys(
    ("gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"), ("nodeConfig.hostMaintenancePolicy",)
)
"""Properties in the schema that the code of hashicorp/google names nowhere else (node_config.go): they are in the beta
API only."""
HEADER = """\
# How Terraform spells what gke-tpu creates: the resource types, the names of properties that differ from their Pulumi
# name in snake_case, the properties that hashicorp/google lacks or never sends (google-beta does), and the IDs for
# import. Written by tools/terraform_names.py from the schema of hashicorp/google: change that file, not this one.
"""


def settable(properties: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The Pulumi path, the Terraform name and the description of every property that a program can set."""
    for name, item in properties.items():
        if not item.get("optional") and not item.get("required"):
            continue
        several = item["type"] in ("TypeList", "TypeSet") and item.get("max") != 1
        path = before + (plural(camel_case(name)) if several else camel_case(name))
        yield path, name, item
        if item.get("elem") == "block":
            yield from settable(item["props"], f"{path}.")


def plural(word: str) -> str:
    """The plural of an English word; a word in the plural stays as it is."""
    if re.search(r"[^su]s$", word):
        return word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(?:s|x|ch|sh)$", word) else f"{word}s"


def described(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The resources as the catalog has them."""
    catalog = read_catalog().provider.resources
    resources = {}
    for token, (kind, import_id) in RESOURCES.items():
        known = catalog[token].properties
        found = {path: (name, item) for path, name, item in settable({**UNREAD, **schema}[kind]["props"])}
        for path, (_, item) in found.items():
            if path in known:
                block = item.get("elem") == "block"
                assert block == (known[path].type in ("block", "blocks")), f"{token} {path}: a block in one of the two"
                replaced = known[path].change == "replace"
                assert block or bool(item.get("force_new")) == replaced, f"{token} {path}: replaced in one of the two"
        names = {path: name for path, (name, _) in found.items() if path in known and name != _own_name(path)}
        lacking = sorted(path for path in known if path not in found and "[" not in path)
        resources[token] = {
            "type": kind,
            "import_id": import_id,
            **({"names": dict(sorted(names.items()))} if names else {}),
            **({"beta": lacking} if lacking else {}),
            **({"unsent": list(UNSENT[token])} if token in UNSENT else {}),
        }
    return resources


def _own_name(path: str) -> str:
    return snake_case(path.rpartition(".")[2])


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("schema", type=Path, help="the schema as JSON")
    schema = json.loads(parser.parse_args().schema.read_text(encoding="utf-8"))
    content = {
        "source": ["TERRAFORM_PROVIDER_8"],
        "as_of": "2026-08-28",
        "confidence": "high",
        "required_version": ">= 1.8",
        "provider_version": ">= 8.0, < 9",
        "resources": described(schema["resources"]),
    }
    text = yaml.safe_dump(content, sort_keys=False, width=120)
    (CATALOG / "terraform.yaml").write_text(HEADER + text, encoding="utf-8")


if __name__ == "__main__":
    main()
