"""Objects as the API server stores them, which ``kubectl get -o yaml`` writes."""

import pathlib
from collections import Counter
from typing import Any

import pytest
import yaml
from support.control_plane.client import Refused
from support.control_plane.testbed import Testbed
from support.manifests import findings_in

VALID = pathlib.Path(__file__).parents[1] / "manifests" / "valid"
FILES = [file for file in sorted(VALID.glob("*/*.yaml")) if "{{" not in file.read_text(encoding="utf-8")]


def objects_in(file: pathlib.Path) -> list[dict[str, Any]]:
    documents = [item for item in yaml.safe_load_all(file.read_text(encoding="utf-8")) if item]
    return [part for item in documents for part in (item["items"] if item["kind"] == "List" else [item])]


BUILT_IN = {"Deployment", "Job", "ReplicaSet", "StatefulSet"}
"""Kinds whose Pods the controllers of Kubernetes itself create."""
WITH_PODS = [(file, item) for file in FILES for item in objects_in(file) if item["kind"] in BUILT_IN]


def stored(bed: Testbed, item: dict[str, Any]) -> dict[str, Any]:
    """An object with everything that the API server adds to it, in its own namespace."""
    try:
        found = bed.client.create(item, bed.namespace, dry_run=True)
    except Refused as refused:
        if refused.status == 404:
            pytest.skip("the control plane has no definition of this kind")
        raise
    found["metadata"].pop("namespace", None)
    namespace = {key: value for key, value in item["metadata"].items() if key == "namespace"}
    return {**found, "metadata": {**found["metadata"], **namespace}}


def findings_of(items: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, finding.message) for finding in findings_in(yaml.safe_dump_all(items)))


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.name}" for file in FILES])
def test_stored_objects_have_the_findings_of_written_ones(bed: Testbed, crds: None, file: pathlib.Path) -> None:
    written = objects_in(file)
    assert findings_of([stored(bed, item) for item in written]) == findings_of(written)


@pytest.mark.parametrize(
    ("file", "item"), WITH_PODS, ids=[f"{file.name}/{item['metadata']['name']}" for file, item in WITH_PODS]
)
def test_pods_that_controllers_create_have_no_findings(
    scheduling: Testbed, file: pathlib.Path, item: dict[str, Any]
) -> None:
    elsewhere = ("priorityClassName", "runtimeClassName", "serviceAccountName")
    template = item["spec"]["template"]
    pod = {key: value for key, value in template["spec"].items() if key not in elsewhere}
    spec = {key: value for key, value in item["spec"].items() if key != "suspend"}
    scheduling.create({**item, "spec": {**spec, "template": {**template, "spec": pod}}})
    scheduling.wait_for_pods(1)
    # Their status has the reason of the scheduler: this cluster has no nodes for them.
    pods = [{key: value for key, value in created.items() if key != "status"} for created in scheduling.pods()]
    assert findings_of([{"apiVersion": "v1", "kind": "Pod", **created} for created in pods]) == Counter()
