"""Writes ``requirements.txt`` with the source of the installed library, as installers record it (PEP 610)."""

import importlib.metadata
import json
import re
import urllib.parse
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_DISTRIBUTION = "gke-tpu"
_PROGRAM = f"{_DISTRIBUTION}[pulumi]"
"""What a Pulumi program needs: the library with the extra for Pulumi."""
COMMIT_TO_NAME = f"{_PROGRAM} @ git+https://github.com/OWNER/pulumi-gke-tpu@COMMIT"
"""The requirement for a shared repository; users replace OWNER and COMMIT."""

_LOCAL = f"""\
# This path exists only on this computer. In a shared repository, use a commit instead:
# {COMMIT_TO_NAME}
"""
_UNKNOWN = f"""\
# The source of this gke-tpu is unknown. Replace OWNER and COMMIT with a repository and commit that you trust.
{COMMIT_TO_NAME}
"""
_VCS = ("git", "hg", "svn", "bzr")
_SCHEMES = ("https", "http", "ssh", "file")
_COMMIT = lazy_pattern(r"[0-9A-Za-z.:@_-]{1,100}\Z", re.ASCII)
_SHA256 = lazy_pattern(r"[0-9a-f]{64}\Z")
_ANONYMOUS = lazy_pattern(r"(git|\$\{\w+\}(:\$\{\w+\})?)@", re.ASCII)
"""Text before the host that is not a secret: the user of Git servers, and variables that pip expands."""


def direct_url() -> str | None:
    """The source of the installed library, as the installer recorded it; None if it recorded none."""
    try:
        return importlib.metadata.distribution(_DISTRIBUTION).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None


def requirements_text(direct_url: str | None) -> str:
    """The content of the file. ``direct_url`` is the content of ``direct_url.json``, None if the installer wrote none.

    The file never contains the package name alone: a third party can register this name on a package index.
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
    """Whether the requirement is the same on every computer."""
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
        return f"{_PROGRAM} @ {kind}+{url}@{commit}{_fragment(below)}"
    if isinstance(archive, Mapping):
        return f"{_PROGRAM} @ {url}{_fragment({**_hash(archive), **below})}"
    if isinstance(directory, Mapping):
        address = f"{url}{_fragment(below)}"
        return f"--editable {address}[pulumi]" if directory.get("editable") is True else f"{_PROGRAM} @ {address}"
    return None


def _address(url: object) -> str | None:
    """The URL without secrets; None if pip cannot read it from a file."""
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
