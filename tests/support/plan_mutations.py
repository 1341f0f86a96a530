"""Damages plans: as data, with wrong keys and values in any place, and as text, character by character."""

import copy
import functools
import pathlib
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import strategies as st
from support.shipped import NAMES

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY
from pulumi_gke_tpu.core.plan.keys import documented_keys
from pulumi_gke_tpu.core.plan.organization import Organization
from pulumi_gke_tpu.core.text.yamlfile import read_yaml

HERE = pathlib.Path(__file__).parents[1] / "acceptance"
STACKS = HERE.parents[1] / "stacks"

SEEDS = (
    EVERY_KEY,
    HERE / "data" / "fuller.yaml",
    *(STACKS / stack / "plan.yaml" for stack in sorted(NAMES)),
)
INVENTORY = HERE / "every_inventory_key.yaml"
ORGANIZATION = HERE / "every_organization_key.yaml"
OVERLAY = HERE / "data" / "v9x_overlay.yaml"

_WORDS = (
    "",
    " ",
    "null",
    "create",
    "default",
    "../..",
    "a" * 41,
    "a" * 64,
    "x" * 5_000,
    "-",
    "Pre_Train",
    "%s %n {0} ${x} #{y}",
    "::error::x",
    "##[group]x",
    "<b>|`*_[x](y)",
    "line one\nline two",
    "tab\there",
    "\x1b[2J\x1b[31m",
    "\x00",
    "\x07\x08\x7f\x85",
    "\u202e\u2066right to left",
    "\u2028\u2029",
    "\ufeff",
    "\ud800",
    "e\u0301\u0302\u0303",
    "\U0001f680 \u4e2d\u6587 \u0434\u0430",
    "1_000",
    "0o17",
    "12:30:45",
    "2026-12-01",
    "2026-12-01T00:00:00Z",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "90m",
    "9999999d",
    "10.0.0.0/8",
    "10.0.0.0/33",
    "::1/128",
    "1.30",
    "1.34.1-gke.3084001",
    "9999.9999",
    "0x0",
    "1x1",
    "4x3",
    "16x16",
    "99999x99999",
    "99999x99999x99999",
    "2x2x2x2",
)
_NUMBERS = (0, 1, -1, 2, 4, 7, 8, 256, 1000, 1001, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 1e-320)
_ODD = (None, True, False, [], {}, [[]], {"": ""}, [None], {"min": 0, "max": 2}, {"min": 5, "max": 1}, ["a", 1, None])

_PIECES = (
    *(
        "",
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\x00",
        "\x1b[31m",
        "\x85",
        "\u2028",
        "\u202e",
        "\ufeff",
        "\U0001f680",
    ),
    *("&a ", "*a", "<<: ", "<<: *a\n", "!!int ", "!!binary ", "!x ", "? ", "- ", "---\n", "...\n", "%YAML 1.2\n"),
    *("{", "}", "[", "]", ",", ":", ": ", "#", " #", '"', "'", "|\n", ">", "@", "`", "\\", "0", "-", "1e999"),
)
"""What YAML text is made of, and what does not belong into it."""


@functools.cache
def _vocabulary() -> tuple[str, ...]:
    """Values that occur in valid plans: of the catalog, and of the seeds."""
    catalog = read_catalog()
    words = {"standard", "autopilot", "on_demand", "spot", "flex_start", "queued", "create", *catalog.generation_names}
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        words.update(generation.machine_types)
        words.update(row.topology for row in generation.topologies.rows)
    for family in catalog.zones.families.values():
        words.update(family.documented.zones)
        words.update(zone.rsplit("-", 1)[0] for zone in family.documented.zones)
    words.update(catalog.platform.addons)
    for seed in SEEDS:
        words.update(value for value in _leaves(_data(seed)) if isinstance(value, str))
    return tuple(sorted(words))


@functools.cache
def key_names() -> tuple[str, ...]:
    """Every key of plans, inventories and organization files, by its last word."""
    names = {
        path.replace("[]", "").rsplit(".", 1)[-1]
        for model in (Plan, Inventory, Organization)
        for path, _, _ in documented_keys(model)
    }
    return tuple(sorted(names))


@functools.cache
def _text(seed: pathlib.Path) -> str:
    return seed.read_text(encoding="utf-8")


@functools.cache
def _data(seed: pathlib.Path) -> Any:
    return read_yaml(seed).data


def written_keys(seed: pathlib.Path) -> set[str]:
    """Every key that a document uses."""
    return {step for _, step in _places(_data(seed)) if isinstance(step, str)}


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a document with each key or index in it."""
    if isinstance(value, dict | list):
        for step in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, step
            yield from _places(value[step])


def nested(levels: int, mapping: bool) -> Any:
    """A value that many levels deep."""
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value} if mapping else [value]
    return value


def good_values() -> st.SearchStrategy[Any]:
    """Values that could occur in a valid plan, here or elsewhere."""
    return st.one_of(st.sampled_from(_vocabulary()), st.integers(0, 40), st.booleans())


def any_values() -> st.SearchStrategy[Any]:
    """Any value that YAML can write."""
    return st.one_of(
        good_values(),
        st.sampled_from(_WORDS),
        st.sampled_from(_NUMBERS),
        st.sampled_from(_ODD).map(copy.deepcopy),
        st.text(max_size=20),
        st.integers(),
        st.floats(),
        st.builds(nested, st.sampled_from([3, 50, 70]), st.booleans()),
    )


def any_words() -> st.SearchStrategy[str]:
    """Names of good plans, and texts that are none."""
    return st.one_of(st.sampled_from(_vocabulary()), st.sampled_from(_WORDS), st.text(max_size=20))


def _any_keys() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(key_names()), st.sampled_from(_WORDS), st.text(max_size=8))


@st.composite
def damaged_data(
    draw: st.DrawFn, seeds: tuple[pathlib.Path, ...] = SEEDS, values: st.SearchStrategy[Any] | None = None
) -> Any:
    """A good document after one to four changes at random places."""
    data = copy.deepcopy(_data(draw(st.sampled_from(seeds))))
    values = any_values() if values is None else values
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(data))
        if not places:
            break
        holder, step = draw(st.sampled_from(places))
        change = draw(st.sampled_from(["set", "set", "set", "delete", "rename", "repeat", "add", "graft", "wrap"]))
        if change == "set":
            holder[step] = draw(values)
        elif change == "delete":
            del holder[step]
        elif change == "graft":
            other, other_step = draw(st.sampled_from(places))
            holder[step] = copy.deepcopy(other[other_step])
        elif change == "wrap":
            holder[step] = [holder[step]] if draw(st.booleans()) else {draw(_any_keys()): holder[step]}
        elif isinstance(holder, list):
            holder.insert(step, copy.deepcopy(holder[step]) if change == "repeat" else draw(values))
        elif change == "add":
            holder[draw(_any_keys())] = draw(values)
        else:
            holder[draw(_any_keys())] = holder.pop(step) if change == "rename" else copy.deepcopy(holder[step])
    return data


def as_yaml(data: Any, flow: bool = False) -> bytes:
    """A document as YAML."""
    text = yaml.safe_dump(data, allow_unicode=flow, default_flow_style=flow, sort_keys=False, width=120)
    return text.encode("utf-8", "surrogatepass")


@st.composite
def damaged_text(draw: st.DrawFn, seeds: tuple[pathlib.Path, ...] = SEEDS) -> bytes:
    """A good file with characters put in, taken out, repeated or exchanged."""
    text = _text(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 2, 8, 80])))
        new = draw(st.one_of(st.sampled_from((*_PIECES, text[start:end] * 2)), st.text(max_size=4)))
        text = text[:start] + new + text[end:]
    content = text.encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.binary(min_size=1, max_size=4)) + content[at:]
    return content
