"""The lists whose entries have names are those that the real server merges by the same key."""

from typing import Any

from support.control_plane.client import Client

from pulumi_gke_tpu.core.catalog import read_catalog

FACTS = read_catalog().kubernetes.pods.merging
KEYS = {**dict.fromkeys(FACTS.appended, ""), **FACTS.keys}
MERGE_KEY = "x-kubernetes-patch-merge-key"


def test_entries_have_the_names_by_which_the_server_merges_them(client: Client) -> None:
    schemas = client.request("GET", "/openapi/v3/api/v1")["components"]["schemas"]
    differing = {}
    for place, key in KEYS.items():
        field = field_at(schemas, place)
        merged_by = field.get(MERGE_KEY, "")
        assert field["type"] == "array", place
        if merged_by != key:
            differing[place] = merged_by
    assert differing == {}


def field_at(schemas: dict[str, Any], place: str) -> dict[str, Any]:
    """The schema of a field of a Pod, whose type is the reference in it or in its items."""
    schema, field = schemas["io.k8s.api.core.v1.PodSpec"], {}
    for step in place.removeprefix("spec.").split("."):
        field = schema["properties"][step.removesuffix("[]")]
        reference = next(iter(find_references(field)), "")
        schema = schemas.get(reference.rpartition("/")[2], {})
    return field


def find_references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [found for item in schema for found in find_references(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if "$ref" in schema else []
    return own + [found for item in schema.values() for found in find_references(item)]
