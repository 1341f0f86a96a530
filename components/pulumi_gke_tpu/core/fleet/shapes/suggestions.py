"""Suggests the slice that is nearest to the one that a group requests, as keys to paste."""

from collections.abc import Callable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import TpuName
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.core.catalog.topologies import (
    custom_rule,
    custom_shapes,
    custom_step,
    custom_topologies,
    most_cubic,
    rounded,
    selectable_rows,
)
from pulumi_gke_tpu.core.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import SetKeys, number

Keys = dict[str, str | int]
"""Keys of a slice group with their values."""
Resolve = Callable[[SliceGroupSpec], Shape | ShapeProblem]


@frozen
class ShapeRequest:
    """The request of a plan: a slice group in a cluster mode. ``resolve`` finds the shape of another group there."""

    catalog: Catalog
    mode: Mode
    group: SliceGroupSpec
    resolve: Resolve

    @property
    def generation(self) -> Generation:
        """The generation of the group, which must exist."""
        return self.catalog.generation(self.group.tpu)


_NEAR = 2
"""A suggestion whose number of chips differs by more than this factor is a last resort."""

_MOST_NEAR = 3


def slice_keys(asked: ShapeRequest, topology: Topology) -> Keys | None:
    """The keys that give a group this topology, with its form if it has several; None if there is no such slice."""
    group = asked.group.model_copy(update={"topology": str(topology), "chips": None})
    keys: Keys = {"topology": str(topology)}
    shape = asked.resolve(group)
    if isinstance(shape, Shape):
        return keys
    if shape.rule == "TPU114":
        sizes = {machine.chips for machine in asked.generation.machine_types.values()}
        for chips in sorted(sizes, reverse=True):
            if isinstance(asked.resolve(group.model_copy(update={"chips_per_host": chips})), Shape):
                return {**keys, "chips_per_host": chips}
    return None


def suggested(asked: ShapeRequest, chips: int, written: str, topology: Topology | None = None) -> SetKeys | None:
    """The slice nearest to ``chips``, or to a ``topology`` that does not exist, as keys; None if there is none.

    If its number of chips differs, a comment states it. ``written`` is the value in the plan.
    """
    keys = _nearest(asked, chips, topology)
    return as_fix(keys, chips, written) if keys else None


def suggested_chips(asked: ShapeRequest, wanted: int) -> SetKeys | None:
    """The slice with the number of chips nearest to ``wanted``, as ``chips`` if only one topology has them."""
    keys = _nearest(asked, wanted, None)
    if not keys:
        return None
    by_chips = {"chips": Topology.parse(str(keys["topology"])).chips, **keys}
    del by_chips["topology"]
    if isinstance(asked.resolve(asked.group.model_copy(update=by_chips)), Shape):
        return SetKeys.of(by_chips)
    return as_fix(keys, wanted, "")


def _nearest(asked: ShapeRequest, chips: int, topology: Topology | None) -> Keys | None:
    generation, machine_type = asked.generation, asked.group.machine_type
    rows = selectable_rows(generation, asked.mode, machine_type if machine_type in generation.machine_types else None)
    shapes = map(Topology.parse, _by_distance(generation, asked.mode, rows, chips, topology))
    found = (slice_keys(asked, shape) for shape in shapes)
    return next((keys for keys in found if keys is not None), None)


def as_fix(keys: Keys, chips: int | None, written: str) -> SetKeys | None:
    """Keys of a group as a fix, with a comment if the topology has another number of chips than requested.

    ``chips`` is None if the plan requests no number; ``written`` is empty if the plan has the number itself.
    """
    fix, near = SetKeys.of(keys), Topology.parse(str(keys["topology"])).chips
    if fix is None or near == chips:
        return fix
    if chips is None:
        return fix.with_remark("topology", f"{number(near, 'chip')}, the smallest slice")
    asked = f"; {written} would have {chips:,}" if written else f", not {chips:,}"
    return fix.with_remark("topology", f"{keys['topology']} has {number(near, 'chip')}{asked}")


def _by_distance(
    generation: Generation, mode: Mode, rows: Sequence[TopologyRow], chips: int, topology: Topology | None
) -> list[str]:
    """Topologies, nearest first: with as many chips, then rounded ones, then others, each by their chips."""
    custom = custom_topologies(generation, mode)
    close = dict.fromkeys(row.topology for row in rows)
    if custom and topology and len(topology.dimensions) == generation.dimensions:
        close.update(dict.fromkeys(rounded(custom, topology)))
    others = dict.fromkeys(_counted(custom, chips)) if custom else {}
    sides = sorted(topology.dimensions) if topology else []

    def distance(shape: str) -> tuple[bool, bool, bool, float, int]:
        near = Topology.parse(shape)
        ratio = _ratio(near.chips, chips)
        other = sorted(near.dimensions) != sides
        return (ratio > 1, other, shape not in close or ratio > _NEAR, ratio, -near.chips)

    return sorted(close | others, key=distance)


def _ratio(one: int, other: int) -> float:
    return max(one, other) / max(min(one, other), 1)


def _counted(custom: CustomTopologies, chips: int) -> Iterator[str]:
    """The most cube-like custom shapes of the nearest numbers of chips, and the largest documented shape."""
    step = custom_step(custom)
    for count in (chips // step * step, -(-chips // step) * step):
        shapes = [str(shape) for shape in custom_shapes(custom, count)]
        if shapes:
            yield most_cubic(shapes)
    yield custom.largest_documented


def allowed_topologies(
    generation: Generation, mode: Mode, rows: Sequence[TopologyRow], near: Topology | None = None
) -> tuple[str, ...]:
    """Topologies to choose from: all listed ones and, if there are custom ones, the nearest of these and their rule."""
    shapes = tuple(dict.fromkeys(row.topology for row in rows))
    custom = custom_topologies(generation, mode)
    if custom is None or not _forms_custom(generation, rows, custom):
        return shapes
    nearest: list[str] = []
    if near is not None and len(near.dimensions) == generation.dimensions:
        unlisted = set(rounded(custom, near)) - set(shapes)
        nearest = sorted(unlisted, key=lambda shape: (_ratio(Topology.parse(shape).chips, near.chips), shape))
    return (*shapes, *nearest[:_MOST_NEAR], f"and custom {custom_rule(custom)}")


def _forms_custom(generation: Generation, rows: Sequence[TopologyRow], custom: CustomTopologies) -> bool:
    """Whether the machine types of the rows also form custom shapes."""
    host = generation.machine_types[custom.machine_type]
    machines = (generation.machine_types[row.machine_type] for row in rows)
    return any((machine.family, machine.chips) == (host.family, host.chips) for machine in machines)


def keys_of_name(catalog: Catalog, mode: Mode, name: TpuName, resolve: Resolve) -> Keys | None:
    """The keys of a group that is exactly the slice that a name means; None if the mode has no such slice.

    A name without a topology means its smallest slice. ``machine_type`` is among the keys only if no other key
    selects it: a machine type that GKE does not document, or one of a legacy family.
    """
    generation = catalog.generation(name.generation)
    topologies = [name.topology] if name.topology else _topologies_of(generation, mode, name)
    for topology in topologies if name.chips != 0 else ():
        for form in _forms(generation, name):
            update = form
            group = SliceGroupSpec.model_validate({"tpu": name.generation, "topology": str(topology), **form})
            shape = resolve(group)
            if isinstance(shape, ShapeProblem) and shape.rule == "TPU114":
                update = slice_keys(ShapeRequest(catalog, mode, group, resolve), topology) or {}
                shape = resolve(group.model_copy(update=update))
            if isinstance(shape, Shape) and is_meant(name, shape):
                count = {"count": name.slices} if name.slices > 1 else {}
                return {"tpu": name.generation, "topology": str(topology), **update, **count}
    return None


def _forms(generation: Generation, name: TpuName) -> Iterator[Keys]:
    """Keys that determine the host, the shortest ones first."""
    yield {}
    machines = generation.machine_types
    types = (
        [name.machine_type]
        if name.machine_type
        else [machine for machine, facts in machines.items() if facts.family == name.family]
    )
    for machine in types:
        yield {"chips_per_host": machines[machine].chips}
    for machine in types:
        yield {"machine_type": machine}


def is_meant(name: TpuName, shape: Shape) -> bool:
    """Whether a shape has the machine type, label, family and chips that a name states."""
    return (
        name.machine_type in ("", shape.machine_type)
        and name.label in ("", shape.accelerator_label)
        and name.family in ("", shape.family)
        and name.chips in (None, shape.chips)
    )


def _topologies_of(generation: Generation, mode: Mode, name: TpuName) -> list[Topology]:
    """The topologies of a machine type, a family or a whole generation, smallest first."""
    rows = list(selectable_rows(generation, mode))
    for machine, facts in generation.machine_types.items():
        if name.family == facts.family:
            rows += selectable_rows(generation, mode, machine)
    return [Topology.parse(shape) for shape in dict.fromkeys(row.topology for row in rows)]
