"""The fields in the catalog are those of the definitions of the kinds: their names, types and values."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.control_plane.crds import find_crds
from support.tool_installation import found_or_skipped

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.kubernetes import KindFields

KINDS = read_catalog().object_fields.kinds


@pytest.fixture(scope="module")
def schemas(pytestconfig: pytest.Config) -> dict[str, dict[str, Any]]:
    """The schema of the specification of each kind, and of the parts of Pods, in the version of the catalog."""
    found: dict[str, dict[str, Any]] = {}
    for crd in found_or_skipped(pytestconfig, "kubernetes", lambda tell: find_crds(tell=tell)):
        names, versions = crd["spec"]["names"], crd["spec"]["versions"]
        newest = next(version for version in versions if version.get("storage"))
        properties = newest["schema"]["openAPIV3Schema"]["properties"]
        if names["kind"] == "JobSet":
            found["Object"] = newest["schema"]["openAPIV3Schema"]
        if "spec" in properties:
            found[names["kind"]] = properties["spec"]
    job = at(found["JobSet"], "replicatedJobs", "template", "spec")
    pod = at(job, "template", "spec")
    container = at(pod, "containers")
    parts = {
        "PodAffinity": at(pod, "affinity", "podAffinity"),
        "Probe": at(container, "livenessProbe"),
        "TemplateMeta": at(job, "template", "metadata"),
    }
    return {**found, "Job": job, "Pod": pod, "Container": container, **parts}


def at(schema: dict[str, Any], *steps: str) -> dict[str, Any]:
    """The schema at a path of fields; that of the items of lists."""
    for step in steps:
        schema = schema["properties"][step.removesuffix("[]")]
        schema = schema.get("items", schema)
    return schema


def places(listing: KindFields) -> Iterator[tuple[str, tuple[str, ...]]]:
    for place in listing.fields:
        yield place, tuple(place.split(".")[1:])


def type_of(schema: dict[str, Any]) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity" if "numkMGTPE" in schema.get("pattern", "") else "integer or string"
    kind = schema.get("type", "any")
    if kind == "array":
        return type_of(schema["items"]) + "[]"
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, dict) and not schema.get("properties"):
        return ("any" if values.get("type") in ("object", "array") else type_of(values)) + "{}"
    return {"object": "mapping"}.get(kind, kind)


def in_parts(wanted: str) -> tuple[str, str, str]:
    """A type, the smallest and the largest number: ``quantity 0..{}`` is a map of quantities of at least 0."""
    name, _, limits = wanted.rpartition(" ") if ".." in wanted else (wanted, "", "")
    suffix = next((end for end in ("[]", "{}") if limits.endswith(end)), "")
    least, _, most = limits.removesuffix(suffix).partition("..")
    return name + suffix, least, most


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_the_fields_of_its_definition(kind: str, schemas: dict[str, dict[str, Any]]) -> None:
    if kind not in schemas:
        pytest.skip("the control plane has no definition of this kind")
    for place, steps in places(KINDS[kind]):
        schema = at(schemas[kind], *steps)
        assert set(KINDS[kind].fields[place]) == set(schema["properties"]), place
        for key, wanted in KINDS[kind].fields[place].items():
            defined = schema["properties"][key]
            if isinstance(wanted, str):
                name, least, most = in_parts(wanted)
                assert name == type_of(defined), f"{place}.{key}"
                if least or most:  # webhooks have limits that definitions do not have
                    assert str(defined.get("minimum", least)) == least, f"{place}.{key}"
                    assert str(defined.get("maximum", most)) == most, f"{place}.{key}"
            else:
                assert set(defined.get("enum", wanted)) == set(wanted), f"{place}.{key}"
        without_default = {key for key in schema.get("required", ()) if "default" not in schema["properties"][key]}
        assert set(KINDS[kind].required.get(place, ())) <= without_default, place
