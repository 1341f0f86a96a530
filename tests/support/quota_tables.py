"""The tables of ``gke-tpu quota``, read back from its text, its Markdown and its JSON."""

import re
from collections.abc import Iterable
from typing import Any

Row = tuple[str, ...]
"""Name, project, place, use by plans, limit, use by others, what is left."""


def table(text: str) -> list[Row]:
    """A table written by hand: cells are separated by |, and ends of lines may be omitted."""
    lines = (line.strip() for line in text.strip().splitlines())
    return [_full(cell.strip() for cell in line.split("|")) for line in lines if line]


def in_text(out: str) -> list[Row]:
    """The rows of a text: everything between the headers and what follows them, without the users of a limit."""
    rows: list[Row] = []
    within = False
    for line in out.splitlines():
        if re.match(r"(reservation, in VMs|quota, in chips) ", line):
            within = True
        elif not line.strip():
            within = False
        elif within:
            rows.append(_full(re.split(r"  +", line.strip())))
    return [row for row in rows if _is_limit(row)]


def in_markdown(out: str) -> list[Row]:
    """The rows of Markdown tables, without their headers and the users of a limit."""
    rows = [
        _full(cell.strip().replace("\\", "") for cell in line.strip().strip("|").split("|"))
        for line in out.splitlines()
        if line.startswith("|") and not re.match(r"\|( :?-|-|:-)", line)
    ]
    return [row for row in rows if row[1] != "project" and _is_limit(row)]


def _is_limit(row: Row) -> bool:
    """Whether a row has a reservation or a quota; the others have a user of one, or the rest of its name."""
    return bool(row[2]) and not row[0].startswith("by ")


def in_json(data: dict[str, Any]) -> list[Row]:
    """The rows of the JSON document, in the words of the text."""
    rows = []
    for item in data["reservations"]:
        level = "" if item["block"] is None else "- block " if item["sub_block"] is None else "-- sub-block "
        name = level + (item["sub_block"] or item["block"] or item["name"])
        rows.append((name, item["project"], item["zone"], *_numbers(item["vms"])))
    for item in data["quotas"]:
        name = item["metric"].rpartition("/")[2] + (f" ({item['dimension']})" if item["dimension"] else "")
        rows.append((name, item["project"], item["location"], *_numbers(item["chips"])))
    return rows


def _numbers(use: dict[str, Any]) -> Row:
    total = _range(use["minimum"], use["maximum"])
    if use["limit"] is None:
        return (total, "unknown", "", "")
    left = _range(use["left_at_maximum"], use["left_at_minimum"])
    return (total, f"{use['limit']:,}", f"{use['in_use']:,}", left)


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}..{high:,}"


def _full(cells: Iterable[str]) -> Row:
    found = list(cells)
    return (*found, *[""] * (7 - len(found)))
