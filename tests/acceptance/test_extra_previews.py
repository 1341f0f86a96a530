"""Any value in ``extra``: a plan that ``validate`` accepts can be previewed and compared, all others are rejected."""

import contextlib
import io
import json
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.cli import main
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyType
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.graph.keys import plan_keys
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL

RESOURCES = read_catalog().provider.resources
MODELED = {CLUSTER: plan_keys().modeled("cluster"), NODE_POOL: plan_keys().modeled("TPU node pool")}
INSIDE = {
    token: {
        block: sorted(
            path
            for path in RESOURCES[token].properties
            if path.rpartition(".")[0] == block and "[" not in path and path not in MODELED[token]
        )
        for block in {"", *(path.rpartition(".")[0] for path in RESOURCES[token].properties if "[" not in path)}
    }
    for token in (CLUSTER, NODE_POOL)
}
WORDS = st.sampled_from(
    ["a", "true", "3", "1.5", "", "us-east5-a", "__meta", "__defaults", "4dabf18193072939515e22adb298388d"]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
SCALARS: dict[PropertyType, Any] = {
    "string": WORDS,
    "boolean": st.booleans() | st.sampled_from(["true", "false"]),
    "integer": st.integers(0, 4) | st.sampled_from(["3"]),
    "number": st.floats(0, 1) | st.integers(0, 1),
    "map": st.dictionaries(WORDS, WORDS | st.booleans(), max_size=2),
    "strings": st.lists(WORDS | st.integers(0, 4), max_size=2),
}


@st.composite
def blocks(draw: Any, token: str, block: str, wrong: bool) -> dict[str, Any]:
    """Some properties of a block, in either spelling, with values of their type; ``wrong`` puts in others too."""
    names = INSIDE[token].get(block, [])
    if not names:
        return {}
    written = {}
    for path in draw(st.lists(st.sampled_from(names), max_size=3, unique=True)):
        kind = RESOURCES[token].properties[path].type
        inside = SCALARS.get(kind)
        if inside is None:
            one = blocks(token, path, wrong)
            inside = one if kind == "block" else st.lists(one, max_size=2)
        last = path.rpartition(".")[2]
        value = draw(inside | ANYTHING) if wrong else draw(inside)
        written[draw(st.sampled_from([last, snake_case(last)]))] = value
    return written


def run(*arguments: object) -> tuple[int, str]:
    """Exit code and what was written to stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--today", "2026-11-20"])
    return int(stop.value.code or 0), err.getvalue()


def plan(token: str = "", mode: str = "standard", extra: Any = None) -> str:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    cluster: dict[str, Any] = {"mode": mode, "location": "us-east5", "slices": {"main": group}}
    if token:
        (cluster if token == CLUSTER else group)["extra"] = extra
    return json.dumps({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})


@pytest.mark.parametrize("wrong", [False, True], ids=["right types", "any types"])
@pytest.mark.parametrize(
    ("token", "mode"), [(CLUSTER, "standard"), (CLUSTER, "autopilot"), (NODE_POOL, "standard")], ids=str
)
def test_what_validate_accepts_can_be_previewed_and_compared(
    tmp_path: pathlib.Path, token: str, mode: str, wrong: bool
) -> None:
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    before.write_text(plan(mode=mode), encoding="utf-8")

    @given(blocks(token, "", wrong))
    def check(extra: Any) -> None:
        after.write_text(plan(token, mode, extra), encoding="utf-8")
        accepted = run("validate", after)[0] == 0
        code, err = run("preview", after)
        assert ("internal error" in err, code == 0) == (False, accepted)
        assert "internal error" not in run("diff", before, after)[1]
        assert "internal error" not in run("diff", after, before)[1]

    check()


@pytest.mark.parametrize(
    "extra",
    [{"node_config": "x"}, {"node_config": {"tags": {"a": "b"}}}, {"network_config": [1]}, {"version": [3]}],
    ids=json.dumps,
)
def test_a_value_of_the_wrong_kind_is_refused_by_every_command(tmp_path: pathlib.Path, extra: Any) -> None:
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    before.write_text(plan(), encoding="utf-8")
    after.write_text(plan(NODE_POOL, extra=extra), encoding="utf-8")
    for command in (("validate", after), ("preview", after), ("diff", before, after)):
        code, err = run(*command)
        assert (code, "internal error" in err) == (1, False)
