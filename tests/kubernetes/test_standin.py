"""What the real server stores of the objects that we write, and how it deletes them; and that the stand-in does so too.

The server of these tests has the schemas of the operators and not their webhooks, so Pod templates of their kinds are
also sent as objects of Kubernetes, which reads them as the webhooks do.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from support.control_plane.client import Object, Refused
from support.control_plane.crds import find_crds
from support.control_plane.testbed import Testbed
from support.kubernetes_standin.difference import REPLACED, differences, pruned
from support.kubernetes_standin.server import IMMUTABLE, Objects, at, quantities_in
from support.workload_plans import every_option, objects_of, only

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity

pytestmark = pytest.mark.usefixtures("crds")

MODES = ("standard", "autopilot")
OF_KUBERNETES = ("v1", "apps/v1", "batch/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1")
VOLATILE = ("uid", "creationTimestamp", "generation", "managedFields", "resourceVersion")


@pytest.mark.parametrize("mode", MODES)
def test_the_server_stores_every_field_as_it_is_sent(bed: Testbed, mode: str) -> None:
    """Otherwise Pulumi would plan a change at every run."""
    different = []
    for item in objects_of(every_option(mode)):
        sent = in_namespace(item, bed)
        stored = pruned(bed.client.create(sent, bed.namespace, dry_run=True), sent)
        different += [(item["kind"], item["metadata"]["name"], stored)] if stored != sent else []
    assert different == []


@pytest.mark.parametrize("mode", MODES)
def test_the_server_stores_every_pod_template_as_it_is_sent(bed: Testbed, mode: str) -> None:
    found = 0
    for item in objects_of(every_option(mode)):
        for template in pod_templates(item):
            found += 1
            sent = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "t"}, "template": template}
            stored = bed.client.create(sent, bed.namespace, dry_run=True)
            assert pruned(stored["template"], template) == template, item["metadata"]["name"]
    assert found > len(("job", "jobset", "lws", "leader", "deployment", "ray head", "worker"))


def test_the_server_would_store_numbers_as_text(bed: Testbed) -> None:
    """The check above finds quantities in another form."""
    job = only([item for item in objects_of(every_option("standard")) if item["metadata"]["name"] == "job"], "Job")
    for block, key in quantities_in(job):
        block[key] = int(block[key]) if block[key].isdigit() else block[key]
    sent = in_namespace(job, bed)
    assert pruned(bed.client.create(sent, bed.namespace, dry_run=True), sent) != sent


@pytest.mark.parametrize("mode", MODES)
def test_the_standin_stores_objects_of_kubernetes_as_the_server_does(bed: Testbed, mode: str) -> None:
    items = [item for item in objects_of(every_option(mode)) if item["apiVersion"] in OF_KUBERNETES]
    for item in items:
        if item["kind"] != "Pod":
            sent = in_namespace(item, bed)
            real = bed.client.create(sent, bed.namespace, dry_run=True)
            assert list(differences(comparable(Objects().would_store(sent)), comparable(real))) == [], item["kind"]


@pytest.mark.parametrize("mode", MODES)
def test_the_standin_stores_the_defaults_of_the_schemas_of_operators(bed: Testbed, mode: str) -> None:
    """The webhooks, which are not here, add more."""
    for item in objects_of(every_option(mode)):
        if item["apiVersion"] not in OF_KUBERNETES:
            sent = in_namespace(item, bed)
            real = comparable(bed.client.create(sent, bed.namespace, dry_run=True))
            ours = pruned(comparable(Objects().would_store(sent)), real)
            assert list(differences(ours, real)) == [], item["kind"]


def test_the_quantities_of_the_standin_are_those_of_the_schemas(bed: Testbed) -> None:
    """A number where the schema has a quantity is accepted; elsewhere the server rejects text for a number."""
    for item in objects_of(every_option("standard")):
        changed = copy.deepcopy(item)
        for block, key in quantities_in(changed):
            block[key] = 4
        assert bed.refusal(in_namespace(changed, bed)) == "", item["kind"]


@pytest.mark.parametrize("mode", MODES)
def test_every_quantity_in_the_schemas_of_operators_is_text_in_canonical_form(mode: str) -> None:
    """Webhooks store that form, which these tests do not run; and the stand-in knows each of these quantities."""
    schemas = {
        (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]): version["schema"]
        for crd in find_crds()
        for version in crd["spec"]["versions"]
    }
    kinds = set()
    for item in objects_of(every_option(mode)):
        schema = schemas.get((item["apiVersion"], item["kind"]))
        if schema is not None:
            found = list(quantities_of_schema(item, schema["openAPIV3Schema"]))
            assert [value for value in found if value != canonical_quantity(value)] == []
            assert sorted(found) == sorted(block[key] for block, key in quantities_in(item))
            kinds |= {item["kind"]} if found else set()
    assert kinds == {"ClusterQueue", "Cohort", "JobSet", "LeaderWorkerSet", "RayCluster", "RayJob", "RayService"}


def quantities_of_schema(value: Any, schema: Object) -> Iterator[Any]:
    """The values of an object where its schema has a quantity."""
    if schema.get("x-kubernetes-int-or-string") and "[numkMGTPE]" in schema.get("pattern", ""):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from quantities_of_schema(item, schema.get("items", {}))
    elif isinstance(value, dict):
        others = schema.get("additionalProperties", {})
        for key, item in value.items():
            yield from quantities_of_schema(item, schema.get("properties", {}).get(key, others))


CHANGES: dict[str, dict[str, Any]] = {
    "AdmissionCheck": {"spec.controllerName": "other.com/check"},
    "Deployment": {"spec.selector": {"matchLabels": {"other": "label"}}},
    "Job": {
        "spec.completionMode": "NonIndexed",
        "spec.podFailurePolicy": None,
        "spec.selector": {"matchLabels": {"other": "label"}},
        "spec.template": {"spec": {"dnsPolicy": "Default"}},
    },
    "LocalQueue": {"spec.clusterQueue": "another"},
    "PersistentVolumeClaim": {
        "spec.accessModes": ["ReadWriteMany"],
        "spec.dataSource": {"kind": "PersistentVolumeClaim", "name": "another"},
        "spec.storageClassName": "another",
    },
    "PriorityClass": {"preemptionPolicy": "Never", "value": 11},
    "StorageClass": {
        "parameters": {"type": "pd-balanced"},
        "provisioner": "example.com/other",
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "Immediate",
    },
}


def test_the_changes_cover_what_the_standin_rejects() -> None:
    """The specification of a JobSet is rejected by its webhook, which is not here."""
    assert {kind: tuple(paths) for kind, paths in CHANGES.items()} | {"JobSet": ("spec",)} == IMMUTABLE


@pytest.mark.parametrize(("kind", "path"), [(kind, path) for kind, paths in CHANGES.items() for path in paths])
def test_the_server_rejects_the_change_of_a_fixed_property(scheduling: Testbed, kind: str, path: str) -> None:
    item = next(item for item in objects_of(every_option("standard")) if item["kind"] == kind)
    name = f"{item['metadata']['name']}-{scheduling.namespace}"
    scheduling.create({**item, "metadata": {**item["metadata"], "name": name}})
    made = next(
        found
        for found in scheduling.client.list(item["apiVersion"], kind, scheduling.namespace)
        if name_of(found) == name
    )
    change: Any = CHANGES[kind][path]
    for step in reversed(path.split(".")):
        change = {step: change}
    with pytest.raises(Refused, match=r"immutable|forbidden|may not be changed|must not be|field is"):
        scheduling.client.patch(made, change)


def test_a_change_that_the_provider_or_the_server_does_not_make_replaces_the_object() -> None:
    kinds = read_catalog().kubernetes
    fixed = {kinds.kinds.objects[key].kind: paths for key, paths in kinds.replacements.fixed.items()}
    for table in (REPLACED, IMMUTABLE):
        for kind, paths in table.items():
            missing = [path for path in paths if path not in fixed[kind] and f"{kind} {path}" not in NEVER_WRITTEN]
            assert missing == [], kind


NEVER_WRITTEN = ("PersistentVolumeClaim spec.volumeName", "PersistentVolumeClaim spec.selector")
"""Properties that gke-tpu does not write."""


@pytest.mark.parametrize("kind", ["Deployment", "Job"])
def test_an_object_deleted_in_the_foreground_stays_until_its_pods_have_ended(scheduling: Testbed, kind: str) -> None:
    item, made = running(scheduling, kind)
    scheduling.client.request("DELETE", path_of(made), propagationPolicy="Foreground")
    with pytest.raises(Refused, match="object is being deleted"):
        scheduling.client.create(item, scheduling.namespace)


@pytest.mark.parametrize("kind", ["Deployment", "Job"])
def test_an_object_deleted_in_the_background_can_be_created_again_at_once(scheduling: Testbed, kind: str) -> None:
    item, made = running(scheduling, kind)
    scheduling.client.request("DELETE", path_of(made), propagationPolicy="Background")
    again = scheduling.client.create(item, scheduling.namespace)
    assert again["metadata"]["uid"] != made["metadata"]["uid"]


def running(bed: Testbed, kind: str) -> tuple[Object, Object]:
    """A workload with a Pod: as it was sent, and as it was stored."""
    items = objects_of(every_option("standard"))
    name = {"Deployment": "chat", "Job": "small"}[kind]
    item = copy.deepcopy(only([item for item in items if item["metadata"]["name"] == name], kind))
    made = bed.client.create(item, bed.namespace)
    bed.wait_for_pods(1)
    for pod in bed.pods():  # there is no kubelet, so a Pod would end at once
        bed.client.patch(pod, {"metadata": {"finalizers": [*pod["metadata"].get("finalizers", ()), "example.com/end"]}})
    return item, made


def path_of(item: Object) -> str:
    group, kind = item["apiVersion"], item["kind"].lower()
    return f"/apis/{group}/namespaces/{item['metadata']['namespace']}/{kind}s/{item['metadata']['name']}"


def in_namespace(item: Object, bed: Testbed) -> Object:
    if "namespace" not in item["metadata"]:
        return item
    return {**item, "metadata": {**item["metadata"], "namespace": bed.namespace}}


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])


def comparable(item: Object) -> Object:
    """An object without what differs at each creation."""
    result: Object = copy.deepcopy(item)
    result.pop("status", None)
    uid = result["metadata"].get("uid")
    for key in VOLATILE:
        result["metadata"].pop(key, None)
    if item["kind"] == "Service" and at(item, "spec.clusterIP") != "None":
        result["spec"] |= {"clusterIP": "assigned", "clusterIPs": ["assigned"]}
    return renamed(result, uid)  # type: ignore[no-any-return]


def renamed(value: Any, uid: object) -> Any:
    """Every text that is the identity of the object, replaced."""
    if isinstance(value, dict):
        return {key: renamed(item, uid) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, uid) for item in value]
    return "UID" if value == uid else value


def pod_templates(item: Any) -> Iterator[Object]:
    """Every Pod template inside an object."""
    if isinstance(item, list):
        for element in item:
            yield from pod_templates(element)
    elif isinstance(item, dict):
        for key, value in item.items():
            if isinstance(value, dict) and "containers" in value.get("spec", {}):
                yield value
            elif key != "metadata":
                yield from pod_templates(value)
