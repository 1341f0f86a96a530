"""``gke-tpu comment``: one comment and one label on a GitHub pull request, from a diff as JSON."""

import os
import pathlib
import time
from collections.abc import Mapping
from typing import Any

import click

_TOKEN = "GITHUB_TOKEN"


@click.command("comment", short_help="Show a diff as a comment on a GitHub pull request.")
@click.argument("diff")
@click.option("--pull-request", "number", type=click.IntRange(1), help="Its number; else that of the workflow's event.")
@click.option("--author", default="github-actions[bot]", help="Whose comments are changed: the account of the token.")
@click.option("--label/--no-label", default=True, help="Also label the pull request with the most dangerous change.")
@click.option("--print", "only_print", is_flag=True, help="Write the Markdown to stdout, and post nothing.")
def command(diff: str, number: int | None, author: str, label: bool, only_print: bool) -> int:
    """Bring the one comment of a pull request up to date, from what `gke-tpu diff --format json` wrote.

    DIFF (- is stdin) is checked against its schema and rendered here: nothing in it becomes markup. The token is
    read from GITHUB_TOKEN; it needs `pull-requests: write`, nothing else. What GitHub Actions sets is used as well:
    GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH.
    """
    from pulumi_gke_tpu.findings import printable
    from pulumi_gke_tpu.github.api import GitHub, GitHubError
    from pulumi_gke_tpu.github.comment import post_comment
    from pulumi_gke_tpu.github.event import pull_request_of
    from pulumi_gke_tpu.github.label import set_label
    from pulumi_gke_tpu.report.change_form import FormError
    from pulumi_gke_tpu.report.change_json import LARGEST, change_page_from_json
    from pulumi_gke_tpu.report.change_markdown import LIMIT, MARKER, change_markdown

    try:
        with click.open_file(diff, "rb") as stream:
            page = change_page_from_json(stream.read(LARGEST + 1))
    except FormError as error:
        raise click.UsageError(f"{printable(diff)} is no diff: {error}") from error
    if only_print:
        click.echo(change_markdown(page), nl=False)
        return 0
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
            number = pull_request_of(os.environ.get("GITHUB_EVENT_NAME", ""), _event(), github)
        if number is None:
            click.echo("The pull request has moved on, or is closed: nothing is posted.")
            return 0
        classes = [item.change for item in page.report.items]
        posted = post_comment(
            github,
            number,
            lambda limit: change_markdown(page, limit=limit),
            marker=MARKER,
            limit=LIMIT,
            author=author,
            needed=bool(classes or page.findings or page.report.dangerous),
        )
        click.echo(f"Pull request {number}: comment {posted}.")
        if label:
            _label(lambda: set_label(github, number, classes))
    except GitHubError as error:
        raise click.ClickException(str(error)) from error
    return 0


def _label(set_it: Any) -> None:
    """A label is an extra: where it is refused, the comment stands all the same."""
    from pulumi_gke_tpu.github.api import GitHubError

    try:
        wanted = set_it()
    except GitHubError as error:
        click.echo(f"gke-tpu: no label is set: {error}", err=True)
    else:
        click.echo(f"Label: {wanted or 'none'}.")


def _event() -> Mapping[str, Any]:
    """The event that GitHub gave to this workflow."""
    import json

    path = os.environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        raise click.UsageError("outside of GitHub Actions, --pull-request tells which one is meant")
    try:
        event = json.loads(pathlib.Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise click.UsageError("GITHUB_EVENT_PATH is not the JSON of an event") from error
    return event if isinstance(event, dict) else {}
