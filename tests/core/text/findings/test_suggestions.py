"""Lists of allowed values: which are shown, and how many are left out."""

import difflib

import pytest

from pulumi_gke_tpu.core.catalog import VersionRange
from pulumi_gke_tpu.core.output.json import findings_json
from pulumi_gke_tpu.core.output.parts import detail_lines
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.keys import key_names
from pulumi_gke_tpu.core.plan.model import Plan
from pulumi_gke_tpu.core.plan.slices import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Fix, Rename, SetKeys, Severity
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions, did_you_mean, is_misspelled, misspelled_choice
from pulumi_gke_tpu.features.capacity.rules.inventory.offered import _newest


@pytest.mark.parametrize(
    ("choices", "last"), [(1, "c000"), (20, "c019"), (21, "c020"), (22, "and 2 more"), (1200, "and 1,180 more")]
)
def test_a_list_of_choices_that_is_cut_says_how_many_more_there_are(choices: int, last: str) -> None:
    shown = Suggestions(f"c{number:03}" for number in range(choices)).shown
    assert shown[-1] == last
    assert len(shown) <= 21


@pytest.mark.parametrize(("versions", "first"), [(1, "1.0"), (8, "1.0"), (9, "1 older"), (30, "22 older")])
def test_a_list_of_versions_that_is_cut_says_how_many_older_ones_there_are(versions: int, first: str) -> None:
    shown = _newest([VersionRange.parse(f"1.{minor}") for minor in reversed(range(versions))])
    assert shown[0] == first
    assert shown[-1] == f"1.{versions - 1}"


@pytest.mark.parametrize(
    ("word", "meant", "choices", "certain"),
    [
        ("v6", "v6e", ["v5e", "v5p", "v6e"], True),
        ("v5", "v5e", ["v5e", "v5p", "v6e"], False),
        ("us-east5-bb", "us-east5-b", ["us-east5-a", "us-east5-b"], True),
        ("us-east5-c", "us-east5-a", ["us-east5-a", "us-east5-b"], False),
        ("Hyperdisk_Balance", "hyperdisk-balanced", ["hyperdisk-balanced", "pd-balanced"], True),
        ("us-east5-a", "us-east1-a", ["us-east1-a", "us-west4-b"], False),
        ("8x18", "8x16", ["8x8", "8x16", "16x16"], False),
        ("preemptible", "spot", ["on_demand", "spot"], False),
    ],
)
def test_a_word_is_a_misspelling_only_of_the_one_choice_that_is_alike(
    word: str, meant: str, choices: list[str], certain: bool
) -> None:
    assert is_misspelled(word, meant, choices) is certain


def _finding(given: str, fix: Fix | None, *allowed: str) -> Finding:
    return Finding("TPU020", Severity.ERROR, ("clusters",), "wrong", given=given, allowed=allowed, change=fix)


@pytest.mark.parametrize(
    "finding",
    [
        _finding("mut", Rename("mtu"), "mtu", "nat", "pods"),
        _finding("tpu: v6", SetKeys.of(tpu="v6e"), "v5e", "v6e"),
        _finding("capacity: spott", SetKeys.of(capacity="spot"), "on_demand", "spot", "reservation:"),
    ],
)
def test_an_obvious_fix_replaces_the_list_of_choices(finding: Finding) -> None:
    assert finding.choices == ()
    assert "allowed" not in "\n".join([*detail_lines(finding), findings_text([finding], width=100, color=False)])
    assert "allowed" not in str(FindingsError([finding]))
    assert findings_json([finding])["findings"][0]["allowed"] == list(finding.allowed)


@pytest.mark.parametrize(
    "finding",
    [
        _finding("topology: 4x3", SetKeys.of(topology="4x4"), "2x4", "4x4"),
        _finding("type: pd-ssd", SetKeys.of(type="hyperdisk-balanced"), "hyperdisk-balanced"),
        _finding("type: hyperdisk-balance", SetKeys.of(type="hyperdisk-balanced"), "hyperdisk-balanced"),
        _finding("type: pd-balance", None, "pd-balanced", "pd-ssd"),
        _finding("mut", SetKeys.of(mtu=8896, nat=True), "mtu", "nat"),
    ],
)
def test_a_choice_that_the_user_has_to_make_is_listed(finding: Finding) -> None:
    assert finding.choices == finding.allowed
    assert "allowed: " + ", ".join(finding.allowed) in detail_lines(finding)


NAMES = [name for model in (Plan, ClusterSpec, SliceGroupSpec) for name in key_names(model)]


def test_the_bounds_of_the_similarity_change_no_result() -> None:
    """Compared with the similarity of every pair, which takes 40 times as long."""

    def alike(word: str, choice: str) -> float:
        return difflib.SequenceMatcher(None, word, choice).ratio()

    for word in (*(name[1:] for name in NAMES), *(f"{name}x" for name in NAMES), "nope", "count"):
        ratios = sorted(((alike(word, name), name) for name in {*NAMES}), reverse=True)
        (best, name), (next_best, _) = ratios[:2]
        expected = name if best >= max(0.75, next_best + 0.05) else None
        assert misspelled_choice(word, NAMES) == expected, word


@pytest.mark.parametrize(
    ("word", "choice"),
    [
        ("public_nodes", "private_nodes"),
        ("disable_auto_repair", "auto_repair"),
        ("disablednsendpoint", "enablednsendpoint"),
        ("no_auto_upgrade", "auto_upgrade"),
        ("unprotect", "protect"),
        ("insecure_boot", "secure_boot"),
        ("ip_endpoint", "dns_endpoint"),
        ("max_version", "min_version"),
        ("max_count", "count"),
        ("ReadWriteMany", "read_write_once"),
        ("node_upgrades", "no_upgrades"),
        ("PreferNoExecute", "NoExecute"),
        ("enabled", "disabled"),
        ("higher_priority", "lower_priority"),
    ],
)
def test_a_word_with_another_meaning_is_not_a_misspelling(word: str, choice: str) -> None:
    assert did_you_mean(word, [choice]) is None
    assert misspelled_choice(word, [choice]) is None


@pytest.mark.parametrize(
    ("word", "choice"),
    [
        ("topolgy", "topology"),
        ("mox_nodes", "max_nodes"),
        ("maxnodes", "max_nodes"),
        ("minNodes", "min_nodes"),
        ("ReadWriteOnce", "read_write_once"),
        ("dns_endpiont", "dns_endpoint"),
        ("enable", "enabled"),
        ("maximum", "max"),
        ("disable", "disabled"),
        ("ondemand", "on_demand"),
        ("privat_nodes", "private_nodes"),
        ("max_pod_per_node", "max_pods_per_node"),
        ("no_upgrade", "no_upgrades"),
        ("NoSchedul", "NoSchedule"),
    ],
)
def test_a_slip_in_a_word_is_a_misspelling(word: str, choice: str) -> None:
    assert did_you_mean(word, [choice]) == choice
