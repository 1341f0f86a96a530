"""One comment per pull request: written once, found again by its marker, and changed from then on."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pulumi_gke_tpu.features.diff.github.api import GitHub, GitHubError

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
