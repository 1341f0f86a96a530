"""The kinds of operators in the real server: it refuses broken objects by schema and by CEL."""

from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.testbed import Testbed

pytestmark = pytest.mark.usefixtures("crds")


def jobset(**changes: Any) -> Object:
    container = {"name": "main", "image": "image"}
    template = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}}
    spec = {"replicatedJobs": [{"name": "slice", "replicas": 2, "template": template}], **changes}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"}, "spec": spec}


def kueue(kind: str, spec: Object) -> Object:
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": "train"}, "spec": spec}


def compute_class(**priority: Any) -> Object:
    tpu = {"type": "tpu-v6e-slice", "count": 4, "topology": "4x4"}
    spec = {"priorities": [{"tpu": tpu, **priority}], "whenUnsatisfiable": "DoNotScaleUp"}
    metadata = {"name": "train"}
    return {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass", "metadata": metadata, "spec": spec}


def queue(**quota: Any) -> Object:
    flavors = [{"name": "v6e", "resources": [{"name": "google.com/tpu", "nominalQuota": 16, **quota}]}]
    groups = [{"coveredResources": ["google.com/tpu"], "flavors": flavors}]
    return kueue("ClusterQueue", {"namespaceSelector": {}, "resourceGroups": groups})


@pytest.mark.parametrize("item", [jobset(), queue(), compute_class(), compute_class(spot=True)])
def test_correct_objects_are_accepted(bed: Testbed, item: Object) -> None:
    assert bed.refusal(item) == ""


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (jobset(replicas=2), 'unknown field "spec.replicas"'),
        (jobset(failurePolicy={"rules": [{"name": "all", "action": "Restart"}]}), "Unsupported value"),
        (queue(borrowingLimit=4), "borrowingLimit must be nil when cohort"),
        (kueue("ResourceFlavor", {"nodeLabels": {}, "topologyName": "default"}), "at least one nodeLabel is required"),
        (
            compute_class(spot=True, flexStart={"enabled": True}),
            "Flex Start provisioning model is incompatible with Spot",
        ),
    ],
)
def test_broken_objects_are_refused_by_schema_or_cel(bed: Testbed, item: Object, words: str) -> None:
    assert words in bed.refusal(item)
