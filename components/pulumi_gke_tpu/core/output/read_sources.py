"""What was read of the files of a command, and what was not, so that "no findings" says what it is about."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import number, one_line, printable_path
from pulumi_gke_tpu.core.text.jsonfile.fields import Count

_MOST_SHOWN = 20
Line = Annotated[str, Field(pattern=r"^[^\u0000-\u001f\u007f-\u009f]*$")]
"""One line of text without control characters; empty if there is no text."""


@frozen
class NotRead:
    """A file, or a part of one, that was not read."""

    file: Line
    """The file as it was named to the command."""
    line: Count
    """The line of the part, counted from 1; 0 for the whole file."""
    part: Line
    """The part in the spelling of its tool, such as `module.gke`; empty for the whole file."""
    reason: Line
    """Why it was not read, and what to give instead."""


@frozen
class ReadSources:
    """What was read, by kind, and what was not."""

    clusters: Count
    node_pools: Count
    other_resources: Count
    """Resources of other types that are read, such as reservations."""
    objects: Count
    """Kubernetes objects that describe no such resource."""
    not_read: tuple[NotRead, ...]
    """In order of the files."""

    def lines(self) -> Iterable[str]:
        """What was read in one line, and a line for each part that was not."""
        counts = (
            (self.clusters, "cluster"),
            (self.node_pools, "node pool"),
            (self.other_resources, "other resource"),
            (self.objects, "object"),
        )
        yield f"read: {', '.join(number(count, noun) for count, noun in counts if count) or 'nothing'}"
        for each in self.not_read[:_MOST_SHOWN]:
            place = f"{each.file}:{each.line}" if each.line else each.file
            yield f"not read: {place}{f': {each.part}' if each.part else ''} ({each.reason})"
        if len(self.not_read) > _MOST_SHOWN:
            yield f"not read: {number(len(self.not_read) - _MOST_SHOWN, 'other part')}"


def not_read(file: str, reason: str, part: str = "", line: int = 0) -> NotRead:
    """A record whose texts are safe to print."""
    return NotRead(printable_path(file), line, one_line(part), one_line(reason))
