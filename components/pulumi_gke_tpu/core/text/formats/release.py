"""Releases of operators: three numbers, such as 0.19.2."""

import re

_RELEASE = re.compile(r"v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})\Z", re.ASCII)


def parse_release(text: str) -> tuple[int, ...]:
    """The numbers of a release, which compare as the releases do; empty if the text is none. A tag begins with v."""
    found = _RELEASE.match(text)
    return tuple(map(int, found.groups())) if found else ()
