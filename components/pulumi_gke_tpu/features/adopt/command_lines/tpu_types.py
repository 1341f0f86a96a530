"""What a TPU type means to each tool."""

from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import TpuName, largest_host, resolve
from pulumi_gke_tpu.core.text.findings import number, printable
from pulumi_gke_tpu.features.adopt.command_lines.draft import SliceType


class NoSliceError(Exception):
    """The type is not one of a TPU slice; the message says why."""


def xpk_slice(catalog: Catalog, word: str) -> SliceType:
    """The slice of ``--tpu-type``: slices of more than one chip have hosts of four chips.

    Raises:
        NoSliceError: the word is not a TPU type of xpk.
    """
    name = resolve(catalog, word)
    if name is None or name.kind != "slice" or not name.chips:
        raise NoSliceError(f"{printable(word)} is not a TPU type of xpk, such as v5p-128 or v6e-4x4")
    facts = catalog.other_tools.xpk
    stated = facts.topologies.get(word.strip().lower())
    topology = Topology.parse(stated) if stated else name.topology
    if topology is None:
        chips = f"no slice of {name.generation} has {number(name.chips, 'chip')}"
        raise NoSliceError(f"{printable(word)} is not a TPU type of xpk: {chips}")
    return _slice(catalog, name, topology, facts.chips_per_host if topology.chips > 1 else 1)


def gcluster_slice(catalog: Catalog, word: str, topology: str) -> SliceType:
    """The slice of ``--compute-type`` and ``--topology``, or of ``machine_type`` and ``tpu_topology``.

    Raises:
        NoSliceError: they are not a TPU slice.
    """
    name = resolve(catalog, word)
    if name is None or name.kind == "announced":
        raise NoSliceError(f"{printable(word)} is not a TPU")
    shape = name.topology
    if topology:
        try:
            shape = Topology.parse(topology)
        except ValueError:
            raise NoSliceError(f"{printable(topology)} is not a topology, such as 4x4") from None
    if shape is None:
        raise NoSliceError(f"{printable(word)} alone does not determine a topology")
    return _slice(catalog, name, shape, name.chips_per_host or largest_host(catalog, replace(name, topology=shape)))


def _slice(catalog: Catalog, name: TpuName, topology: Topology, on_a_host: int | None) -> SliceType:
    several = largest_host(catalog, replace(name, topology=topology)) is not None
    return SliceType(name.generation, str(topology), topology.chips, on_a_host if several else None)
