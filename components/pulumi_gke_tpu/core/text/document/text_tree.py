"""Draws a tree in a terminal, with rails from branch to branch."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.text.document.model import Branch, Tree
from pulumi_gke_tpu.core.text.document.terminal import BOLD, LineLayout, Word, cells, no_command, no_mark, words
from pulumi_gke_tpu.core.text.findings import one_line

_GAP = "  "
_INDENT = "    "


def tree_lines(tree: Tree, page: LineLayout) -> Iterator[str]:
    """The tree. Cells of a branch that do not fit on one line continue below it, along the rail."""
    title = Word(f"{_shown(tree.title)}  ", BOLD)
    yield from page.flow([title, *words(_shown(tree.about))], hang=2)
    yield from _branches(tree.branches, "", page)


def _shown(text: str) -> str:
    return no_mark(one_line(text))


def _branches(branches: Sequence[Branch], rail: str, page: LineLayout) -> Iterator[str]:
    shown = [[_shown(cell) for cell in branch.cells] for branch in branches]
    # The last cell of a branch is not aligned with those of others.
    sizes = [
        max((cells(row[column]) for row in shown if column < len(row) - 1), default=0)
        for column in range(max(map(len, shown), default=0))
    ]
    for number, (branch, row) in enumerate(zip(branches, shown, strict=True)):
        last = number == len(branches) - 1
        further = f"{rail}{'   ' if last else '│  '}"
        yield from _branch(row, sizes, f"{rail}{'└─ ' if last else '├─ '}", further, page)
        yield from _branches(branch.below, further, page)


def _branch(row: Sequence[str], sizes: Sequence[int], lead: str, rail: str, page: LineLayout) -> Iterator[str]:
    line, empty = lead, True
    for cell, size in zip(row[:-1], sizes, strict=False):
        if not empty and cells(line) + cells(cell) > page.room:
            yield no_command(line.rstrip())
            line = f"{rail}{_INDENT}"
        line += f"{cell}{' ' * (size - cells(cell))}{_GAP}"
        empty = False
    text = row[-1]
    if not empty and cells(line) + cells(text) > page.room and cells(line) > page.room // 2:
        yield line.rstrip()
        line = f"{rail}{_INDENT}"
    hang = f"{rail}{' ' * (cells(line) - cells(rail))}"
    for number, part in enumerate(_folded(text, page.room - cells(line))):
        yield no_command(f"{line if number == 0 else hang}{part}".rstrip())


def _folded(text: str, room: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) > room:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
