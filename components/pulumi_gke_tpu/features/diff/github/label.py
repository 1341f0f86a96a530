"""One label per pull request: the most dangerous thing that its change does."""

import urllib.parse
from collections.abc import Sequence
from http import HTTPStatus

from pulumi_gke_tpu.features.diff.github.api import GitHub, GitHubError
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass

LABELS: dict[ChangeClass, str] = {change: f"tpu: {change}" for change in CLASSES}
"""What each class is called as a label."""


def set_label(github: GitHub, number: int, classes: Sequence[ChangeClass]) -> str | None:
    """Give a pull request the label of the most dangerous of some classes, and take other labels of this kind away.

    Returns the label, None where nothing changes.

    Raises:
        GitHubError: GitHub refused, or cannot be reached.
    """
    wanted = LABELS[min(classes, key=CLASSES.index)] if classes else None
    there = {label.get("name") for label in github.entries(f"issues/{number}/labels")}
    for label in LABELS.values():
        if label in there and label != wanted:
            _remove(github, number, label)
    if wanted is not None and wanted not in there:
        github.send("POST", f"issues/{number}/labels", {"labels": [wanted]})
    return wanted


def _remove(github: GitHub, number: int, label: str) -> None:
    try:
        github.send("DELETE", f"issues/{number}/labels/{urllib.parse.quote(label, safe='')}")
    except GitHubError as error:
        if error.status != HTTPStatus.NOT_FOUND:  # another run created it in the meantime
            raise
