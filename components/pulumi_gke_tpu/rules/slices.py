"""TPU1xx: generations, machine types and topologies."""

from collections.abc import Iterable

from pulumi_gke_tpu.rules.rule import Context, Hit, Rule, rule

_PLAN_TPUS = "Plan TPUs in GKE (Google Cloud documentation)"


def _shape_hits(context: Context, id: str) -> Iterable[Hit]:
    """What the search for a group's shape ran into under this rule's id."""
    for unresolved in context.fleet.unresolved:
        problem = unresolved.problem
        if problem.rule == id:
            yield Hit(
                (*unresolved.path, problem.key),
                problem.message,
                allowed=problem.allowed,
                fix=problem.fix,
                why=problem.why,
            )


@rule(
    "TPU112",
    title="Topology does not exist",
    why="GKE refuses a node pool whose topology is not in its table",
    fix="Choose a topology of the generation; `gke-tpu catalog v6e` lists them.",
    source=_PLAN_TPUS,
    failing="""
tpu: v6e
topology: 4x3
""",
    passing="""
tpu: v6e
topology: 4x4
""",
)
def no_such_topology(context: Context) -> Iterable[Hit]:
    return _shape_hits(context, "TPU112")


RULES: tuple[Rule, ...] = (no_such_topology,)
