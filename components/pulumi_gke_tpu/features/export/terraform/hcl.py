"""Writes Terraform files in HCL, as ``terraform fmt`` formats them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pulumi_gke_tpu.core.text.formats.hcl_scalars import quoted_text, scalar
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.export.terraform.syntax import (
    Attribute,
    Block,
    Comment,
    Expression,
    Gap,
    Item,
    StaticReference,
    TextTemplate,
)

_INDENT = "  "
_WIDEST = 100
"""Columns up to which a list is on one line."""
_IDENTIFIER = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_KEYWORDS = frozenset({"for", "if", "in", "null", "true", "false", "else", "endif", "endfor"})


def hcl(items: Iterable[Item]) -> str:
    """The text of a file."""
    return "".join(f"{line}\n" for line in _aligned(_lines(items, "")))


class _HclLine(NamedTuple):
    """``lead`` with the indentation; ``value`` begins with the equals sign of an attribute on one line."""

    lead: str
    value: str = ""


def _aligned(lines: Iterable[_HclLine]) -> Iterator[str]:
    """The lines with the equals signs of neighboring attributes in one column."""
    chain: list[_HclLine] = []
    for line in lines:
        if line.value:
            chain.append(line)
            continue
        if chain:
            yield from _column(chain)
            chain = []
        yield line.lead
    yield from _column(chain)


def _column(chain: Sequence[_HclLine]) -> Iterator[str]:
    width = max((len(line.lead) for line in chain), default=0)
    return (f"{line.lead.ljust(width)} {line.value}" for line in chain)


def _lines(items: Iterable[Item], indent: str) -> list[_HclLine]:
    lines: list[_HclLine] = []
    for item in items:
        match item:
            case Attribute(name=name, value=value):
                lines += _attribute(f"{indent}{name}", value, indent)
            case Comment(text=text):
                lines += [_HclLine(f"{indent}# {line}".rstrip()) for line in text.splitlines()]
            case Gap():
                lines.append(_HclLine(""))
            case Block(type=kind, labels=labels, body=body):
                lines.append(_HclLine(" ".join((f"{indent}{kind}", *map(quoted_text, labels), "{"))))
                lines += _lines(body, f"{indent}{_INDENT}")
                lines.append(_HclLine(f"{indent}}}"))
    return lines


def _attribute(lead: str, value: object, indent: str, end: str = "") -> Iterator[_HclLine]:
    short = _short(value)
    if short is not None and len(lead) + len(short) < _WIDEST:
        yield _HclLine(lead, f"= {short}{end}")
        return
    first, *rest = _long(value, indent)
    if rest:
        yield _HclLine(f"{lead} = {first.lead}")
        yield from rest[:-1]
        yield _HclLine(f"{rest[-1].lead}{end}")
    else:
        yield _HclLine(lead, f"= {first.lead}{end}")


def _short(value: object) -> str | None:
    """A value on one line; None if its form requires several lines."""
    if isinstance(value, str):
        return quoted_text(value)
    if isinstance(value, Mapping):
        return None if value else "{}"
    if isinstance(value, list | tuple):
        items = [_short(item) for item in value]
        return None if None in items else f"[{', '.join(map(str, items))}]"
    return _scalar(value)


def _scalar(value: object) -> str:
    match value:
        case Expression(text=text) | StaticReference(text=text):
            return text
        case TextTemplate(parts=parts):
            inner = (f"${{{part.text}}}" if isinstance(part, Expression) else quoted_text(part)[1:-1] for part in parts)
            return f'"{"".join(inner)}"'
        case _:
            return scalar(value)


def _long(value: object, indent: str) -> Iterator[_HclLine]:
    """A value on several lines, of which the first continues a line that exists already."""
    inside = f"{indent}{_INDENT}"
    if isinstance(value, Mapping) and value:
        yield _HclLine("{")
        for key, item in value.items():
            yield from _attribute(f"{inside}{_key(str(key))}", item, inside)
        yield _HclLine(f"{indent}}}")
    elif isinstance(value, list | tuple) and value:
        yield _HclLine("[")
        for item in value:
            short = _short(item)
            if short is not None:
                yield _HclLine(f"{inside}{short},")
            else:
                first, *rest = _long(item, inside)
                yield _HclLine(f"{inside}{first.lead}")
                yield from rest[:-1]
                yield _HclLine(f"{rest[-1].lead},")
        yield _HclLine(f"{indent}]")
    else:
        yield _HclLine(str(_short(value)))


def _key(name: str) -> str:
    return name if _IDENTIFIER.match(name) and name not in _KEYWORDS else quoted_text(name)
