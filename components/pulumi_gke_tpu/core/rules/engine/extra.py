"""Provider properties under ``extra``: their names for the provider, their values and their places."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path


@frozen
class ExtraProperty:
    """One property under ``extra``: its camelCase path for the provider, its value and its place in the plan."""

    name: str
    value: Any
    path: Path


def written_properties(extra: Mapping[str, Any], path: Path, parents: frozenset[str]) -> Iterator[ExtraProperty]:
    """Every property that ``extra`` sets, blocks before their contents."""

    def below(values: Mapping[str, Any], place: Path, prefix: str) -> Iterator[ExtraProperty]:
        for key, value in values.items():
            name = f"{prefix}{camel_case(str(key))}"
            yield ExtraProperty(name, value, (*place, key))
            if name not in parents:
                continue
            if isinstance(value, Mapping):
                yield from below(value, (*place, key), f"{name}.")
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, Mapping):
                        yield from below(item, (*place, key, index), f"{name}.")

    yield from below(extra, path, "")


def blocks(properties: Mapping[str, PropertyChange]) -> frozenset[str]:
    """The properties with known properties inside."""
    return frozenset(name.rpartition(".")[0] for name in properties if "." in name and "[" not in name)


def is_any_reservation(written: ExtraProperty) -> bool:
    """Whether this is an affinity to any reservation, which another rule reports."""
    if written.name != "nodeConfig.reservationAffinity" or not isinstance(written.value, Mapping):
        return False
    return any(
        camel_case(str(key)) == "consumeReservationType" and str(value).upper().startswith("ANY_")
        for key, value in written.value.items()
    )
