"""The second preview of every plan is empty in the stand-in of the provider, with what GKE adds and without."""

import pytest
from support.each import each
from support.fresh_stacks import created
from support.gcp_standin.cloud import Cloud
from support.gke.additions import ADDED
from support.plan_corpus import Source, sources
from support.sampling import sample

from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL

REFUSED = ("every key",)
"""Shows each key once; the API refuses some of them beside others."""
PLANS = [item for item in (*sources("stacks"), *sources("matrix")) if item.name not in REFUSED]
WORLDS = {"GKE adds": ADDED, "GKE adds nothing": ()}


@each("plan", sample(PLANS, 14, lambda plan: plan.name.partition(" ")[0]), str)
@pytest.mark.parametrize("added", WORLDS.values(), ids=WORLDS)
def test_nothing_changes_after_the_first_update(plan: Source, added: tuple[str, ...]) -> None:
    cloud = Cloud()
    cloud.knobs.added = added
    stack, program = created(plan, cloud)
    assert stack.preview(program) == {}
    stack.refresh()
    assert stack.preview(program) == {}


def test_gke_adds_threads_to_every_tpu_node_pool_of_the_stacks() -> None:
    """What makes the test above fail where a program neither sets nor ignores it."""
    (plan,) = (item for item in PLANS if item.name == "stack ironwood")
    stack, _ = created(plan, Cloud())
    pools = {key: item.outputs for key, item in stack.resources.items() if key.startswith(f"{NODE_POOL}::")}
    threads = {
        key.rpartition("/")[2]: (pool["nodeConfig"]["advancedMachineFeatures"] or {}).get("threadsPerCore")
        for key, pool in pools.items()
    }
    assert threads == {"train-0": 1, "serve": 1, "system": None}
