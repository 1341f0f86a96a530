"""The API server rejects the numbers that the catalog has as outside the range of a field, and accepts the others."""

import copy
from collections.abc import Iterator
from typing import Any

from support.control_plane.testbed import Testbed

from pulumi_gke_tpu.core.catalog import read_catalog

KINDS = read_catalog().object_fields.kinds
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
TERM = {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
POD: dict[str, Any] = {
    "affinity": {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": TERM}]},
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}}
            ]
        },
    },
    "securityContext": {},
    "topologySpreadConstraints": [SPREAD],
    "volumes": [
        {"name": "c", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}},
        {"name": "s", "secret": {"secretName": "s", "items": [{"key": "k", "path": "p"}]}},
        {"name": "p", "projected": {"sources": []}},
        {"name": "d", "downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        {"name": "e", "emptyDir": {}},
    ],
    "containers": [
        {
            "name": "main",
            "image": "image",
            "ports": [{"containerPort": 80}],
            "securityContext": {},
            "readinessProbe": {"tcpSocket": {"port": 80}},
            "livenessProbe": {"tcpSocket": {"port": 80}},
            "startupProbe": {"httpGet": {"port": 80}},
            "lifecycle": {"postStart": {"tcpSocket": {"port": 80}}, "preStop": {"httpGet": {"port": 80}}},
            "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
        }
    ],
}
APPLICATION = {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD}}
JOB = {"completionMode": "Indexed", "completions": 1, "template": {"spec": {**POD, "restartPolicy": "Never"}}}
OBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Pod": ("v1", POD),
    "Job": ("batch/v1", JOB),
    "CronJob": ("batch/v1", {"schedule": "0 0 * * *", "jobTemplate": {"spec": JOB}}),
    "Deployment": ("apps/v1", {**APPLICATION, "strategy": {"rollingUpdate": {"maxSurge": 1}}}),
    "ReplicaSet": ("apps/v1", APPLICATION),
    "StatefulSet": ("apps/v1", {**APPLICATION, "serviceName": "s", "ordinals": {}}),
    "DaemonSet": ("apps/v1", APPLICATION),
}
FIRST_CONTAINER = ("spec", "containers", 0)
PARTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "Container": (FIRST_CONTAINER,),
    "Probe": tuple((*FIRST_CONTAINER, name) for name in ("readinessProbe", "livenessProbe", "startupProbe")),
    "PodAffinity": (("spec", "affinity", "podAffinity"),),
}


def ranged() -> Iterator[tuple[str, tuple[Any, ...], int, int | None]]:
    """The kind of an object, the path of a field with a range in it, and the range."""
    for kind, listing in KINDS.items():
        if kind not in OBJECTS and kind not in PARTS:
            continue
        for place, fields in listing.fields.items():
            for key, wanted in fields.items():
                if not isinstance(wanted, str) or ".." not in wanted or wanted.endswith("{}"):
                    continue
                least, _, most = wanted.rpartition(" ")[2].partition("..")
                for prefix in PARTS.get(kind, (("spec",),)):
                    path = (*prefix, *steps(place), key)
                    owner = kind if kind in OBJECTS else "Pod"
                    if found(owner, path[:-1]):
                        yield owner, path, int(least), int(most) if most else None


def steps(place: str) -> Iterator[Any]:
    for step in place.split(".")[1:]:
        yield step.removesuffix("[]")
        if step.endswith("[]"):
            yield 0


def found(kind: str, path: tuple[Any, ...]) -> bool:
    """Whether the object of a kind has a mapping there; a list has several entries, of which one is enough."""
    return bool(list(containing(object_of(kind), path)))


def containing(item: Any, path: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """The mappings at a path; 0 stands for every entry of a list."""
    if not path:
        if isinstance(item, dict):
            yield item
    elif path[0] == 0 and isinstance(item, list):
        for entry in item:
            yield from containing(entry, path[1:])
    elif isinstance(item, dict) and path[0] in item:
        yield from containing(item[path[0]], path[1:])


def object_of(kind: str) -> dict[str, Any]:
    version, spec = OBJECTS[kind]
    return copy.deepcopy({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec})


def with_number(kind: str, path: tuple[Any, ...], number: int) -> dict[str, Any]:
    item = object_of(kind)
    next(containing(item, path[:-1]))[path[-1]] = number
    return item


RANGES = list(ranged())


def test_the_api_server_accepts_the_objects(bed: Testbed) -> None:
    assert {kind: bed.refusal(object_of(kind)) for kind in OBJECTS} == dict.fromkeys(OBJECTS, "")


def test_every_kind_with_ranges_is_tested() -> None:
    assert {kind for kind, *_ in RANGES} == set(OBJECTS)
    assert {"parallelism", "replicas", "containerPort", "weight", "defaultMode", "maxSurge"} <= {
        path[-1] for _, path, *_ in RANGES
    }


def test_the_api_server_rejects_every_number_outside_its_range(bed: Testbed) -> None:
    accepted = {
        (kind, ".".join(map(str, path)), number)
        for kind, path, least, most in RANGES
        for number in (least - 1, None if most is None else most + 1)
        if number is not None and not bed.refusal(with_number(kind, path, number))
    }
    assert not accepted


def test_the_api_server_says_of_no_smallest_or_largest_number_that_it_is_outside_a_range(bed: Testbed) -> None:
    words = ("must be greater than or equal to", "must be between", "must be in the range", "must be greater than zero")
    refused = {
        (kind, ".".join(map(str, path)), number): message
        for kind, path, least, most in RANGES
        for number in (least, most)
        if number is not None
        and any(word in (message := bed.refusal(with_number(kind, path, number))) for word in words)
    }
    assert not refused
