"""Findings about the commands of scripts themselves, beside those about the resources that they make."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule, warning
from pulumi_gke_tpu.core.text.findings import Finding

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.resources.model import Resources

REFUSED_COMMAND = rule(
    "TPU895",
    "refused-gcloud-command",
    scope=Scope.FILE,
    title="Command that gcloud refuses",
    why="gcloud checks the flags of a command first, and makes nothing if a flag is invalid",
    fix="Correct the command. With `--help` alone, it lists its flags.",
    source="gcloud 578.0.0: flags of clusters and node pools",
    failing="# Not about content: a script with `gcloud container node-pools create tpu --cluster=c --tpu-topolgy=4x4`",
    edit=("--tpu-topolgy=4x4", "--tpu-topology=4x4"),
)
SCRIPT_ENDS_EARLY = warning(
    "TPU894",
    "unreadable-script",
    scope=Scope.FILE,
    title="Script that cannot be read to its end",
    why="gke-tpu checks only the commands in front of this place",
    fix="Close the quote, parenthesis or here-document.",
    source="POSIX: shell command language",
    failing="# Not about content: a script with `gcloud container clusters create 'train`",
    edit=("create 'train`", "create 'train'`"),
)


def script_findings(file: "Resources") -> Iterator[Finding]:
    """The findings about one script."""
    found = [(REFUSED_COMMAND, item) for item in file.rejected]
    if file.ends_early is not None:
        found.append((SCRIPT_ENDS_EARLY, file.ends_early))
    for of, item in found:
        yield of.finding(item.message, position=item.position, allowed=item.allowed, fix=item.fix)
