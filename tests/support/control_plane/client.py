"""A client of the Kubernetes API: what the tests need of it, over verified TLS."""

import http.client
import json
import pathlib
import ssl
import time
from typing import Any
from urllib.parse import quote, urlencode

Object = dict[str, Any]
"""A Kubernetes object as plain data."""

_PATCH = "application/merge-patch+json"
_APPLY = "application/apply-patch+yaml"
_SECONDS = 60
_TRIES, _PAUSE, _IDLE = 10, 0.5, 5.0
"""How often a request is sent or a connection opened; seconds."""
_ENDED = (ConnectionError, ssl.SSLError)
"""The other side ended the connection."""


class Refused(Exception):  # noqa: N818
    """The server refused a request; the text is the server's own message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class Client:
    """Requests on one connection; for one thread."""

    def __init__(self, port: int, certificate: pathlib.Path, token: str) -> None:
        trusted = ssl.create_default_context(cafile=str(certificate))
        self._connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=_SECONDS, context=trusted)
        self._authorization = f"Bearer {token}"
        self._kinds: dict[str, dict[str, Object]] = {}
        self._used = 0.0

    def close(self) -> None:
        self._connection.close()

    def request(
        self, method: str, path: str, body: Object | None = None, *, form: str = _PATCH, **query: str
    ) -> Object:
        """The answer; empty if it is not JSON.

        Raises:
            Refused: the status is not 2xx.
        """
        headers = {"Authorization": self._authorization, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = form if method == "PATCH" else "application/json"
        url = f"{path}?{urlencode(query)}" if query else path
        status, text = self._answer(method, url, json.dumps(body) if body is not None else None, headers)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {}
        if status >= http.client.BAD_REQUEST:
            raise Refused(status, answer.get("message", text) if isinstance(answer, dict) else text)
        return answer if isinstance(answer, dict) else {}

    def _answer(self, method: str, url: str, body: str | None, headers: dict[str, str]) -> tuple[int, str]:
        """Status and text. After a failure, the connection is closed: the next request opens another one.

        A busy server can end a connection without an answer. What changes nothing the second time is sent again. After
        a pause, in which the server may have ended the connection, a request that creates an object gets another one.
        """
        left = 0 if method == "POST" and "dryRun" not in url else _TRIES
        if not left and time.monotonic() - self._used > _IDLE:
            self._connection.close()
        while True:
            self._connect()
            self._used = time.monotonic()
            try:
                self._connection.request(method, url, body, headers)
                with self._connection.getresponse() as response:
                    return response.status, response.read().decode()
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if not left or not isinstance(error, _ENDED):
                    raise
            left -= 1
            time.sleep(_PAUSE)

    def _connect(self) -> None:
        """Connect unless connected. A busy server ends a handshake that takes too long, so it is tried again."""
        for left in reversed(range(_TRIES)):
            if self._connection.sock is not None:
                return
            try:
                self._connection.connect()
            except OSError:
                self._connection.close()
                if not left:
                    raise
                time.sleep(_PAUSE)

    def create(self, item: Object, namespace: str, *, dry_run: bool = False) -> Object:
        """Create an object, in the namespace if its kind has namespaces; unknown and duplicate fields are errors.

        A namespace in its metadata is replaced: each test has its own. If the kind has no namespaces, another test may
        have an object of this name: a dry run accepts that.
        """
        if self.has_namespace(item):
            item = {**item, "metadata": {**item.get("metadata", {}), "namespace": namespace}}
        path, strict = self._path(item, namespace), {"fieldValidation": "Strict"}
        if not dry_run:
            return self.request("POST", path, item, **strict)
        try:
            return self.request("POST", path, item, **strict, dryRun="All")
        except Refused as refused:
            if refused.status != http.client.CONFLICT or self.has_namespace(item):
                raise
        # The server checks the object before it looks for the name, so another name gives the same answer.
        name = item["metadata"]["name"]
        renamed = {**item, "metadata": {**item["metadata"], "name": f"{namespace}.{name}"}}
        stored = self.request("POST", path, renamed, **strict, dryRun="All")
        return {**stored, "metadata": {**stored["metadata"], "name": name}}

    def has_namespace(self, item: Object) -> bool:
        """Whether objects of this kind are in a namespace, which no other test uses."""
        return bool(self._kind(item)["namespaced"])

    def patch(self, item: Object, change: Object, part: str = "", *, manager: str = "") -> Object:
        """Merge a change into an object (RFC 7396), or into a part such as ``/status``, as a manager of its fields."""
        query = {"fieldManager": manager} if manager else {}
        return self.request("PATCH", f"{self._named(item)}{part}", change, **query)

    def apply(self, item: Object, manager: str, *, force: bool = False, dry_run: bool = False) -> Object:
        """Apply an object in its namespace as ``kubectl apply --server-side`` does; JSON is YAML."""
        query = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": "Strict"}
        query |= {"dryRun": "All"} if dry_run else {}
        return self.request("PATCH", self._named(item), item, form=_APPLY, **query)

    def get(self, item: Object) -> Object:
        """The object as the server has it."""
        return self.request("GET", self._named(item))

    def delete(self, item: Object) -> None:
        """Delete an object at once, without a grace period; nothing happens if it is gone."""
        try:
            self.request("DELETE", self._named(item), gracePeriodSeconds="0", propagationPolicy="Background")
        except Refused as refused:
            if refused.status != http.client.NOT_FOUND:
                raise

    def list(self, api_version: str, kind: str, namespace: str, **query: str) -> list[Object]:
        """The objects of a kind, in the namespace if the kind has namespaces."""
        item = {"apiVersion": api_version, "kind": kind}
        found: list[Object] = self.request("GET", self._path(item, namespace), **query)["items"]
        return [{**item, **one} for one in found]  # items of lists carry neither

    def _named(self, item: Object) -> str:
        metadata = item["metadata"]
        return f"{self._path(item, metadata.get('namespace', ''))}/{quote(metadata['name'], safe='')}"

    def _path(self, item: Object, namespace: str) -> str:
        kind = self._kind(item)
        inside = f"/namespaces/{namespace}" if kind["namespaced"] else ""
        return f"{_root(item['apiVersion'])}{inside}/{kind['name']}"

    def _kind(self, item: Object) -> Object:
        """What the server knows of a kind.

        Raises:
            Refused: the server does not have the version or the kind.
        """
        version, kind = item.get("apiVersion", ""), item.get("kind", "")
        if kind not in self._kinds.get(version, {}):
            resources = self.request("GET", _root(version))["resources"]
            self._kinds[version] = {found["kind"]: found for found in resources if "/" not in found["name"]}
        if kind not in self._kinds[version]:
            raise Refused(http.client.NOT_FOUND, f"the server has no kind {kind} in {version}")
        return self._kinds[version][kind]


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
