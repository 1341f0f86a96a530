"""What a wrong key or value stands for, and where nothing is guessed."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import ClusterSpec, Plan, SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.cpu_pools import AutoprovisioningSpec
from pulumi_gke_tpu.core.plan.reading.corrections import UNCLEAR, corrected_key, corrected_value, entry_within


@pytest.mark.parametrize(
    ("part", "word", "name", "value"),
    [
        (ClusterSpec, "maintenence", "maintenance", {"windw": {}}),
        (ClusterSpec, "system_pol", "system_pool", {"zones": 1}),
        (SliceGroupSpec, "node_label", "node_labels", {"stage": 1}),
        (SliceGroupSpec, "taint", "taints", ["a=b:NoSchedule"]),
    ],
)
def test_a_misspelt_key_keeps_a_mapping_or_list_with_a_mistake_inside(
    part: type[PlanModel], word: str, name: str, value: Any
) -> None:
    assert corrected_value(part, name, value) is UNCLEAR
    assert corrected_key(part, word, value, {}) == {name: value}


def test_a_misspelt_key_does_not_keep_a_value_of_another_kind() -> None:
    assert corrected_key(ClusterSpec, "maintenence", ["window"], {}) is None
    assert corrected_key(SliceGroupSpec, "taint", {"a": "b"}, {}) is None


@pytest.mark.parametrize("text", ["0, 2", "0,2,", "[0, 2]", ", 0; 2", "0 2"])
def test_a_list_in_one_string_is_split_at_separators(text: str) -> None:
    assert corrected_value(SliceGroupSpec, "indices", text) == [0, 2]


@pytest.mark.parametrize(
    ("text", "items"), [("ray, gcs_fuse", ["ray", "gcs_fuse"]), ("[ray]", ["ray"]), ("ray", ["ray"])]
)
def test_a_list_of_strings_in_one_string_is_split_as_well(text: str, items: list[str]) -> None:
    assert corrected_value(ClusterSpec, "addons", text) == items


def test_no_list_is_read_in_a_string_without_a_word() -> None:
    assert corrected_value(ClusterSpec, "addons", " , ") is UNCLEAR


def test_a_key_of_a_lower_level_is_put_there_unless_that_level_is_written() -> None:
    assert corrected_key(ClusterSpec, "mtu", 1500, {}) == {"network": {"create": {"mtu": 1500}}}
    assert corrected_key(ClusterSpec, "mtu", 1500, {"network": "create"}) is None
    assert corrected_key(SliceGroupSpec, "spot", True, {}) == {"capacity": "spot"}
    assert corrected_key(SliceGroupSpec, "spot", False, {}) == {"capacity": {"spot": False}}
    assert corrected_key(SliceGroupSpec, "reservation", "pool", {"capacity": "spot"}) is None


def test_a_misspelt_word_stands_for_the_one_that_is_near() -> None:
    assert corrected_value(ClusterSpec, "mode", "standart") == "standard"
    assert corrected_value(ClusterSpec, "mode", "else") is UNCLEAR


@pytest.mark.parametrize(("text", "gibibytes"), [("2 TiB", 2048), ("2Ti", 2048), ("4,000 GB", 4000), ("1,024", 1024)])
def test_an_amount_of_memory_is_read_with_its_unit(text: str, gibibytes: int) -> None:
    assert corrected_value(AutoprovisioningSpec, "memory_gib", text) == gibibytes


def test_a_true_key_of_another_part_stands_for_nothing() -> None:
    assert corrected_key(SliceGroupSpec, "preemptible", True, {}) == {"capacity": "spot"}
    assert corrected_key(ClusterSpec, "preemptible", True, {}) is None


def test_a_value_is_recognized_by_its_beginning_if_it_has_three_letters_or_digits() -> None:
    assert corrected_value(Plan, "version", "1.0.0") == 1
    assert corrected_value(Plan, "version", "1.0") == 1
    assert corrected_value(Plan, "version", "1.34") is UNCLEAR


@pytest.mark.parametrize(
    ("annotation", "entry", "meant"),
    [
        (str, {"name": "data"}, "data"),
        (str | None, {"name": "data", "subnet": "other"}, {"name": "data", "subnet": "other"}),
        (str, {}, {}),
        (int, {"index": 1}, {"index": 1}),
    ],
)
def test_a_mapping_stands_for_a_text_only_if_it_contains_nothing_else(annotation: Any, entry: Any, meant: Any) -> None:
    assert entry_within(annotation, entry) == meant
