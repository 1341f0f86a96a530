"""A check keeps phrases that have to be decoded out of everything a person reads.

It reads comments, docstrings, messages, names of tests, pages and the texts of the catalog. The table contains what to
write instead.
"""

import io
import pathlib
import re
import subprocess
import tokenize
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

INSTEAD = {
    r"(?:is|are|was|were|be|been|being) (?:told|said)\b(?! apart\b)": "shows, lists or reports",
    r"says? so\b": "name the message or the error",
    r"st(?:ands?|ood)\b(?! for\b|-| in for\b)": "is, appears or is defined",
    r"(?:(?<=\S )(?<!there )(?:is|are|was|were)) no\b(?! longer\b| more\b| data\b|-)": "is not a, has no or invalid",
    r"to be had\b": "available",
    r"comes? to\b": "results in, reaches or costs",
    r"nobody\b": "no user, no source, or a passive sentence",
    r"goes\b(?! (?:through|back|up|down|over|to|into|on|by)\b)": "is deleted",
    r"go(?:es)? (?:away|along)\b": "is deleted or agrees",
    r"what (?:is|are) (?:written|wrong|right|meant|missing|given|made|created|declared|known|there)\b": "a noun",
    r"(?:can|could) tell\b(?! apart\b)": "know or show",
    r"whatever (?:it|they|the) \w+ says?\b": "regardless of",
    r"(?:colour|behaviour|recognis|organis|neighbour|catalogue|favour|honour)": "American spelling",
    r"(?:centre|judgement|licence|cancelled|artefact|grey)": "American spelling",
    r"shall\b": "must or should",
    r"(?<=[.;:] )(?:Should|Were|Had) (?:it|they|a|an|the|there|you|one)\b": "if ...",
}
"""Pattern -> what to write instead. Every pattern begins at the beginning of a word, in any case."""

MATCHING = {
    "the reason is told": "is told",
    "the message says so": "says so",
    "the key stands twice": "stands",
    "`x` is no name": "is no",
    "while capacity is to be had": "to be had",
    "the sum comes to 5": "comes to",
    "nobody knows": "nobody",
    "the pool goes": "goes",
    "the pools go away": "go away",
    "what is missing": "what is missing",
    "a page can tell": "can tell",
    "whatever the window says": "whatever the window says",
    "its Behaviour": "behaviour",
    "the Licence": "licence",
    "both shall have one name": "shall",
    "It fails. Had it worked, it would pass": "had it",
}
"""Text -> what a pattern finds in it."""

PLAIN = (
    "the date that it stands for",
    "a stand-in provider",
    "a stand-in for the provider",
    "there is no cloud",
    "`train/main` is no-op",
    "it is no longer there",
    "the request goes to GKE",
    "the two can be told apart",
)

EXCEPTIONS = {
    "tests/boundaries/test_language.py": "it contains the phrases",
    "LICENSE": "the text of the license",
}
"""Paths that the check skips, with the reason."""

SPELLED = {
    "catalog/messages/kueue.yaml": "cancelled",
    "components/pulumi_gke_tpu/cli/commands.py": "organis",
    "docs/organization.md": "organis",
    "tests/features/capacity/test_organization_option.py": "organis",
    "tests/cli/test_schema.py": "organis",
}
"""Paths that contain one phrase because users may write it, or programs do."""

_PATTERN = re.compile("|".join(rf"\b{pattern}" for pattern in INSTEAD), re.IGNORECASE)
_TEXT = (".md", ".yaml", ".yml", ".toml", "")
_NAME = re.compile(r"def (test_\w+)")


def files() -> list[pathlib.Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [pathlib.Path(name) for name in listed.split("\0") if name]
    return [
        path
        for path in paths
        if (path.suffix == ".py" or path.suffix in _TEXT)
        and (ROOT / path).is_file()
        and "data" not in path.parts
        and not any(path.is_relative_to(skipped) for skipped in EXCEPTIONS)
    ]


def texts(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    """Line numbers and texts of a file: all lines, or the comments, strings and test names of a Python module."""
    content = (ROOT / path).read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".py":
        yield from enumerate(content.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            yield token.start[0], token.string
        elif token.type == tokenize.NAME and token.string.startswith("test_"):
            yield token.start[0], token.string.replace("_", " ")


def offenders(path: pathlib.Path) -> Iterator[str]:
    for line, text in texts(path):
        found = (match[0] for match in _PATTERN.finditer(text))
        yield from (f"{path}:{line}: {phrase!r}" for phrase in found if phrase != SPELLED.get(str(path)))


def instead_of(found: str) -> str:
    return next(advice for pattern, advice in INSTEAD.items() if re.search(rf"\b{pattern}", found, re.IGNORECASE))


def test_texts_are_in_plain_english() -> None:
    """House style: subject, verb, object; the term of GKE, Kubernetes or Pulumi; the next step."""
    found = [offender for path in files() for offender in offenders(path)]
    assert found == [], "\n".join(["Write plain English:", *found])


@pytest.mark.parametrize(("text", "phrase"), MATCHING.items())
def test_a_phrase_is_found(text: str, phrase: str) -> None:
    assert [match[0].lower() for match in _PATTERN.finditer(text)] == [phrase.lower()]
    assert instead_of(f". {text}")


def test_every_pattern_has_an_example() -> None:
    for pattern in INSTEAD:
        assert any(re.search(rf"\b{pattern}", text, re.IGNORECASE) for text in MATCHING), pattern


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_passes(text: str) -> None:
    assert _PATTERN.search(text) is None


def test_what_python_modules_contain_is_read(tmp_path: pathlib.Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""It is told."""\nX = f"{1} stands"  # nobody\ndef test_it_is_told(): ...\nstands = 1\n')
    assert [line.rsplit(": ", 1)[1] for line in offenders(module)] == ["'is told'", "'stands'", "'nobody'", "'is told'"]


def test_every_exception_exists() -> None:
    for name in EXCEPTIONS:
        assert (ROOT / name).exists(), name
    for name, phrase in SPELLED.items():
        assert phrase in (ROOT / name).read_text(encoding="utf-8"), name
