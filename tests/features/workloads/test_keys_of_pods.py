"""Each key for the contents and the end of Pods beside others: accepted in a plan, and silent in ``gke-tpu check``."""

import datetime

import pytest
from support.pod_keys import EVERYWHERE, KEYS, KINDS, MODES, keys_of, plan_with, shapes_of

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.kinds import written_kinds
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.check.manifest_check import ManifestFile, check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

TODAY = datetime.date(2026, 11, 20)
OF_PATHWAYS = {"autopilot": {"TPU352"}, "standard": set()}
"""Pathways has no published form for Autopilot."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_key_is_accepted_and_its_objects_have_no_finding(kind: str, mode: str, catalog: Catalog) -> None:
    for topology in shapes_of(kind):
        plan = check_plan(parse_plan(plan_with(kind, mode, topology)), catalog, TODAY)
        own = {item.rule for item in plan.findings if "workloads" in item.path}
        assert own == (OF_PATHWAYS[mode] if kind == "pathways" else set()), (topology, plan.findings)
        (cluster,) = manifests_of(plan)
        file = ManifestFile("all.yaml", manifest_stream(cluster.manifests).encode())
        assert [item.message for item in check_manifests([file], catalog, plan)] == []
        assert [item.message for item in check_manifests([file], catalog, None, mode)] == []  # type: ignore[arg-type]


def test_each_key_is_tried_in_a_kind_that_has_it_and_in_every_kind_that_has_it() -> None:
    assert {key for kind in KINDS for key in keys_of(kind)} == KEYS.keys()
    of_some = {key for kind in written_kinds().values() for key in kind.keys}
    assert KEYS.keys() == {*EVERYWHERE, *of_some} - {
        "gateway",
        "head",
        "max_restarts",
        "pathways",
        "port",
        "scratch",
        "serve_config",
        "upgrade_strategy",
    }
