"""The accelerator and topology that pods select: TPU722 and TPU723."""

from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.naming import resolve
from pulumi_gke_tpu.catalog.topologies import custom_problem, custom_rule
from pulumi_gke_tpu.findings import Severity, did_you_mean
from pulumi_gke_tpu.kubernetes.forms import LabeledFamily, accelerator_labels, family_of_label, forms_of, topologies_of
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.manifests import ManifestContext
from pulumi_gke_tpu.rules.engine.rule import Scope, rule


@rule(
    "TPU722",
    "unknown-accelerator-label",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Unknown TPU accelerator in a node selector",
    why="no node has this label value, so the pods stay Pending",
    fix="Use the accelerator label of the generation.",
    references=["autoscaler-labels", "plan-tpus"],
    otherwise={Severity.WARNING: "if Google has announced the accelerator"},
    basis="catalog",
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-podslice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
""",
    passing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
""",
)
def unknown_accelerator_label(context: ManifestContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.node_labels
    known = accelerator_labels(context.catalog)
    for pod in context.tpu_pods:
        selected = pod.selection(labels.accelerator)
        if selected is None or selected.open:
            continue
        for value in selected.values:
            if value not in known:
                name = resolve(context.catalog, value)
                announced = name is not None and name.kind == "announced"
                near = "" if announced else _label_like(context.catalog, value, known)
                yield Hit.unknown(
                    pod.hit_path(selected.path),
                    "accelerator",
                    value,
                    context.catalog.announced[name.generation].answer if name and announced else "",
                    fact=labels.for_item("accelerator"),
                    severity=Severity.WARNING if announced else None,
                    allowed=known,
                    fix=f"{labels.accelerator}: {near}" if near else "",
                )


def _label_like(catalog: Catalog, value: str, known: tuple[str, ...]) -> str:
    """The label that a wrong one stands for; empty if none is likely."""
    name = resolve(catalog, value)
    if name is None:
        return did_you_mean(value, known) or ""
    if name.label:
        return name.label
    families = catalog.generation(name.generation).families.values()
    usual = [family.accelerator_label for family in families if family.documented and not family.legacy]
    return usual[0] if len(usual) == 1 else ""


@rule(
    "TPU723",
    "unknown-topology-label",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Topology in a node selector that the accelerator does not have",
    why="no node has this combination of labels, so the pods stay Pending",
    fix="Use a topology of the generation.",
    references=["plan-tpus", "autoscaler-tpu-config"],
    basis="catalog",
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 4x2
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 8}, limits: {google.com/tpu: 8}}
""",
    passing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x4
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 8}, limits: {google.com/tpu: 8}}
""",
)
def unknown_topology_label(context: ManifestContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.node_labels
    for pod in context.tpu_pods:
        accelerator, topology = pod.selection(labels.accelerator), pod.selection(labels.topology)
        if accelerator is None or topology is None or accelerator.open or topology.open:
            continue
        families = [family_of_label(context.catalog, value) for value in accelerator.values]
        known = [family for family in families if family is not None]
        if not known or len(known) < len(families):
            continue
        for value in topology.values:
            if any(forms_of(family, value) for family in known):
                continue
            names = " and ".join(dict.fromkeys(family.generation_name for family in known))
            near = _turned(known[0], value)
            yield Hit.unknown(
                pod.hit_path(topology.path),
                "topology",
                value,
                f"{names} does not have it",
                fact=known[0].generation.topologies,
                allowed=_allowed(known, context),
                why=_reason(known[0], value),
                fix=f"{labels.topology}: {near}" if near else "",
            )


def _allowed(known: list[LabeledFamily], context: ManifestContext) -> tuple[str, ...]:
    shapes = dict.fromkeys(shape for family in known for shape in topologies_of(family, context.mode))
    custom = [family.generation.custom_topologies for family in known]
    return (*shapes, *(custom_rule(item) for item in custom[:1] if item is not None))


def _reason(family: LabeledFamily, value: str) -> str:
    """Why the topology does not exist; empty for the reason of the rule."""
    generation = family.generation
    try:
        shape = Topology.parse(value)
    except ValueError:
        return ""
    if len(shape.dimensions) != generation.dimensions:
        return f"a topology of {family.generation_name} has {generation.dimensions} dimensions"
    return custom_problem(generation.custom_topologies, shape) if generation.custom_topologies is not None else ""


def _turned(family: LabeledFamily, value: str) -> str:
    """The topology with the same dimensions in order, if that one exists."""
    try:
        sides = Topology.parse(value).dimensions
    except ValueError:
        return ""
    ordered = str(Topology(tuple(sorted(sides))))
    return ordered if ordered != value and forms_of(family, ordered) else ""
