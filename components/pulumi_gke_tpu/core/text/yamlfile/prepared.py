"""Reads YAML files of our own from a prepared form: JSON, which Python reads thirty times as fast.

The JSON is in a folder next to the YAML and contains the digest of its text, so it is never older than the YAML. A
wheel contains it; in a checkout it is written when a file is read first, and again after an edit. If the folder
cannot be written, the YAML is read each time.
"""

import contextlib
import hashlib
import json
import os
import pathlib
from typing import Any

from pulumi_gke_tpu.core.text.yamlfile.file import parse_yaml, read_content

FOLDER = "_prepared"
FORMAT = 1
"""Raise it when the reader gives other data for the same text: all prepared files are then made again."""


def read_prepared(path: pathlib.Path) -> Any:
    """The plain data of a YAML file.

    Raises:
        YamlProblem: the file cannot be read, or is not valid YAML.
    """
    text = read_content(path, str(path))
    stamp = f"{FORMAT} {hashlib.sha256(text).hexdigest()}"
    place = path.parent / FOLDER / f"{path.stem}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(place.read_bytes())
        if stored["made_from"] == stamp:
            return stored["content"]
    content = parse_yaml(text, str(path)).data
    with contextlib.suppress(OSError):
        _write(place, json.dumps({"made_from": stamp, "content": content}, ensure_ascii=False, separators=(",", ":")))
    return content


def _write(place: pathlib.Path, text: str) -> None:
    """Write a whole file or none: other processes may read it at the same time."""
    place.parent.mkdir(exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
