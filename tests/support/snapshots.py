"""Folders of snapshots: what the script of ``gke-tpu snapshot`` writes about a fleet that is as its plan says.

Simpler than the answers of a project:

- Quota has no limits and no uses, and there are no operations and no errors of instance groups.
- Only the services of Compute Engine and GKE are enabled, and zones offer only the machine types of the plan.
- Subnetworks have the ranges of the plan, or made-up ones where they exist already.
- Clusters and node pools have what the plan sends; with ``as_gke_shows`` also what GKE adds, with ``as_recorded`` what
  an API answered. Objects are those of ``live_objects.py``, which says what is simpler there.
"""

import json
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from support.described_sources import made_by
from support.fleets import Fleet
from support.foreign_files import answer
from support.google_apis.compute import Compute
from support.google_apis.container import Container, Knobs
from support.live_objects import live_objects

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.reads import KubectlRead
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.formats.names import parse_cluster
from pulumi_gke_tpu.features.status.folder import Snapshot, read_snapshot
from pulumi_gke_tpu.features.status.requests import Request, requests_of
from pulumi_gke_tpu.features.status.status import FleetStatus, status_of

Answers = dict[str, Any]
"""The name of a file -> its content; text is the error of the command, and bytes are the file as it is."""
TAKEN = "2026-11-28T20:30:00Z"
QUOTA = "quota-acme-ml-TPUS-PER-TPU-FAMILY-per-project-region.json"
_ROOT = pathlib.Path(__file__).parents[2]
PLANS = [*sorted(_ROOT.glob("stacks/*/plan.yaml")), *sorted(_ROOT.glob("docs/examples/**/*.yaml"))]
"""The plans of this repository; some of the examples have errors."""


def checked_plan(path: pathlib.Path | str) -> CheckedPlan:
    """A plan, from a file or as text."""
    content = path.read_bytes() if isinstance(path, pathlib.Path) else path.encode()
    return check_plan(read_plan_content(content, "plan.yaml"), read_catalog())


def reservation(chips: int, in_use: int = 0) -> dict[str, Any]:
    """A reservation of chips of v6e."""
    amounts = [[{"accelerator": {"acceleratorCount": count}}] for count in (chips, in_use)]
    whole = {"vmFamily": "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E", "workloadType": "UNSPECIFIED"}
    whole |= {"reservedResources": amounts[0], "inUseResources": amounts[1]}
    return {"name": "v6e-pretrain", "zone": "https://x/zones/us-east5-b", "aggregateReservation": whole}


def quota(limit: int) -> dict[str, Any]:
    """The limit of chips of v6e in a region, the answer in the file ``QUOTA``."""
    details = {"dimensions": {"region": "us-east5", "tpu_family": "CT6E"}, "details": {"value": str(limit)}}
    return {"metric": "compute.googleapis.com/tpus_per_tpu_family", "dimensionsInfos": [details]}


def requests_for(checked: CheckedPlan) -> tuple[Request, ...]:
    assert checked.fleet is not None
    return requests_of(checked.fleet, checked.catalog)


def healthy(checked: CheckedPlan) -> Answers:
    """The answers about a fleet that is as the plan says."""
    assert checked.fleet is not None
    every: list[Any] = json.loads(answer(made_by(checked)))
    live = {cluster.key: live_objects(cluster, checked.catalog) for cluster in checked.fleet.clusters}
    found: Answers = {"snapshot.json": {"format": 1, "taken": TAKEN}}
    for request in requests_for(checked):
        found[request.file] = _answer(request, every, live, checked.fleet.clusters)
    return {name: content for name, content in found.items() if content is not None}


def as_gke_shows(checked: CheckedPlan, answers: Answers) -> None:
    """Clusters and node pools with what GKE adds, as the stand-in of its API answers."""
    assert checked.fleet is not None
    for key in (cluster.key for cluster in checked.fleet.clusters):
        api = Container(Knobs(), Compute())
        api.put({**answers[f"cluster-{key}.json"], "nodePools": answers[f"node-pools-{key}.json"]})
        whole = api.show(next(iter(api.clusters.values())))
        answers[f"cluster-{key}.json"] = whole
        answers[f"node-pools-{key}.json"] = [_running(each) for each in whole["nodePools"]]


def as_recorded(fleet: Fleet, checked: CheckedPlan, answers: Answers) -> list[str]:
    """Clusters and node pools as an API answered; the names of the node pools that were in error."""
    assert checked.fleet is not None
    data = json.loads(fleet.content)
    failed = []
    for answered in data if isinstance(data, list) else [data]:
        place = parse_cluster(answered.get("selfLink", ""))
        for cluster in checked.fleet.clusters:
            here = place is not None and (cluster.name, cluster.location) == (place.name, place.location)
            if here and "nodePools" in answered:
                answers[f"cluster-{cluster.key}.json"] = answered
                answers[f"node-pools-{cluster.key}.json"] = answered["nodePools"]
                failed += [pool["name"] for pool in answered["nodePools"] if pool.get("status") == "ERROR"]
    return failed


def in_lines(answers: Answers) -> Answers:
    """The answers with objects as the templates of the script let kubectl write them, an object on each line."""
    reads = read_catalog().reads.kubectl
    plurals = {kind.partition(".")[0]: read for kind, read in reads.items() if not read.whole}
    found = dict(answers)
    for name, content in answers.items():
        read = plurals.get(name.partition("-")[0]) if name.endswith(".jsonl") else None
        if read is not None and isinstance(content, dict):
            found[name] = "".join(f"{_line(each, read)}\n" for each in content["items"]).encode()
    return found


def _line(item: Any, read: KubectlRead) -> str:
    """An object as the template of a kind writes it. Texts have no escapes."""
    texts = ("kind", "apiVersion", "metadata.name", "metadata.namespace", *read.texts)
    members = [*_members(item, texts, read.values)]
    for name, fields in read.lists.items():
        entries = (",".join(_members(each, fields.texts, fields.values)) for each in _at(item, name) or ())
        members.append(f'"{name}":[[{"".join(f"{{{entry}}}," for entry in entries)}null]]')
    return f"{{{','.join(members)}}}"


def _members(item: Any, texts: Iterable[str], values: Iterable[str]) -> Iterator[str]:
    for name in texts:
        found = _at(item, name)
        yield f'"{name}":"{found if found is not None else ""}"'
    for name in values:
        found = _at(item, name)
        yield f'"{name}":[{json.dumps(found) if found is not None else ""}]'


def _at(item: Any, name: str) -> Any:
    for step in name.split("."):
        item = item.get(step) if isinstance(item, dict) else None
    return item


def _answer(request: Request, every: list[Any], live: dict[str, list[Any]], clusters: Iterable[Cluster]) -> Any:
    cluster = request.cluster
    if cluster is None:
        machines = {
            (group.shape.machine_type, zone) for item in clusters for group in item.groups for zone in group.zones
        }
        lists = {
            "services": [{"config": {"name": f"{name}.googleapis.com"}} for name in ("compute", "container")],
            "subnetworks": [*map(_subnetwork, clusters)],
            "machine-types": [{"name": name, "zone": f"https://x/zones/{zone}"} for name, zone in sorted(machines)],
        }
        return {"dimensionsInfos": []} if request.name == "quota" else lists.get(request.name, [])
    link = f"/locations/{cluster.location}/clusters/{cluster.name}"
    if request.command[0] == "kubectl":
        plural = request.name.partition(".")[0]
        return {"kind": "List", "apiVersion": "v1", "items": [each for each in live[cluster.key] if _is(each, plural)]}
    if request.name == "cluster":
        place = {"name": cluster.name, "location": cluster.location}
        named = {**place, "selfLink": f"https://container.googleapis.com/v1/projects/{cluster.project}{link}"}
        return _running(next((each for each in every if each.get("selfLink", "").endswith(link)), named))
    if request.name == "node-pools":
        return [_running(each) for each in every if f"{link}/nodePools/" in each.get("selfLink", "")]
    return [] if request.name == "operations" else {} if request.name != "errors" else None


def _subnetwork(cluster: Cluster) -> dict[str, Any]:
    """The subnetwork of a cluster: the default one, one that exists, or the one that was created for it."""
    network = cluster.plan.network
    found: dict[str, Any] = {"kind": "compute#subnetwork", "region": f"https://x/regions/{cluster.region}"}
    if network is not None and network.create is not None:
        return {**found, "name": cluster.name, "network": f"x/{cluster.name}", "ipCidrRange": network.create.subnet}
    existing = network.existing if network is not None else None
    if existing is None:
        return {**found, "name": "default", "network": "x/default", "ipCidrRange": "10.128.0.0/20"}
    ranges = {existing.pods_range: "10.64.0.0/11", existing.services_range: "10.96.0.0/20"}
    named = [{"rangeName": name, "ipCidrRange": written} for name, written in ranges.items() if name]
    name, around = (str(each).rpartition("/")[2] for each in (existing.subnetwork, existing.network))
    return {**found, "name": name, "network": f"x/{around}", "ipCidrRange": "10.0.0.0/16", "secondaryIpRanges": named}


def _is(item: Any, plural: str) -> bool:
    return f"{item['kind'].lower()}s" == plural


def _running(item: Any) -> Any:
    return {**item, "status": "RUNNING"}


def write(folder: pathlib.Path, answers: Answers) -> None:
    """Write a folder as the script does: an answer that is text is the error of its command."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in answers.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        elif isinstance(content, str):
            (folder / f"{name}.err").write_text(content, encoding="utf-8")
        else:
            (folder / name).write_text(json.dumps(content), encoding="utf-8")


def status_in(
    folder: pathlib.Path, checked: CheckedPlan, change: Callable[[Answers], None] = lambda answers: None
) -> FleetStatus:
    """The status of a fleet after a change of the answers."""
    answers = healthy(checked)
    change(answers)
    write(folder, answers)
    return status_of(checked, snapshot_in(folder, checked), "plan.yaml")


def snapshot_in(folder: pathlib.Path, checked: CheckedPlan) -> Snapshot:
    return read_snapshot(folder, requests_for(checked), checked.catalog)
