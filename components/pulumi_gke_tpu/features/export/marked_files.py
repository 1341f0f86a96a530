"""Generated files with a checksum, by which a later run recognizes a file that a person changed."""

import hashlib
import pathlib
import re
from collections.abc import Mapping

from pulumi_gke_tpu.core.text.findings import printable_path

PLACE_OF_CHECKSUM = "sha256:" + "0" * 16
"""What a file has in the place of its checksum before it is marked."""
_CHECKSUM = re.compile(r"sha256:[0-9a-f]{16}\b")


def marked(text: str) -> str:
    """The text with its checksum, in the first place for one; a text without such a place stays as it is."""
    return text.replace(PLACE_OF_CHECKSUM, _checksum(text), 1)


def changed_by_hand(folder: pathlib.Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """The existing files that a run would overwrite although they are not as a run wrote them."""
    return tuple(printable_path(folder / name) for name, text in files.items() if _is_changed(folder / name, text))


def _is_changed(file: pathlib.Path, text: str) -> bool:
    found = _CHECKSUM.search(text)
    if found is None or not file.is_file():
        return False  # files without a checksum are for --force
    present = file.read_bytes().decode(errors="replace")
    before = _CHECKSUM.search(present)
    return before is None or before[0] != _checksum(present.replace(before[0], PLACE_OF_CHECKSUM, 1))


def _checksum(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
