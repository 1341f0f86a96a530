"""A wrong accelerator label names hardware: each place that has such a label proposes the one of this hardware."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.features.check.forms import accelerator_label_meant, accelerator_labels
from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class, queues

CATALOG = read_catalog()
MEANT = {
    "tpu-v5e-slice": "tpu-v5-lite-podslice",
    "tpu-v5e": "tpu-v5-lite-podslice",
    "tpu-v5litepod": "tpu-v5-lite-podslice",
    "tpu-v4-slice": "tpu-v4-podslice",
    "tpu-v3-podslice": "tpu-v3-slice",
    "tpu-v5p-podslice": "tpu-v5p-slice",
    "v5p": "tpu-v5p-slice",
    "tpu-v6e-podslice": "tpu-v6e-slice",
    "ct6e-standard-4t": "tpu-v6e-slice",
    "TPU-V6E-SLICE": "tpu-v6e-slice",
    "trillium": "tpu-v6e-slice",
    "tpu7x-slice": "tpu7x",
    "tpu-v7x-slice": "tpu7x",
    "tpu-v7x-lite-podslice": "tpu7x",
    "ironwood": "tpu7x",
    "tpu-v6e-slic": "tpu-v6e-slice",
}
"""What people write -> the label that they mean."""
NO_MEANING = ("gpu", "nvidia-l4", "tpu8t", "v8t-256")


@pytest.mark.parametrize("word", MEANT)
def test_the_fix_of_a_wrong_label_is_the_label_of_the_same_hardware(word: str) -> None:
    places = {
        "TPU722": (tpu_pod(), f"cloud.google.com/gke-tpu-accelerator: {MEANT[word]}"),
        "TPU752": (queues(), MEANT[word]),
        "TPU781": (compute_class(), MEANT[word]),
    }
    for rule, (text, fix) in places.items():
        assert "tpu-v6e-slice" in text
        found = [item for item in findings_in(text.replace("tpu-v6e-slice", word)) if item.rule == rule]
        assert [item.fix for item in found] == [fix]


@pytest.mark.parametrize("word", NO_MEANING)
def test_a_word_without_a_label_has_no_fix(word: str) -> None:
    assert accelerator_label_meant(CATALOG, word) == ""


def test_a_right_label_means_itself() -> None:
    for label in accelerator_labels(CATALOG):
        assert accelerator_label_meant(CATALOG, label) == label


def pod(topology: str, chips: int, *labels: str) -> str:
    selector = "\n".join(f"cloud.google.com/gke-tpu-accelerator: {label}" for label in labels)
    text = tpu_pod(topology=topology, chips=chips, selector=selector)
    return text.replace("    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n", "")


@pytest.mark.parametrize(
    ("topology", "chips", "found"),
    [
        ("2x4", 8, []),
        ("2x4", 4, []),
        ("2x4", 2, ["TPU726"]),
        ("3x9", 4, ["TPU723"]),
        ("4x4x8", 4, []),
        ("4x4x8", 8, ["TPU726"]),
        ("'4'", 4, ["TPU723"]),
    ],
)
def test_a_topology_without_an_accelerator_is_checked(topology: str, chips: int, found: list[str]) -> None:
    assert broken(pod(topology, chips)) == sorted([*found, "TPU743"])


@pytest.mark.parametrize(
    ("topology", "chips", "found"), [("2x4", 8, []), ("2x3", 4, ["TPU723"]), ("2x2", 8, ["TPU726"])]
)
def test_a_misspelled_accelerator_does_not_hide_topology_and_chips(topology: str, chips: int, found: list[str]) -> None:
    assert broken(pod(topology, chips, "tpu-v6-slice")) == ["TPU722", *found]


def test_an_accelerator_without_a_meaning_hides_what_depends_on_it() -> None:
    assert broken(pod("2x3", 8, "nvidia-h100-80gb")) == ["TPU722"]
