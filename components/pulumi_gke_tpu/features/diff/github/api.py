"""GitHub's REST API as far as a comment needs it: bounded in every way, and the token stays with its server."""

import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from email.message import Message
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, NoReturn

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable

_SECONDS = 30
"""Seconds that the server may stay silent."""
_DEADLINE = 60
"""Seconds that one request and its whole answer may take."""
_LARGEST = 20_000_000
_MOST_PAGES = 200
_TRIES = 4
_LONGEST_WAIT = 120
"""Seconds that one request waits in all, for a rate limit or a server that is busy."""
_USUAL_WAIT = 60
"""Seconds where GitHub asks for patience without saying how long."""

_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class GitHubError(Exception):
    """GitHub refused, or cannot be reached. ``status`` is that of its answer, 0 where there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the token to another address."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


@frozen
class _Answer:
    status: int
    headers: Message
    content: Any


class GitHub:
    """One repository, with the rights of a token.

    ``url`` is the API's, of github.com or of an own server. ``wait`` sleeps and ``now`` tells the time in seconds since
    1970: rate limits end at a point in time. ``deadline`` is how many seconds one request may take, up to the last byte
    of its answer.

    Raises:
        GitHubError: the address is not a valid HTTPS URL, or the repository not of the form owner/name.
    """

    def __init__(
        self,
        repository: str,
        token: str,
        *,
        url: str,
        wait: Callable[[float], None],
        now: Callable[[], float],
        deadline: float = _DEADLINE,
    ) -> None:
        parts = _parts(url)
        if parts is None:
            raise GitHubError(f"invalid API address {printable(url, 80)}: use a URL such as https://api.github.com")
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise GitHubError(f"invalid API address {printable(url, 80)}: use https://")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII) or {".", ".."} & set(repository.split("/")):
            raise GitHubError(f"invalid repository {printable(repository, 80)}: use owner/name")
        if not token or not token.isascii() or not token.isprintable():
            raise GitHubError("invalid or empty token")
        self._root = f"{url.rstrip('/')}/repos/{repository}"
        self._server = (parts.scheme, parts.netloc)
        self._token, self._wait, self._now, self._deadline = token, wait, now, deadline
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str, **query: str) -> Any:
        """Get the content of a path below the repository."""
        return self._request("GET", self._address(path, query)).content

    def entries(self, path: str, **query: str) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of a list, from all pages."""
        address: str | None = self._address(path, {**query, "per_page": "100"})
        for _ in range(_MOST_PAGES):
            if address is None:
                return
            answer = self._request("GET", address)
            if not isinstance(answer.content, list):
                raise GitHubError(f"the answer at {printable(path)} is not a list", answer.status)
            yield from (entry for entry in answer.content if isinstance(entry, dict))
            address = self._next(answer.headers)
        raise GitHubError(f"more than {_MOST_PAGES} pages at {printable(path)}")

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Create, change or delete an object."""
        return self._request(method, self._address(path, {}), body).content

    def _address(self, path: str, query: Mapping[str, str]) -> str:
        return f"{self._root}/{path}{'?' if query else ''}{urllib.parse.urlencode(query)}"

    def _next(self, headers: Message) -> str | None:
        found = _NEXT.search(headers.get("Link", ""))
        if found is None:
            return None
        parts = _parts(found.group(1))
        if parts is None or (parts.scheme, parts.netloc) != self._server:
            raise GitHubError("the next page of a list is on another server")
        return found.group(1)

    def _request(self, method: str, address: str, body: Mapping[str, Any] | None = None) -> _Answer:
        waited = 0.0
        for attempt in range(1, _TRIES + 1):
            answer = _within(self._deadline, lambda: self._once(method, address, body))
            if answer is not None and answer.status < HTTPStatus.MULTIPLE_CHOICES:
                return answer
            pause = self._pause(method, answer, attempt)
            if attempt == _TRIES or pause is None or waited + pause > _LONGEST_WAIT:
                _refuse(method, answer)
            waited += pause
            self._wait(pause)
        raise AssertionError("unreachable")

    def _once(self, method: str, address: str, body: Mapping[str, Any] | None) -> _Answer | None:
        """One attempt; None where no answer came."""
        request = urllib.request.Request(
            address,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "gke-tpu",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as response:
                return _Answer(response.status, response.headers, _content(response.read(_LARGEST + 1)))
        except urllib.error.HTTPError as error:
            with error:
                return _Answer(error.code, error.headers, _content(error.read(_LARGEST + 1)))
        except (OSError, HTTPException):
            return None
        except ValueError as error:  # of a proxy's address: that of the API has been checked
            raise GitHubError(f"invalid proxy setting: {printable(error, 80)}; check HTTPS_PROXY") from error

    def _pause(self, method: str, answer: _Answer | None, attempt: int) -> float | None:
        """Seconds until it is worth trying again; None where it is not."""
        if answer is not None and answer.status in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
            return self._limited(answer)
        # What creates something may have done so although no answer came.
        again = method != "POST" and (answer is None or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR)
        return float(2**attempt) if again else None

    def _limited(self, answer: _Answer) -> float | None:
        after, reset = answer.headers.get("Retry-After", ""), answer.headers.get("X-RateLimit-Reset", "")
        if after.isascii() and after.isdigit():
            return float(after)
        if answer.headers.get("X-RateLimit-Remaining") == "0" and reset.isascii() and reset.isdigit():
            return max(0.0, float(reset) - self._now()) + 1
        return _USUAL_WAIT if answer.status == HTTPStatus.TOO_MANY_REQUESTS else None


def _parts(url: str) -> urllib.parse.SplitResult | None:
    """The parts of an absolute URL of ASCII; None if no connection to it is possible."""
    try:
        parts = urllib.parse.urlsplit(url)
        usable = url.isascii() and url.isprintable() and " " not in url and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        return None
    plain = not (parts.username or parts.password or parts.fragment)
    return parts if usable and plain and parts.hostname else None


def _within(seconds: float, attempt: Callable[[], _Answer | None]) -> _Answer | None:
    """What an attempt gives, or None where it takes longer.

    The timeout of a socket is per read, so an answer that comes byte by byte would be waited for without end. A thread
    that is still reading is left behind; it ends with the process.
    """
    result: futures.Future[_Answer | None] = futures.Future()

    def run() -> None:
        try:
            result.set_result(attempt())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return result.result(seconds)
    except futures.TimeoutError:
        return None


def _content(raw: bytes) -> Any:
    """The data of an answer; None where there is none that can be read."""
    if len(raw) > _LARGEST:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _refuse(method: str, answer: _Answer | None) -> NoReturn:
    if answer is None:
        raise GitHubError("cannot reach GitHub, or its answer timed out")
    said = answer.content.get("message", "") if isinstance(answer.content, dict) else ""
    reason = f": {printable(said, 200)}" if said and isinstance(said, str) else ""
    raise GitHubError(f"GitHub answers {answer.status} to {method}{reason}", answer.status)
