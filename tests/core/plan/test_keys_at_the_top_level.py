"""Keys of the top level that users write in a cluster or a slice group."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
RENAMES = ("renamed_from", "rename_from", "moved_from", "aliases", "rename")
REPLACEMENTS = ("allow_replacement", "allow_replace", "replace")
CPU_POOLS = {"head": {"machine_type": "n2-standard-64", "nodes": 1, "zones": ["us-east5-b"]}}


def findings(group: dict[str, Any] | None = None, cluster: dict[str, Any] | None = None, **top: Any) -> list[Finding]:
    whole = {"mode": "standard", "location": "us-east5", "slices": {"a": GROUP | (group or {})}} | (cluster or {})
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": whole}, **top})
    return list(document.findings)


@pytest.mark.parametrize("value", [True, "pretrain", {"until": "2026-12-10", "reason": "x"}, ["a"]])
@pytest.mark.parametrize("level", ["cluster", "group"])
@pytest.mark.parametrize(
    ("word", "key"),
    [*((word, "moved: [{from: ") for word in RENAMES), *((word, "acknowledge: [{") for word in REPLACEMENTS)],
)
def test_the_entry_at_the_top_level_is_shown_and_nothing_is_fixed(
    word: str, key: str, level: str, value: object
) -> None:
    (finding,) = findings(**{level: {word: value}})
    assert (finding.rule, finding.fix, finding.allowed) == ("TPU020", "", ())
    assert key in finding.why


@pytest.mark.parametrize(
    ("word", "key"), [*((word, "moved") for word in RENAMES), *((word, "acknowledge") for word in REPLACEMENTS)]
)
def test_explain_leads_to_the_key_at_the_top_level(word: str, key: str) -> None:
    explanation = explain_word(read_catalog(), word)
    assert explanation is not None
    assert explanation.item == key


def test_a_mapping_is_another_key_only_if_it_has_one_of_its_keys() -> None:
    (finding,) = findings({"replacement": {"until": "2026-12-10", "reason": "x"}})
    assert finding.fix == ""
    assert findings({"placment": {"workload_polcy": "ours"}})[0].fix == "placement:"


@pytest.mark.parametrize("word", ["node_pools", "nodePools"])
def test_node_pools_without_tpus_are_cpu_pools(word: str) -> None:
    (finding,) = findings(cluster={word: CPU_POOLS})
    assert finding.fix == "cpu_pools:"


def test_node_pools_with_tpus_are_slices() -> None:
    (finding,) = findings(cluster={"node_pools": {"head": {**CPU_POOLS["head"], "tpu": "v6e"}}})
    assert (finding.fix, finding.why) == ("", "the key for this setting is `slices`, which is already set")


@pytest.mark.parametrize("word", ["max_duration", "max_run_time"])
def test_the_duration_of_a_group_is_a_setting_of_flex_start(word: str) -> None:
    (finding,) = findings({word: "3d"})
    assert finding.fix == "capacity: {flex_start: {max_run_duration: 3d}}"
    assert finding.why == "`max_run_duration` is a key of `capacity.flex_start`"


@pytest.mark.parametrize("word", ["group", "item", "cluster"])
def test_an_acknowledgement_is_of_a_group(word: str) -> None:
    entry = {"change": "replace", word: "train/a", "until": "2026-12-10", "reason": "x"}
    (finding,) = findings(acknowledge=[entry])
    assert finding.fix == "of:"


def test_a_missing_key_of_an_entry_creates_no_resource() -> None:
    (finding,) = findings(acknowledge=[{"change": "replace", "until": "2026-12-10", "reason": "x"}])
    assert (finding.rule, finding.why) == ("TPU021", "there is no default")
