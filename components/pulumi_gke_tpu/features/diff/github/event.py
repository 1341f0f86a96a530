"""Which pull request a workflow runs for, from the event that GitHub gave to the workflow itself."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.diff.github.api import GitHub, GitHubError


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
