"""The stand-in of the Google APIs, held against what the GKE API answered to the same requests."""

import copy
import fnmatch
import json
import re
from collections.abc import Iterator
from typing import Any

import yaml
from support.each import each
from support.google_apis.server import google_apis
from support.recorded_answers import FILE, PROJECT, Recorded, recorded_answers

EXCEPTIONS: dict[str, Any] = yaml.safe_load(FILE.with_name("recorded_exceptions.yaml").read_text("utf-8"))
REQUESTS = [item for item in recorded_answers() if item.request is not None]


def answered(recorded: Recorded) -> dict[str, Any]:
    """What the stand-in answers to a recorded request."""
    with google_apis() as google:
        google.knobs.version = recorded.version
        request = copy.deepcopy(recorded.request)
        assert request is not None
        location = recorded.answer.get("location", "us-central1-a")
        region = "-".join(location.split("-")[:2])
        for name in ("global/networks/train-net", f"regions/{region}/subnetworks/train-subnet"):
            google.compute.objects[f"projects/{PROJECT}/{name}"] = {}
        place = f"projects/{PROJECT}/locations/{location}/clusters"
        if recorded.kind == "cluster":
            google.send("POST", "container", place, {"cluster": request})
            answer = google.send("GET", "container", f"{place}/{recorded.answer['name']}")
            pools = {pool.pop("name"): pool for pool in answer["nodePools"]}
            return {**answer, "nodePools": pools}
        cluster = {"name": "around", "initialNodeCount": 1}
        google.send("POST", "container", place, {"cluster": cluster})
        google.send("POST", "container", f"{place}/around/nodePools", {"nodePool": request})
        return google.send("GET", "container", f"{place}/around/nodePools/{recorded.answer['name']}")


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from flat(item, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        yield path, json.dumps(sorted(value, key=str))
    else:
        yield path, json.dumps(value)


IDENTIFIERS = (
    "clusterIpv4Cidr",
    "etag",
    "id",
    "instanceGroupUrls",
    "ipAllocationPolicy.clusterIpv4Cidr",
    "ipAllocationPolicy.clusterIpv4CidrBlock",
    "labelFingerprint",
    "maintenancePolicy",
    "maintenancePolicy.resourceVersion",
    "masterAuth.clusterCaCertificate",
    "networkConfig.podIpv4CidrBlock",
    "networkConfig.podRange",
    "selfLink",
)
"""Names, addresses and numbers that are others in every cluster; the recordings leave most of them out."""
COPIES = ("nodeConfig.",)
"""The nodes of the first node pool, which an answer about a cluster has twice."""


def differences(recorded: Recorded) -> dict[str, tuple[str, str]]:
    """Path -> what the stand-in answers, and what was recorded; without list indices."""
    one, other = dict(flat(answered(recorded))), dict(flat(recorded.answer))
    return {
        path: (one.get(path, ""), other.get(path, ""))
        for path in sorted(one.keys() | other.keys())
        if one.get(path) != other.get(path)
        and re.sub(r"^nodePools\.[^.]*\.", "", path) not in IDENTIFIERS
        and not path.startswith(COPIES)
    }


def excepted(recorded: Recorded, path: str) -> str:
    """The name of the exception for a difference; empty if there is none."""
    inside = re.sub(r"^nodePools\.[^.]*", "pool", path) if recorded.kind == "cluster" else f"pool.{path}"
    for name, entry in EXCEPTIONS.items():
        if recorded.id in entry.get("only", [recorded.id]) and any(
            fnmatch.fnmatchcase(inside, pattern) for pattern in entry["paths"]
        ):
            return name
    return ""


@each("recorded", REQUESTS, lambda recorded: recorded.id)
def test_the_standin_answers_what_was_recorded(recorded: Recorded) -> None:
    found = differences(recorded)
    assert {path: values for path, values in found.items() if not excepted(recorded, path)} == {}


def test_every_exception_is_one_with_a_reason() -> None:
    used = {(excepted(recorded, path), recorded.id) for recorded in REQUESTS for path in differences(recorded)}
    for name, entry in EXCEPTIONS.items():
        assert len(entry["reason"].split()) > 5, name
        clusters = {identity for other, identity in used if other == name}
        assert clusters, f"{name}: nothing differs"
        assert clusters >= set(entry.get("only", ())), f"{name}: some of them do not differ"


def test_there_are_enough_recordings() -> None:
    assert len(REQUESTS) == 74
