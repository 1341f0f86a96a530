"""What a script runs, as far as its text tells."""

from collections.abc import Mapping
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen

UNKNOWN_PART = "…"
"""Stands for a part of a word that only a shell knows."""
SETTINGS = {
    "CLOUDSDK_CONTAINER_CLUSTER": "cluster",
    "CLOUDSDK_CORE_PROJECT": "project",
    "CLOUDSDK_COMPUTE_REGION": "location",
    "CLOUDSDK_COMPUTE_ZONE": "location",
}
"""Variable of the environment of gcloud -> what it sets for a command without the flag."""


@frozen
class ScriptWord:
    """One word of a command. With a ``problem``, some of its text is not known: ``UNKNOWN_PART`` is in its place.

    ``several``: it may be any number of words, such as a variable with more options.
    """

    text: str
    line: int
    column: int
    problem: str = ""
    several: bool = False


@frozen
class Command:
    """One simple command without its redirections and assignments."""

    words: tuple[ScriptWord, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    """The variables of its environment that ``SETTINGS`` names."""


@frozen
class HereDocument:
    """The text of a here-document, with variables replaced where they are known, and its first line."""

    text: str
    line: int


@frozen
class ShellProblem:
    """Why a script ends early, and where."""

    message: str
    line: int
    column: int


@frozen
class Script:
    """The commands up to the first problem of form, loops unrolled and functions called."""

    commands: tuple[Command, ...]
    problem: ShellProblem | None = None
    documents: tuple[HereDocument, ...] = ()
