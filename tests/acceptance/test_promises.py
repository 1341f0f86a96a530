"""What the catalog promises: facts can be added without touching what exists, and a new generation is facts alone."""

import io
import pathlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.recording import record

from pulumi_gke_tpu import TpuFleet, load_plan
from pulumi_gke_tpu.cli import main
from pulumi_gke_tpu.core.catalog import Catalog, CatalogError, read_catalog
from pulumi_gke_tpu.core.estimate import cost_of
from pulumi_gke_tpu.core.fleet import Range, derive
from pulumi_gke_tpu.core.plan import Plan, read_plan
from pulumi_gke_tpu.preview import preview_plan

ROOT = pathlib.Path(__file__).parents[2]
DATA = pathlib.Path(__file__).parent / "data"
STACKS = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/plan.yaml"))

FACT = "source: [unverified], as_of: 2026-12-01, confidence: high"
NEWS: dict[str, str] = {
    "a zone": "zones: {families: {ct6e: {documented: {zones: [us-east5-c]}}}}",
    "a zone in a new region": "zones: {families: {tpu7x: {documented: {zones: [us-east7-a]}}}}",
    "a price": f"prices: {{prices: [{{family: ct6e, region: us-east5, model: on_demand, usd: 0.01, {FACT}}}]}}",
    "a machine type": f"""
generations:
  v6e:
    machine_types:
      ct6e-standard-2t: {{family: ct6e, chips: 2, vcpu: 90, memory_gib: 360, {FACT}}}
    topologies:
      rows:
        - {{topology: 1x2, machine_type: ct6e-standard-2t, hosts: single, modes: [standard, autopilot]}}
        - {{topology: 16x32, machine_type: ct6e-standard-4t, hosts: multi, modes: [standard]}}
""",
    "a capacity mode": f"capacity: {{families: {{ct5lp: {{queued: {{offer: 'yes', {FACT}}}}}}}}}",
    "a version": f"versions: {{features: {{new_feature: {{title: new, standard: 1.40.0, {FACT}}}}}}}",
}
V9X = (DATA / "v9x_overlay.yaml").read_text(encoding="utf-8")


@pytest.fixture
def written(tmp_path: pathlib.Path) -> Callable[[str, str], pathlib.Path]:
    """Writes a file and gives its path."""

    def write(name: str, text: str) -> pathlib.Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def registrations(stack: str, catalog: Catalog) -> dict[str, bytes]:
    """Every registration of a stack as it is sent to the engine, without the lines of code that register it."""
    plan = load_plan(ROOT / "stacks" / stack / "plan.yaml", catalog=catalog)
    found = {}
    for item in record(lambda: TpuFleet(stack, plan, catalog=catalog), stack=stack):
        request = item.request
        request.ClearField("sourcePosition")
        request.ClearField("stackTrace")
        # These are sets, sent in any order.
        for names in (request.dependencies, request.additionalSecretOutputs):
            names.sort()
        for dependencies in request.propertyDependencies.values():
            dependencies.urns.sort()
        found[item.urn] = request.SerializeToString(deterministic=True)
    return found


# Additions change nothing that exists


@pytest.mark.parametrize(
    "added", ["tpu: v5p, topology: 2x2x2, protect: true", "tpu: v6e, topology: 16x16", "tpu: v6e, topology: 2x2"]
)
def test_a_group_that_is_added_changes_nothing_of_the_cluster_and_its_network(
    added: str, written: Callable[[str, str], pathlib.Path]
) -> None:
    plan = (
        "version: 1\nproject: acme-ml\nclusters:\n  train: {mode: standard, location: us-east5, network: create,"
        " min_version: '1.36', slices: {a: {tpu: v6e, topology: 2x2, zone: us-east5-b, name: first}GROUPS}}\n"
    )

    def resources(name: str, groups: str) -> dict[str, Any]:
        graph = preview_plan(load_plan(written(name, plan.replace("GROUPS", groups))))
        return {item.urn: (item.inputs, item.options) for item in graph.resources if item.custom}

    before = resources("before.yaml", "")
    zone = "us-east5-a" if "v5p" in added else "us-east5-b"
    after = resources("after.yaml", f", b: {{{added}, zone: {zone}}}")
    assert len(after) > len(before)
    assert {urn: after[urn] for urn in before} == before
    assert [inputs["mtu"] for inputs, _ in before.values() if "mtu" in inputs] == [8896]


@pytest.mark.parametrize("stack", STACKS)
def test_news_in_the_catalog_leave_existing_stacks_alone(
    stack: str, written: Callable[[str, str], pathlib.Path]
) -> None:
    overlays = [written(f"{number}.yaml", text) for number, text in enumerate([*NEWS.values(), V9X])]
    assert registrations(stack, read_catalog(overlays)) == registrations(stack, read_catalog())


@pytest.mark.parametrize("news", NEWS)
def test_the_news_are_read(news: str, written: Callable[[str, str], pathlib.Path]) -> None:
    """Or the test above would compare nothing."""
    catalog = read_catalog([written("news.yaml", NEWS[news])])
    section = next(iter(yaml.safe_load(NEWS[news])))
    assert catalog.section(section) != read_catalog().section(section)


def test_a_change_of_what_reaches_resources_shows(written: Callable[[str, str], pathlib.Path]) -> None:
    """Another way to see that the comparison can fail: the roles of the nodes do come from the catalog."""
    roles = written("roles.yaml", "platform: {hardening: {node_roles: [roles/storage.objectViewer]}}")
    changed, shipped = registrations("dev", read_catalog([roles])), registrations("dev", read_catalog())
    assert [urn.rpartition("::")[2] for urn in changed.keys() - shipped.keys()] == ["dev/roles/storage.objectViewer"]


# A generation of the future


PLAN = DATA / "v9x_plan.yaml"


@pytest.fixture
def overlay(written: Callable[[str, str], pathlib.Path]) -> pathlib.Path:
    return written("v9x.yaml", V9X)


def plan() -> Plan:
    document = read_plan(PLAN)
    assert document.findings == ()
    assert document.content is not None
    return document.content


def test_a_new_generation_is_unknown_without_its_facts() -> None:
    assert "TPU101" in {finding.rule for finding in validate(plan(), read_catalog())}


def test_a_new_generation_is_valid(overlay: pathlib.Path) -> None:
    assert validate(plan(), read_catalog([overlay])) == ()


def test_a_new_generation_is_previewed(overlay: pathlib.Path) -> None:
    catalog = read_catalog([overlay])
    graph = preview_plan(load_plan(PLAN, catalog=catalog), catalog=catalog)
    pools = {pool.inputs["name"]: pool.inputs for pool in graph.of_type("gcp:container/nodePool:NodePool")}
    assert set(pools) == {"system", "train-0", "train-1", "serve"}
    for name in ("train-0", "train-1"):
        assert pools[name]["nodeCount"] == 6
        assert pools[name]["nodeConfig"]["machineType"] == "ct9x-standard-2t"
        assert pools[name]["placementPolicy"] == {
            "type": "",
            "policyName": "future-train-2x2x3",
            "tpuTopology": "2x2x3",
        }
    assert pools["serve"]["autoscaling"] == {
        "totalMinNodeCount": 1,
        "totalMaxNodeCount": 4,
        "locationPolicy": "ANY",
    }
    (policy,) = graph.of_type("gcp:compute/resourcePolicy:ResourcePolicy")
    assert policy.inputs["workloadPolicy"]["acceleratorTopology"] == "2x2x3"


def test_a_new_generation_costs_what_its_price_says(overlay: pathlib.Path) -> None:
    catalog = read_catalog([overlay])
    fleet = derive(plan(), catalog)
    assert fleet.clusters[0].groups[0].chips == Range(24, 24)
    usd = cost_of(fleet, catalog).total.usd
    assert usd is not None
    assert (float(usd.minimum), float(usd.maximum)) == (26 * 20.0, 32 * 20.0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["validate", "PLAN"], ["no findings"]),
        (
            ["preview", "PLAN", "--nodes", "--prices"],
            ["v9x 2x2x3", "6 × ct9x-standard-2t", "520.00 .. 640.00", "tpus_v9x"],
        ),
        (["explain", "PLAN", "future/train"], ["ct9x-standard-2t", "2x2x3"]),
        (["explain", "PLAN", "future/train/machine_type"], ["ct9x-standard-2t"]),
        (["explain", "v9x"], ["TPU v9x"]),
        (["explain", "ct9x-standard-2t"], ["v9x"]),
    ],
)
def test_every_command_knows_a_new_generation(overlay: pathlib.Path, words: list[str], expected: list[str]) -> None:
    code, out = run([*(str(PLAN) if word == "PLAN" else word for word in words), "--catalog", str(overlay)])
    assert code == 0, out
    assert [text for text in expected if text not in out] == []


def run(words: list[str]) -> tuple[Any, str]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as stop:
        main([*words, "--today", "2026-11-20"])
    return stop.value.code or 0, out.getvalue()


# Overlays that are wrong


_ZONES = "zones: {families: {ct6e: {documented: {zones: us-east5-c}}}}"
BROKEN = {
    "a missing fact": (V9X.replace("    dimensions: 3\n", ""), "generations.v9x.dimensions"),
    "an unknown key": (V9X.replace("    dimensions: 3\n", "    dimensions: 3\n    red: 1\n"), "generations.v9x.red"),
    "a wrong type": (_ZONES, "zones.families.ct6e.documented.zones"),
    "a wrong value": ("capacity: {families: {ct6e: {spot: {offer: perhaps}}}}", "capacity.families.ct6e.spot.offer"),
    "an unknown section": ("zonse: {}", "zonse"),
    "no mapping": ("- a\n- b", "mapping of sections"),
    "no YAML": ("zones: {", "overlay.yaml:1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_error_of_a_broken_overlay_shows_its_path(name: str, written: Callable[[str, str], pathlib.Path]) -> None:
    text, place = BROKEN[name]
    path = written("overlay.yaml", text)
    with pytest.raises(CatalogError) as refused:
        read_catalog([path])
    assert place in str(refused.value)
    assert str(path) in str(refused.value)


def test_the_error_of_a_missing_overlay_shows_its_path(tmp_path: pathlib.Path) -> None:
    with pytest.raises(CatalogError, match="nowhere"):
        read_catalog([tmp_path / "nowhere.yaml"])


def test_the_command_line_tells_of_a_broken_overlay_too(written: Callable[[str, str], pathlib.Path]) -> None:
    overlay = written("overlay.yaml", BROKEN["a wrong value"][0])
    code, out = run(["validate", str(PLAN), "--catalog", str(overlay)])
    assert code == 2
    assert "capacity.families.ct6e.spot.offer" in out
    assert "Traceback" not in out
