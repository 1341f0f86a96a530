"""Files as people damage them: texts of the corpora with seeded changes, each marked with comments of its own."""

import functools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml
from support.documents import PAGES, blocks
from support.mistakes import base_text, mistakes
from support.plan_mutations import INVENTORY, ORGANIZATION, SEEDS
from support.printed import OTHER_KINDS

from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY as INVENTORY_KIND
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION as ORGANIZATION_KIND
from pulumi_gke_tpu.core.plan.files.kinds import PLAN, FileKind
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of

Change = Callable[[str, str, random.Random], str]
"""Changes an entry, of which it gets the key and what follows the colon."""
_ENTRY = re.compile(r"(?P<space> *(?:- )?)(?P<key>[A-Za-z_][\w-]*):(?P<value> .*)?\Z")
_COMMENTED = 0.25
"""Share of the entries with a comment."""
_LARGEST = 6_000
"""Larger texts would only repeat what smaller ones show."""


@dataclass(frozen=True)
class Damaged:
    """A file of a kind, and the comments that were put into it, each of which occurs once."""

    name: str
    kind: FileKind
    content: bytes
    comments: tuple[str, ...]


@functools.cache
def corpus() -> tuple[tuple[str, FileKind, str], ...]:
    """Name, kind and text of every file that is damaged."""
    found = [(path.name, PLAN, path.read_text(encoding="utf-8")) for path in SEEDS]
    found += [("inventory", INVENTORY_KIND, INVENTORY.read_text(encoding="utf-8"))] * 10
    found += [("organization", ORGANIZATION_KIND, ORGANIZATION.read_text(encoding="utf-8"))] * 10
    found += [(str(block), PLAN, block.text) for block in blocks(*PAGES) if "\nclusters:" in block.text]
    found += [(case.id, OTHER_KINDS.get(case.base, PLAN), case.text) for case in mistakes()]
    for rule in all_rules():
        if rule.scope.breakable not in ("plan", "inventory", "fleet"):
            continue
        files = files_of(rule.failing)
        found += [(rule.id, PLAN, text) for text in files.plans]
        found += [(rule.id, INVENTORY_KIND, files.inventory)] if files.inventory else []
        found += [(rule.id, ORGANIZATION_KIND, files.organization)] if files.organization else []
    return tuple(entry for entry in found if len(entry[2]) <= _LARGEST or entry[1] != PLAN)


@functools.cache
def plan_beside() -> bytes:
    """A plan that is right, for the files that are not plans."""
    return base_text("standard").encode()


def damaged(number: int) -> Damaged:
    """The file with a number; the same number gives the same file."""
    draw = random.Random(f"file {number}")
    name, kind, text = draw.choice(corpus())
    if draw.random() < 0.3:
        text = _as_other_style(text, draw)
    for _ in range(draw.randint(1, 3)):
        text = draw.choice(_CHANGES)(text, draw)
    text, comments = _with_comments(text, draw)
    if draw.random() < 0.1:
        text = text.replace("\n", "\r\n")
    mark = b"\xef\xbb\xbf" if draw.random() < 0.05 else b""
    return Damaged(f"{number}: {name}", kind, mark + text.encode(), comments)


def _as_other_style(text: str, draw: random.Random) -> str:
    """The text in block style, or with braces in some or all levels."""
    try:
        data = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError:
        return text
    return str(
        yaml.dump(data, default_flow_style=draw.choice([False, None, True]), sort_keys=False, width=10_000)
        .replace("'true'", "true")
        .replace("'false'", "false")
    )


def _blocks(text: str) -> list[str]:
    """The top-level entries with the lines that belong to them."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if found and (line.startswith((" ", "-", "#", "}", "\n")) or not line.strip()):
            found[-1] += line
        else:
            found.append(line)
    return found


def _reordered(text: str, draw: random.Random) -> str:
    found = [block if block.endswith("\n") else f"{block}\n" for block in _blocks(text)]
    draw.shuffle(found)
    return "".join(found)


def _without_version(text: str, draw: random.Random) -> str:
    return re.sub(r"^version: *\d+ *\n|\bversion: 1, ", "", _reordered(text, draw), count=1, flags=re.MULTILINE)


def _in_entry(text: str, draw: random.Random, change: Change) -> str:
    """The text with one line of the form ``key: value`` changed."""
    lines = text.split("\n")
    places = [(at, match) for at, line in enumerate(lines) if (match := _ENTRY.match(line))]
    if places:
        at, match = draw.choice(places)
        lines[at] = match["space"] + change(match["key"], match["value"] or "", draw)
    return "\n".join(lines)


def _misspelled(key: str, value: str, draw: random.Random) -> str:
    at = draw.randrange(len(key))
    camel = re.sub(r"_(\w)", lambda match: match[1].upper(), key)
    swapped = key[:at] + key[at : at + 2][::-1] + key[at + 2 :]
    other = draw.choice([camel, key.replace("_", "-"), key.upper(), key[:at] + key[at + 1 :], swapped, key + key[at]])
    return f"{other or 'x'}:{value}"


def _retyped(key: str, value: str, draw: random.Random) -> str:
    word = value.strip()
    if not word or word[0] in "{[&*|>\"'!#":
        return f"{key}:{value}"
    other = [
        f'"{word}"',
        f"[{word}]",
        word.upper(),
        f"{word} GB",
        f"{{enabled: {word}}}",
        f"{word}.0",
        "yes",
        "",
        word[:-1],
    ]
    return f"{key}: {draw.choice(other)}"


def _glued(key: str, value: str, _: random.Random) -> str:
    return f"{key}:{value.strip()}"


def _with_duplicate(text: str, draw: random.Random) -> str:
    """One line with a value of its own comes twice."""
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if (match := _ENTRY.match(line)) and _is_plain(match["value"] or "")]
    if places:
        at = draw.choice(places)
        lines.insert(at + 1, lines[at].replace("- ", "  ", 1))
    return "\n".join(lines)


def _is_plain(value: str) -> bool:
    return bool(value.strip()) and value.strip()[0] not in "&*|>{["


def _anchored(key: str, value: str, _: random.Random) -> str:
    return f"{key}:{value}" if value.strip()[:1] in ("&", "*", "|", ">") else f"{key}: &kept{value}"


def _with_alias(text: str, draw: random.Random) -> str:
    """One value gets an anchor, and a new entry at the end repeats it."""
    changed = _in_entry(text, draw, _anchored)
    return f"{changed.rstrip()}\nrepeated: *kept\n" if "&kept" in changed else changed


def _second_document(text: str, draw: random.Random) -> str:
    return draw.choice([f"---\n{text}", f"{text.rstrip()}\n---\nother: 1\n", f"{text.rstrip()}\n...\n"])


def _with_entries_on_top(text: str, draw: random.Random) -> str:
    return f"resource_labels: {{team: kept-{draw.randrange(1000)}}}\n{text}" if "resource_labels" not in text else text


_CHANGES = (
    _reordered,
    _without_version,
    _without_version,
    lambda text, draw: _in_entry(text, draw, _misspelled),
    lambda text, draw: _in_entry(text, draw, _misspelled),
    lambda text, draw: _in_entry(text, draw, _retyped),
    lambda text, draw: _in_entry(text, draw, _retyped),
    lambda text, draw: _in_entry(text, draw, _glued),
    _with_duplicate,
    _with_alias,
    _second_document,
    _with_entries_on_top,
)


def _with_comments(text: str, draw: random.Random) -> tuple[str, tuple[str, ...]]:
    """Comments behind some entries, and on lines of their own."""
    lines: list[str] = []
    comments: list[str] = []
    for line in text.split("\n"):
        is_entry = _ENTRY.match(line) and not line.rstrip().endswith(("|", ">", "|-", ">-")) and "#" not in line
        behind = ""
        if is_entry and draw.random() < _COMMENTED:
            comments.append(f"#k{len(comments)}k")
            if draw.random() < _COMMENTED:
                lines.append(f"{' ' * (len(line) - len(line.lstrip(' ')))}{comments[-1]}")
            else:
                behind = f"  {comments[-1]}"
        lines.append(line + behind)
    return "\n".join(lines), tuple(comments)
