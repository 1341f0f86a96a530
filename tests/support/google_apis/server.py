"""A stand-in of the Google APIs on loopback, for the real provider of Terraform: what is sent, and what it answers.

The provider in ``tests/terraform/provider`` sends ``https://SERVICE.googleapis.com/PATH`` to ``/SERVICE/PATH`` here.
The answers contain the request and ``answers.yaml``; ``refusals.py`` is what is refused.
"""

import contextlib
import copy
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from support.gke.refusals import RefusedError
from support.gke.values import last, region_of
from support.google_apis.accounts import Accounts
from support.google_apis.compute import Compute
from support.google_apis.container import Container, Knobs

_REASONS = {400: "badRequest", 404: "notFound", 409: "alreadyExists", 429: "rateLimitExceeded", 501: "notImplemented"}
_TRY_AGAIN = 429
_STANDIN_FAILED = 418
"""A status that the provider does not try again."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A request and the status of its answer."""

    method: str
    path: str
    """From the name of the project on."""
    body: Json
    status: int

    @property
    def short(self) -> str:
        """Method, and the path after the location: ``PUT clusters/a/nodePools/b``."""
        return f"{self.method} {re.sub(r'^(?:(?:locations|zones|regions)/[^/]+|global)/', '', self.path)}"


class Google:
    """All projects, and the requests in their order. ``url`` is the address that ``Terraform`` takes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.knobs = Knobs()
        self.requests: list[Request] = []
        self.compute, self.accounts = Compute(), Accounts()
        self.container = Container(self.knobs, self.compute)
        self.compute.groups, self.compute.users = self.container.groups, self._users
        self._services = {
            "container": self.container.answer,
            "compute": self.compute.answer,
            "iam": self.accounts.iam,
            "cloudresourcemanager": self.accounts.projects,
            "storage": self.accounts.buckets,
            "serviceusage": self.accounts.service_usage,
            "cloudbilling": self.accounts.billing,
        }
        self._lock = threading.Lock()

    def writes(self) -> list[str]:
        """What was sent to change something, in short. Reading an IAM policy is a POST, too.

        A request for which there is no capacity is sent until a timeout: it is here once.
        """
        found: list[Request] = []
        for request in self.requests:
            reads = request.method == "GET" or request.path.endswith(":getIamPolicy")
            if not reads and not (request.status == _TRY_AGAIN and request in found):
                found.append(request)
        return [request.short for request in found]

    def send(self, method: str, service: str, path: str, body: Json | None = None) -> Json:
        """Send a request as other programs do, ``gcloud`` for example; it is not among the requests of the provider.

        Raises:
            RefusedError: the API does not take it.
        """
        with self._lock:
            return self._services[service](method, path, copy.deepcopy(body or {}))

    def answer(self, method: str, path: str, body: Json) -> tuple[int, Json]:
        """Answer a request of the provider."""
        match = re.fullmatch(r"/(\w+)(?:/compute|/storage)?/v\w+/(.+)", path)
        if match is None or match.group(1) not in self._services:
            return 404, _error(404, f"Not found: {path}")
        service, name = match.groups()
        short = re.sub(r"^projects/[^/:]+/?", "", name)
        with self._lock:
            status, answer = 200, {}
            try:
                if f"{method} {short}" in self.knobs.refused_once:
                    raise RefusedError(*self.knobs.refused_once.pop(f"{method} {short}"))
                answer = copy.deepcopy(self._services[service](method, name, copy.deepcopy(body)))
            except RefusedError as refusal:
                status, answer = refusal.status, _error(refusal.status, str(refusal))
            self.requests.append(Request(method, short, body, status))
        return status, answer

    def _users(self) -> Iterator[tuple[str, str]]:
        for cluster in self.container.clusters.values():
            region = f"projects/{cluster.project}/regions/{region_of(cluster.location)}"
            yield f"projects/{cluster.project}/global/networks/{cluster.state['network']}", cluster.name
            yield f"{region}/subnetworks/{cluster.state['subnetwork']}", cluster.name
            for pool in cluster.pools.values():
                policy = (pool.get("placementPolicy") or {}).get("policyName")
                if policy:
                    yield f"{region}/resourcePolicies/{last(policy)}", pool["name"]
        for key, item in self.compute.objects.items():
            if "/networks/" not in key and "network" in item:
                yield f"projects/{item['network'].partition('projects/')[2]}", key


def _error(status: int, message: str) -> Json:
    item = {"message": message, "domain": "global", "reason": _REASONS.get(status, "backendError")}
    return {"error": {"code": status, "message": message, "errors": [item]}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    google: Google

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw.strip() else {}
            status, answer = self.google.answer(self.command, unquote(urlsplit(self.path).path), body)
        except Exception as error:  # a mistake of the stand-in is seen in the output of the command
            status, answer = _STANDIN_FAILED, _error(_STANDIN_FAILED, f"{self.command} {self.path}: {error!r}")
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@contextlib.contextmanager
def google_apis() -> Iterator[Google]:
    """A stand-in with empty projects, until the block ends."""
    handler = type("_BoundHandler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        google = Google(f"http://127.0.0.1:{server.server_address[1]}")
        handler.google = google  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield google
        finally:
            server.shutdown()
            thread.join()
