"""Edits of the capacity modes to fall back to: between node pools of gke-tpu and those of a ComputeClass.

Edits of the class itself change no resource of Google Cloud.
"""

from support.editing import FLEXIBLE, PAIR, PRETRAIN, Edit, group

_PAIR = ("NodePool train-east/pair/pair-0", "NodePool train-east/pair/pair-1")
_FLEXIBLE = "NodePool train-east/flexible/flexible-0"

FALLBACK = (
    Edit(
        "fallback of a group", "full", group(PAIR, fallback=["spot"]), {PAIR: "delete"}, dict.fromkeys(_PAIR, "delete")
    ),
    Edit(
        "fallback of a protected group",
        "full",
        group(PRETRAIN, fallback=["flex_start", "spot"]),
        {PRETRAIN: "delete"},
        {"NodePool train-east/pretrain/pretrain-0": "delete"},
        "engine",
    ),
    Edit(
        "fallback of a group whose protection is lifted",
        "lifted",
        group(PRETRAIN, fallback=["flex_start", "spot"]),
        {PRETRAIN: "delete"},
        {"NodePool train-east/pretrain/pretrain-0": "delete"},
    ),
    Edit(
        "no more fallback",
        "flexible",
        group(FLEXIBLE, fallback=None),
        {FLEXIBLE: "create"},
        {_FLEXIBLE: "create"},
    ),
    Edit(
        "another order of fallback",
        "flexible",
        group(FLEXIBLE, fallback=["on_demand", "flex_start"]),
    ),
    Edit("another capacity before fallback", "flexible", group(FLEXIBLE, capacity="spot")),
    Edit("more slices of a group with fallback", "flexible", group(FLEXIBLE, count=5)),
)
