"""``gke-tpu comment``: write a comment and a label on a GitHub pull request, from the JSON of a diff."""

import os
import pathlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.diff.output.page import ChangePage

_TOKEN = "GITHUB_TOKEN"


@click.command(
    "comment",
    cls=CommandWithExamples,
    short_help="Post a diff as a comment on a GitHub pull request.",
    examples=("gke-tpu comment diff.json --print",),
)
@click.argument("diff")
@click.option(
    "--pull-request",
    "number",
    type=click.IntRange(1),
    metavar="NUMBER",
    show_default="from the event",
    help="Number of the pull request.",
)
@click.option(
    "--author",
    default="github-actions[bot]",
    show_default=True,
    metavar="ACCOUNT",
    help="GitHub account of the token; gke-tpu updates the comment of this account.",
)
@click.option(
    "--label/--no-label", default=True, show_default=True, help="Set a label with the most dangerous class of change."
)
@click.option("--print", "only_print", is_flag=True, help="Print the comment and post nothing.")
def command(diff: str, number: int | None, author: str, label: bool, only_print: bool) -> int:
    """Create or update the comment on a pull request from the output of `gke-tpu diff --format json`.

    DIFF is a file, or - for standard input. gke-tpu validates it against its schema and escapes all text in it. If
    DIFF is missing or invalid, the comment says that the comparison failed, and the exit code is 2.

    GITHUB_TOKEN must contain a token with the permission `pull-requests: write`. In GitHub Actions, gke-tpu also reads
    GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_SERVER_URL, GITHUB_RUN_ID, GITHUB_EVENT_NAME and GITHUB_EVENT_PATH.
    """
    page, problem = _read(diff)
    if only_print:
        from pulumi_gke_tpu.features.diff.output.comment import LIMIT

        click.echo(_body(page)(LIMIT), nl=False)
    else:
        _post(page, number, author, label)
    if problem:
        raise click.UsageError(problem)
    return 0


def _read(diff: str) -> "tuple[ChangePage | None, str]":
    """The page, or None and the error message."""
    from pulumi_gke_tpu.cli.files.plan_files import read_input
    from pulumi_gke_tpu.core.text.findings import printable_path
    from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
    from pulumi_gke_tpu.features.diff.output.json import LARGEST, change_page_from_json

    try:
        return change_page_from_json(read_input(diff, LARGEST + 1)), ""
    except JsonError as error:
        return None, f"{printable_path(diff)} is not the output of gke-tpu diff --format json: {error}"
    except click.UsageError as error:
        return None, f"cannot read the diff: {error.message}"


def _body(page: "ChangePage | None", base: str = "", head: str = "") -> Callable[[int], str]:
    """A function that renders the comment in at most that many bytes: the change, or the failed comparison."""
    from pulumi_gke_tpu.features.diff.output.comment import change_markdown, failed_markdown

    return (
        (lambda limit: change_markdown(page, limit=limit)) if page else (lambda _: failed_markdown(base, head, _log()))
    )


def _post(page: "ChangePage | None", number: int | None, author: str, label: bool) -> None:
    from pulumi_gke_tpu.features.diff.github import (
        GitHub,
        GitHubError,
        PullRequest,
        post_comment,
        pull_request,
        pull_request_of,
        set_label,
    )
    from pulumi_gke_tpu.features.diff.output.comment import LIMIT, MARKER

    token = os.environ.get(_TOKEN, "")
    if not token:
        raise click.UsageError(f"{_TOKEN} is not set; in a workflow: env: {{{_TOKEN}: ${{{{ github.token }}}}}}")
    try:
        github = GitHub(
            os.environ.get("GITHUB_REPOSITORY", ""),
            token,
            url=os.environ.get("GITHUB_API_URL") or "https://api.github.com",
            wait=time.sleep,
            now=time.time,
        )
        if number is None:
            found = pull_request_of(os.environ.get("GITHUB_EVENT_NAME", ""), _event(), github)
        else:
            found = PullRequest(number, "", "") if page else pull_request(number, github)
        if found is None:
            click.echo("Nothing posted: the pull request has a newer commit or is closed.")
            return
        classes = [item.change for item in page.report.change.items] if page else []
        posted = post_comment(
            github,
            found.number,
            _body(page, found.base, found.head),
            marker=MARKER,
            limit=LIMIT,
            author=author,
            needed=page is None or bool(classes or page.findings or page.report.dangerous),
        )
        failed = "" if page else " The comment reports that the comparison failed."
        click.echo(f"Pull request {found.number}: comment {posted}.{failed}")
        if label:
            _label(lambda: set_label(github, found.number, classes))
    except GitHubError as error:
        raise click.ClickException(str(error)) from error


def _log() -> str:
    """The page of the workflow run; empty outside of a workflow."""
    server, repository, run = (os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    return f"{server}/{repository}/actions/runs/{run}" if server and run else ""


def _label(set_it: Callable[[], str | None]) -> None:
    """Set the label. If GitHub rejects the label, warn and continue: the comment is already posted."""
    from pulumi_gke_tpu.features.diff.github import GitHubError

    try:
        wanted = set_it()
    except GitHubError as error:
        click.echo(f"gke-tpu: cannot set the label: {error}", err=True)
    else:
        click.echo(f"Label: {wanted or 'none'}.")


def _event() -> Mapping[str, Any]:
    """The event of this workflow run."""
    import json

    path = os.environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        raise click.UsageError("missing option --pull-request: it is required outside of GitHub Actions")
    try:
        event = json.loads(pathlib.Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise click.UsageError("GITHUB_EVENT_PATH is not a JSON file") from error
    return event if isinstance(event, dict) else {}
