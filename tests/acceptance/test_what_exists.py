"""Every command shows of what exists what it shows of the plan that made it.

The files are those that gcloud, Terraform and Pulumi write of the shipped stacks after the first update. Each
difference has a reason below.
"""

import collections
import functools
import html.parser
import itertools
import json
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from support.fleets import adoptions, fleets
from support.plan_corpus import sources
from support.shipped import STACKS as SHIPPED
from support.terraform.recordings import RECORDINGS
from support.told import told

from pulumi_gke_tpu.features.adopt.files import plan_text

DATA = pathlib.Path(__file__).parent / "data"
TOOLS = ("gcloud", "Terraform", "Pulumi")
STACKS = {item.name: item for item in sources("stacks") if item.name.startswith("stack ")}
TODAY = "2026-11-29"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "preview": ("--format", "json"),
    "cost": ("--format", "json"),
    "quota": ("--format", "json"),
    "calendar": ("--format", "json", "--today", TODAY),
    "report": ("--today", TODAY, "-o", "OUT"),
    "export": ("-o", "OUT"),
    "recommend": ("--chips", "64", "--inventory", str(DATA / "inventory.yaml"), "--format", "json"),
}
JSON = ("preview", "cost", "quota", "calendar")
"""Commands that write JSON about plans."""
STATED = "The source states what the plan leaves to defaults, and repeats it in alternatives."
MADE = "The plan makes networks, accounts and workload policies; the source has node pools that refer to them."
EXISTING = "The source has the node pools of an existing cluster, but not the cluster itself."
PROTECTED = "Pulumi protects what a plan has; no source of what exists has that option."
ADOPTED = "What exists has a version, and may have a maintenance window that the source does not state."
SYSTEM = "What exists has the system pool as one of its CPU pools."
ON_REQUEST = "GKE makes node pools of an Autopilot cluster when Pods need them; there are none yet."
REASONS: Mapping[str, str] = {
    r".*\.(plan|alternatives|not_offered)\[\d+\]\.group\..*|.*\.settings\.boot_disk": STATED,
    r"\.resource_counts\..*|.*\.workload_policy": MADE,
    r"\.clusters\[0\]\.(adopted|settings\.private_nodes)": STATED,
    r"\.clusters\[0\]\.(cpu_pools|system_pool|system)\b.*": SYSTEM,
    r"\.clusters\[0\]\.slices\[\d+\]\.protect": PROTECTED,
    r"\.support\[0\]\.(minimum|upgrades_at_any_time)|[a-z-]+: GKE \S+ until .*": ADOPTED,
}
"""Path in JSON, or text of a page -> why what exists is shown in another way."""
OF_EXISTING: Mapping[str, str] = {
    r"\.(events|support)\[0\]\..*|\.clusters\[0\]\.release_channel|\.notes\[\d+\]": EXISTING,
    r"shared(: .*)?|(Standard|Dec|Jan|Feb|support|GKE|End)\b.*|medium|version|\d{4}-\d\d-\d\d": EXISTING,
    r"(run|time|exclusion|maintenance|begin|The plans)\b.*": "The legend of a calendar without events is left out.",
}
"""The same of the stack whose cluster exists already."""
KEPT = "An adopted plan keeps what its keys do not say, and does not show it."
ALONE = "A plan can take over TPU node pools without their cluster and its other node pools."
OF_ADOPTED: Mapping[str, str] = {
    r"\.findings\..*|\.notes\[\d+\]": "Rules report what a plan states, of answers only what a person has chosen.",
    r".*\.(plan|alternatives|not_offered)\[\d+\]\..*": STATED,
    r".*\.settings\.(private_nodes|boot_disk)": KEPT,
    r"\.clusters\[\d+\]\.(adopted|existing|release_channel|cpu_pools\b.*)|\.resource_counts\..*": ALONE,
    r".*\.(key|path|group)|\.quota\[\d+\]\.groups\[\d+\]": "Adoption names a group by what its node pools share.",
    r".*\.slices\[\d+\]\.(adopted|protect)": PROTECTED,
}
"""The same of what was adopted."""
STATES_ON_REQUEST = "stack dev"


@functools.cache
def files_of(name: str) -> Mapping[str, bytes]:
    return told(STACKS[name])


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


class _Texts(html.parser.HTMLParser):
    """The texts of a page, each with how often it has it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: collections.Counter[str] = collections.Counter()

    def handle_data(self, data: str) -> None:
        self.found[" ".join(data.split())] += bool(data.strip())


def shown(gke_tpu: Any, command: str, file: pathlib.Path, out: pathlib.Path) -> dict[str, Any]:
    """What a command shows: the values of JSON, the texts of a page, the lines of files.

    A group of what exists has the name of its first node pool, and a cluster its name, not the key of the plan.
    """
    options = [str(out) if each == "OUT" else each for each in COMMANDS[command]]
    first = {"export": ("alerts",), "recommend": ("--with",)}.get(command, ())
    run = gke_tpu(command, *first, file, *options)
    assert run.code == 0, (file, run.err)
    files = sorted(filter(pathlib.Path.is_file, out.rglob("*"))) if out.is_dir() else [out]
    text = "".join(each.read_text(encoding="utf-8") for each in files) if str(out) in options else run.out
    text = re.sub(r"-0\b|sha256:\w+", "", re.sub(r"\bplatform\b", "shared", text.replace(str(file), "FILE")))
    if command == "report":
        page = _Texts()
        page.feed(text)
        return dict(page.found)
    if command == "export":
        return dict(collections.Counter(text.splitlines()))
    data = json.loads(text)
    if isinstance(data, dict):
        data.get("autoprovisioning", []).sort(key=lambda item: item["generation"])  # a mapping of the plan
    return dict(leaves(data))


def differing(gke_tpu: Any, command: str, name: str, tool: str, tmp_path: pathlib.Path) -> dict[str, tuple[Any, Any]]:
    source = tmp_path / "source.json"
    source.write_bytes(files_of(name)[tool])
    plan = SHIPPED / name.removeprefix("stack ") / "plan.yaml"
    one, two = (shown(gke_tpu, command, file, tmp_path / out) for file, out in ((plan, "one"), (source, "two")))
    return unlike(one, two)


def unlike(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {path: (one.get(path), two.get(path)) for path in {**one, **two} if one.get(path) != two.get(path)}


def needed(found: Mapping[str, Any], reasons: Iterable[str]) -> set[str]:
    """The reasons for the differences, of which each has one."""
    by_path = {path: next((each for each in reasons if re.fullmatch(each, path)), None) for path in found}
    assert {path: found[path] for path, reason in by_path.items() if reason is None} == {}
    return {reason for reason in by_path.values() if reason is not None}


def test_what_exists_is_shown_as_its_plan(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    """Each reason is needed."""
    used: set[str] = set()
    for name in sorted(STACKS.keys() - {STATES_ON_REQUEST}):
        reasons = [*REASONS, *(OF_EXISTING if name == "stack shared" else ())]
        for tool, command in itertools.product(TOOLS, COMMANDS):
            folder = tmp_path / f"{name} {tool} {command}"
            folder.mkdir()
            used |= needed(differing(gke_tpu, command, name, tool, folder), reasons)
    assert used == {*REASONS, *OF_EXISTING}


def test_a_fleet_is_shown_as_the_plan_that_adopts_it(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    """The fleets of which a plan has every node pool. Each reason is needed."""
    used: set[str] = set()
    for fleet in fleets():
        found = [each for each in adoptions(fleet) if each.plan.get("clusters")]
        if fleet.alone or len(found) != 1:
            continue
        plan, source = tmp_path / f"{fleet.name}.yaml", tmp_path / f"{fleet.name}.json"
        plan.write_text(plan_text(found[0]), encoding="utf-8")
        source.write_bytes(fleet.content)
        for command in JSON:
            one, two = (shown(gke_tpu, command, file, tmp_path / "OUT") for file in (plan, source))
            used |= needed(unlike(one, two), OF_ADOPTED)
    assert used == {*OF_ADOPTED}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("tool", TOOLS)
def test_an_autopilot_cluster_without_node_pools_has_no_slices(
    tool: str, command: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    found = differing(gke_tpu, command, STATES_ON_REQUEST, tool, tmp_path)
    assert all(after is None or not str(path).startswith(".clusters[0].slices") for path, (_, after) in found.items())


@pytest.mark.parametrize("command", JSON)
def test_a_network_of_another_project_belongs_to_the_plan_of_its_clusters(
    command: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    """With Shared VPC, network and subnetwork are in the state of the clusters, and belong to the host project."""
    state = json.loads((RECORDINGS / "everything" / "state.json").read_text(encoding="utf-8"))
    network = [
        each
        for each in state["values"]["root_module"]["resources"]
        if each["type"] in ("google_compute_network", "google_compute_subnetwork")
    ]
    for each in network:
        each["values"]["project"] = "host-project"
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    assert network
    run = gke_tpu(command, file, *COMMANDS[command])
    assert run.code in (0, 1), run.err
    assert json.loads(run.out)


def of_project(project: str, cluster: str, pools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A cluster as gcloud answers, with node pools of one slice of 16 chips each."""
    link = f"https://container.googleapis.com/v1/projects/{project}/locations/us-east5/clusters/{cluster}"
    config = {"machineType": "ct6e-standard-4t", "diskType": "hyperdisk-balanced", "spot": True}
    return {
        "name": cluster,
        "location": "us-east5",
        "selfLink": link,
        "status": "RUNNING",
        "nodePools": [
            {
                "name": name,
                "selfLink": f"{link}/nodePools/{name}",
                "initialNodeCount": 4,
                "locations": ["us-east5-b"],
                "config": config,
                "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
                **own,
            }
            for name, own in pools.items()
        ],
    }


FAILED = {"status": "ERROR", "statusMessage": "Insufficient quota."}


@pytest.mark.parametrize("command", [*JSON, "report"])
def test_a_node_pool_that_gke_could_not_create_is_in_no_sum(gke_tpu: Any, tmp_path: pathlib.Path, command: str) -> None:
    """Its error is named, and the rest is what the answer without it shows."""
    outputs = []
    for number, pools in enumerate(({"a": {}}, {"a": {}, "b": FAILED}, {"a": {}, "b": {"status": "RUNNING"}})):
        file, out = tmp_path / "fleet.json", tmp_path / f"{number}.html"
        file.write_text(json.dumps([of_project("acme", "train", pools)]))
        options = [str(out) if each == "OUT" else each for each in COMMANDS[command]]
        run = gke_tpu(command, file, *options)
        assert run.code == 0, run.err
        assert ("Insufficient quota" in run.err) == (number == 1), run.err
        outputs.append(out.read_text("utf-8") if command == "report" else run.out)
    alone, beside, two = outputs
    assert alone != two or command == "calendar"
    if command == "report":
        assert "GKE reports the status ERROR: Insufficient quota" in beside
        return
    one, other = (dict(leaves(json.loads(text))) for text in (alone, beside))
    assert {path for path in unlike(one, other) if not path.startswith(".findings")} == set()


def test_diff_shows_a_node_pool_in_error_as_one_that_exists(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    for name, status in (("before", "RUNNING"), ("after", "ERROR")):
        text = json.dumps([of_project("acme", "train", {"a": {}, "b": {"status": status}})])
        (tmp_path / f"{name}.json").write_text(text)
    run = gke_tpu("diff", tmp_path / "before.json", tmp_path / "after.json", "--format", "json")
    assert json.loads(run.out)["items"] == []


PROJECTS = {"acme-a": {"a": {}, "b": {}}, "acme-b": {"a": {}}}


@pytest.mark.parametrize("files", [1, 2])
def test_every_command_counts_each_project(gke_tpu: Any, tmp_path: pathlib.Path, files: int) -> None:
    """The clusters have one name, in one file or in two."""
    clusters = [of_project(project, "train", pools) for project, pools in PROJECTS.items()]
    for number in range(files):
        (tmp_path / f"{number}.json").write_text(json.dumps(clusters[number::files]))
    names = [tmp_path / f"{number}.json" for number in range(files)]
    cost = json.loads(gke_tpu("cost", *names, "--format", "json").out)
    assert [len(plan["groups"]) for plan in cost["plans"]] == [1, 1]
    quota = json.loads(gke_tpu("quota", *names, "--format", "json").out)
    assert {each["project"]: each["chips"]["maximum"] for each in quota["quotas"]} == {"acme-a": 32, "acme-b": 16}
    assert "read: 2 clusters, 3 node pools" in gke_tpu("check", *names).out
    assert "acme-a" in (page := gke_tpu("report", *names, "-o", "-").out)
    assert "acme-b" in page
    assert "add --project acme-a or --project acme-b" in gke_tpu("preview", *names).err
    assert "No plan has the project acme-c" in gke_tpu("preview", *names, "--project", "acme-c").err
    for project, pools in PROJECTS.items():
        shown = json.loads(gke_tpu("preview", *names, "--project", project, "--format", "json").out)
        assert max(total["chips"]["max"] for total in shown["totals"]) == 16 * len(pools)
        written = gke_tpu("export", "terraform", *names, "--project", project, "-o", tmp_path / project)
        assert written.code == 0, written.err
    assert "project acme-a, 1 cluster" in gke_tpu("explain", names[0], "--project", "acme-a").out


def test_a_node_pool_of_terraform_has_the_project_of_its_cluster(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    text = "".join(
        f'resource "google_container_cluster" "{name}" {{\n  name = "{name}"\n  project = "acme-{name}"\n'
        f'  location = "us-east5"\n  initial_node_count = 1\n}}\n'
        f'resource "google_container_node_pool" "{name}" {{\n  name = "tpu"\n'
        f"  cluster = google_container_cluster.{name}.id\n  node_locations = [\"us-east5-b\"]\n  node_count = 4\n"
        '  node_config {\n    machine_type = "ct6e-standard-4t"\n    spot = true\n  }\n'
        '  placement_policy {\n    type = "COMPACT"\n    tpu_topology = "4x4"\n  }\n}\n'
        for name in ("a", "b")
    )  # fmt: skip
    (tmp_path / "main.tf").write_text(text)
    run = gke_tpu("quota", tmp_path / "main.tf", "--format", "json")
    found = {each["project"]: each["chips"]["maximum"] for each in json.loads(run.out)["quotas"]}
    assert found == {"acme-a": 16, "acme-b": 16}
