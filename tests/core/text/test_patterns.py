"""Patterns that are compiled when they are first used."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.each import each

import pulumi_gke_tpu
from pulumi_gke_tpu.core.text.patterns import _LazyPattern, lazy_pattern


def test_a_lazy_pattern_does_what_a_compiled_one_does() -> None:
    written, flags = r"(?P<name>[a-z]+)-(\d)\Z", re.IGNORECASE | re.ASCII
    lazy, compiled = lazy_pattern(written, flags), re.compile(written, flags)
    for text in ("pool-1", "POOL-1", "pool-١", "a pool-1", "", "pool-1 pool-2"):
        for method in ("match", "fullmatch", "search"):
            found, expected = getattr(lazy, method)(text), getattr(compiled, method)(text)
            assert (found and found.groups()) == (expected and expected.groups()), (method, text)
        assert lazy.sub(r"\2", text) == compiled.sub(r"\2", text)
        assert lazy.split(text) == compiled.split(text)
        assert lazy.findall(text) == compiled.findall(text)
    assert (lazy.pattern, lazy.flags, dict(lazy.groupindex)) == (
        compiled.pattern,
        compiled.flags,
        dict(compiled.groupindex),
    )


def test_bytes_are_matched_by_a_pattern_of_bytes() -> None:
    assert lazy_pattern(rb"[0-9a-f]{4}").fullmatch(b"00ff") is not None


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    unclosed = lazy_pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        unclosed.match("")


def test_every_pattern_of_the_package_can_be_compiled() -> None:
    found = 0
    for module in _modules():
        for pattern in _patterns_in(vars(module)):
            assert pattern.pattern is not None, module.__name__
            found += 1
    assert found > 200


UNITS = (
    "\n",
    " \n",
    "\n- ",
    " ",
    "\t",
    "a",
    "1",
    "-",
    "#",
    ".",
    "'",
    "{",
    "<",
    "_",
    "=",
    "*",
    "a/",
    "a-",
    "a b ",
    "a: ",
    "t,",
)


@each(
    "pattern",
    lambda: [pattern for module in _modules() for pattern in _searched_in(module)],
    lambda pattern: pattern.pattern,
)
def test_the_work_of_a_search_grows_with_the_text_and_not_with_its_square(pattern: re.Pattern[Any]) -> None:
    """Otherwise a small file with many blank lines, or one long value, keeps the program busy for hours."""
    for unit in UNITS:
        once, twice = (_characters_read(pattern, f"{unit * times}\0") for times in (25, 50))
        assert twice < 3 * once + 100, f"{unit!r}: {once} characters read in 25, {twice} in 50"


def _characters_read(pattern: re.Pattern[Any], text: str) -> int:
    """The characters that a search reads: at each position those of the longest part that ends in a repetition."""
    written = pattern.pattern.decode() if isinstance(pattern.pattern, bytes) else pattern.pattern
    flags = pattern.flags & ~re.UNICODE
    whole, parts = re.compile(written, flags), [*_parts(written, flags)]
    read = at = 0
    while at < len(text):
        found = whole.match(text, at)
        read += max((match.end() - at for part in parts if (match := part.match(text, at))), default=1)
        at = max(found.end() if found else 0, at + 1)
    return read


def _parts(written: str, flags: int) -> Iterator[re.Pattern[str]]:
    """The parts of a pattern from its begin to a repetition without a limit."""
    for end, character in enumerate(written, 1):
        for closing in ("", ")", "))") if character in "*+" else ():
            with suppress(re.error):
                yield re.compile(f"{written[:end]}{closing}", flags)


def _searched_in(module: ModuleType) -> Iterator[Any]:
    """The patterns of a module that a text is searched for, and all that are about lines of a text."""
    source = Path(str(module.__file__)).read_text()
    for name in re.findall(r"^(\w+)\b.*= .*lazy_pattern\(", source, re.MULTILINE):
        is_searched = re.search(rf"\b{name}\.(?:search|sub|subn|split|finditer|findall)\b", source)
        found = _patterns_in(getattr(module, name))
        yield from (pattern for pattern in found if is_searched or pattern.flags & re.MULTILINE)


def _modules() -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(pulumi_gke_tpu.__path__, f"{pulumi_gke_tpu.__name__}."):
        if not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def _patterns_in(value: Any) -> Iterator[Any]:
    """The patterns in a value, at any depth of mappings and tuples."""
    if isinstance(value, _LazyPattern):
        yield value
    elif isinstance(value, dict | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(item)
