"""Rules about the accelerator, topology and zone that pods select."""

import pytest
from support.manifest_texts import assert_found, only
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.forms import accelerator_label_meant, accelerator_labels
from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class, queues

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

FOUND = {
    # accelerator and topology
    "a machine type as a label": (tpu_pod().replace("tpu-v6e-slice", "ct6e-standard-4t"), "TPU722", E, "`ct6e-"),
    "a generation as a label": (tpu_pod().replace("tpu-v6e-slice", "v6e"), "TPU722", E, "`v6e`"),
    "an announced generation": (tpu_pod().replace("tpu-v6e-slice", "tpu8t"), "TPU722", W, "Google announced TPU 8t"),
    "no TPU at all": (tpu_pod().replace("tpu-v6e-slice", "nvidia-l4"), "TPU722", E, "nvidia-l4"),
    "a topology of another generation": (tpu_pod(topology="2x2x1"), "TPU723", E, "v6e does not have it"),
    "a topology that is text": (tpu_pod(topology="four"), "TPU723", E, "`four`"),
    "a topology in an affinity": (
        tpu_pod().replace(
            "  nodeSelector:\n    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
            "    cloud.google.com/gke-tpu-topology: 2x2\n",
            "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [tpu-v6e-slice]}, "
            "{key: cloud.google.com/gke-tpu-topology, operator: In, values: [3x3]}]}]}}}\n",
        ),
        "TPU723",
        E,
        "`3x3`",
    ),
    "a topology alone": (
        tpu_pod().replace("    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n", ""),
        "TPU743",
        W,
        "missing selector cloud.google.com/gke-tpu-accelerator",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


def test_a_value_in_an_affinity_has_its_place() -> None:
    finding = only(FOUND["a topology in an affinity"][0])
    assert finding.path[-3:] == ("matchExpressions", 1, "values")
    assert finding.position is not None
    assert "3x3" in finding.position.text


def test_dimensions_out_of_order_have_a_fix() -> None:
    assert only(tpu_pod(topology="4x2", chips=8)).fix == "cloud.google.com/gke-tpu-topology: 2x4"


def test_an_unknown_accelerator_in_a_list_does_not_hide_the_topology() -> None:
    text = FOUND["a topology in an affinity"][0]
    assert broken(text.replace("[tpu-v6e-slice]", "[tpu-v6e-slice, tpu-v6e]")) == ["TPU722", "TPU723"]
    assert broken(text.replace("[tpu-v6e-slice]", "[tpu-v6e-slice, h100]")) == ["TPU722", "TPU723"]


@pytest.mark.parametrize("selector", ["cloud.google.com/compute-class: a", "cloud.google.com/gke-nodepool: a"])
def test_a_class_or_a_pool_stands_for_the_topology(selector: str) -> None:
    text = tpu_pod(selector=selector).replace("    cloud.google.com/gke-tpu-topology: 2x2\n", "")
    assert "TPU743" not in broken(text)


UNSELECTED = tpu_pod().replace(
    "  nodeSelector:\n    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
    "    cloud.google.com/gke-tpu-topology: 2x2\n",
    "",
)


def test_a_pod_with_chips_that_selects_nothing_has_a_warning_on_autopilot() -> None:
    found = only(UNSELECTED, mode="autopilot")
    assert (found.rule, found.severity) == ("TPU743", W)
    assert found.message.startswith("missing selectors cloud.google.com/gke-tpu-accelerator and ")


@pytest.mark.parametrize(
    "change",
    [
        ("spec:\n", "spec:\n  nodeName: gke-train-0\n"),
        (
            "metadata: {name: trainer}",
            "metadata: {name: trainer, labels: {kueue.x-k8s.io/queue-name: research}}",
        ),
        ("image: trainer", "command: [run]"),
    ],
)
def test_what_chooses_the_nodes_stands_for_both_labels(change: tuple[str, str]) -> None:
    assert "TPU743" not in broken(UNSELECTED.replace(*change), mode="autopilot")


@pytest.mark.parametrize(("subdomain", "rules"), [("subdomain: trainer", ["TPU743"]), ("", [])])
def test_pods_that_find_each_other_by_name_need_one_slice(subdomain: str, rules: list[str]) -> None:
    lines = tpu_job().replace("subdomain: trainer", subdomain).splitlines()
    text = "\n".join(line for line in lines if "nodeSelector" not in line and "cloud.google.com/" not in line)
    assert [rule for rule in broken(text) if rule == "TPU743"] == rules


def test_an_unknown_topology_does_not_hide_chips_that_no_host_has() -> None:
    found = findings_in(tpu_pod(topology="4x5", chips=3))
    assert [(each.rule, each.severity) for each in found] == [("TPU723", E), ("TPU726", E)]
    assert found[1].message == "the Pod requests 3 chips, and hosts of v6e have 1, 4 or 8"


def test_chips_of_some_host_have_no_finding_beside_an_unknown_topology() -> None:
    assert broken(tpu_pod(topology="4x5", chips=4)) == ["TPU723"]


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
        findings = findings_in(text.replace("tpu-v6e-slice", word))
        found = [item for item in findings if item.rule == rule and "unknown accelerator" in item.message]
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


@pytest.mark.parametrize("word", ["tpu-foo", "gpu", "nvidia-h100-80gb"])
@pytest.mark.parametrize(
    ("topology", "chips", "found"),
    [
        ("2x4", 8, []),
        ("2x4", 2, ["TPU726"]),
        ("2x3", 8, ["TPU723"]),
        ("3x3", 3, ["TPU723", "TPU726"]),
        ("'4'", 4, ["TPU723"]),
    ],
)
def test_an_accelerator_without_a_meaning_does_not_hide_topology_and_chips(
    word: str, topology: str, chips: int, found: list[str]
) -> None:
    """The same findings as without an accelerator, whose absence beside a topology is one more."""
    assert broken(pod(topology, chips, word)) == ["TPU722", *found]
    assert broken(pod(topology, chips)) == sorted([*found, "TPU743"])


@pytest.mark.parametrize("word", ["tpu8t", "${ACCELERATOR}"])
def test_an_accelerator_whose_topologies_are_not_known_hides_what_depends_on_it(word: str) -> None:
    assert set(broken(pod("3x3", 3, f'"{word}"'))) <= {"TPU722"}


@pytest.mark.parametrize(
    ("labels", "topology", "chips", "found"),
    [
        ("[tpu-v6e-slice, tpu-foo]", "3x3", 8, ["TPU722", "TPU723"]),
        ("[tpu-v6e-slice, tpu-foo]", "2x4", 8, ["TPU722"]),
        ("[tpu-v6e-slice, tpu8t]", "3x3", 3, ["TPU722"]),
        ("[tpu-v6e-slice, tpu-v5-lite-podslice]", "3x3", 4, ["TPU723"]),
    ],
)
def test_one_accelerator_of_an_affinity_has_no_meaning(
    labels: str, topology: str, chips: int, found: list[str]
) -> None:
    term = f"{{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: {labels}}}"
    affinity = (
        f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{term}]}}]}}"
    )
    text = pod(topology, chips).replace("spec:\n", f"spec:\n  affinity: {{nodeAffinity: {{{affinity}}}}}\n", 1)
    assert broken(text) == found


@pytest.mark.parametrize(
    ("word", "topology", "chips", "found"),
    [
        ("tpu-v6e-podslice", "4x4", 4, []),
        ("tpu-v6e-podslice", "2x3", 4, ["unknown topology `2x3`: v6e does not have it"]),
        ("tpu-v6e-podslice", "4x4", 3, ["no host of a slice 4x4 of v6e has `3` chips"]),
        ("tpu-v6-foo", "4x4", 4, []),
        ("tpu-foo", "2x3", 4, ["unknown topology `2x3`: no generation has it"]),
        ("tpu-foo", "4x4", 3, ["no host of a slice 4x4 of any generation has `3` chips"]),
        ("tpu8t", "2x3", 3, []),
    ],
)
def test_a_wrong_accelerator_of_a_class_or_flavor_does_not_hide_the_topology(
    word: str, topology: str, chips: int, found: list[str]
) -> None:
    count = f"cloud.google.com/gke-accelerator-count: '{chips}'"
    texts = {
        "TPU781": compute_class().replace("count: 4", f"count: {chips}"),
        "TPU752": queues().replace("topology: 4x4", f"topology: 4x4, {count}", 1),
    }
    for rule, text in texts.items():
        assert "4x4" in text
        findings = findings_in(text.replace("tpu-v6e-slice", word).replace("4x4", topology))
        own = [item.message for item in findings if item.rule == rule]
        assert "unknown accelerator" in own[0]
        assert own[1:] == found


WITHOUT = tpu_pod().replace(
    "    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n    cloud.google.com/gke-tpu-topology: 2x2\n", "%s"
)


@pytest.mark.parametrize(
    ("selector", "reported"),
    [
        ("kubernetes.io/os: linux", True),
        ("kubernetes.io/arch: amd64", True),
        ('cloud.google.com/gke-spot: "true"', True),
        ("team: research", True),
        ("cloud.google.com/compute-class: v6e", False),
        ("'{{ .Values.key }}': a", False),
    ],
)
def test_other_selectors_do_not_describe_a_slice_on_autopilot(selector: str, reported: bool) -> None:
    assert "nodeSelector:\n%s" in WITHOUT
    found = broken(WITHOUT % f"    {selector}\n", mode="autopilot")
    assert ("TPU743" in found) is reported
