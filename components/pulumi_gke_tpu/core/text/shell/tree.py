"""The syntax tree of a shell script."""

from dataclasses import dataclass, field

from pulumi_gke_tpu.core.frozen import frozen


@frozen
class Literal:
    """Text as it is; ``quoted`` text is neither split nor expanded."""

    text: str
    quoted: bool


@frozen
class Parameter:
    """``$NAME`` or ``${...}``; ``inside`` is the text between the braces."""

    inside: str
    quoted: bool


@frozen
class Substitution:
    """The output of commands, whose text begins at an offset."""

    text: str
    quoted: bool
    at: int


@frozen
class Arithmetic:
    """``$((...))``."""

    text: str


Part = Literal | Parameter | Substitution | Arithmetic


@frozen
class ShellWord:
    """One word, at an offset of its text."""

    parts: tuple[Part, ...]
    at: int

    @property
    def plain(self) -> str | None:
        """The text of a word without quotes and expansions; None for any other word."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only.text if isinstance(only, Literal) and not only.quoted else None


@frozen
class Assignment:
    """``NAME=VALUE``, ``NAME[INDEX]=VALUE``, ``NAME+=VALUE`` or ``NAME=(...)``, whose items are words."""

    name: str
    index: str | None
    adds: bool
    value: ShellWord | tuple[ShellWord, ...]


@frozen
class ShellDocument:
    """A here-document; ``expands`` says whether variables in it have values."""

    text: str
    at: int
    expands: bool


@dataclass(eq=False)
class Simple:
    """A simple command. Its here-documents are read after it."""

    words: list[ShellWord] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    documents: list[ShellDocument] = field(default_factory=list)
    here: ShellWord | None = None
    """The word of ``<<<``."""
    file: ShellWord | None = None
    """The name behind ``<``."""
    produced: Substitution | None = None
    """The commands of ``<(...)``."""
    feeder: "Node | None" = None
    """The command before ``|``."""


@dataclass(eq=False)
class ShellBlock:
    """Commands in a row; each with && or || if these decide whether it runs."""

    steps: list[tuple[str, "Node"]] = field(default_factory=list)


@dataclass(eq=False)
class Conditional:
    """``if``: conditions with their blocks; the last condition is None for ``else``."""

    branches: list[tuple[ShellBlock | None, ShellBlock]] = field(default_factory=list)


@dataclass(eq=False)
class Case:
    """``case``: patterns with their blocks."""

    subject: ShellWord
    branches: list[tuple[list[ShellWord], ShellBlock]] = field(default_factory=list)


@dataclass(eq=False)
class ForEach:
    """``for NAME in WORDS``; without words, over the arguments."""

    name: str
    words: list[ShellWord] | None
    body: ShellBlock


@dataclass(eq=False)
class Loop:
    """``while`` and ``until``, and ``for ((...))``, whose three parts are ``header``."""

    condition: ShellBlock
    body: ShellBlock
    header: str = ""
    input: Simple | None = None
    """The redirections behind ``done``, as those of a command without words."""
    feeder: "Node | None" = None
    """The command before ``|``."""


@dataclass(eq=False)
class Function:
    """The definition of a function."""

    name: str
    body: ShellBlock


@dataclass(eq=False)
class ShellGroup:
    """``{ ...; }`` or ``( ... )``."""

    body: ShellBlock


@frozen
class Compute:
    """``((...))``."""

    text: str


@frozen
class Test:
    """``[[ ... ]]``: the words between the brackets."""

    words: tuple[ShellWord, ...]


Node = Simple | ShellBlock | Conditional | Case | ForEach | Loop | Function | ShellGroup | Compute | Test
