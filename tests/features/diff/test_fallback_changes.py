"""What `diff` states where a ComputeClass begins or ends to serve a group, and where only the class changes."""

import pytest
from support.plan_edits import only_item

GROUP = "tpu: v6e\ntopology: 4x4\n"
CLASS = f"{GROUP}fallback: [spot]\n"
AUTOPILOT = "mode: autopilot\nlocation: us-east5\nslices: {{pretrain: {{tpu: v6e, topology: 2x2{}}}}}\n"
SERVED = (
    "ComputeClass `tpu-pretrain` serves the group: GKE creates its node pools when Pods need them. Workloads select it "
    "with `cloud.google.com/compute-class: tpu-pretrain`"
)
KEPT = "Pulumi does not delete the node pools that GKE created for ComputeClass `tpu-pretrain`; "
NEW_NODES = "The ComputeClass changes for new nodes only: existing nodes stay until their Pods end."


@pytest.mark.parametrize(
    ("before", "after", "change", "expected"),
    [
        pytest.param(
            GROUP,
            CLASS,
            "delete",
            f"`pretrain-0` is deleted (4 hosts, 16 chips); running jobs on it stop. {SERVED} from now on.",
            id="from node pools",
        ),
        pytest.param(
            CLASS,
            GROUP,
            "create",
            f"`pretrain-0` is created with 4 hosts (16 chips). The group uses 16 chips of quota "
            f"`tpus_per_tpu_family (CT6E)` in `us-east5`. {KEPT}delete the ComputeClass after the Pods that select it.",
            id="to node pools",
        ),
        pytest.param(CLASS, f"{GROUP}fallback: [flex_start]\n", "metadata", NEW_NODES, id="another mode"),
        pytest.param(
            f"{GROUP}fallback: [spot, flex_start]\n",
            f"{GROUP}fallback: [flex_start, spot]\n",
            "metadata",
            NEW_NODES,
            id="another order",
        ),
        pytest.param(
            CLASS,
            f"{CLASS}count: 3\n",
            "metadata",
            f"{NEW_NODES} Cost and quota assume up to 48 chips instead of up to 16.",
            id="more slices",
        ),
        pytest.param(
            AUTOPILOT.format(""),
            AUTOPILOT.format(", fallback: [spot]"),
            "metadata",
            f"{SERVED} from now on.",
            id="on Autopilot",
        ),
        pytest.param(
            AUTOPILOT.format(", fallback: [spot]"),
            AUTOPILOT.format(""),
            "metadata",
            f"{KEPT}delete the ComputeClass after the Pods that select it.",
            id="on Autopilot, the reverse",
        ),
    ],
)
def test_the_consequence_is_stated(before: str, after: str, change: str, expected: str) -> None:
    item = only_item(before, after)
    assert (item.change, item.consequence) == (change, expected)


def test_the_keys_that_changed_are_fallback_alone() -> None:
    item = only_item(f"{GROUP}count: 2\n", f"{GROUP}count: 2\nfallback: [spot, flex_start]\n")
    assert [(found.key, found.was, found.will) for found in item.written] == [("fallback", "", "[spot, flex_start]")]
