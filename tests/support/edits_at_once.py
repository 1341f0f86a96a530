"""Several edits of the corpus in one change, drawn at random."""

import random

from support.editing import BASES, FLEETS, Edit, Plan, graph_after
from support.edits import EDITS, UNCHANGED

from pulumi_gke_tpu.core.text.findings import FindingsError


def edits_at_once(seed: int, many: int) -> Edit:
    """Several edits of one base, after which the plan is still valid; the same ones for the same seed.

    Edits for other bases of the same stack are drawn too. What happens is not stated: it follows from the graphs.
    """
    draw = random.Random(seed)
    while True:
        base = draw.choice(sorted(BASES))
        fitting = [edit for edit in EDITS if FLEETS[edit.base] == FLEETS[base] and edit not in UNCHANGED]
        if len(fitting) < many:
            continue
        edit = _at_once(base, draw.sample(fitting, many))
        try:
            graph_after(edit)
        except (KeyError, FindingsError):  # one takes away what another changes, or they contradict each other
            continue
        return edit


def _at_once(base: str, edits: list[Edit]) -> Edit:
    def change(plan: Plan) -> Plan:
        for edit in edits:
            changed = edit.change(plan)
            plan = changed if isinstance(changed, dict) and "clusters" in changed else plan
        return plan

    return Edit(", and ".join(edit.name for edit in edits), base, change)
