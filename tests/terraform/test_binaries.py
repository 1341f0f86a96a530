"""Where the tests get OpenTofu and the provider from, and what they report where these are not there."""

import pathlib
import re

import pytest
from support.fixtures import terraform as fixtures
from support.terraform import binaries
from support.terraform.binaries import CLI_MODULE, HERE, PROVIDER_MODULE, build, cached, expected
from support.terraform.workspace import Terraform
from support.tool_installation import UnavailableError, module_version

GO = '#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done\necho built > "$2"\n'


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A PATH with nothing on it but what a test adds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / ".cache"


def add_go(path: pathlib.Path, text: str = GO) -> None:
    (path / "go").write_text(text)
    (path / "go").chmod(0o755)


def test_go_mod_pins_both() -> None:
    assert module_version(HERE, CLI_MODULE) == "1.12.6"
    assert re.fullmatch(r"1\.20\.1-0\.\d{14}-[0-9a-f]{12}", module_version(HERE, PROVIDER_MODULE))
    assert not (HERE / "go.sum").read_text().startswith("\n")


def test_the_programs_are_built_once_and_kept(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    messages: list[str] = []
    programs = build(HERE, cache, messages.append)
    assert programs.complete
    assert [message.partition(":")[0] for message in messages] == [
        "Building the provider hashicorp/google",
        "Building OpenTofu",
    ]
    add_go(path, "#!/bin/sh\nexit 1\n")
    assert build(HERE, cache) == cached(HERE, cache) == programs


def test_the_mirror_has_the_form_that_the_cli_expects(cache: pathlib.Path) -> None:
    provider = expected(HERE, cache).provider.relative_to(cache)
    assert re.fullmatch(
        r"terraform/tofu-1\.12\.6-google-8\.0\.0-\w{8}/mirror/registry\.opentofu\.org/hashicorp/google/8\.0\.0"
        r"/[a-z]+_[a-z0-9]+/terraform-provider-google_v8\.0\.0",
        provider.as_posix(),
    )


def test_a_change_of_the_program_is_built_again(tmp_path: pathlib.Path, cache: pathlib.Path) -> None:
    (tmp_path / "provider").mkdir()
    (tmp_path / "go.mod").write_text(f"require (\n {CLI_MODULE} v1.0.0\n)\n")
    (tmp_path / "go.sum").write_text("")
    before = expected(tmp_path, cache)
    (tmp_path / "provider" / "main.go").write_text("package main\n")
    assert expected(tmp_path, cache) != before


def test_what_an_interrupted_build_left_is_built_again(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    left = expected(HERE, cache).cli
    left.parent.mkdir(parents=True)
    left.write_text("half")
    assert build(HERE, cache).cli.read_text() == "built\n"


def test_a_failed_build_is_reported_with_its_reason(path: pathlib.Path, cache: pathlib.Path) -> None:
    with pytest.raises(UnavailableError, match="there is no Go"):
        build(HERE, cache)
    add_go(path, "#!/bin/sh\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError, match="the provider hashicorp/google is not built: no such module"):
        build(HERE, cache)
    assert [path for path in (cache / "terraform").iterdir() if path.is_dir()] == []
    with pytest.raises(UnavailableError, match=re.escape(binaries.COMMAND)):
        cached(HERE, cache)


def test_without_the_programs_tests_are_skipped_with_the_command_that_builds_them(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixtures.binaries, "cached", lambda: cached(HERE, cache))
    get = fixtures.terraform_programs.__wrapped__
    monkeypatch.setenv("CI", "true")
    monkeypatch.delenv("GKE_TPU_TERRAFORM", raising=False)
    with pytest.raises(pytest.skip.Exception, match=re.escape(binaries.COMMAND)):
        get()
    monkeypatch.setenv("GKE_TPU_TERRAFORM", "required")
    with pytest.raises(pytest.fail.Exception, match=re.escape(binaries.COMMAND)):
        get()


def test_the_programs_say_their_versions(terraform: Terraform) -> None:
    assert terraform.run("version").text.startswith("OpenTofu v1.12.6\n")
    assert terraform.run("providers", "schema", "-json").text.startswith("{")
