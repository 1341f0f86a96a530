"""The facts of a generation as short texts, which explanations and the pages of the catalog share."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.generation import Chip, Generation
from pulumi_gke_tpu.core.catalog.records.place import FamilyZones


def status_text(generation: Generation) -> str:
    """What GKE offers of the generation, without a full stop."""
    return generation.status.note.rstrip(".") or "known"


def figures(chip: Chip) -> tuple[tuple[str, str], ...]:
    """The known figures of a chip by name: ``("HBM", "32 GiB")``."""
    known = (
        ("TensorCores", chip.tensorcores, ""),
        ("SparseCores", chip.sparsecores, ""),
        ("HBM", chip.hbm_gib, " GiB"),
        ("HBM bandwidth", chip.hbm_gbps, " GB/s"),
        ("bf16", chip.bf16_tflops, " TFLOPS"),
        ("fp8", chip.fp8_tflops, " TFLOPS"),
        ("int8", chip.int8_tops, " TOPS"),
        ("interconnect bandwidth", chip.ici_gbps_bidirectional, " GB/s (bidirectional)"),
    )
    return tuple((name, f"{value:g}{unit}") for name, value, unit in known if value is not None)


def documented_machines(generation: Generation) -> list[str]:
    """The machine types that GKE documents."""
    return [name for name, machine in generation.machine_types.items() if machine.documented]


def offered_families(catalog: Catalog, generation: Generation) -> Iterator[tuple[str, FamilyZones]]:
    """The families that a plan can choose, with their zones."""
    for name, family in generation.families.items():
        zones = catalog.zones.families.get(name)
        if zones is not None and family.documented and not family.legacy:
            yield name, zones
