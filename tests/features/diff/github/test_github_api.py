"""The client: pages, limits, failures, and where the token may go."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator

import pytest
from support.github_standin import REPOSITORY, TOKEN, Failure, Repository

from pulumi_gke_tpu.features.diff.github import GitHub, GitHubError

COMMENTS = "issues/1/comments"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_every_page_is_read(count: int, repository: Repository, github: GitHub) -> None:
    repository.page_size = 2
    for number in range(count):
        repository.comment(str(number))
    assert [entry["body"] for entry in github.entries(COMMENTS)] == [str(number) for number in range(count)]


def test_the_next_page_is_not_read_from_another_server(repository: Repository, github: GitHub) -> None:
    repository.page_size, repository.foreign_pages = 1, True
    repository.comment("a")
    repository.comment("b")
    with pytest.raises(GitHubError, match="another server"):
        list(github.entries(COMMENTS))


def test_a_list_without_end_ends(repository: Repository, github: GitHub) -> None:
    repository.page_size = 1
    for number in range(201):
        repository.comment(str(number))
    with pytest.raises(GitHubError, match="more than 200 pages"):
        list(github.entries(COMMENTS))


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Failure("GET", 429, {"Retry-After": "7"}), [7.0]),
        (Failure("GET", 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1030"}), [31.0]),
        (Failure("GET", 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "900"}), [1.0]),
        (Failure("GET", 429), [60.0]),
        (Failure("GET", 502, content="<html>"), [2.0]),
        (Failure("GET", 500, times=3), [2.0, 4.0, 8.0]),
        (Failure("GET", 0, times=2), [2.0, 4.0]),
    ],
    ids=["retry after", "limit", "limit that is over", "limit without a time", "gateway", "three errors", "no answer"],
)
def test_what_passes_is_waited_for(
    failure: Failure, expected: list[float], repository: Repository, github: GitHub, waits: list[float]
) -> None:
    repository.failures.append(failure)
    assert list(github.entries(COMMENTS)) == []
    assert waits == expected


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (Failure("GET", 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5000"}), "answers 403 to GET: no"),
        (Failure("GET", 403), "answers 403"),
        (Failure("GET", 404), "answers 404"),
        (Failure("GET", 401, content='{"message": "bad\\u001b[31m"}'), r"401 to GET: bad\x1b[31m"),
        (Failure("GET", 302, {"Location": "https://evil.example/"}), "answers 302"),
        (Failure("GET", 500, times=9), "answers 500"),
        (Failure("GET", 0, times=9), "cannot reach GitHub"),
        (Failure("GET", 200, content="["), "is not a list"),
        (Failure("GET", 200, content="{}"), "is not a list"),
        (Failure("GET", 200, content="[" * 100_000), "is not a list"),
    ],
)
def test_failed_requests_are_reported(failure: Failure, told: str, repository: Repository, github: GitHub) -> None:
    repository.failures.append(failure)
    with pytest.raises(GitHubError) as refused:
        list(github.entries(COMMENTS))
    assert told in str(refused.value)


def test_nothing_is_created_twice(repository: Repository, github: GitHub, waits: list[float]) -> None:
    """A lost answer does not show whether the request had an effect."""
    repository.failures.append(Failure("POST", 502))
    with pytest.raises(GitHubError, match="502"):
        github.send("POST", COMMENTS, {"body": "a"})
    assert (repository.asked, waits) == ([f"POST /repos/{REPOSITORY}/{COMMENTS}"], [])


@pytest.mark.parametrize(
    ("repository_name", "token", "url"),
    [
        (REPOSITORY, TOKEN, "http://api.github.com"),
        (REPOSITORY, TOKEN, "ftp://api.github.com"),
        (REPOSITORY, TOKEN, ""),
        ("acme", TOKEN, "https://api.github.com"),
        ("acme/fleet/../../x", TOKEN, "https://api.github.com"),
        ("acme/fl eet", TOKEN, "https://api.github.com"),
        ("acme/..", TOKEN, "https://api.github.com"),
        (REPOSITORY, TOKEN, "http://["),
        (REPOSITORY, TOKEN, "https://[::1"),
        (REPOSITORY, TOKEN, "https://"),
        (REPOSITORY, TOKEN, "https://:443"),
        (REPOSITORY, TOKEN, "https://api.github.com:port"),
        (REPOSITORY, TOKEN, "https://api.github.com:99999"),
        (REPOSITORY, TOKEN, "https://api..github.com"),
        (REPOSITORY, TOKEN, f"https://{'a' * 64}.example"),
        (REPOSITORY, TOKEN, "https://api.github.com/\N{LATIN SMALL LETTER E WITH ACUTE}"),
        (REPOSITORY, TOKEN, "https://api.github.com/a b"),
        (REPOSITORY, TOKEN, "https://api.github.com/\nX"),
        (REPOSITORY, TOKEN, "https://me:secret@api.github.com"),
        (REPOSITORY, TOKEN, "https://api.github.com/#x"),
        (REPOSITORY, "", "https://api.github.com"),
        (REPOSITORY, "a\r\nX: y", "https://api.github.com"),
    ],
)
def test_what_could_leak_the_token_or_ask_for_something_else_is_refused(
    repository_name: str, token: str, url: str
) -> None:
    with pytest.raises(GitHubError):
        GitHub(repository_name, token, url=url, wait=lambda _: None, now=lambda: 0.0)


@pytest.mark.parametrize("link", ["http://[", "http://127.0.0.1:x/", "/relative", "{server}/\xe9", "{server}/a b"])
def test_a_next_page_with_a_malformed_address_is_refused(link: str, repository: Repository, github: GitHub) -> None:
    repository.failures.append(
        Failure("GET", 200, {"Link": f'<{link.format(server=repository.url)}>; rel="next"'}, content="[]")
    )
    with pytest.raises(GitHubError, match="another server"):
        list(github.entries(COMMENTS))


def test_a_malformed_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http:/proxy")
    github = GitHub(REPOSITORY, TOKEN, url="https://api.github.com", wait=lambda _: None, now=lambda: 0.0)
    with pytest.raises(GitHubError, match="check HTTPS_PROXY"):
        github.get("pulls")


@pytest.mark.parametrize(
    "part", [b"H", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n["]
)
def test_an_answer_that_comes_byte_by_byte_ends_at_the_deadline(part: bytes) -> None:
    """Each byte comes well within the timeout of a single read."""
    with dripping(part) as url:
        github = GitHub(REPOSITORY, TOKEN, url=url, wait=lambda _: None, now=lambda: 0.0, deadline=0.2)
        with pytest.raises(GitHubError, match="its answer timed out"):
            list(github.entries(COMMENTS))


@contextlib.contextmanager
def dripping(start: bytes) -> Iterator[str]:
    """A server that sends the start of an answer, and then a byte after the other without end."""
    stop = threading.Event()

    class Drip(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                self.request.sendall(start)
                while not stop.wait(0.02):
                    self.request.sendall(b"x")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drip) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            stop.set()
            server.shutdown()
            thread.join()


def test_no_message_contains_the_token(repository: Repository, github: GitHub) -> None:
    repository.failures.append(Failure("GET", 500, times=9))
    with pytest.raises(GitHubError) as refused:
        list(github.entries(COMMENTS))
    assert TOKEN not in str(refused.value)
