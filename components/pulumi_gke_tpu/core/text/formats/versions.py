"""Versions of GKE such as 1.35.2-gke.1, ranges of them, and releases of operators such as 0.19.2."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_VERSION = lazy_pattern(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6})(?:-gke\.(\d{1,9}))?)?\Z", re.ASCII)
_MOST = 10**10


class GkeVersion(NamedTuple):
    """One complete version, ordered numerically by minor, patch and GKE build."""

    major: int
    minor: int
    patch: int
    build: int

    @classmethod
    def parse(cls, text: str) -> "GkeVersion":
        """Read a complete version; a missing ``-gke.N`` counts as build 0.

        Raises:
            ValueError: the text is not a complete GKE version.
        """
        match = _VERSION.match(text)
        if not match or match[3] is None:
            raise ValueError(f"{text!r} is not a complete GKE version such as 1.34.1-gke.3084001")
        return cls(int(match[1]), int(match[2]), int(match[3]), int(match[4] or 0))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}-gke.{self.build}"


@frozen
class VersionRange:
    """All versions that a written version can mean: ``1.34`` is everything from 1.34.0-gke.0 to the last 1.34."""

    lowest: GkeVersion
    highest: GkeVersion
    text: str

    @classmethod
    def parse(cls, text: str) -> "VersionRange":
        """Read a complete or partial version.

        Raises:
            ValueError: the text is not a GKE version.
        """
        match = _VERSION.match(text)
        if not match:
            raise ValueError(f"{text!r} is not a GKE version such as 1.34 or 1.34.1-gke.3084001")
        known = [int(part) for part in match.groups() if part is not None]
        low, high = [*known, 0, 0][:4], [*known, _MOST, _MOST][:4]
        return cls(GkeVersion(*low), GkeVersion(*high), text)


def is_too_low(written: VersionRange, minimum: str, alternatives: Iterable[str] = ()) -> bool:
    """Whether even the highest version that was meant is below a minimum.

    ``alternatives`` are lower minimums, each of which holds on its own minor line only.
    """
    highest = written.highest
    if highest >= GkeVersion.parse(minimum):
        return False
    lines = map(GkeVersion.parse, alternatives)
    return not any((highest.major, highest.minor) == (line.major, line.minor) and highest >= line for line in lines)


def decisive_item(written: VersionRange, minimum: str, lowest: str | None) -> str:
    """The item of a fact that excludes a version: ``lowest``, which no source contests, or else ``minimum``.

    ``minimum`` is the name of the documented minimum, ``lowest`` the lowest one of any source where they disagree.
    """
    return minimum if lowest is not None and not is_too_low(written, lowest) else "lowest"


_RELEASE = lazy_pattern(r"v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})\Z", re.ASCII)


def parse_release(text: str) -> tuple[int, ...]:
    """The numbers of a release, which compare as the releases do; empty if the text is none. A tag begins with v."""
    found = _RELEASE.match(text)
    return tuple(map(int, found.groups())) if found else ()
