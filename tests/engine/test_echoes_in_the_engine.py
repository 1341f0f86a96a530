"""Every value that GKE may add without an effect, all at once, in the real engine."""

import pytest
from support.engine.engine_cloud import Engine
from support.gcp_standin.echoes import echoes, expected
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.shipped import program, shipped_plan

HARMLESS = tuple(
    (token, path, value)
    for token in (CLUSTER, POOL)
    for path, value in echoes(token)
    if not any(
        path == block or path.startswith(f"{block}.")
        for how in ("replaces", "updates")
        for block in expected(token)[how]
    )
)


@pytest.mark.parametrize("name", ["prod", "ironwood"])
def test_all_values_without_an_effect_change_nothing(engine: Engine, name: str) -> None:
    stack, fleet = engine.stack(name), program(shipped_plan(name), name)
    assert stack.up(fleet).error == ""
    engine.cloud.requests.clear()
    engine.cloud.knobs.echoes = HARMLESS
    assert stack.refresh().error == ""
    run = stack.up(fleet)
    assert (run.error, run.ops()) == ("", {})
    assert engine.cloud.requests == []


def test_a_value_that_replaces_is_seen(engine: Engine) -> None:
    stack, fleet = engine.stack("ironwood"), program(shipped_plan("ironwood"), "ironwood")
    assert stack.up(fleet).error == ""
    engine.cloud.knobs.echoes = ((POOL, "nodeConfig.soleTenantConfig", {"minNodeCpus": 0}),)
    assert stack.refresh().error == ""
    assert "as it is currently marked for protection" in stack.preview(fleet).error
