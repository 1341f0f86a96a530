"""Names of created resources: within the limits of GKE, Compute Engine and IAM, unique and stable."""

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup, derive
from pulumi_gke_tpu.core.fleet.names import account_id, shortened
from pulumi_gke_tpu.core.plan import parse_plan

CATALOG = read_catalog()
GKE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?", re.ASCII)
POLICY_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
ACCOUNT_ID = re.compile(r"[a-z][-a-z0-9]{4,28}[a-z0-9]", re.ASCII)
NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?", fullmatch=True, alphabet=st.characters(codec="ascii"))


def cluster_of(cluster: str, group: str, body: dict[str, Any], mode: str = "standard") -> Cluster:
    body = {"zone": "us-central1-c", **body} if mode == "standard" else body
    clusters = {cluster: {"mode": mode, "location": "us-central1", "slices": {group: body}}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": clusters})
    assert document.content is not None, document.findings
    return derive(document.content, CATALOG).clusters[0]


def group_of(cluster: str, group: str, body: dict[str, Any]) -> SliceGroup:
    return cluster_of(cluster, group, body).groups[0]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("pretrain-0", "pretrain-0"),
        ("a" * 40, "a" * 40),
        ("a" * 41, "a" * 31 + "-c0f8bd4d"),
        ("a" * 30 + "-" + "b" * 10, "a" * 30 + "-16d7931d"),
    ],
)
def test_a_name_is_shortened_by_the_hash_of_all_of_it(name: str, short: str) -> None:
    """These values may never change: another name is another node pool."""
    assert shortened(name, 40) == short


def test_account_ids_never_change() -> None:
    assert account_id("acme-ml", "train-east", "us-east5") == "gke-train-east-a75b0d2b"
    assert account_id("acme-ml", "a-very-long-cluster-name", "us-east5") == "gke-a-very-long-clu-cb1a5305"
    assert account_id("acme-ml", "train-east", "us-east5", inside=("slices", "pretrain")) == "gke-pretrain-30e0fb89"
    assert account_id("acme-ml", "train-east", "us-east5", inside=("cpu_pools", "head")) == "gke-head-fe287c86"


@given(cluster=NAMES, group=NAMES)
def test_names_fit(cluster: str, group: str) -> None:
    derived = cluster_of(cluster, group, {"tpu": "tpu7x", "topology": "2x2x2", "count": 12})
    (slices,) = derived.groups
    assert all(GKE_NAME.fullmatch(pool.name) for pool in slices.pools)
    assert slices.policy_name is not None
    assert POLICY_NAME.fullmatch(slices.policy_name)
    assert ACCOUNT_ID.fullmatch(derived.account_id)
    assert ACCOUNT_ID.fullmatch(slices.account_id)
    assert slices.account_id != derived.account_id
    assert len({pool.name for pool in slices.pools}) == 12


@given(cluster=NAMES, group=NAMES)
def test_names_in_pulumi_are_whole(cluster: str, group: str) -> None:
    slices = group_of(cluster, group, {"tpu": "v5e", "topology": "4x4", "indices": [0, 107], "zone": "us-central1-a"})
    assert [pool.key for pool in slices.pools] == [f"{cluster}/{group}/{group}-0", f"{cluster}/{group}/{group}-107"]
    assert group_of(cluster, group, {"tpu": "v5e", "topology": "2x2"}).pools[0].key == f"{cluster}/{group}/{group}"


@given(first=NAMES, second=NAMES)
def test_other_groups_have_other_pools(first: str, second: str) -> None:
    assume(first != second)
    body = {"tpu": "v5e", "topology": "4x4", "count": 3}
    one, other = (group_of("train", name, body) for name in (first, second))
    assert not {pool.name for pool in one.pools} & {pool.name for pool in other.pools}


@given(first=st.tuples(NAMES, NAMES, NAMES), second=st.tuples(NAMES, NAMES, NAMES))
def test_other_clusters_have_other_accounts(first: tuple[str, str, str], second: tuple[str, str, str]) -> None:
    assume(first != second)
    assert account_id(*first) != account_id(*second)


@given(cluster=NAMES, group=NAMES)
def test_another_topology_is_another_policy(cluster: str, group: str) -> None:
    names = {
        group_of(cluster, group, {"tpu": "tpu7x", "topology": topology}).policy_name
        for topology in ("2x2x2", "2x2x4", "4x4x4", "4x4x8", "8x16x16")
    }
    assert len(names) == 5
    assert None not in names


def test_a_short_policy_name_says_cluster_group_and_topology() -> None:
    assert group_of("ironwood", "train", {"tpu": "tpu7x", "topology": "4x4x8"}).policy_name == "ironwood-train-4x4x8"


@pytest.mark.parametrize(
    "body",
    [
        {"tpu": "tpu7x", "topology": "2x2x1"},
        {"tpu": "v6e", "topology": "4x4"},
        {"tpu": "tpu7x", "topology": "4x4x8", "placement": {"workload_policy": "ours"}},
    ],
)
def test_no_policy_for_single_hosts_compact_slices_and_existing_policies(body: dict[str, Any]) -> None:
    assert group_of("train", "slices", body).policy_name is None


def test_autopilot_has_neither_pools_nor_policies() -> None:
    (group,) = cluster_of("train", "slices", {"tpu": "tpu7x", "topology": "4x4x8"}, mode="autopilot").groups
    assert (group.pools, group.policy_name, group.hosts.maximum) == ((), None, 32)
