"""Patterns that are compiled when they are first used."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

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
    for module in pkgutil.walk_packages(pulumi_gke_tpu.__path__, f"{pulumi_gke_tpu.__name__}."):
        if not module.name.endswith("__main__"):
            for pattern in _patterns_in(vars(importlib.import_module(module.name))):
                assert pattern.pattern is not None, module.name
                found += 1
    assert found > 200


def _patterns_in(value: Any) -> Iterator[Any]:
    """The patterns in a value, at any depth of mappings and tuples."""
    if isinstance(value, _LazyPattern):
        yield value
    elif isinstance(value, dict | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(item)
