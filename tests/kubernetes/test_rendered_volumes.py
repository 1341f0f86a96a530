"""Workloads with every kind of volume in the real server, in both modes: objects, and Pods that follow from them."""

from typing import Any

import pytest
from support.control_plane.client import Refused
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.testbed import Testbed
from support.volumes import KINDS, SOURCES, objects_of, volume_plan

pytestmark = pytest.mark.usefixtures("crds")

MODES = ("standard", "autopilot")


def volumes(mode: str) -> dict[str, Any]:
    """Every source; Autopilot rejects folders of the node."""
    every = {name: {"mount": f"/{name}", **source} for name, source in SOURCES.items()}
    return {name: item for name, item in every.items() if mode == "standard" or "host_path" not in item}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_server_accepts_every_volume_of_every_kind(bed: Testbed, kind: str, mode: str) -> None:
    accounts = {"service_accounts": {"trainer": {"google": "create"}}}
    plan = volume_plan({"w": (kind, volumes(mode))}, mode, accounts, w={"service_account": "trainer"})
    items = objects_of(plan)
    core = [part for item in items for part in expand(item, bed.namespace)]
    pods = list(sample_pods(core))
    assert pods
    everything = [*items, *core, *pods]
    assert {"ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"} <= {item["kind"] for item in everything}
    accounts_of_plan = [item for item in items if item["kind"] == "ServiceAccount"]
    assert [words for item in accounts_of_plan if (words := bed.refusal(item))] == []
    # The server rejects Pods of a service account that does not exist.
    bed.create(*({**item, "metadata": {"name": "trainer"}} for item in accounts_of_plan))
    others = [item for item in everything if item not in accounts_of_plan]
    assert [(item["kind"], words) for item in others if (words := bed.refusal(item))] == []


CHANGES: dict[str, dict[str, Any]] = {
    "source": {"csi": {"volumeHandle": "acme-ml/us-east5-b/other"}},
    "mode": {"volumeMode": "Block"},
}


def test_the_source_of_a_volume_cannot_change(scheduling: Testbed) -> None:
    """So a new address leads to a new name, see ``MountedFileSystem.claim``."""
    items = objects_of(volume_plan({"w": ("jobset", {"a": {"mount": "/a", **SOURCES["lustre"]}})}))
    (volume,) = (item for item in items if item["kind"] == "PersistentVolume")
    scheduling.create(volume)
    for change in CHANGES.values():
        with pytest.raises(Refused, match="immutable"):
            scheduling.client.patch(volume, {"spec": change})
    assert scheduling.client.patch(volume, {"spec": {"capacity": {"storage": "18000Gi"}}})
