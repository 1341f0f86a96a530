"""Plan files before and after a change, and which of them belong together."""

from collections import deque
from collections.abc import Iterator, Mapping

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan, read_plan_content, unreadable_plan
from pulumi_gke_tpu.core.rules.files.moved import folder_of

STORED_ENDING = ".json"


@frozen
class PlanFile:
    """A file of one side, and its name there: a plan, or a stored preview if its name ends so."""

    name: str
    content: bytes
    problem: str = ""
    """Why it cannot be read; ``content`` then distinguishes it from other unreadable files."""

    @property
    def stored(self) -> bool:
        """Whether it is a stored preview."""
        return self.name.endswith(STORED_ENDING) and not self.problem

    def same(self, other: "PlanFile") -> bool:
        """Whether the other file has the same content."""
        return (self.content, self.problem) == (other.content, other.problem)

    def read(self, name: str) -> Document[Plan]:
        """The plan in it. Findings use ``name`` as its file name."""
        if self.problem:
            return unreadable_plan(name, self.problem)
        return read_plan_content(self.content, name)


@frozen
class FilePair:
    """A plan file before and after. One of both is there."""

    base: PlanFile | None
    head: PlanFile | None
    moved: bool = False
    """Whether the two were paired by their content alone, because the path changed."""

    @property
    def same(self) -> bool:
        """Whether the content did not change."""
        return self.base is not None and self.head is not None and self.base.same(self.head)

    @property
    def name(self) -> str:
        """The name after the change if the file is there."""
        file = self.head or self.base
        assert file is not None
        return file.name


def pair_files(base: Mapping[str, PlanFile], head: Mapping[str, PlanFile]) -> Iterator[FilePair]:
    """Pair files by key, and the rest by content: those that only moved."""
    gone = {key: file for key, file in base.items() if key not in head}
    moved_from = _by_content(gone)
    for key, file in head.items():
        if key in base:
            yield FilePair(base[key], file)
            continue
        same = moved_from.get((file.content, file.problem))
        if not same:
            yield FilePair(None, file)
            continue
        folder = folder_of(file.name)
        folder = folder if folder in same else next(iter(same))
        former = same[folder].popleft()
        if not same[folder]:
            del same[folder]
        yield FilePair(gone.pop(former), file, moved=True)
    for file in gone.values():
        yield FilePair(file, None)


def _by_content(files: Mapping[str, PlanFile]) -> dict[tuple[bytes, str], dict[str, deque[str]]]:
    """The keys of files by their content, and then by the name of their folder."""
    found: dict[tuple[bytes, str], dict[str, deque[str]]] = {}
    for key, file in files.items():
        folders = found.setdefault((file.content, file.problem), {})
        folders.setdefault(folder_of(file.name), deque()).append(key)
    return found
