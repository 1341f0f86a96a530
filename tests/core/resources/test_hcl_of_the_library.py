"""Our reader of HCL finds the blocks, names and literal values that python-hcl2 finds."""

import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import hcl2
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile

ROOT = pathlib.Path(__file__).parents[3]
FILES = sorted(path for folder in ("docs", "tests") for path in (ROOT / folder).rglob("*.tf"))
BLOCK = "__is_block__"
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,5}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters='\\"$%'), max_size=8)
SCALARS = st.one_of(
    st.booleans().map(lambda value: str(value).lower()),
    st.integers(-(10**9), 10**9).map(str),
    st.just("null"),
    TEXTS.map(lambda text: f'"{text}"'),
)
EXPRESSIONS = st.sampled_from(
    ["var.a", 'var.a == "x" ? 1 : 2', "[for a in var.b : a if a]", "merge({ a = 1 }, var.c)", '"x-${var.d}"', "a.*.id"]
)
SPACE = st.sampled_from([" ", "  ", "\t"])  # python-hcl2 cannot read a comment between = and a value
END = st.sampled_from(["\n", " # }\n", " // {\n", "\r\n", "\n\n"])


def literal(written: Any) -> Any:
    """The value of python-hcl2 for a literal; None for an expression and for null."""
    if isinstance(written, str):
        text = written[1:-1] if written.startswith('"') else written
        return None if re.search(r"[\\$%]|^<<", text) or not written.startswith('"') else text
    if isinstance(written, list):
        return [literal(item) for item in written]
    if isinstance(written, dict):
        return {name.strip('"'): literal(item) for name, item in written.items()}
    return written


def labelled(kind: str, item: Mapping[str, Any], *labels: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The type and labels of a block, and what is in it; the labels are keys of mappings around it."""
    if BLOCK in item:
        yield (kind, labels), item
    else:
        for label, inner in item.items():
            yield from labelled(kind, inner, *labels, label.strip('"'))


def is_block(item: Any) -> bool:
    return isinstance(item, dict) and (BLOCK in item or any(map(is_block, item.values())))


def like(value: Any, wanted: Any) -> Any:
    """The part of a value of which the other one has literals."""
    if isinstance(wanted, list) and isinstance(value, list) and len(value) == len(wanted):
        return [like(*pair) for pair in zip(value, wanted, strict=True)]
    if isinstance(wanted, dict) and isinstance(value, dict) and value.keys() == wanted.keys():
        return {name: like(value[name], wanted[name]) for name in wanted}
    return None if wanted is None else value


def differences(ours: HclBlock, theirs: Mapping[str, Any]) -> Iterator[str]:
    """What one of the readers finds in a block, and the other one does not."""
    blocks = defaultdict(list)
    for name, value in theirs.items():
        if isinstance(value, list) and value and all(map(is_block, value)):
            for item in value:
                for key, inner in labelled(name, item):
                    blocks[key].append(inner)
    kinds = {kind for kind, _ in blocks}
    attributes = {
        name: literal(value) for name, value in theirs.items() if name not in kinds and not name.startswith("__")
    }
    found = {name: like(value.value, attributes.get(name)) for name, value in ours.attributes.items()}
    if found != attributes:
        yield f"{ours.type} {ours.labels}: {found} is not {attributes}"
    own = defaultdict(list)
    for block in ours.blocks:
        own[block.type, block.labels].append(block)
    if {key: len(each) for key, each in own.items()} != {key: len(each) for key, each in blocks.items()}:
        yield f"{ours.type} {ours.labels}: blocks {sorted(own)} are not {sorted(blocks)}"
    for key in own.keys() & blocks.keys():
        for one, other in zip(own[key], blocks[key], strict=False):
            yield from differences(one, other)


def compared(text: str) -> list[str]:
    return list(differences(HclFile.read("main.tf", text).root, hcl2.loads(text)))


@each("path", FILES)
def test_files_are_read_alike(path: pathlib.Path) -> None:
    assert compared(path.read_text(encoding="utf-8")) == []


def values() -> st.SearchStrategy[str]:
    """Literals and expressions, also in lists and mappings."""
    return st.recursive(
        SCALARS | EXPRESSIONS,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.dictionaries(NAMES, inner, max_size=3).map(
                lambda items: "{ " + ", ".join(f"{key} = {value}" for key, value in items.items()) + " }"
            ),
        ),
        max_leaves=5,
    )


def bodies() -> st.SearchStrategy[str]:
    """Attributes and blocks with all ways to write space, comments and ends of lines."""
    attribute = st.tuples(SPACE, values(), END).map("={0[0]}{0[1]}{0[2]}".format)
    attributes = st.dictionaries(NAMES, attribute, max_size=4).map(
        lambda items: "".join(f"{name} {rest}" for name, rest in items.items())
    )
    labels = st.lists(NAMES.map('"{}"'.format), max_size=2).map(" ".join)
    return st.recursive(
        attributes,
        lambda inner: st.tuples(attributes, st.lists(st.tuples(NAMES, labels, inner, END), max_size=3)).map(
            lambda parts: (
                parts[0] + "".join(f"block_{name} {label} {{\n{body}}}{end}" for name, label, body, end in parts[1])
            )
        ),
        max_leaves=6,
    )


@given(bodies())
def test_generated_files_are_read_alike(text: str) -> None:
    assert compared(text) == []
