"""No file that is shipped installs this package by its name alone: on an index, it can belong to another project."""

import pathlib
import re

import pytest
from support.documents import ROOT

SKIPPED = {".importlinter", ".git", ".pytest_cache", ".venv", ".cache", "__pycache__", "node_modules", "build", "dist"}
_EXTRAS = r"(?:\[[\w,]*\])?"
_END = r"""\s*(?:[=<>~!]=?[^\n]*|["'`]?\s*$|["'`;,)])"""
BY_NAME = re.compile(
    rf"""\b(?:pip3?|pipx|uv|uvx|poetry|pdm|conda)\b[^\n`]*\s["']?(?:pulumi[-_.])?gke[-_.]tpu{_EXTRAS}{_END}"""
    rf"""|^\s*-?\s*["']?pulumi[-_.]gke[-_.]tpu{_EXTRAS}{_END}"""
    # A line with `gke-tpu` alone is the command.
    rf"""|^\s*-?\s*["']?gke[-_.]tpu(?:\[[\w,]*\]{_END}|\s*[=<>~!]=)""",
    re.IGNORECASE | re.MULTILINE,
)


def files() -> list[pathlib.Path]:
    return sorted(
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not SKIPPED & set(path.relative_to(ROOT).parts)
        and path.suffix in (".md", ".yml", ".yaml", ".toml", ".txt", ".py", ".json", ".cfg", "")
        and path != pathlib.Path(__file__)
    )


def by_name(text: str) -> list[str]:
    return [match[0].strip() for match in BY_NAME.finditer(text)]


def test_no_file_installs_the_name() -> None:
    found = {str(path.relative_to(ROOT)): by_name(path.read_text("utf-8", "replace")) for path in files()}
    assert {name: lines for name, lines in found.items() if lines} == {}
    assert {"README.md", "action.yml", "docs/policy-pack.md", "tools/environment"} <= found.keys()


@pytest.mark.parametrize(
    "line",
    [
        "pip install pulumi-gke-tpu",
        'pip install "pulumi-gke-tpu[policy]"',
        "python -m pip install --quiet pulumi_gke_tpu==0.1.0",
        "needs `pip install pulumi-gke-tpu` or a checkout",
        "uv tool install pulumi-gke-tpu",
        "pulumi-gke-tpu>=0.1.0,<1",
        "pulumi-gke-tpu",
        "  - pulumi-gke-tpu",
        "pip install gke-tpu",
        'pip install "gke-tpu[pulumi]"',
        "pipx install gke-tpu",
        "gke-tpu[pulumi]",
        "gke-tpu==0.1.0",
    ],
)
def test_a_name_alone_is_found(line: str) -> None:
    assert by_name(f"before\n{line}\nafter\n")


@pytest.mark.parametrize(
    "line",
    [
        'pip install "pulumi-gke-tpu @ git+https://github.com/OWNER/pulumi-gke-tpu@v0.1.0"',
        'pip install "pulumi-gke-tpu[policy] @ git+https://github.com/OWNER/pulumi-gke-tpu@v0.1.0"',
        "pip wheel --no-deps --wheel-dir dist ./pulumi-gke-tpu",
        "pip install dist/gke_tpu-0.1.0-py3-none-any.whl",
        'pip install "gke-tpu[pulumi] @ git+https://github.com/OWNER/pulumi-gke-tpu@v0.1.0"',
        'gke-tpu = "pulumi_gke_tpu.cli:main"',
        "gke-tpu",
        'uv tool install "git+https://github.com/OWNER/pulumi-gke-tpu@v0.1.0"',
        "# pulumi-gke-tpu",
    ],
)
def test_a_pinned_source_is_not(line: str) -> None:
    assert by_name(line) == []
