"""What was read of the files of a command, and what was not, so that "no findings" says what it is about."""

from collections.abc import Iterable, Sequence
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

    @property
    def text(self) -> str:
        """The part, and the reason."""
        return f"{self.part} ({self.reason})" if self.part else f"({self.reason})"


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

    @property
    def counted(self) -> str:
        """What was read, in one line."""
        counts = (
            (self.clusters, "cluster"),
            (self.node_pools, "node pool"),
            (self.other_resources, "other resource"),
            (self.objects, "object"),
        )
        return f"read: {', '.join(number(count, noun) for count, noun in counts if count) or 'nothing'}"

    def lines(self) -> Iterable[str]:
        """What was read in one line, and a line for each part that was not."""
        yield self.counted
        shown, rest = self.first_not_read
        for each in shown:
            place = f"{each.file}:{each.line}" if each.line else each.file
            yield f"not read: {place}{':' if each.part else ''} {each.text}"
        yield from rest

    @property
    def first_not_read(self) -> tuple[Sequence[NotRead], Sequence[str]]:
        """The first parts that were not read, and a sentence about the others, if there are any."""
        others = len(self.not_read) - _MOST_SHOWN
        return self.not_read[:_MOST_SHOWN], (f"not read: {number(others, 'other part')}",) if others > 0 else ()


def not_read(file: str, reason: str, part: str = "", line: int = 0) -> NotRead:
    """A record whose texts are safe to print."""
    return NotRead(printable_path(file), line, one_line(part), one_line(reason))
