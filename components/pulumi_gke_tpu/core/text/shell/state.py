"""The variables of a script while it is followed, and how much of it was."""

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import tree
from pulumi_gke_tpu.core.text.shell.branches import ScriptBranch, excludes, names_in
from pulumi_gke_tpu.core.text.shell.expansion import SEVERAL, UNSET, Array, Expander, Value, Variables, joined
from pulumi_gke_tpu.core.text.shell.model import UNKNOWN_PART, ScriptWord
from pulumi_gke_tpu.core.text.shell.places import ScriptPlaces
from pulumi_gke_tpu.core.text.shell.tree import ShellWord

_MOST_STEPS = 1_000_000
_MOST_WAYS, _DEEPEST_WAYS = 8, 4
"""Of a branch, and branches of which one depends on the other."""
NAME = lazy_pattern(r"[A-Za-z_]\w*\Z", re.ASCII)


class TooLongError(Exception):
    """A script runs more commands than are followed."""


class ScriptState:
    """The values of variables, and the commands that change them."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        self.calls: list[dict[str, object]] = []
        """For each function that runs, the variables that its own hide."""
        self.places = ScriptPlaces("")
        self.steps = 0
        self.inside: tuple[int, ...] = ()
        """The branches of which one way is followed now, the outermost one first."""
        self.branches: dict[int, ScriptBranch] = {}
        self._by_condition: dict[tuple[str, tuple[int, ...]], tuple[int, int]] = {}
        """Condition, and the branches that it is inside of -> the number of its branch, and that of the ways."""

    def _spend(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise TooLongError

    def _copied(self) -> Variables:
        self._spend(len(self.expander.variables))
        return dict(self.expander.variables)

    def _new_branch(self) -> int:
        number = len(self.branches) + 1
        self.branches[number] = ScriptBranch(self.inside, frozenset(), optional=False)
        return number

    def _join(self, ways: Sequence[Variables], branch: int, condition: str, *, optional: bool) -> None:
        """Set the variables to what they are after each way through a branch. Equal conditions have one branch."""
        found = ways[0]
        for other in ways[1:]:
            self._spend(len(found))
            found = joined(found, other)
        self.branches[branch] = ScriptBranch(self.inside, names_in(condition), optional)
        first, number = self._by_condition.setdefault((condition, self.inside), (branch, len(ways)))
        branch = first if number == len(ways) else branch
        for name, value in found.items() if len(ways) <= _MOST_WAYS else ():
            if not isinstance(value, Value) or not value.problem:
                continue
            every = tuple(way.get(name, UNSET) for way in ways)
            if any(each != value for each in every) and any(map(_says_something, every)):
                made = dataclasses.replace(value, ways=every, branch=branch)
                found[name] = made if made.depth <= _DEEPEST_WAYS else value
        self.expander.variables = found

    def _exclude_each_other(self, numbers: Iterable[int]) -> bool:
        """Whether two of some branches, none of which is inside of the other, may have no common way."""
        facts = {number: self.branches.get(number) or self.expander.branch_of_unset(number) for number in numbers}
        return any(
            one not in facts[other].inside and other not in facts[one].inside and excludes(facts[one], facts[other])
            for one, other in itertools.combinations(facts, 2)
        )

    def _words(self, word: ShellWord) -> Iterator[ScriptWord]:
        place = self.places.at(word.at)
        for each in self.expander.words(word, place):
            self._spend(1 + len(each.text) // 1000)
            yield each if each.line else ScriptWord(each.text, *place, each.problem, each.several)

    def _declare(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        if words[0].text == "local" and self.calls:
            names = [item.name for item in node.assignments]
            names += [word.text for word in words if NAME.match(word.text)]
            for name in names:
                self.calls[-1].setdefault(name, self.expander.variables.get(name))
        self._assign(node)

    def _assign(self, node: tree.Simple) -> None:
        for item in node.assignments:
            self._spend()
            if isinstance(item.value, tuple):
                self.expander.variables[item.name] = self._assigned(item, item.value)
                continue
            value = self.expander.assigned(item.value)
            before = self.expander.variables.get(item.name)
            if item.index is not None:
                array = dict(before) if isinstance(before, dict) else {}
                self._spend(len(array))
                index = self.expander.value_in(item.index).text
                array[index] = ScriptWord(value.text, *self.places.at(item.value.at), value.problem)
                self.expander.variables[item.name] = array
            elif item.adds and isinstance(before, Value):
                self.expander.variables[item.name] = Value(before.text + value.text, before.problem or value.problem)
            else:
                self.expander.variables[item.name] = value
            self._spend((len(value.text) + (len(before.text) if isinstance(before, Value) else 0)) // 1000)

    def _assigned(self, item: tree.Assignment, words: Sequence[ShellWord]) -> Value | Array:
        """Words as an array, or as one for each way through the branch on which they depend."""

        def read() -> Array:
            before = self.expander.variable(item.name) if item.adds else None
            array = dict(before) if isinstance(before, dict) else {}
            if isinstance(before, Value) and before.items:
                array = {str(index): word for index, word in enumerate(before.items)}
            elif isinstance(before, Value) and before is not UNSET:
                array["0"] = ScriptWord(before.text, 0, 0, before.problem, several=bool(before.problem))
            self._spend(len(array))
            for word in words:
                self._add_item(array, word)
            return array

        problem = f"${item.name} {SEVERAL}"
        return self.expander.by_way(read, lambda found: Value(UNKNOWN_PART, problem, items=tuple(found.values())))

    def _add_item(self, array: dict[str, ScriptWord], word: ShellWord) -> None:
        first = word.parts[0] if word.parts else None
        match = re.match(r"\[([^\]]+)\]=", first.text) if isinstance(first, tree.Literal) and not first.quoted else None
        if match is not None and isinstance(first, tree.Literal):
            rest = ShellWord((tree.Literal(first.text[match.end() :], False), *word.parts[1:]), word.at)
            value = self.expander.value(rest)
            array[match[1]] = ScriptWord(value.text, *self.places.at(word.at), value.problem)
            return
        for item in self._words(word):
            array[str(len(array))] = item

    def _forget(self, words: Sequence[ScriptWord], _node: tree.Simple) -> None:
        for word in words[1:]:
            if NAME.match(word.text):
                if words[0].text == "unset":
                    self.expander.variables.pop(word.text, None)
                else:
                    reason = f"only a shell knows the value of ${word.text}"
                    self.expander.variables[word.text] = Value(UNKNOWN_PART, reason)

    def _read_line(self, words: Sequence[ScriptWord], node: tree.Simple, line: str) -> bool:
        """Set variables to the fields of a line; whether it is known how."""
        names = [word.text for word in words[1:] if not word.text.startswith("-")]
        options = {word.text for word in words[1:] if word.text.startswith("-")}
        if options - {"-r", "-a", "-ra"} or not names or not all(map(NAME.match, names)):
            return False
        given = next((item.value for item in node.assignments if item.name == "IFS"), None)
        between = self.expander.value(given).text if isinstance(given, ShellWord) else " \t"
        separator = between[0] if between.strip(" \t") or between == "\t" else None
        if options & {"-a", "-ra"}:
            self._set_array(names[0], line.split(separator), words[0])
            return True
        fields = line.split(separator, len(names) - 1) if between else [line]
        for name, field in itertools.zip_longest(names, fields[: len(names)], fillvalue=""):
            unknown = "$(" in field
            reason = f"only a shell knows the value of ${name}"
            self.expander.variables[name] = Value(UNKNOWN_PART, reason) if unknown else Value(field.rstrip(" \t"))
        return True

    def _set_array(self, name: str, texts: Sequence[str], at: ScriptWord) -> None:
        """Set an array to texts of the input, at the place of a word."""
        self.expander.variables[name] = {
            str(index): ScriptWord(text, at.line, at.column) for index, text in enumerate(texts)
        }


def _says_something(value: Value | Array) -> bool:
    return not isinstance(value, Value) or not value.problem or bool(value.ways)
