"""Rules about the cluster itself."""

import pytest
from support.fixtures.checks import Broken, Check

STANDARD = "mode: standard\nlocation: us-east5\n"

AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"


def plan(*clusters: str) -> str:
    return "version: 1\nproject: acme-ml\nclusters:\n" + "".join(f"  {cluster}\n" for cluster in clusters)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", []),
        ("train-east-2", []),
        ("a" * 40, []),
        ("a" * 41, ["TPU251"]),
        ("2-train", ["TPU251"]),
        ("train-", ["TPU251"]),
        ("-train", ["TPU251"]),
        ("train_east", ["TPU251"]),
        ("Train", ["TPU251"]),
        ("träin", ["TPU251"]),
        ("''", ["TPU251"]),
    ],
)
def test_cluster_names_have_the_form_of_gke(name: str, expected: list[str], broken: Broken) -> None:
    assert broken(STANDARD + f"name: {name}\n") == expected
    if name != "''":
        assert broken(plan(f"{name}: {{mode: standard, location: us-east5}}")) == expected


def test_the_fix_is_the_nearest_valid_name(check: Check) -> None:
    (finding,) = check(STANDARD + "name: Train East_2\n")
    assert finding.fix == "name: train-east-2"
    (finding,) = check(STANDARD + f"name: {'Ab-' * 20}\n")
    assert finding.fix == f"name: {('ab-' * 20)[:40].rstrip('-')}"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("location: us-east5", "location: us-east5", ["TPU252"]),
        ("location: us-east5", "location: us-east5-b", []),
        ("location: us-east5", "location: us-central1", []),
        ("location: us-east5, name: left", "location: us-east5", []),
    ],
)
def test_names_are_unique_in_a_location(one: str, other: str, expected: list[str], broken: Broken) -> None:
    text = plan(f"train: {{mode: standard, {one}}}", f"other: {{mode: standard, name: train, {other}}}")
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("channel", "expected"),
    [("rapid", []), ("regular", []), ("stable", []), ("extended", []), ("none", ["TPU253"])],
)
def test_autopilot_requires_a_release_channel(channel: str, expected: list[str], broken: Broken) -> None:
    assert broken(AUTOPILOT + f"release_channel: {channel}\n") == expected
    assert broken(STANDARD + f"release_channel: {channel}\n") == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Train_East", "use lower-case letters, digits and hyphens"),
        ("2train", "start with a letter, and end with a letter or a digit"),
        ("t" * 41, "41 characters exceed the limit of 40"),
    ],
)
def test_an_invalid_cluster_name_states_what_to_change(name: str, reason: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nname: {name}\n")
    assert (finding.rule, finding.message) == ("TPU251", f"invalid cluster name `{name}`: {reason}")


def test_the_name_of_a_cluster_with_cloud_nat_has_two_characters(broken: Broken) -> None:
    def plan(name: str, network: str) -> str:
        return f"mode: standard\nlocation: us-east5\nname: {name}\n{network}\n"

    assert broken(plan("c", "network: create")) == ["TPU251"]
    assert broken(plan("c1", "network: create")) == []
    assert broken(plan("c", "private_nodes: false\nnetwork: {create: {nat: false}}")) == []
    assert broken(plan("c", "")) == []
