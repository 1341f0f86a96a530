"""``requirements.txt`` for the source that this library was installed from, as installers record it (PEP 610)."""

import json
import re
import urllib.parse
from collections.abc import Mapping
from typing import Any

NAME = "pulumi-gke-tpu"
COMMIT_TO_NAME = f"{NAME} @ git+https://github.com/OWNER/{NAME}@COMMIT"
"""What to write for a repository that others use; its two words in capitals are to be replaced."""

_LOCAL = f"""\
# This path exists on one machine only. In a repository that others use, name a commit instead:
# {COMMIT_TO_NAME}
"""
_UNKNOWN = f"""\
# How gke-tpu was installed is not recorded. Replace OWNER and COMMIT by the repository and the commit that you trust.
{COMMIT_TO_NAME}
"""
_VCS = ("git", "hg", "svn", "bzr")
_SCHEMES = ("https", "http", "ssh", "file")
_COMMIT = re.compile(r"[0-9A-Za-z.:@_-]{1,100}\Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_ANONYMOUS = re.compile(r"(git|\$\{\w+\}(:\$\{\w+\})?)@", re.ASCII)
"""Who may stand before a host: the user of Git servers, and variables that pip fills in. Anything else is a secret."""


def requirements_text(direct_url: str | None) -> str:
    """The whole file. ``direct_url`` is the content of ``direct_url.json``, None where the installer wrote none.

    The name alone never stands in it: on a package index it could belong to anybody.
    """
    try:
        source = json.loads(direct_url or "null")
        line = _line(source) if isinstance(source, dict) else None
    except (ValueError, RecursionError):
        return _UNKNOWN
    if line is None:
        return _UNKNOWN
    return f"{_LOCAL if 'file://' in line else ''}{line}\n"


def names_a_commit(requirements: str) -> bool:
    """Whether the file means the same on every machine."""
    return not requirements.startswith((_LOCAL, _UNKNOWN))


def _line(source: Mapping[str, Any]) -> str | None:
    url = _address(source.get("url"))
    if url is None:
        return None
    folder = source.get("subdirectory")
    below = {"subdirectory": folder} if isinstance(folder, str) and folder else {}
    vcs, archive, directory = (source.get(key) for key in ("vcs_info", "archive_info", "dir_info"))
    if isinstance(vcs, Mapping):
        kind, commit = vcs.get("vcs"), vcs.get("commit_id")
        if kind not in _VCS or not isinstance(commit, str) or not _COMMIT.match(commit):
            return None
        line = f"{kind}+{url}@{commit}{_fragment(below)}"
        return line if url.startswith("file:") else f"{NAME} @ {line}"  # pip takes no name before git+file
    if isinstance(archive, Mapping):
        return f"{NAME} @ {url}{_fragment({**_hash(archive), **below})}"
    if isinstance(directory, Mapping):
        editable = directory.get("editable") is True
        return f"--editable {url}{_fragment(below)}" if editable else f"{NAME} @ {url}{_fragment(below)}"
    return None


def _address(url: object) -> str | None:
    """A URL without a secret; None where it is none that pip reads from a file."""
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or re.search(r"[\s#\\\"']", url):
        return None
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in _SCHEMES:
        return None
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=parts.netloc if _ANONYMOUS.match(f"{user}{at}") else host, fragment="").geturl()


def _hash(archive: Mapping[str, Any]) -> dict[str, str]:
    hashes = archive.get("hashes")
    found = hashes.get("sha256") if isinstance(hashes, Mapping) else None
    if found is None:
        found = str(archive.get("hash", "")).removeprefix("sha256=")
    return {"sha256": found} if isinstance(found, str) and _SHA256.match(found) else {}


def _fragment(parts: Mapping[str, str]) -> str:
    return f"#{urllib.parse.urlencode(parts, safe='/')}" if parts else ""
