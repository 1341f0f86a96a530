"""Edits after which a resource has a name that another one had before."""

import copy

from support.editing import DELETE_FIRST, Change, Edit, Plan, both, cluster, every, renamed


def _without(name: str) -> Change:
    return lambda plan: plan["clusters"].pop(name)


def _once_more(name: str, new: str) -> Change:
    def change(plan: Plan) -> None:
        plan["clusters"][new] = copy.deepcopy(plan["clusters"][name])

    return change


RACING = "name of a cluster that gets another name"
"""Fails unless the engine deletes the old cluster before it creates the new one, and nothing puts these in order."""

NAMES = (
    Edit(
        "names of two clusters exchanged",
        "two clusters",
        both(cluster("dev", name="lab"), cluster("lab", name="dev")),
        every("replace", "dev", "lab"),
        {"Cluster dev": DELETE_FIRST, "Cluster lab": DELETE_FIRST},
        "GKE",
    ),
    Edit(
        "name of a cluster that the plan loses",
        "two clusters",
        both(cluster("dev", name="lab"), _without("lab")),
        {"dev": "replace", "lab": "delete"},
        {"Cluster dev": DELETE_FIRST, "Cluster lab": "delete"},
        "GKE",
    ),
    Edit(
        RACING,
        "two clusters",
        both(_once_more("dev", "more"), cluster("more", name="dev"), cluster("dev", name="other")),
        {"dev": "replace", "more": "create"},
        {"Cluster dev": DELETE_FIRST, "Cluster more": "create"},
        "GKE",
    ),
    Edit(
        "cluster renamed, with the name it had in GKE",
        "two clusters",
        both(renamed("lab", "trial"), cluster("trial", name="lab")),
        {"lab": "delete", "trial": "create"},
        {"Cluster lab": "delete", "Cluster trial": "create"},
        "GKE",
    ),
    Edit(
        "name of a cluster in another region",
        "two clusters",
        both(
            cluster("dev", location="us-west4"),
            cluster("lab", name="dev", location="us-east5"),
        ),
        every("replace", "dev", "lab"),
    ),
)
"""Names that pass from one resource to another."""
