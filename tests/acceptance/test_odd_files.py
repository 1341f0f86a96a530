"""Inventories, organization files, budgets, cubes and facts in which something is odd lead only to findings."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fixtures.commands import Run
from support.odd_json import CONTROL, odd_versions

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "examples"
SHARED, PLAN = EXAMPLES / "shared-reservation.yaml", EXAMPLES / "first-plan-fixed.yaml"
PRICE = {
    "family": "ct6e",
    "region": "us-east5",
    "model": "spot",
    "usd": 1,
    "source": ["plan-tpus"],
    "as_of": "2026-01-01",
}
FACTS = {
    "prices": {"prices": [PRICE]},
    "generations": {"v6e": {"also_called": ["six"]}},
}
CALLS: dict[str, tuple[Any, tuple[object, ...]]] = {
    "inventory": (EXAMPLES / "inventory.yaml", ("validate", SHARED, "--inventory")),
    "quota": (EXAMPLES / "inventory.yaml", ("quota", SHARED, "--inventory")),
    "organization": (EXAMPLES / "organization.yaml", ("validate", SHARED, "--organization")),
    "budgets": (SHARED, ("validate",)),
    "cost of budgets": (SHARED, ("cost",)),
    "cubes": (EXAMPLES / "cubes.yaml", ("manifests",)),
    "facts": (FACTS, ("preview", PLAN, "--prices", "--catalog")),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_odd_file_leads_to_findings(name: str, gke_tpu: Callable[..., Run], tmp_path: pathlib.Path) -> None:
    source, call = CALLS[name]
    document = yaml.safe_load(source.read_text(encoding="utf-8")) if isinstance(source, pathlib.Path) else source
    file = tmp_path / "odd.yaml"

    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(odd_versions(json.loads(json.dumps(document, default=str))), st.booleans())
    def check(odd: Any, as_json: bool) -> None:
        text = json.dumps(odd) if as_json else yaml.safe_dump(odd)
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        run = gke_tpu(*call, file)
        assert run.code in (0, 1, 2)
        assert not CONTROL.search(run.out + run.err)

    check()
