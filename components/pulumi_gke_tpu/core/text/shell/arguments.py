"""Reads the words of a command as its options, as argparse and pflag do."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings.suggestions import did_you_mean
from pulumi_gke_tpu.core.text.shell.model import ScriptWord

Takes = Literal["value", "flag", "values"]
_SHORTEST = 4
"""Shorter beginnings of a name are options of nothing."""


@frozen
class Given:
    """One option of one command, with its full name. A flag has the value "true", or "false" with ``--no-``."""

    option: str
    value: str
    line: int
    column: int
    problem: str = ""
    """Why the value is not known, or why the option has none."""


@frozen
class UnknownWord:
    """A word that the command does not have, and the option that was probably meant."""

    text: str
    line: int
    column: int
    meant: str | None


@frozen
class CommandArguments:
    """The options of a command in their order, its other words, and what is unknown."""

    given: tuple[Given, ...]
    positional: tuple[ScriptWord, ...]
    unknown: tuple[UnknownWord, ...]

    def last(self, option: str) -> Given | None:
        """The last one of an option, which is the one that counts."""
        return next((item for item in reversed(self.given) if item.option == option), None)

    def value(self, option: str) -> str:
        """The value of an option; empty without it, or if it is not known."""
        item = self.last(option)
        return item.value if item and not item.problem else ""

    def has(self, option: str) -> bool:
        """Whether a flag is set."""
        return self.value(option) == "true"


def read_arguments(
    words: Sequence[ScriptWord],
    options: Mapping[str, Takes],
    short: Mapping[str, str] | None = None,
    *,
    positional: bool = False,
    abbreviated: bool = True,
) -> CommandArguments:
    """The options among ``words``. ``short`` maps -n to --name; an unambiguous beginning of a name is that name."""
    given: list[Given] = []
    others: list[ScriptWord] = []
    unknown: list[UnknownWord] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not word.text.startswith("-") or word.text == "-":
            if positional or word.problem:
                others.append(word)
            else:
                unknown.append(UnknownWord(word.text, word.line, word.column, None))
            continue
        name, equals, value = word.text.partition("=")
        option = _named(name, options, short or {}, abbreviated=abbreviated)
        if option is None:
            unknown.append(UnknownWord(word.text, word.line, word.column, did_you_mean(name, options)))
            if not equals and index < len(words) and not words[index].text.startswith("-"):
                index += 1
            continue
        takes = options[option]
        if takes == "flag":
            text = "false" if name.startswith("--no-") and option != name else (value if equals else "true")
            given.append(Given(option, text.lower(), word.line, word.column, word.problem))
        elif equals:
            given.append(Given(option, value, word.line, word.column, word.problem))
        else:
            taken = _values(words[index:], takes)
            index += len(taken)
            missing = [ScriptWord("", word.line, word.column, "it has no value")]
            given += [Given(option, item.text, word.line, word.column, item.problem) for item in taken or missing]
    return CommandArguments(tuple(given), tuple(others), tuple(unknown))


def _values(words: Sequence[ScriptWord], takes: Takes) -> list[ScriptWord]:
    """The values in front of the next option."""
    found: list[ScriptWord] = []
    for word in words[:1] if takes == "value" else words:
        if word.text.startswith("-") and word.text != "-":
            break
        found.append(word)
    return found


def _named(name: str, options: Mapping[str, Takes], short: Mapping[str, str], *, abbreviated: bool) -> str | None:
    if name in options:
        return name
    if name in short:
        return short[name]
    positive = name.replace("--no-", "--", 1)
    if name.startswith("--no-") and options.get(positive) == "flag":
        return positive
    if not name.startswith("--") or not abbreviated or len(name) < _SHORTEST:
        return None
    longer = [option for option in options if option.startswith(name)]
    return longer[0] if len(longer) == 1 else None
