"""The command that comments: what it reads, what it posts, what it refuses."""

import json
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.change_samples import EMPTY, REPORT, page_of
from support.github_standin import REPOSITORY, TOKEN, Failure, Repository, serving

from pulumi_gke_tpu.features.diff.output.comment import MARKER, change_markdown
from pulumi_gke_tpu.features.diff.output.json import change_json

Command = Callable[..., Any]
PAGE = page_of(REPORT)


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Iterator[Repository]:
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 7}}')
    with serving() as served:
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_REPOSITORY", REPOSITORY)
        monkeypatch.setenv("GITHUB_API_URL", served.url)
        monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
        yield served


@pytest.fixture
def diff(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "diff.json"
    path.write_text(json.dumps(change_json(PAGE)))
    return path


def test_the_comment_is_the_markdown_of_the_diff(gke_tpu: Command, repository: Repository, diff: pathlib.Path) -> None:
    run = gke_tpu("comment", diff)
    assert (run.code, run.out) == (0, "Pull request 7: comment created.\nLabel: tpu: replace.\n")
    assert repository.bodies() == [change_markdown(PAGE)]
    assert repository.bodies()[0].startswith(MARKER)
    assert repository.labels == ["tpu: replace"]
    assert gke_tpu("comment", diff).out == "Pull request 7: comment unchanged.\nLabel: tpu: replace.\n"


def test_it_can_be_printed_only(gke_tpu: Command, repository: Repository, diff: pathlib.Path) -> None:
    assert gke_tpu("comment", diff, "--print").out == change_markdown(PAGE)
    assert repository.asked == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_any_shell_may_have_written_the_file(
    gke_tpu: Command, repository: Repository, diff: pathlib.Path, encoding: str
) -> None:
    diff.write_bytes(diff.read_text().encode(encoding))
    assert gke_tpu("comment", diff, "--print").out == change_markdown(PAGE)


def test_it_can_be_read_from_stdin(diff: pathlib.Path) -> None:
    program = "from pulumi_gke_tpu.cli import main\nmain(['comment', '--print', '-'])"
    done = subprocess.run([sys.executable, "-c", program], input=diff.read_bytes(), capture_output=True, check=True)
    assert done.stdout.decode("utf-8") == change_markdown(PAGE)


def test_a_number_can_be_given(gke_tpu: Command, repository: Repository, diff: pathlib.Path) -> None:
    gke_tpu("comment", diff, "--pull-request", 12, "--no-label")
    assert {request.split("/issues/")[1] for request in repository.asked} == {"12/comments"}


def test_without_changes_nothing_is_posted(gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "same.json"
    path.write_text(json.dumps(change_json(page_of(EMPTY))))
    assert gke_tpu("comment", path).out == "Pull request 7: comment nothing to say.\nLabel: none.\n"
    assert repository.comments == {}


def test_a_refused_label_does_not_lose_the_comment(
    gke_tpu: Command, repository: Repository, diff: pathlib.Path
) -> None:
    gke_tpu("comment", diff, "--no-label")
    repository.failures.append(Failure("POST", 403, times=9))
    run = gke_tpu("comment", diff)
    assert run.code == 0
    assert "cannot set the label: GitHub answers 403 to POST: no" in run.err


BAD = ["", "{}", "[]", '{"format": 1}', '{"format": 2}', "<b>", "[" * 10_000]


@pytest.mark.parametrize("content", BAD)
def test_a_file_that_is_not_a_diff_is_a_failed_comparison(
    content: str, gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path
) -> None:
    """Nothing of the file is shown, and the older comment with its label does not stay."""
    repository.comment(f"{MARKER}\n### TPU plan: nothing is replaced")
    repository.labels += ["tpu: create", "bug"]
    path = tmp_path / "bad.json"
    path.write_text(content)
    run = gke_tpu("comment", path)
    assert run.code == 2
    assert "bad.json is not the output of gke-tpu diff" in run.err
    assert run.out == "Pull request 7: comment updated. The comment reports that the comparison failed.\nLabel: none.\n"
    (body,) = repository.bodies()
    assert body.startswith(f"{MARKER}\n### TPU plan: the comparison failed\n")
    assert "<b>" not in body
    assert repository.labels == ["bug"]


def test_a_failed_comparison_names_the_commits_and_the_log(
    gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {"pull_request": {"number": 7, "base": {"sha": "b" * 40}, "head": {"sha": "c" * 40}}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_RUN_ID", "123")
    run = gke_tpu("comment", tmp_path / "missing.json")
    assert (run.code, "cannot read the diff" in run.err) == (2, True)
    (body,) = repository.bodies()
    assert f"could not compare `{'b' * 40}` with `{'c' * 40}`" in body
    assert f"(https://github.com/{REPOSITORY}/actions/runs/123)" in body


def test_a_failed_comparison_of_a_given_pull_request_names_its_commits(
    gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path
) -> None:
    pull = {"number": 12, "base": {"sha": "b" * 40}, "head": {"sha": "c" * 40}}
    repository.pulls.append({**pull, "label": "acme:wider"})
    assert gke_tpu("comment", tmp_path / "missing.json", "--pull-request", 12, "--no-label").code == 2
    assert f"could not compare `{'b' * 40}` with `{'c' * 40}`" in repository.bodies()[0]


def test_the_next_comparison_takes_the_place_of_a_failed_one(
    gke_tpu: Command, repository: Repository, diff: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    gke_tpu("comment", tmp_path / "missing.json")
    assert gke_tpu("comment", diff).out.startswith("Pull request 7: comment updated.\n")
    assert repository.bodies() == [change_markdown(PAGE)]


@pytest.mark.parametrize(
    "server", ["https://github.com)[x](https://evil.example", "javascript:alert(1)", "https://a b", ""]
)
def test_the_log_of_a_failed_comparison_is_a_link_only_where_it_is_an_address(
    server: str, gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", server)
    monkeypatch.setenv("GITHUB_RUN_ID", "123")
    gke_tpu("comment", tmp_path / "missing.json")
    assert "See the log of the command for the error." in repository.bodies()[0]


def test_a_failed_comparison_can_be_printed(gke_tpu: Command, repository: Repository, tmp_path: pathlib.Path) -> None:
    run = gke_tpu("comment", tmp_path / "missing.json", "--print")
    assert run.code == 2
    assert run.out.startswith(f"{MARKER}\n### TPU plan: the comparison failed\n")
    assert repository.asked == []


@pytest.mark.parametrize("url", ["http://[", "https://", "https://api.github.com:x"])
def test_a_malformed_address_of_the_api_is_an_error_of_the_user(
    url: str, gke_tpu: Command, repository: Repository, diff: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", url)
    run = gke_tpu("comment", diff)
    assert run.code == 2
    assert "invalid API address" in run.err


def test_without_a_token_nothing_is_asked(
    gke_tpu: Command, repository: Repository, diff: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    run = gke_tpu("comment", diff)
    assert (run.code, repository.asked) == (2, [])
    assert "GITHUB_TOKEN is not set" in run.err


def test_the_token_is_never_shown(gke_tpu: Command, repository: Repository, diff: pathlib.Path) -> None:
    repository.failures.append(Failure("GET", 403))
    run = gke_tpu("comment", diff)
    assert run.code == 2
    assert "GitHub answers 403 to GET: no" in run.err
    assert TOKEN not in run.out + run.err


def test_outside_of_a_workflow_the_number_is_asked_for(
    gke_tpu: Command, repository: Repository, diff: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH")
    assert "--pull-request" in gke_tpu("comment", diff).err


def test_a_pull_request_that_has_moved_on_gets_nothing(
    gke_tpu: Command,
    repository: Repository,
    diff: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head = {"head_sha": "a", "head_branch": "b", "head_repository": {"owner": {"login": "fork"}}}
    (tmp_path / "event.json").write_text(json.dumps({"workflow_run": {"event": "pull_request", **head}}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "workflow_run")
    run = gke_tpu("comment", diff)
    assert (run.code, repository.comments) == (0, {})
    assert "newer commit" in run.out
