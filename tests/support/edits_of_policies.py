"""Edits of the workload policies of a cluster."""

from support.editing import CREATE_FIRST, DELETE_FIRST, Edit, both, cluster, group, inside, pools, renamed

_CUBES, _SPARE = "ResourcePolicy ironwood/workload_policies/cubes", "ResourcePolicy ironwood/workload_policies/spare"
_TRAIN = "ironwood/train"
_POOL = "ironwood/train/train-0"

POLICIES = (
    Edit(
        "first policy of a cluster",
        "ironwood",
        cluster("ironwood", workload_policies={"cubes": {"topology": "4x4x8"}}),
        {"ironwood": "create"},
        {_CUBES: "create", "Cluster ironwood": "same"},
    ),
    Edit(
        "policy added",
        "policies",
        inside("workload_policies", more={"topology": "2x2x2"}),
        {"ironwood": "create"},
        {"ResourcePolicy ironwood/workload_policies/more": "create"},
    ),
    Edit(
        "policy removed that no group uses",
        "policies",
        inside("workload_policies", spare=None),
        {"ironwood": "delete"},
        {_SPARE: "delete"} | pools("same", _POOL),
    ),
    Edit(
        "distance of a policy",
        "policies",
        inside("workload_policies", "spare", max_topology_distance="subblock"),
        {"ironwood": "replace"},
        {_SPARE: DELETE_FIRST} | pools("same", _POOL),
    ),
    Edit(
        "type of a policy",
        "policies",
        inside("workload_policies", "apart", type="high_availability"),
        {"ironwood": "replace"},
        {"ResourcePolicy ironwood/workload_policies/apart": DELETE_FIRST},
    ),
    Edit(
        "topology of a policy and of its group",
        "policies",
        both(
            inside("workload_policies", "cubes", topology="4x8x8"),
            group(_TRAIN, topology="4x8x8"),
        ),
        {"ironwood": "replace", _TRAIN: "replace"},
        {_CUBES: DELETE_FIRST} | pools(DELETE_FIRST, _POOL),
    ),
    Edit(
        "mode of the topology",
        "policies",
        both(
            inside("workload_policies", "cubes", topology="4x4x4", topology_mode="provision_only"),
            group(_TRAIN, topology=None, slicing="dynamic"),
        ),
        {"ironwood": "replace", _TRAIN: "replace"},
        {_CUBES: DELETE_FIRST} | pools(DELETE_FIRST, _POOL),
    ),
    Edit(
        "policy of the cluster to one of the group",
        "policies",
        group(_TRAIN, placement=None),
        {_TRAIN: "replace"},
        {"ResourcePolicy ironwood/train": "create", _CUBES: "same"} | pools(DELETE_FIRST, _POOL),
    ),
    Edit(
        "policy of the group to one of the cluster",
        "unprotected",
        both(
            cluster("ironwood", workload_policies={"cubes": {"topology": "4x4x4"}}),
            group(_TRAIN, placement={"workload_policy": "cubes"}, topology="4x4x4"),
        ),
        {"ironwood": "create", _TRAIN: "delete"},
        {_CUBES: "create", "ResourcePolicy ironwood/train": "delete"} | pools(DELETE_FIRST, _POOL),
    ),
    Edit(
        "static to dynamic slicing",
        "unprotected",
        group(_TRAIN, topology=None, slicing="dynamic", count=2),
        {"ironwood": "in-place", _TRAIN: "replace"},
        {"ResourcePolicy ironwood/train": CREATE_FIRST, "Cluster ironwood": "update"}
        | pools(DELETE_FIRST, _POOL)
        | pools("create", "ironwood/train/train-1"),
    ),
    Edit(
        "another policy under another name",
        "policies",
        both(
            inside("workload_policies", large={"topology": "4x8x8"}, cubes=None),
            group(_TRAIN, topology="4x8x8", placement={"workload_policy": "large"}),
        ),
        {"ironwood": "delete", _TRAIN: "replace"},
        {"ResourcePolicy ironwood/workload_policies/large": "create", _CUBES: "delete"} | pools(DELETE_FIRST, _POOL),
    ),
    Edit(
        "cluster with its policies moved",
        "policies",
        renamed("ironwood", "iron", moved=True),
        {},
    ),
)
"""Workload policies in the cluster, named by slice groups or by Pods."""
