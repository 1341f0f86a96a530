"""Networks, subnetworks, routers, firewalls, resource policies and reservations, as Compute Engine answers (v1)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from support.gke.refusals import RefusedError
from support.gke.values import ANSWERS, completed, last, number_of

_PATH = re.compile(
    r"projects/(?P<project>[^/]+)/(?:(?P<scope>zones|regions)/(?P<place>[^/]+)|global)"
    r"/(?P<collection>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<verb>[^/]+))?"
)
_HOST = "https://www.googleapis.com/compute/v1/"
_MADE_BY_GOOGLE = ("default",)
"""Networks and subnetworks that every project has."""

Json = dict[str, Any]


class Compute:
    """Every object of every project."""

    def __init__(self) -> None:
        self.objects: dict[str, Json] = {}
        """Path from ``projects`` on -> the object."""
        self.groups: Callable[[str, str], Iterator[Json]] = lambda project, zone: iter(())
        self.users: Callable[[], Iterator[tuple[str, str]]] = lambda: iter(())
        """Pairs: the path of an object, and the name of a cluster or a pool that uses it."""

    def answer(self, method: str, path: str, body: Json) -> Json:
        match = _PATH.fullmatch(path)
        if match is None:
            raise RefusedError(404, f"The resource '{path}' was not found")
        if match["collection"] == "operations":
            return {"name": match["name"], "status": "DONE", "progress": 100}
        if match["collection"] == "instanceGroupManagers":
            return self._group(match["project"], match["place"], match["name"])
        parent = path.partition(f"/{match['collection']}")[0]
        collection = f"{parent}/{match['collection']}"
        if match["name"] is None and method == "GET":
            return {"items": [item for key, item in self.objects.items() if key.rpartition("/")[0] == collection]}
        if match["name"] is None:
            return self._create(match, parent, f"{collection}/{body['name']}", body)
        return self._one(method, f"{collection}/{match['name']}", match["verb"], body)

    def _one(self, method: str, key: str, verb: str | None, body: Json) -> Json:
        """Read, change or delete an object."""
        parent = key.rpartition("/")[0].rpartition("/")[0]
        if key not in self.objects:
            raise RefusedError(404, f"The resource '{key}' was not found")
        if method == "GET":
            return self.objects[key]
        if method == "DELETE":
            for used, user in self.users():
                if used == key:
                    raise RefusedError(400, f"The resource '{key}' is already being used by '{user}'")
            return _operation("delete", parent, self.objects.pop(key))
        _change(self.objects[key], verb, body)
        return _operation("patch", parent, self.objects[key])

    def check_network(self, project: str, region: str, network: str, subnetwork: str) -> None:
        """Refuse a network that is not there; the network ``default`` always is."""
        if network in _MADE_BY_GOOGLE:
            return
        places = (f"global/networks/{network}", f"regions/{region}/subnetworks/{subnetwork}")
        for key in (f"projects/{project}/{place}" for place in places):
            if key not in self.objects:
                raise RefusedError(404, f"The resource '{key}' was not found")

    def check_policy(self, project: str, region: str, placement: Json) -> None:
        """Refuse a policy that is not there, or that has another topology than the pool."""
        policy, wanted = placement.get("policyName"), placement.get("tpuTopology")
        if not policy:
            return
        key = f"projects/{project}/regions/{region}/resourcePolicies/{last(policy)}"
        if key not in self.objects:
            raise RefusedError(400, f'Resource policy "{policy}" was not found in region "{region}".')
        topology = self.topology(project, region, last(policy))
        if wanted and topology and wanted != topology:
            raise RefusedError(
                400, f'TPU topology "{wanted}" does not match the workload policy topology "{topology}".'
            )
        if wanted and not topology:
            raise RefusedError(
                400, "GKE does not support TPU topology with group placement policy and workload policy."
            )

    def topology(self, project: str, region: str, policy: str) -> str | None:
        """The topology of a workload policy."""
        item = self.objects.get(f"projects/{project}/regions/{region}/resourcePolicies/{policy}", {})
        return (item.get("workloadPolicy") or {}).get("acceleratorTopology")

    def _create(self, match: "re.Match[str]", parent: str, key: str, body: Json) -> Json:
        if key in self.objects:
            raise RefusedError(409, f"The resource '{key}' already exists")
        item = completed(body, ANSWERS["compute"].get(match["collection"], {}))
        item |= {
            "selfLink": f"{_HOST}{key}",
            "id": number_of(key),
            "creationTimestamp": "2026-01-01T00:00:00.000-00:00",
        }
        if match["scope"]:
            item[match["scope"].removesuffix("s")] = f"{_HOST}{parent}"
        for link in ("network", "subnetwork"):
            if link in item:
                item[link] = _HOST + re.sub(r"^https?://.*?(?=projects/)", "", item[link])
        self.objects[key] = item
        return _operation("insert", parent, item)

    def _group(self, project: str, zone: str, name: str | None) -> Json:
        groups = list(self.groups(project, zone))
        if name is None:
            return {"items": groups}
        for group in groups:
            if group["name"] == name:
                return group
        raise RefusedError(404, f"The resource 'instanceGroupManagers/{name}' was not found")


def _change(item: Json, verb: str | None, body: Json) -> None:
    if verb == "resize":
        item.setdefault("specificReservation", {})["count"] = body.get("specificSkuCount")
    elif verb == "setPrivateIpGoogleAccess":
        item["privateIpGoogleAccess"] = bool(body.get("privateIpGoogleAccess"))  # false is left out of the request
    else:
        item |= {key: value for key, value in body.items() if value is not None}
        for nat in item.get("nats") or []:
            for key, value in ANSWERS["nat"].items():
                nat.setdefault(key, value)


def _operation(kind: str, parent: str, item: Json) -> Json:
    name = f"operation-{kind}-{item['id']}"
    scope = next((scope for scope in ("region", "zone") if f"/{scope}s/" in parent), None)
    place = {} if scope is None else {scope: f"{_HOST}{parent}"}
    return {
        "name": name,
        "operationType": kind,
        "status": "DONE",
        "progress": 100,
        "targetLink": item["selfLink"],
        "targetId": item["id"],
        "selfLink": f"{_HOST}{parent}/operations/{name}",
        **place,
    }
