"""Edits of planned runs, which change no resource: on Standard, on Autopilot, and on a cluster that exists already."""

from support.editing import Change, Edit, Plan, cluster

_LLAMA = {"slices": "pretrain", "start": "2026-12-01T08:00:00Z", "duration": "10d"}
_TUNE = {"slices": "finetune", "start": "2026-12-01T08:00:00Z", "duration": "10d"}
_TRIAL = {"slices": "batch", "start": "2026-12-01T08:00:00Z", "duration": "6h"}


def _run(name: str, **changes: object) -> Change:
    """Change values of one run of the base."""

    def change(plan: Plan) -> None:
        plan["clusters"]["dev"]["runs"][name].update(changes)

    return change


def _without(name: str) -> Change:
    def change(plan: Plan) -> None:
        del plan["clusters"]["dev"]["runs"][name]

    return change


RUNS = (
    Edit("run added on Standard", "full", cluster(runs={"llama": _LLAMA})),
    Edit("run added on Autopilot", "dev", cluster("dev", runs={"trial": _TRIAL})),
    Edit("run added on an existing cluster", "shared", cluster("shared", runs={"tune": _TUNE})),
    Edit("run moved", "planned", _run("trial", start="2027-01-01T00:00:00Z")),
    Edit("run longer", "planned", _run("trial", duration="20d")),
    Edit("run on another group", "planned", _run("trial", slices="notebook")),
    Edit("more slices for a run", "planned", _run("trial", count=2)),
    Edit("one run left out", "planned", _without("trial")),
    Edit("all runs left out", "planned", cluster("dev", runs=None)),
)
"""Planned runs."""
