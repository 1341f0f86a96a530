"""What Kueue writes into an object that it admits, as its manager of fields."""

import copy
from collections.abc import Iterator
from typing import Any

from support.control_plane.client import Client, Object


def templates(value: Any) -> Iterator[Object]:
    """The Pod templates in an object."""
    if isinstance(value, dict):
        if "containers" in value.get("spec", {}):
            yield value
        for one in value.values():
            yield from templates(one)
    elif isinstance(value, list):
        for one in value:
            yield from templates(one)


def admit(client: Client, live: Object, flavor: Object, *, marks: bool = True) -> None:
    """Write what Kueue writes: into Pods with chips the labels of the flavor, and with ``marks`` its own."""
    changed = copy.deepcopy(live)
    for template in templates(changed["spec"]):
        if "google.com/tpu" in str(template["spec"]["containers"]):
            template["spec"]["nodeSelector"] = {**template["spec"].get("nodeSelector", {}), **flavor}
        if marks:
            metadata = template.setdefault("metadata", {})
            metadata.setdefault("labels", {})["kueue.x-k8s.io/podset"] = "main"
            metadata.setdefault("annotations", {})["kueue.x-k8s.io/workload"] = f"w-{live['metadata']['uid'][:5]}"
    changed["spec"].get("rayClusterConfig", changed["spec"])["suspend"] = False
    client.patch(live, {"spec": changed["spec"]}, manager="kueue")
