"""One comment, found again by its marker; one label by danger; the right pull request."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.github_standin import Failure, Repository

from pulumi_gke_tpu.features.diff.github import (
    GitHub,
    GitHubError,
    PullRequest,
    post_comment,
    pull_request_of,
    set_label,
)
from pulumi_gke_tpu.features.diff.model import ChangeClass

MARKER = "<!-- mine -->"
BOT = "github-actions[bot]"


def render(limit: int) -> str:
    return f"{MARKER}\n{'x' * 100_000}"[:limit]


def post(github: GitHub, text: str = "news", needed: bool = True) -> str:
    body = f"{MARKER}\n{text}"
    return post_comment(github, 7, lambda _: body, marker=MARKER, limit=60_000, author=BOT, needed=needed)


def test_the_first_comment_is_created(repository: Repository, github: GitHub) -> None:
    assert post(github) == "created"
    assert repository.bodies() == [f"{MARKER}\nnews"]


def test_the_comment_is_updated_at_any_position(repository: Repository, github: GitHub) -> None:
    repository.page_size = 3
    for number in range(10):
        repository.comment(f"talk {number}", author="someone")
    repository.comment(f"{MARKER}\nold")
    for number in range(5):
        repository.comment(f"more talk {number}", author="someone")
    assert post(github) == "updated"
    assert repository.bodies() == [f"{MARKER}\nnews"]
    assert len(repository.comments) == 16


def test_the_same_text_is_not_sent_again(repository: Repository, github: GitHub) -> None:
    post(github)
    repository.asked.clear()
    assert post(github) == "unchanged"
    assert [request.split()[0] for request in repository.asked] == ["GET"]


@pytest.mark.parametrize(
    ("body", "author"), [(f"{MARKER}\nforged", "someone"), (f"> {MARKER}\nquoted", BOT), ("other news", BOT)]
)
def test_what_is_not_ours_stays(body: str, author: str, repository: Repository, github: GitHub) -> None:
    repository.comment(body, author)
    assert post(github) == "created"
    assert repository.comments[1]["body"] == body


def test_without_changes_nothing_is_written_but_an_old_comment_is_corrected(
    repository: Repository, github: GitHub
) -> None:
    assert post(github, "no change", needed=False) == "nothing to say"
    assert repository.comments == {}
    post(github, "replaced")
    assert post(github, "no change", needed=False) == "updated"


def test_a_comment_that_is_deleted_in_between_is_written_anew(repository: Repository, github: GitHub) -> None:
    post(github)
    repository.vanishing = True
    assert post(github, "other news") == "created"
    assert repository.bodies() == [f"{MARKER}\nother news"]


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize(
    ("longest", "expected"), [(65_536, 60_000), (40_000, 30_000), (16_000, 15_000), (8_000, 7_500)]
)
def test_what_is_too_long_is_written_shorter(
    existing: bool, longest: int, expected: int, repository: Repository, github: GitHub
) -> None:
    if existing:
        repository.comment(f"{MARKER}\nold")
    repository.longest = longest
    post_comment(github, 7, render, marker=MARKER, limit=60_000, author=BOT, needed=True)
    assert repository.bodies() == [render(expected)]


def test_a_comment_that_is_too_long_at_any_length_is_an_error(repository: Repository, github: GitHub) -> None:
    repository.longest = 10
    with pytest.raises(GitHubError, match="422 to POST: Validation Failed"):
        post_comment(github, 7, render, marker=MARKER, limit=60_000, author=BOT, needed=True)


def test_missing_permissions_are_reported(repository: Repository, github: GitHub) -> None:
    repository.failures.append(
        Failure("POST", 403, content='{"message": "Resource not accessible by integration"}', times=9)
    )
    with pytest.raises(GitHubError, match="403 to POST: Resource not accessible"):
        post(github)


@pytest.mark.parametrize(
    ("there", "classes", "left"),
    [
        ([], ["in-place", "replace", "create"], ["tpu: replace"]),
        (["bug", "tpu: replace"], ["create"], ["bug", "tpu: create"]),
        (["tpu: delete", "bug"], [], ["bug"]),
        (["tpu: no-op"], ["no-op"], ["tpu: no-op"]),
        (["tpu: mine"], [], ["tpu: mine"]),
    ],
)
def test_the_label_is_that_of_the_most_dangerous_change(
    there: list[str], classes: list[ChangeClass], left: list[str], repository: Repository, github: GitHub
) -> None:
    repository.labels += there
    set_label(github, 7, classes)
    assert repository.labels == left


def pull(number: int, owner: str = "fork", branch: str = "wider", sha: str = "abc") -> dict[str, Any]:
    return {"number": number, "label": f"{owner}:{branch}", "head": {"sha": sha}}


def run_of(**other: Any) -> dict[str, Any]:
    run = {
        "event": "pull_request",
        "head_sha": "abc",
        "head_branch": "wider",
        "head_repository": {"owner": {"login": "fork"}},
        "pull_requests": [],
    }
    return {"workflow_run": {**run, **other}}


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_the_event_of_a_pull_request_has_its_number(name: str, github: GitHub) -> None:
    assert pull_request_of(name, {"pull_request": {"number": 12}}, github) == PullRequest(12, "", "")


def test_a_later_run_finds_it_by_its_head(repository: Repository, github: GitHub) -> None:
    repository.pulls += [pull(3, owner="acme"), pull(4, branch="other"), pull(5)]
    assert pull_request_of("workflow_run", run_of(), github) == PullRequest(5, "", "abc")


def test_a_run_cannot_name_another_pull_request(repository: Repository, github: GitHub) -> None:
    repository.pulls += [pull(5)]
    assert pull_request_of("workflow_run", run_of(pull_requests=[{"number": 1}]), github) == PullRequest(5, "", "abc")


@pytest.mark.parametrize("pulls", [[], [pull(5, sha="newer")]])
def test_a_head_that_has_moved_on_is_nobodys(pulls: list[Any], repository: Repository, github: GitHub) -> None:
    repository.pulls += pulls
    assert pull_request_of("workflow_run", run_of(), github) is None


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("push", {}),
        ("pull_request", {}),
        ("pull_request", {"pull_request": {"number": "12"}}),
        ("pull_request", {"pull_request": {"number": True}}),
        ("pull_request", {"pull_request": {"number": -1}}),
        ("workflow_run", {}),
        ("workflow_run", run_of(event="push")),
        ("workflow_run", run_of(head_sha=None)),
        ("workflow_run", run_of(head_repository=None)),
    ],
)
def test_other_events_are_refused(name: str, event: Mapping[str, Any], github: GitHub) -> None:
    with pytest.raises(GitHubError):
        pull_request_of(name, event, github)


def test_two_pull_requests_with_one_head_are_refused(repository: Repository, github: GitHub) -> None:
    repository.pulls += [pull(5), pull(6)]
    with pytest.raises(GitHubError, match="2 open pull requests"):
        pull_request_of("workflow_run", run_of(), github)
