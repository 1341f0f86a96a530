"""The fenced blocks of the documents, with the instruction in the comment above each."""

import pathlib
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
SHELL = ("", "sh", "bash", "shell", "console")
_BLOCK = re.compile(
    r"^(?:<!-- (?:\$ (?P<command>[^\n]*?)|file: (?P<file>[^\n]*?)) -->\n)?"
    r"```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One block. ``command`` prints it, or ``file`` is the path of the file that it is; mostly both are empty."""

    page: pathlib.Path
    number: int
    language: str
    text: str
    command: str = ""
    file: str = ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}-{self.number}"

    def commands(self) -> Iterator[list[str]]:
        """The command lines of a block of shell commands as words, without comments and redirections."""
        if self.language not in SHELL or self.command:
            return
        lines = self.text.replace("\\\n", " ").splitlines()
        if self.language == "console":
            lines = [line for line in lines if line.startswith("$ ")]
        for line in lines:
            try:
                words = shlex.split(line.removeprefix("$ "), comments=True)
            except ValueError:  # no command at all
                words = [line]
            if words:
                yield words[: words.index(">")] if ">" in words else words

    def excerpts(self) -> Iterator[tuple[list[str], list[str]]]:
        """The commands of a block of the language `console`, each with the lines of its output that the block shows."""
        if self.language == "console":
            for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                yield shlex.split(command, comments=True), shown


def blocks(*pages: pathlib.Path) -> list[Block]:
    """Every block of these pages, or of all."""
    return [
        Block(page, number, match["language"], match["text"], match["command"] or "", match["file"] or "")
        for page in pages or PAGES
        for number, match in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8")), start=1)
    ]


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub names them."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def commands_of(program: str) -> dict[str, list[str]]:
    """Where -> the words of every command line of a program, in blocks and in the text."""
    found = {}
    for block in blocks():
        for words in block.commands():
            if words[0] == program:
                found[f"{block} {shlex.join(words)}"] = words
    for page in PAGES:
        for match in re.finditer(rf"`({program} [^`\n]+)`", page.read_text(encoding="utf-8")):
            found[f"{page.relative_to(ROOT)} {match[1]}"] = shlex.split(match[1])
    return found


def write_files(folder: pathlib.Path, *pages: pathlib.Path) -> None:
    """Write every block that is a file below a folder."""
    for block in blocks(*pages):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")


def link_targets(text: str) -> Iterator[str]:
    """What the links and images of a page lead to, as it is written."""

    def inside(tokens: list[Token]) -> Iterator[str]:
        for token in tokens:
            target = token.attrs.get("href") or token.attrs.get("src")
            if isinstance(target, str):
                yield target
            yield from inside(token.children or [])

    return inside(MarkdownIt("commonmark").enable("table").parse(text))
