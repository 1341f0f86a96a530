"""GitHub: one comment and one label on a pull request, from a diff as JSON. The only part that uses the network.

The client is bounded in every way, and the token stays with its server.
"""

import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from email.message import Message
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Literal, NoReturn

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass

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

_NEXT = lazy_pattern(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')
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


@frozen
class PullRequest:
    """A pull request and the commits of its two branches; empty where GitHub does not name them."""

    number: int
    base: str
    head: str


def pull_request(number: int, github: GitHub) -> PullRequest:
    """The pull request of a number, as it is now.

    Raises:
        GitHubError: GitHub cannot be asked, or knows no such pull request.
    """
    return _pull_request(github.get(f"pulls/{number}"))


def pull_request_of(name: str, event: Mapping[str, Any], github: GitHub) -> PullRequest | None:
    """The pull request of an event; None where its head has moved on since, or where it is closed.

    The event of a run after another one (``workflow_run``) contains the head of the pull request. GitHub lists the
    number only for branches of the same repository, so for forks it is looked up by that head. No output of
    the other run is used.

    Raises:
        GitHubError: the event is of no pull request, or GitHub cannot be asked.
    """
    if name in ("pull_request", "pull_request_target"):
        return _pull_request(event.get("pull_request"))
    if name != "workflow_run":
        raise GitHubError(f"the event {printable(name, 40)} has no pull request")
    run = event.get("workflow_run")
    if not isinstance(run, Mapping) or run.get("event") != "pull_request":
        raise GitHubError("the previous workflow did not run for a pull request")
    head = run.get("head_sha")
    owner, branch = _owner(run.get("head_repository")), run.get("head_branch")
    if not (isinstance(head, str) and isinstance(branch, str) and owner):
        raise GitHubError("the event does not contain the head of the pull request")
    found = [
        _pull_request(item)
        for item in github.entries("pulls", state="open", head=f"{owner}:{branch}")
        if isinstance(item.get("head"), Mapping) and item["head"].get("sha") == head
    ]
    if len(found) > 1:
        raise GitHubError(f"{len(found)} open pull requests have this head")
    return found[0] if found else None


def _owner(repository: object) -> str:
    owner = repository.get("owner") if isinstance(repository, Mapping) else None
    login = owner.get("login") if isinstance(owner, Mapping) else None
    return login if isinstance(login, str) else ""


def _pull_request(content: Any) -> PullRequest:
    number = content.get("number") if isinstance(content, Mapping) else None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise GitHubError("the event has no number of a pull request")
    return PullRequest(number, _commit(content.get("base")), _commit(content.get("head")))


def _commit(side: object) -> str:
    commit = side.get("sha") if isinstance(side, Mapping) else None
    return commit if isinstance(commit, str) else ""


Posted = Literal["created", "updated", "unchanged", "nothing to say"]

_GONE = (404, 410)
_TOO_LONG = 422
_SHORTER = 3
"""How often a comment that is too long is halved."""


def post_comment(
    github: GitHub, number: int, render: Callable[[int], str], *, marker: str, limit: int, author: str, needed: bool
) -> Posted:
    """Bring the comment of a pull request up to date.

    ``render`` writes the body in a number of bytes. Only a comment of ``author`` that begins with ``marker`` is ours:
    others may quote it. Where nothing is ``needed``, a comment that exists is updated and none is created.

    Raises:
        GitHubError: GitHub refused, or cannot be reached.
    """
    body = render(limit)
    comment = _ours(github, number, marker, author)
    if comment is None and not needed:
        return "nothing to say"
    if comment is not None and comment.get("body") == body:
        return "unchanged"
    if comment is not None:
        try:
            _write(github, "PATCH", f"issues/comments/{comment['id']}", render, limit)
        except GitHubError as error:
            if error.status not in _GONE:
                raise
        else:
            return "updated"
    _write(github, "POST", f"issues/{number}/comments", render, limit)
    return "created"


def _ours(github: GitHub, number: int, marker: str, author: str) -> Mapping[str, Any] | None:
    for comment in github.entries(f"issues/{number}/comments"):
        body, user, name = comment.get("body"), comment.get("user"), comment.get("id")
        ours = isinstance(user, Mapping) and user.get("login") == author
        if ours and isinstance(name, int) and isinstance(body, str) and body.startswith(marker):
            return comment
    return None


def _write(github: GitHub, method: str, path: str, render: Callable[[int], str], limit: int) -> None:
    """Write the body, shorter where GitHub finds it too long."""
    for halved in range(_SHORTER + 1):
        try:
            github.send(method, path, {"body": render(limit >> halved)})
        except GitHubError as error:
            if error.status != _TOO_LONG or halved == _SHORTER:
                raise
        else:
            return


LABELS: dict[ChangeClass, str] = {change: f"tpu: {change}" for change in CLASSES}
"""What each class is called as a label."""


def set_label(github: GitHub, number: int, classes: Sequence[ChangeClass]) -> str | None:
    """Give a pull request the label of the most dangerous of some classes, and take other labels of this kind away.

    Returns the label, None where nothing changes.

    Raises:
        GitHubError: GitHub refused, or cannot be reached.
    """
    wanted = LABELS[min(classes, key=CLASSES.index)] if classes else None
    there = {label.get("name") for label in github.entries(f"issues/{number}/labels")}
    for label in LABELS.values():
        if label in there and label != wanted:
            _remove(github, number, label)
    if wanted is not None and wanted not in there:
        github.send("POST", f"issues/{number}/labels", {"labels": [wanted]})
    return wanted


def _remove(github: GitHub, number: int, label: str) -> None:
    try:
        github.send("DELETE", f"issues/{number}/labels/{urllib.parse.quote(label, safe='')}")
    except GitHubError as error:
        if error.status != HTTPStatus.NOT_FOUND:  # another run created it in the meantime
            raise
