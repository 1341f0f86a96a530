"""The generations whose multi-host slices can be bound to a workload policy of a topology."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.fleet.model import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import SliceGroupSpec

_TWO_FORMS = "TPU114"


def takes_policies(catalog: Catalog, generation: str) -> bool:
    """Whether multi-host slices of a generation require a workload policy, or can use one."""
    found = catalog.generation(generation)
    return found.multi_host_placement == "workload_policy" or found.named_policy


def policy_generations(catalog: Catalog, mode: Mode, topology: str) -> list[str]:
    """The generations with multi-host slices of this topology that a policy can place."""
    return [
        name
        for name in catalog.generation_names
        if takes_policies(catalog, name) and _is_multi_host(catalog, mode, name, topology)
    ]


def _is_multi_host(catalog: Catalog, mode: Mode, generation: str, topology: str) -> bool:
    """Whether a topology is one of several hosts, in at least one of its forms."""
    shape = shape_of(catalog, mode, SliceGroupSpec(tpu=generation, topology=topology))
    return shape.multi_host if isinstance(shape, Shape) else shape.rule == _TWO_FORMS
