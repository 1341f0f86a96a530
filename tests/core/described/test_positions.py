"""The position of each value of a described plan is where its source has the value.

Each value is compared with what the file has at the position. Those that follow from another value, or from the lack of
one, are listed with the reason.
"""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import yaml
from support.described_sources import made_of
from support.fleets import fleets
from support.foreign_files import (
    Made,
    answer,
    pulumi_preview,
    pulumi_program,
    pulumi_state,
    terraform_json,
    terraform_plan,
    terraform_state,
)
from support.plan_corpus import sources

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Position
from pulumi_gke_tpu.core.workflows.described import DescribedDocument, described_documents

CATALOG = read_catalog()
WRITTEN: Mapping[str, Callable[[Iterable[Made]], bytes]] = {
    "plan.json": terraform_plan,
    "state.json": terraform_state,
    "main.tf.json": terraform_json,
    "stack.json": pulumi_state,
    "preview.json": pulumi_preview,
    "Pulumi.yaml": pulumi_program,
    "answer.json": answer,
}
ABSENT = "The source has no such value, which means this one; the position is that of what would have it."
WORDS = "The source has another word for it."
FOLLOWS = "It follows from the value, alone or with others."
SIZE = "It follows from the nodes of a slice, or from the number of equal node pools."
NAMED = "The source has the name inside a path."
REASONS: Mapping[str, str] = {
    "clusters.*.addons.*": FOLLOWS,
    "clusters.*.adopted": ABSENT,
    "clusters.*.cpu_pools.*.max_nodes": SIZE,
    "clusters.*.cpu_pools.*.nodes": SIZE,
    "clusters.*.gateway_api": WORDS,
    "clusters.*.maintenance.exclusions.settled.end": WORDS,
    "clusters.*.maintenance.window.days.*": FOLLOWS,
    "clusters.*.maintenance.window.duration": FOLLOWS,
    "clusters.*.mode": ABSENT,
    "clusters.*.network.create.nat": FOLLOWS,
    "clusters.*.network.existing.network": NAMED,
    "clusters.*.network.existing.subnetwork": NAMED,
    "clusters.*.private_nodes": ABSENT,
    "clusters.*.release_channel": ABSENT,
    "clusters.*.security.dataplane_v2": WORDS,
    "clusters.*.security.shielded_nodes": ABSENT,
    "clusters.*.security.workload_identity": WORDS,
    "clusters.*.slices.*.capacity.flex_start.queued": FOLLOWS,
    "clusters.*.slices.*.capacity.on_demand": ABSENT,
    "clusters.*.slices.*.capacity.reservation.block": NAMED,
    "clusters.*.slices.*.capacity.reservation.name": NAMED,
    "clusters.*.slices.*.capacity.reservation.project": NAMED,
    "clusters.*.slices.*.capacity.reservation.sub_block": NAMED,
    "clusters.*.slices.*.chips": FOLLOWS,
    "clusters.*.slices.*.count": SIZE,
    "clusters.*.slices.*.driver_mode": WORDS,
    "clusters.*.slices.*.max": SIZE,
    "clusters.*.slices.*.min": ABSENT,
    "clusters.*.slices.*.slicing": FOLLOWS,
    "clusters.*.slices.*.tpu": FOLLOWS,
    "clusters.*.slices.*.transparent_hugepages": WORDS,
    "clusters.*.slices.*.upgrade.auto_repair": ABSENT,
    "clusters.*.slices.*.upgrade.auto_upgrade": ABSENT,
}
"""Key whose value can be unlike what is at its position -> reason."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from leaves(item, (*path, key))
    if not isinstance(value, dict | list | Unknown):
        yield path, value


def pattern(path: tuple[Any, ...]) -> str:
    """A path without the names of clusters and node pools."""
    named = (1, 3) if len(path) > 3 and path[2] in ("slices", "cpu_pools", "workload_policies") else (1,)
    return ".".join("*" if index in named or isinstance(step, int) else step for index, step in enumerate(path))


def at(lines: list[str], position: Position) -> Any:
    """What a file has at a position; a JSON value with everything in it."""
    rest = lines[position.line - 1][position.column - 1 :]
    token = rest[: position.end_column - position.column]
    for text in ("\n".join([rest, *lines[position.line :]]), token):
        try:
            return json.JSONDecoder().raw_decode(text)[0]
        except ValueError:
            continue
    return yaml.safe_load(token)


def same(value: Any, found: Any) -> bool:
    return not isinstance(found, dict | list) and str(value).lower() == str(found).lower()


def holds(found: Any, value: Any) -> bool:
    """Whether a list or mapping has a text, which then has a position of its own."""
    inner = leaves(found) if isinstance(found, dict | list) and isinstance(value, str) else ()
    return any(same(value, each) for _, each in inner)


def unlike(name: str, content: bytes) -> Iterator[tuple[str, Any, Any]]:
    """Each value of the plans that describe a file that is not at its position, with the one at that position."""
    read = ResourceReader(CATALOG).read(name, content)
    assert read is not None, name
    lines = content.decode().splitlines()
    for each in described_documents(read.found, CATALOG):
        for path, value in leaves(each.yaml.data["clusters"], ("clusters",)):
            position = each.position_of(path)
            if position is None:
                assert not has_source(each, path), path
            else:
                found = at(lines, position)
                key = pattern(path)
                if not same(value, found):
                    assert not holds(found, value) or REASONS.get(key) in (ABSENT, SIZE), (path, value, found)
                    yield key, value, found


def has_source(each: DescribedDocument, path: tuple[Any, ...]) -> bool:
    assert each.described is not None
    return bool(each.described.located(path))


@functools.cache
def cases() -> Mapping[str, bytes]:
    plans = [made_of(plan.data, plan.fleet) for plan in sources("stacks")]
    files = {f"{index} {name}": write(made) for index, made in enumerate(plans) for name, write in WRITTEN.items()}
    return {**{fleet.name: fleet.content for fleet in fleets()}, **files}


def test_each_value_is_at_its_position() -> None:
    needed: set[str] = set()
    for name, content in cases().items():
        for key, value, found in unlike(name.rpartition(" ")[2], content):
            assert key in REASONS, (name, key, value, found)
            assert REASONS[key] != NAMED or value in found.split("/"), (name, key, value, found)
            needed.add(key)
    assert needed == REASONS.keys()
