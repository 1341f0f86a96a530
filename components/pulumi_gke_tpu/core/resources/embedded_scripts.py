"""Finds commands of gcloud in pipelines, runbooks, Makefiles and scripts of PowerShell.

Each script keeps its lines and columns: everything else in its lines is blank. An expression that another program fills
in, such as ``${{ matrix.topology }}``, becomes a variable of the same length, which has a value if the file states one.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.source import YamlFile

_GCLOUD = lazy_pattern(
    r"\bgcloud\b[^\n]*?\b(?:container|compute|config)\b|\bcontainer[ \t]+(?:node-pools|clusters)[ \t]"
)
_EXPRESSION = lazy_pattern(r"\$?\{\{(?P<braces>.{0,300}?)\}\}|\$\((?P<tekton>(?:inputs\.)?params\.[\w.-]{1,100})\)")
_PLAIN_PATH = lazy_pattern(r"[\s-]*\.?(?P<path>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)[\s-]*\Z", re.ASCII)
_OUTSIDE: Final = frozenset({"secrets", "vars", "steps", "needs", "outputs", "tasks", "Values", "item"})
"""The first names of what only a run knows."""
_CONTEXTS: Final = ("env", "variables", "vars", "substitutions", "environment", "params", "parameters", "inputs")
_VALUES: Final = ("default", "value")
_MOST_COMBINATIONS = 50
_MOST_SCRIPTS = 1_000
_LARGEST_REPEATED = 20_000
"""The most characters of a script that is followed for each combination."""
_DEEPEST = 40
_LONGEST = 300
_LONGEST_MADE = 1_000
"""The most characters of a variable of make that is filled into another one, or has others in it."""
_GROUPS: Final = ("node-pools", "clusters")
_TRACKS: Final = ("alpha", "beta")
_OF_CONTAINER: Final = ("command", "args")
"""The keys of a container with the words of one command."""
_FENCE = lazy_pattern(r"[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
_SHELLS: Final = frozenset({"", "bash", "sh", "shell", "console", "zsh", "shell-session", "shellsession"})
_PLACEHOLDER = lazy_pattern(r"<[A-Za-z][\w -]{1,60}>|(?<=[ =])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=[\s,\\]|\Z)", re.ASCII)
_MAKE_VALUE = lazy_pattern(
    r"(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*(?::{0,3}|\?)=[ \t]*(?P<value>[^#\n]*)", re.ASCII
)
_MAKE_NAME = lazy_pattern(r"(?<!\$)\$[({](?P<name>[A-Za-z_]\w*)[)}]", re.ASCII)
_JUST_VALUE = lazy_pattern(
    r"(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*:=[ \t]*[\"'](?P<value>[^\"'\n]*)[\"']", re.ASCII
)
_POWERSHELL_VALUE = lazy_pattern(r"[ \t]*\$(?:env:)?(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?P<value>[^\n]*)", re.ASCII)
_BATCH_VALUE = lazy_pattern(
    r"[ \t]*set[ \t]+\"?(?P<name>[A-Za-z_]\w*)=(?P<value>[^\"\n%]*)\"?[ \t]*\Z", re.ASCII | re.IGNORECASE
)
_BATCH_OTHER = lazy_pattern(r"[ \t]*(?:@|rem\b|::|:\w|if\b|for\b|goto\b|setlocal\b|endlocal\b|\(|\))", re.IGNORECASE)
_BATCH_NAME = lazy_pattern(r"%([A-Za-z_]\w*)%", re.ASCII)

Variables = Mapping[str, str]
_Scopes = tuple[Variables, ...]
"""The values that a part of a file can use: those of each combination of a matrix."""


@frozen
class EmbeddedScript:
    """A script in the lines of a file from ``line`` on."""

    text: str
    line: int
    variables: Variables = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    """Variable -> the expression in whose place it is."""


class _Expressions:
    """The variables that are in the place of expressions."""

    def __init__(self, values: Variables, pattern: re.Pattern[str]) -> None:
        self._values = values
        self._pattern = pattern
        self.written: dict[str, str] = {}
        self.known: dict[str, str] = {}

    def replaced(self, text: str) -> str:
        """A text with variables instead of expressions."""
        return self._pattern.sub(self._variable, text)

    def _variable(self, match: re.Match[str]) -> str:
        name = f"_{len(self.written)}".ljust(len(match[0]) - 3, "_")
        self.written[name] = match[0]
        value = _resolved(match, self._values)
        if value is not None:
            self.known[name] = value
        return f"${{{name}}}"


def _resolved(match: re.Match[str], values: Variables) -> str | None:
    """The value of an expression that is only a name."""
    named = match.groupdict()
    found = _PLAIN_PATH.match(named.get("braces") or named.get("tekton") or "")
    steps = found["path"].split(".") if found is not None else [""]
    return None if steps[0] in _OUTSIDE else values.get(steps[-1])


def has_commands(text: str) -> bool:
    """Whether a text may have commands of gcloud."""
    return _GCLOUD.search(text) is not None


# Pipelines in YAML


def scripts_in_yaml(file: YamlFile) -> Iterator[EmbeddedScript]:
    """The scripts in the texts and lists of a document, in order."""
    return itertools.islice(_YamlScripts(file).below((), file.data, ({},)), _MOST_SCRIPTS)


@dataclass
class _YamlScripts:
    file: YamlFile

    def below(self, path: Path, value: Any, scopes: _Scopes) -> Iterator[EmbeddedScript]:
        """The scripts in a part of the document."""
        if len(path) > _DEEPEST:
            return
        if isinstance(value, dict):
            yield from self._in_mapping(path, value, scopes)
        elif isinstance(value, list):
            words = _command_of(value)
            if words is not None:
                yield from self._listed(path, [(index,) for index in words], scopes)
                return
            for index, item in enumerate(value):
                yield from self.below((*path, index), item, scopes)
        elif isinstance(value, str) and has_commands(value):
            yield from self._text(path, scopes)

    def _in_mapping(self, path: Path, value: Mapping[Any, Any], scopes: _Scopes) -> Iterator[EmbeddedScript]:
        scopes = _with_values(value, scopes)
        words = _in_container(value)
        if words:
            yield from self._listed(path, words, scopes)
        for key, item in value.items():
            if not (words and key in _OF_CONTAINER) and (key not in _CONTEXTS or not _is_flat(item)):
                yield from self.below((*path, key), item, scopes)

    def _text(self, path: Path, scopes: _Scopes) -> Iterator[EmbeddedScript]:
        """The script that is one text."""
        written, at = self.file.written(path), self.file.position(path)
        if written is None:
            return
        first, *rest = written.split("\n")
        if first[:1] in ("|", ">"):
            lines = _joined(rest, folded=True) if first[0] == ">" else rest
            yield from _scripts(lines, at.line + 1, scopes)
            return
        if first[:1] in ('"', "'"):
            first, rest = (part := (" " + written[1:-1]).split("\n"))[0], part[1:]
        yield from _scripts(_joined([" " * (at.column - 1) + first, *rest]), at.line, scopes)

    def _listed(self, path: Path, words: Iterable[Path], scopes: _Scopes) -> Iterator[EmbeddedScript]:
        """The command whose words are the items of a list."""
        lines: dict[int, str] = {}
        for word in words:
            written, at = self.file.written((*path, *word)), self.file.position((*path, *word))
            if written is None or "\n" in written:
                continue
            plain = f'"{written[1:-1]}"' if written[:1] in ("'", '"') else written
            lines[at.line] = lines.get(at.line, "").ljust(at.column - 1) + plain
        if lines:
            start = min(lines)
            numbered = [lines.get(line, "") + " \\" for line in range(start, max(lines) + 1)]
            yield from _scripts(["gcloud \\", *numbered], start - 1, scopes)


def _in_container(value: Mapping[Any, Any]) -> list[Path]:
    """The places of the words of the command of a container that is in both of its lists."""
    lists = {key: value[key] for key in _OF_CONTAINER if isinstance(value.get(key), list)}
    places = [(key, index) for key, items in lists.items() for index in range(len(items))]
    words = _command_of([lists[key][index] for key, index in places])
    return [places[index] for index in words] if len(lists) == len(_OF_CONTAINER) and words is not None else []


def _command_of(items: list[Any]) -> range | None:
    """The items that are the words of a command of gcloud behind its name."""
    texts = [text(item) for item in (*items[:4], "", "", "", "")]
    start = int(texts[0] == "gcloud")
    begin = start + (texts[start] in _TRACKS)
    matches = texts[begin] == "container" and texts[begin + 1] in _GROUPS
    return range(start, len(items)) if matches else None


def _joined(lines: list[str], *, folded: bool = False) -> list[str]:
    """Lines that YAML joins to one, continued as a shell writes it."""
    filled = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    indent = min(filled, default=0)
    found = []
    for line, following in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        own, next_one = (len(each) - len(each.lstrip()) for each in (line, following))
        breaks = folded and (own > indent or next_one > indent)
        continues = following.strip() and not breaks and not line.rstrip().endswith("\\")
        found.append(f"{line} \\" if continues else line)
    return found


def _scripts(
    lines: list[str], line: int, scopes: _Scopes, pattern: re.Pattern[str] = _EXPRESSION
) -> Iterator[EmbeddedScript]:
    written = "\n".join(lines)
    for values in scopes if len(written) <= _LARGEST_REPEATED else scopes[:1]:
        expressions = _Expressions(values, pattern)
        text = expressions.replaced(written)
        yield EmbeddedScript(text, line, {**values, **expressions.known}, expressions.written)


def _with_values(value: Mapping[Any, Any], scopes: _Scopes) -> _Scopes:
    """The values that a mapping adds for what is in it."""
    found = {name: text for key in _CONTEXTS for name, text in _values_of(value.get(key))}
    trigger = value.get("on")
    for kind in ("workflow_dispatch", "workflow_call"):
        found |= dict(_values_of(mapping(mapping(trigger).get(kind)).get("inputs")))
    matrix = [*_combinations(mapping(mapping(value.get("strategy")).get("matrix")))]
    if not found and not matrix:
        return scopes
    every = (_settled({**values, **found, **row}) for values in scopes for row in matrix or [{}])
    return tuple(itertools.islice(every, _MOST_COMBINATIONS))


def _settled(values: dict[str, str]) -> dict[str, str]:
    """Values that refer to others with these; those that refer to anything else are left out."""
    found = {}
    for name, value in values.items():
        filled = _EXPRESSION.sub(lambda match: _resolved(match, values) or match[0], value)
        if not _EXPRESSION.search(filled):
            found[name] = filled
    return found


def _is_flat(value: Any) -> bool:
    """Whether a part of a document has nothing but values."""
    return isinstance(value, dict) and not any(isinstance(item, dict | list) for item in value.values())


def _values_of(given: Any) -> Iterator[tuple[str, str]]:
    """The names and values in a mapping, or in a list of entries with a name."""
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(given, dict):
        entries = given.items()
    elif isinstance(given, list):
        entries = [(item.get("name"), item) if isinstance(item, dict) else (None, None) for item in given]
        texts = (item.partition("=") for item in given if isinstance(item, str) and "=" in item)
        entries = [*entries, *((name, text) for name, _, text in texts)]
    for name, value in entries:
        inner = next((value[key] for key in _VALUES if key in value), None) if isinstance(value, dict) else value
        if isinstance(name, str) and isinstance(inner, str | int) and len(str(inner)) <= _LONGEST:
            yield name, str(inner).lower() if isinstance(inner, bool) else str(inner)


def _combinations(matrix: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The values of each job of a matrix."""
    axes = {
        key: value for key, value in matrix.items() if isinstance(value, list) and key not in ("include", "exclude")
    }
    added, gone = (
        [values for each in items(matrix.get(key)) if (values := dict(_values_of(each)))]
        for key in ("include", "exclude")
    )
    rows = [dict(zip(axes, each, strict=True)) for each in itertools.islice(itertools.product(*axes.values()), 100)]
    rows = [dict(_values_of(row)) for row in rows if row]
    rows = [row for row in rows if not any(each.items() <= row.items() for each in gone)]
    for extra in added:
        same = [row for row in rows if all(row.get(key, extra[key]) == extra[key] for key in axes if key in extra)]
        for row in same if axes else ():
            row.update(extra)
        if not same or not axes:
            rows.append(extra)
    yield from rows[:_MOST_COMBINATIONS]


# Other texts


def _written(lines: list[str], values: Variables | None = None) -> Iterator[EmbeddedScript]:
    yield from _scripts(lines, 1, (values or {},))


def _markdown(text: str) -> Iterator[EmbeddedScript]:
    """The blocks of shell commands in a document, which are one script: variables stay."""
    lines, mark = [], ""
    shown = False
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if fence is not None and not mark:
            mark, shown = fence["mark"], fence["language"].lower() in _SHELLS
            lines.append("")
        elif fence is not None and fence["mark"].startswith(mark) and not fence["language"]:
            mark, shown = "", False
            lines.append("")
        else:
            lines.append(line if shown else "")
    yield from _scripts(lines, 1, ({},), _PLACEHOLDER)


def _makefile(text: str) -> Iterator[EmbeddedScript]:
    """The recipes of a Makefile, with the values of its variables."""
    lines, values, continued = [], dict[str, str](), False
    for line in text.splitlines():
        value = _MAKE_VALUE.match(line)
        if line.startswith("\t") or continued:
            bare = line.lstrip("\t @-") if not continued else line
            lines.append((" " * (len(line) - len(bare)) + _MAKE_NAME.sub(r"${\g<name>}", bare)).replace("$$", "$"))
            continued = line.rstrip().endswith("\\")
        else:
            lines.append("")
            if value is not None:
                values.setdefault(value["name"], value["value"].strip())
    short = {name: text for name, text in values.items() if len(text) <= _LONGEST_MADE}
    yield from _written(
        lines, {name: made for name, text in values.items() if (made := _made(text, short)) is not None}
    )


def _made(text: str, values: Variables) -> str | None:
    """The value of a variable of make with the values of others in it; None if it is long, or a function yields it."""
    for _ in range(_DEEPEST):
        if "$" not in text:
            return text
        if len(text) > _LONGEST_MADE:
            break
        text = _MAKE_NAME.sub(lambda match: values.get(match["name"], match[0]), text)
    return None


def _justfile(text: str) -> Iterator[EmbeddedScript]:
    """The recipes of a justfile."""
    lines, values = [], {}
    for line in text.splitlines():
        value = _JUST_VALUE.match(line)
        if value is not None:
            values[value["name"]] = value["value"]
        lines.append(line.replace("@", " ", 1) if line[:1] in (" ", "\t") else "")
    yield from _written(lines, values)


def _powershell(text: str) -> Iterator[EmbeddedScript]:
    """The commands of a script of PowerShell, whose lines continue behind a backtick."""
    lines = []
    for line in text.splitlines():
        value = _POWERSHELL_VALUE.match(line)
        stripped = line.rstrip()
        if value is not None:
            lines.append(f"{value['name']}={value['value']}")
        else:
            lines.append(f"{stripped[:-1]}\\" if stripped.endswith("`") else line)
    yield from _written(lines)


def _batch(text: str) -> Iterator[EmbeddedScript]:
    """The commands of a batch file of Windows, whose lines continue behind a caret."""
    lines = []
    for line in text.splitlines():
        value = _BATCH_VALUE.match(line)
        if value is not None:
            lines.append(f"{value['name']}='{value['value']}'" if "'" not in value["value"] else "")
        elif _BATCH_OTHER.match(line):
            lines.append("")
        else:
            stripped = line.rstrip()
            written = f"{stripped[:-1]}\\" if stripped.endswith("^") else line
            lines.append(_BATCH_NAME.sub(r"${\1}", written))
    yield from _written(lines)


_BY_NAME: Final[tuple[tuple[re.Pattern[str], Callable[[str], Iterator[EmbeddedScript]]], ...]] = (
    (lazy_pattern(r"\.(?:md|markdown)\Z", re.IGNORECASE), _markdown),
    (lazy_pattern(r"(?:\A|/)(?:GNU)?[Mm]akefile\Z|\.mk\Z"), _makefile),
    (lazy_pattern(r"(?:\A|/)\.?[Jj]ustfile\Z"), _justfile),
    (lazy_pattern(r"\.ps1\Z", re.IGNORECASE), _powershell),
    (lazy_pattern(r"\.(?:cmd|bat)\Z", re.IGNORECASE), _batch),
)


def scripts_in_text(name: str, text: str) -> Iterator[EmbeddedScript] | None:
    """The scripts in a file that is known by its name; None for any other file."""
    name = name.replace("\\", "/")
    read = next((read for pattern, read in _BY_NAME if pattern.search(name)), None)
    return None if read is None else read(text)
