"""Whatever a file holds, reading returns data or a problem that is safe to print."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.findings import Finding, Path, printable
from pulumi_gke_tpu.core.text.yamlfile import YamlFile, YamlProblem, build, parse_yaml

SEEDS = [
    "version: 1\nclusters:\n  dev: {mode: autopilot, slices: {a: {tpu: v5e, topology: 2x2}}}\n",
    "a: &x {b: 1, c: [x, 'y', \"z\\n\"]}\nd:\n  <<: *x\n  e: |\n    text\n  f: >-\n    more\n",
    "- !!str 1\n- ? key\n  : value\n- *none\n- {a, b: , 'c': [1.30, 0755, yes]}\n",
    "%YAML 1.2\n--- # c\n\"a\": 'b'\n...\n---\nc\n",
]
CHARACTERS = "[]{},:-?&*!|>'\"%@`#~<= \t\n\r0aZ.\\é🙂\x00\x1b\u202e\u2028\ufeff"
WORDS = (
    ": ",
    "- ",
    "\n  ",
    "&a ",
    "*a",
    "<<: *x",
    "!!str ",
    "---\n",
    "...\n",
    "\\x",
    "|+\n",
    "? ",
    "{{ x }}",
    "1:30",
    "no",
)
PIECES = [*CHARACTERS, *WORDS]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 4))
        text = text[:at] + draw(st.sampled_from(PIECES) | st.just("")) + text[at + removed :]
    return text


def texts(finding: Finding) -> list[str]:
    """Everything of a finding that is shown, line by line."""
    place = finding.position
    assert place
    shown = [finding.message, finding.given, finding.why, *finding.allowed, place.file, place.text]
    return shown + finding.fix.split("\n")


def outcome(content: bytes) -> YamlFile | YamlProblem:
    try:
        return parse_yaml(content, "plan.yaml")
    except YamlProblem as problem:
        return problem


def check(content: bytes) -> None:
    found = outcome(content)
    if isinstance(found, YamlFile):
        walk(found, found.data, ())
        return
    assert found.findings
    lines = content.count(b"\n") + content.count(b"\r") + 1
    for finding in found.findings:
        assert [text for text in texts(finding) if printable(text, len(text)) != text] == []
        assert finding.position
        assert 1 <= finding.position.line <= lines
        assert 1 <= finding.position.column < finding.position.end_column


def walk(file: YamlFile, data: object, path: Path) -> None:
    """Every value is plain data, and has a place and, where it is a scalar, a text."""
    assert isinstance(data, (dict, list, str, int, float, type(None)))
    assert file.position(path).column < file.position(path).end_column
    assert (file.written(path) is None) == isinstance(data, (dict, list))
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in children:
        assert isinstance(step, int if isinstance(data, list) else str)
        walk(file, value, (*path, step))


@given(st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    check(content)


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text.encode(errors="surrogatepass"))


@given(mutated())
def test_mutated_yaml(text: str) -> None:
    check(text.encode())


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_pieces_of_yaml(text: str) -> None:
    check(text.encode())


@pytest.mark.parametrize("seed", SEEDS)
def test_every_beginning_of_a_document(seed: str) -> None:
    for end in range(len(seed)):
        check(seed[:end].encode())


@pytest.fixture
def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_LOADER", yaml.SafeLoader)


@given(text=mutated())
def test_mutated_yaml_without_libyaml(without_libyaml: None, text: str) -> None:
    check(text.encode())
