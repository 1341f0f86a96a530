"""What a test gets of the control plane: a namespace of its own, nodes of its own, and everything it makes undone."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from support.control_plane.client import Client, Object, Refused

_SECONDS = 120
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Placement:
    """What the scheduler decided about a Pod."""

    pod: str
    labels: Mapping[str, str]
    node: str
    """Empty if the Pod fits no node."""
    reason: str
    """The scheduler's words for a Pod that fits no node."""
    chips: int
    """The chips that it requests."""


class Testbed:
    """A namespace in the cluster. Objects that other tests would see are deleted at the end."""

    __test__ = False

    def __init__(self, client: Client, namespace: str, *, alone: bool) -> None:
        self.client = client
        self.namespace = namespace
        self._alone = alone
        self._shared: list[Object] = []

    def create(self, *items: Object) -> None:
        """Create objects in this order; what comes after nodes is created when the scheduler knows them."""
        unknown: Object | None = None
        for item in items:
            name = f"{item['kind']} {item['metadata'].get('name')}"
            assert self._alone or self.client.has_namespace(item), f"{name}: use the fixture `scheduling`"
            if unknown is not None and item["kind"] != "Node":
                self._wait_until_scheduler_knows(unknown)
            made = self.client.create(item, self.namespace)
            unknown = made if made["kind"] == "Node" else None
            if "namespace" not in made["metadata"]:
                self._shared.append(made)
        if unknown is not None:
            self._wait_until_scheduler_knows(unknown)

    def _wait_until_scheduler_knows(self, node: Object) -> None:
        """Wait until the scheduler binds a Pod to a node. It learns of nodes in the order in which they were created.

        A Pod that is created earlier is refused for the nodes known then, in some cases until 5 minutes later.
        """
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [_name(node)]}]}
        spec = {
            "affinity": {
                "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
            },
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "unused"}],
        }
        probe = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nodes-are-known"}, "spec": spec}
        made = self.client.create(probe, self.namespace)
        path = f"/api/v1/namespaces/{self.namespace}/pods/nodes-are-known"
        self._wait(lambda: self.client.request("GET", path)["spec"].get("nodeName"), f"Pod on node {_name(node)}")
        self.client.delete(made)

    def dry_run(self, *items: Object) -> None:
        """Have the server check objects as if they were created.

        Raises:
            Refused: it does not accept one of them.
        """
        for item in items:
            self.client.create(item, self.namespace, dry_run=True)

    def refusal(self, item: Object) -> str:
        """The server's words for an object that it does not accept; empty if it does."""
        try:
            self.dry_run(item)
        except Refused as refused:
            return refused.message
        return ""

    def pods(self) -> list[Object]:
        return self.client.list("v1", "Pod", self.namespace)

    def wait_for_pods(self, count: int) -> None:
        """Wait until the controllers have created so many Pods."""
        self._wait(lambda: len(self.pods()) >= count or None, f"{count} Pods")

    def placements(self, count: int) -> list[Placement]:
        """Wait until there are so many Pods and the scheduler has decided about each; sorted by name."""

        def decided() -> list[Placement] | None:
            pods = self.pods()
            found = [found for pod in pods if (found := _placement(pod)) is not None]
            return found if len(found) == len(pods) == count else None

        return sorted(self._wait(decided, f"{count} Pods that are bound or refused"), key=lambda item: item.pod)

    def placements_on_nodes(self, count: int) -> list[Placement]:
        """Wait until there are so many Pods and all of them have a node; sorted by name."""

        def bound() -> list[Placement] | None:
            found = [found for pod in self.pods() if (found := _placement(pod)) is not None and found.node]
            return found if len(found) == count else None

        return sorted(self._wait(bound, f"{count} Pods with a node"), key=lambda item: item.pod)

    def bound_after_preemption(self, job: str, count: int) -> list[Placement]:
        """Wait until the Pods of a Job have taken the nodes of others.

        The scheduler deletes those, which ends when their containers have stopped. There is no kubelet to report that,
        so it is reported here.
        """

        def bound() -> list[Placement] | None:
            pods = self.pods()
            for pod in pods:
                if "deletionTimestamp" in pod["metadata"] and pod["status"]["phase"] != "Failed":
                    self.client.patch(pod, {"status": {"phase": "Failed"}}, "/status")
                    self.client.delete(pod)
            found = [_placement(pod) for pod in pods if pod["metadata"]["labels"].get("job-name") == job]
            placed = [found for found in found if found is not None and found.node]
            return placed if len(placed) == count else None

        return self._wait(bound, f"{count} Pods of {job} with a node")

    def job_condition(self, name: str) -> str:
        """Complete or Failed; empty while a Job continues. Waits until the controller has counted the deleted Pods."""

        def counted() -> str | None:
            if any("deletionTimestamp" in pod["metadata"] for pod in self.pods()):
                return None
            (job,) = [found for found in self.client.list("batch/v1", "Job", self.namespace) if _name(found) == name]
            status = job["status"]
            conditions = [found["type"] for found in status.get("conditions", ()) if found["status"] == "True"]
            ended = [found for found in conditions if found in ("Complete", "Failed")]
            if ended:
                return str(ended[0])
            return "" if status.get("active", 0) == job["spec"]["parallelism"] else None

        return self._wait(counted, f"state of Job {name}")

    def _wait(self, look: Callable[[], _Answer | None], goal: str) -> _Answer:
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            found = look()
            if found is not None:
                return found
            time.sleep(0.05)
        states = [(pod["metadata"]["name"], pod["status"].get("conditions")) for pod in self.pods()]
        raise AssertionError(f"no {goal} after {_SECONDS} s: {states}")

    def close(self) -> None:
        """Delete everything that other tests would see, and wait until no Pod is left.

        The nodes of the next test could attract Pods. A namespace without Pods stays: the server would look for objects
        of every kind in it, which takes a tenth of a second of processor time.

        Raises:
            AssertionError: a test that does not run alone has Pods, which take nodes of other tests.
        """
        if not self._alone:
            assert not self.pods(), "Pods were created: use the fixture `scheduling`"
            return
        self.client.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        for item in self._shared:
            if item["kind"] != "Node":
                self.client.delete(item)
        if any(item["kind"] == "Node" for item in self._shared):
            self.client.request("DELETE", "/api/v1/nodes")
        path = f"/api/v1/namespaces/{self.namespace}/pods"

        def empty() -> bool | None:
            self.client.request("DELETE", path, gracePeriodSeconds="0")
            pods = self.pods()
            for pod in pods:
                if "finalizers" in pod["metadata"]:  # the Job controller would remove them within a second
                    with contextlib.suppress(Refused):
                        self.client.patch(pod, {"metadata": {"finalizers": None}})
            return None if pods else True

        self._wait(empty, "empty namespace")


def _name(item: Object) -> str:
    return str(item["metadata"]["name"])


def _placement(pod: Object) -> Placement | None:
    name, labels = pod["metadata"]["name"], pod["metadata"].get("labels", {})
    requests = [found.get("resources", {}).get("requests", {}) for found in pod["spec"]["containers"]]
    chips = sum(int(found.get("google.com/tpu", 0)) for found in requests)
    node = pod["spec"].get("nodeName")
    if node:
        return Placement(name, labels, node, "", chips)
    for condition in pod["status"].get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable":
            return Placement(name, labels, "", condition["message"], chips)
    return None


@contextlib.contextmanager
def testbed(client: Client, namespace: str, *, alone: bool) -> Iterator[Testbed]:
    """A new namespace, with the account that Pods use. Only a test that runs alone may create other objects."""
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, "")
    bed = Testbed(client, namespace, alone=alone)
    try:
        account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
        bed._wait(lambda: _present(client, account), "account of the namespace")
        yield bed
    finally:
        bed.close()


def _present(client: Client, path: str) -> bool | None:
    try:
        client.request("GET", path)
    except Refused:
        return None
    return True
