"""A change of plans as a comment on a pull request."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.page import ChangePage


def write(shown: tuple[ChangePage, bool], _: Screen) -> str:
    """The comment that ``gke-tpu comment`` posts. It never lists all properties."""
    return change_markdown(shown[0])
