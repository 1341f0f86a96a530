"""A stand-in of GitHub's REST API on loopback: one repository with comments, labels and pull requests."""

import contextlib
import json
import re
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "a-token"
BOT = "github-actions[bot]"
REPOSITORY = "acme/fleet"
LONGEST = 65_536


@dataclass
class Failure:
    """The answer to the next requests of a method; ``content`` None means no answer."""

    method: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    content: str = '{"message": "no"}'
    times: int = 1


@dataclass
class Repository:
    """What the server holds, and what it was asked."""

    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 100
    longest: int = LONGEST
    failures: list[Failure] = field(default_factory=list)
    vanishing: bool = False
    """Whether a comment disappears between the listing and its change."""
    foreign_pages: bool = False
    """Whether the link to the next page of a list points to another host."""
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def comment(self, body: str, author: str = BOT) -> int:
        number = len(self.comments) + 1
        self.comments[number] = {"id": number, "body": body, "user": {"login": author}}
        return number

    def bodies(self) -> list[str]:
        return [item["body"] for item in self.comments.values() if item["user"]["login"] == BOT]


class _Handler(BaseHTTPRequestHandler):
    """Answers for the repository of a subclass."""

    repository: Repository

    def log_message(self, *_arguments: Any) -> None:
        """Silent."""

    def _serve(self) -> None:
        parts = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.repository.asked.append(f"{self.command} {urllib.parse.unquote(parts.path)}")
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._answer(401, {"message": "Bad credentials"})
            return
        for failure in self.repository.failures:
            if failure.method == self.command and failure.times:
                failure.times -= 1
                self._raw(failure.status, failure.content.encode(), failure.headers)
                return
        path = parts.path.removeprefix(f"/repos/{REPOSITORY}/")
        query = {key: values[0] for key, values in urllib.parse.parse_qs(parts.query).items()}
        self._route(urllib.parse.unquote(path), query, json.loads(body) if body else None)

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

    def _route(self, path: str, query: dict[str, str], body: Any) -> None:
        if re.fullmatch(r"issues/\d+/comments", path) and self.command == "GET":
            listed = list(self.repository.comments.values())
            if self.repository.vanishing:  # before the answer: the next request comes in another thread
                self.repository.comments.clear()
            self._page(listed, query)
        elif re.fullmatch(r"issues/\d+/comments", path):
            self._write(self.repository.comment("") if self._fits(body) else None, body)
        elif found := re.fullmatch(r"issues/comments/(\d+)", path):
            self._write(int(found.group(1)) if self._fits(body) else None, body)
        elif re.fullmatch(r"issues/\d+/labels", path) and self.command == "GET":
            self._page([{"name": name} for name in self.repository.labels], query)
        elif re.fullmatch(r"issues/\d+/labels", path):
            self.repository.labels += body["labels"]
            self._answer(200, [])
        elif found := re.fullmatch(r"issues/\d+/labels/(.+)", path):
            self.repository.labels.remove(found.group(1))
            self._answer(200, [])
        elif found := re.fullmatch(r"pulls/(\d+)", path):
            asked = [item for item in self.repository.pulls if item["number"] == int(found.group(1))]
            self._answer(200 if asked else 404, asked[0] if asked else {"message": "Not Found"})
        elif path == "pulls":
            self._page([item for item in self.repository.pulls if item["label"] == query["head"]], query)
        else:
            self._answer(404, {"message": "Not Found"})

    def _fits(self, body: Any) -> bool:
        return len(body["body"]) <= self.repository.longest

    def _write(self, number: int | None, body: Any) -> None:
        if number is None:
            self._answer(422, {"message": "Validation Failed: body is too long"})
        elif number not in self.repository.comments:
            self._answer(404, {"message": "Not Found"})
        else:
            self.repository.comments[number]["body"] = body["body"]
            self._answer(200, self.repository.comments[number])

    def _page(self, entries: list[Any], query: dict[str, str]) -> None:
        size, page = min(self.repository.page_size, int(query.get("per_page", "30"))), int(query.get("page", "1"))
        headers = {}
        if page * size < len(entries):
            root = "https://evil.example" if self.repository.foreign_pages else self.repository.url
            path = urllib.parse.urlsplit(self.path).path
            following = urllib.parse.urlencode({**query, "page": str(page + 1)})
            headers["Link"] = f'<{root}{path}?{following}>; rel="next", <{root}{path}>; rel="last"'
        self._answer(200, entries[(page - 1) * size : page * size], headers)

    def _answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        self._raw(status, json.dumps(content).encode(), headers or {})

    def _raw(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def serving() -> Iterator[Repository]:
    """A repository that is served on loopback."""
    repository = Repository()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"repository": repository}))
    repository.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield repository
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
