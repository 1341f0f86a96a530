"""The failures and usual states in ``tests/data/incidents.yaml``, as the objects that report them."""

import pathlib
from typing import Any

import yaml
from support.live_objects import Object, event

CASES = yaml.safe_load((pathlib.Path(__file__).parents[1] / "data" / "incidents.yaml").read_text(encoding="utf-8"))
POD = yaml.safe_load("""
apiVersion: v1
kind: Pod
metadata: {name: trainer, namespace: ml}
spec:
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
  containers:
    - {name: jax, image: trainer, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
""")


def objects(case: dict[str, Any]) -> list[Object]:
    """The objects of a case."""
    if "event" in case:
        waits = {**POD, "status": {"phase": "Pending"}}
        return [waits, event(POD, *(case["event"][key] for key in ("type", "reason", "message")))]
    if "pod" in case:
        return [{**POD, "status": case["pod"]}]
    return [{"metadata": {"name": "x", "namespace": "ml"}, **case["object"]}]
