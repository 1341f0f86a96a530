"""The default preview: resources, cost, needs and protection in few lines."""

import json
import pathlib
import re
from typing import Any

import pytest
from support.shipped import NAMES

STACKS = pathlib.Path(__file__).parents[3] / "stacks"
TODAY = ("--today", "2026-11-20")

CLUSTER = """\
version: 1
project: acme-ml
clusters:
  main:
    mode: standard
    location: us-east5
    {cluster}
    slices:
      train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {group}}}
"""


@pytest.fixture
def shown(gke_tpu: Any, tmp_path: pathlib.Path) -> Any:
    """The preview of a plan with these keys of a cluster and of a slice group."""

    def show(*options: str, cluster: str = "release_channel: regular", group: str = "count: 1") -> str:
        path = tmp_path / "plan.yaml"
        path.write_text(CLUSTER.format(cluster=cluster, group=group), encoding="utf-8")
        run = gke_tpu("preview", path, *options, *TODAY)
        assert run.code == 0, run.err
        out: str = run.out
        return out

    return show


def line(text: str, name: str) -> str:
    """The line of a tree or a label, without the spaces that align it."""
    (found,) = [row for row in text.splitlines() if re.match(rf"(?:[├└]─ )?{re.escape(name)} ", row)]
    return " ".join(found.split()[1:])


@pytest.mark.parametrize("stack", NAMES)
def test_each_stack_has_at_most_25_lines(gke_tpu: Any, stack: str) -> None:
    lines = gke_tpu("preview", STACKS / stack / "plan.yaml", *TODAY).out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100


def test_the_summary_of_prod(gke_tpu: Any) -> None:
    text = gke_tpu("preview", STACKS / "prod" / "plan.yaml", *TODAY).out
    assert line(text, "├─ pretrain") == (
        "pretrain v6e 16x16 × 2 512 chips us-east5-b reserved v6e-pretrain 1,382 USD/h protected"
    )
    assert line(text, "├─ ablation").endswith("flex-start, 3 d price unknown")
    assert line(text, "├─ auto") == (
        "auto up to 512 v6e, 256 v5p chips if workloads ask; up to 2,458 USD/h, not in the total"
    )
    assert "IP endpoint for 203.0.113.0/24 · private nodes · new network 10.0.0.0/20" in line(text, "├─ access")
    assert line(text, "total") == (
        "512..640 chips, 128..152 hosts · at least 1,382 .. 1,472 USD/h (1.01 .. 1.07 M USD/month)"
    )
    assert line(text, "prices").startswith("reserved capacity at the on-demand price; no flex-start price of ct5p")
    assert line(text, "needs") == (
        "128 VMs of v6e-pretrain · quota in us-east5: 64 preemptible_tpu_v5p, 64 preemptible_tpu_v6e"
    )
    assert line(text, "creates").startswith("13 resources: 1 cluster, 5 node pools, 1 network")


@pytest.mark.parametrize(
    ("option", "expected", "gone"),
    [
        ("--nodes", "pretrain-0  64 × ct6e-standard-4t  256 chips", "16x16 × 2"),
        ("--prices", "A month is 730 hours.", "\nprices "),
        ("--resources", "gcp:container/nodePool:NodePool", "--resources"),
    ],
)
def test_an_option_shows_the_rest(gke_tpu: Any, option: str, expected: str, gone: str) -> None:
    plan = STACKS / "prod" / "plan.yaml"
    short, full = (gke_tpu("preview", plan, *more, *TODAY).out for more in ((), (option,)))
    assert (expected in short, gone in short) == (False, True)
    assert (expected in full, gone in full) == (True, False)
    assert option in line(short, "more")
    assert option not in line(full, "more")


def test_with_all_options_nothing_more_is_offered(gke_tpu: Any) -> None:
    text = gke_tpu("preview", STACKS / "prod" / "plan.yaml", "--nodes", "--prices", "--resources", *TODAY).out
    assert not re.search("^more ", text, re.MULTILINE)


KEY = "projects/acme-ml/locations/us-east5/keyRings/ring/cryptoKeys/secrets"


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (f"kms_key: {KEY}", f"KMS key {KEY}"),
        ("control_plane: {private: true, authorized_networks: {a: 10.0.0.0/8}}", "private IP endpoint for 10.0.0.0/8"),
        (
            "control_plane: {dns_endpoint: false, authorized_networks: {a: 203.0.113.0/24, b: 198.51.100.0/24}}",
            "access IP endpoint for 203.0.113.0/24 and 198.51.100.0/24 · nodes with external",
        ),
        ("network: {network: shared, subnetwork: tpus}", "private nodes · network shared, subnetwork tpus"),
        ("release_channel: regular", "nodes with external IP addresses · default network"),
        ("kubernetes: {queues: {team: {}}}", "Kubernetes 1 queue, which gke-tpu manifests writes"),
    ],
)
def test_what_the_long_form_left_out_is_shown(shown: Any, cluster: str, expected: str) -> None:
    for options in ((), ("--nodes",)):
        assert expected in " ".join(shown(*options, cluster=cluster).split())


def test_a_workload_policy_is_shown(gke_tpu: Any) -> None:
    text = gke_tpu("preview", STACKS / "ironwood" / "plan.yaml", *TODAY).out
    assert line(text, "├─ policies") == "policies workload policy ironwood-train-4x4x8"


def test_a_group_without_node_pools_is_not_protected(shown: Any) -> None:
    reserved = "capacity: {reservation: big}"
    assert "protected" in shown(group=reserved)
    served = shown(group=f"{reserved}, fallback: [on_demand]")
    assert "protected" not in served
    assert "1 ComputeClass, which gke-tpu manifests writes" in served


def test_vms_of_one_reservation_are_added_up_at_the_largest_size(shown: Any) -> None:
    group = "capacity: {reservation: big}, count: 2}\n      other: {tpu: v6e, topology: 2x4, zone: us-east5-b, "
    more = "chips_per_host: 4, min: 0, max: 3, capacity: {reservation: {name: big}}"
    assert line(shown(group=group + more), "needs").startswith("14 VMs of big")


def test_exclusions_are_in_the_order_of_their_names(shown: Any) -> None:
    """The order in the plan has no meaning, and that of names is the one that is sent."""
    exclusion = "{start: 2026-12-01T00:00:00Z, end: 2026-12-02T00:00:00Z, scope: no_upgrades}"
    window = "window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"
    cluster = f"maintenance: {{{window}, exclusions: {{winter: {exclusion}, launch: {exclusion}}}}}"
    for options in ((), ("--nodes",)):
        assert re.findall(r"\b(winter|launch):", shown(*options, cluster=cluster)) == ["launch", "winter"]


@pytest.mark.parametrize(
    ("size", "topology", "needs"),
    [
        ("family: ct6e, chips: 26", "2x4, chips_per_host: 8", "26 chips of v6e-ci"),
        ("machine_type: ct6e-standard-1t, vms: 12", "1x1", "12 VMs of v6e-ci"),
        ("", "2x4, chips_per_host: 8", "12 VMs of v6e-ci"),
    ],
)
def test_a_reservation_is_counted_in_its_own_unit(
    gke_tpu: Any, tmp_path: pathlib.Path, size: str, topology: str, needs: str
) -> None:
    """Without an inventory, the unit is not known: most reservations count VMs."""
    reserved = "zone: us-east5-b, capacity: {reservation: {name: v6e-ci}}"
    groups = f"""
      one: {{tpu: v6e, topology: 1x1, count: 10, {reserved}}}
      two: {{tpu: v6e, topology: {topology}, count: 2, {reserved}}}
"""
    plan, inventory = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    head = CLUSTER.format(cluster="release_channel: regular", group="").partition("\n      train")[0]
    plan.write_text(head + groups, encoding="utf-8")
    entry = f"{{name: v6e-ci, project: acme-ml, zone: us-east5-b, {size}}}"
    inventory.write_text(f'version: 1\nas_of: "2026-11-20"\nreservations: [{entry}]\n', encoding="utf-8")
    run = gke_tpu("preview", plan, *(("--inventory", inventory) if size else ()), *TODAY)
    assert line(run.out, "needs").split(" · ")[0].removeprefix("needs ") == needs, run.err


@pytest.mark.parametrize(
    ("clusters", "named"),
    [(1, "c0"), (2, "c0, c1"), (6, "c0, c1, c2, c3, c4, c5"), (7, "c0, c1, c2, c3, c4 and 2 more")],
)
def test_a_note_about_several_clusters_is_one_in_texts_and_complete_in_data(
    clusters: int, named: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    head, _, cluster = CLUSTER.format(cluster="release_channel: regular", group="count: 1").partition("  main:\n")
    path = tmp_path / "plan.yaml"
    path.write_text(head + "".join(f"  c{index}:\n{cluster}" for index in range(clusters)), encoding="utf-8")
    for output_format in ("text", "markdown"):
        out = " ".join(gke_tpu("preview", path, "--format", output_format, *TODAY).out.split())
        assert out.count("nodes get public addresses") == 1
        assert f" {named}: nodes get public addresses" in out
    notes = json.loads(gke_tpu("preview", path, "--format", "json", *TODAY).out)["notes"]
    assert [note.partition(":")[0] for note in notes if "public addresses" in note] == [
        f"c{index}" for index in range(clusters)
    ]
