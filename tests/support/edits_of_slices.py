"""Edits of slice groups: their shape, place and nodes, and groups that come, go and move."""

import copy

from support.editing import (
    ABLATION,
    ALL_GROUPS,
    CHAT,
    DELETE_FIRST,
    EAST,
    PAIR,
    PRETRAIN,
    SCORE,
    SWEEP,
    TRIAL,
    WEST,
    Edit,
    acknowledge,
    both,
    copied,
    every,
    group,
    moved_to,
    pools,
    renamed,
    top,
)

_EUROPE = moved_to("europe-west4", "europe-west4-a", "europe-west4-b")
_PRETRAIN_POOLS = ("train-east/pretrain/pretrain-0", "train-east/pretrain/pretrain-1")
_DISK = {"type": "hyperdisk-balanced", "size_gib": 300}
_TAINT = {"key": "dedicated", "value": "other", "effect": "NO_SCHEDULE"}
_EVICTING = {**_TAINT, "effect": "NO_EXECUTE"}
_ADDED = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}

SHAPE = (
    Edit(
        "topology, protected",
        "full",
        group(PRETRAIN, topology="8x16"),
        {PRETRAIN: "replace"},
        pools(DELETE_FIRST, *_PRETRAIN_POOLS),
        "engine",
    ),
    Edit(
        "topology, acknowledged",
        "full",
        acknowledge("replace", PRETRAIN, group(PRETRAIN, topology="8x16")),
        {PRETRAIN: "replace"},
        pools(DELETE_FIRST, *_PRETRAIN_POOLS),
    ),
    Edit("topology of an autoscaled slice", "full", group(ABLATION, topology="4x4x8"), {ABLATION: "replace"}),
    Edit("topology, not protected", "full", group(PAIR, topology="4x8"), {PAIR: "replace"}),
    Edit("chips in place of topology", "full", group(PRETRAIN, topology=None, chips=256)),
    Edit(
        "one host to two",
        "full",
        group(SWEEP, chips_per_host=4),
        {SWEEP: "delete"},
        {"NodePool train-east/sweep/sweep": "delete", "NodePool train-east/sweep/sweep-0": "create"},
    ),
    Edit("machine type", "full", group(SCORE, topology="2x4", chips_per_host=8), {SCORE: "replace"}),
    Edit(
        "machine type of an autoscaled pool",
        "full",
        group(SWEEP, topology="2x2", chips_per_host=None),
        {SWEEP: "replace"},
    ),
    Edit("generation", "full", group(SCORE, tpu="v5p", topology="2x2x1", zone="us-east5-a"), {SCORE: "replace"}),
    Edit("one slice more", "full", group(PAIR, count=3), {PAIR: "create"}, pools("create", "train-east/pair/pair-2")),
    Edit("one slice less", "full", group(PAIR, count=1), {PAIR: "delete"}, pools("delete", "train-east/pair/pair-1")),
    Edit("one slice less, protected", "full", group(PRETRAIN, count=1), {PRETRAIN: "delete"}, refused="engine"),
    Edit(
        "one slice less, acknowledged in the same step",
        "full",
        acknowledge("delete", PRETRAIN, group(PRETRAIN, count=1)),
        {PRETRAIN: "delete"},
        refused="engine",
    ),
    Edit("one slice less, acknowledged before", "lifted", group(PRETRAIN, count=1), {PRETRAIN: "delete"}),
    Edit(
        "the first slice is deleted",
        "full",
        group(PAIR, count=None, indices=[1]),
        {PAIR: "delete"},
        pools("delete", "train-east/pair/pair-0"),
    ),
    Edit("indices in place of count", "full", group(PAIR, count=None, indices=[0, 1])),
    Edit("more nodes", "full", group(SCORE, count=6), {SCORE: "in-place"}),
    Edit("fewer nodes", "full", group(SCORE, count=2), {SCORE: "restart"}),
    Edit("larger maximum", "full", group(SWEEP, count={"min": 0, "max": 10}), {SWEEP: "in-place"}),
    Edit("smaller maximum", "full", group(SWEEP, count={"min": 0, "max": 4}), {SWEEP: "in-place"}),
    Edit("larger minimum", "full", group(CHAT, count={"min": 3, "max": 6}), {CHAT: "in-place"}),
    Edit("single-host: autoscaled to static, below the maximum", "full", group(SWEEP, count=4), {SWEEP: "restart"}),
    Edit("single-host: autoscaled to static, at the maximum", "full", group(SWEEP, count=8), {SWEEP: "in-place"}),
    Edit("single-host: static to autoscaled", "full", group(SCORE, count={"min": 0, "max": 4}), {SCORE: "in-place"}),
    Edit(
        "multi-host: autoscaled to static",
        "full",
        group(TRIAL, count=1),
        {TRIAL: "replace"},
        pools(DELETE_FIRST, "train-east/trial/trial-0"),
    ),
    Edit("multi-host: static to autoscaled", "full", group(PAIR, count={"min": 0, "max": 2}), {PAIR: "in-place"}),
)
"""What decides how many hosts there are, and how they are joined."""

PLACE = (
    Edit("zone", "full", group(SWEEP, zone="us-east5-a"), {SWEEP: "replace"}),
    Edit("zone, protected", "full", group(PRETRAIN, zone="us-east5-a"), {PRETRAIN: "replace"}, refused="engine"),
    Edit("spot to on demand", "full", group(SWEEP, capacity="on_demand"), {SWEEP: "replace"}),
    Edit("on demand to reserved", "full", group(CHAT, capacity={"reservation": "r"}), {CHAT: "replace"}),
    Edit(
        "reserved to spot",
        "full",
        group(PRETRAIN, capacity="spot"),
        {PRETRAIN: "replace"},
        pools(DELETE_FIRST, *_PRETRAIN_POOLS),
    ),
    Edit("reserved to on demand", "full", group(PRETRAIN, capacity="on_demand"), {PRETRAIN: "replace"}),
    Edit(
        "name of the reservation",
        "full",
        group(PRETRAIN, capacity={"reservation": "other"}),
        {PRETRAIN: "replace"},
        refused="engine",
    ),
    Edit(
        "block of the reservation",
        "full",
        group(PRETRAIN, capacity={"reservation": {"name": "v6e-pretrain", "block": "block-1"}}),
        {PRETRAIN: "replace"},
        refused="engine",
    ),
    Edit("flex-start to spot", "full", group(ABLATION, capacity="spot"), {ABLATION: "replace"}),
    Edit(
        "longest flex-start run",
        "full",
        group(ABLATION, capacity={"flex_start": {"max_run_duration": "5d"}}),
        {ABLATION: "replace"},
    ),
    Edit("on demand to queued", "full", group(TRIAL, capacity="queued"), {TRIAL: "replace"}),
    Edit("location", "full", _EUROPE, every("replace", EAST, *ALL_GROUPS), refused="engine"),
    Edit(
        "location, acknowledged in the same step",
        "full",
        acknowledge("replace", EAST, _EUROPE),
        every("replace", EAST, *ALL_GROUPS),
        refused="engine",
    ),
    Edit(
        "location, acknowledged before",
        "lifted",
        _EUROPE,
        every("replace", EAST, *ALL_GROUPS),
        {"Cluster train-east": DELETE_FIRST, "Subnetwork train-east": DELETE_FIRST},
    ),
    Edit(
        "project",
        "lifted",
        top(project="acme-other"),
        every("replace", EAST, *ALL_GROUPS),
        {"Network train-east": DELETE_FIRST},
    ),
)
"""Where slices are, and where their capacity comes from."""

NODES = (
    Edit(
        "size of the boot disk",
        "full",
        group(PRETRAIN, boot_disk=_DISK),
        {PRETRAIN: "restart"},
        pools("update", *_PRETRAIN_POOLS),
    ),
    Edit("boot disk added", "full", group(SCORE, boot_disk=_DISK), {SCORE: "restart"}),
    Edit("boot disk of flex-start nodes", "full", group(ABLATION, boot_disk={"size_gib": 300}), {ABLATION: "in-place"}),
    Edit("boot disk gone", "full", group(PRETRAIN, boot_disk=None), {PRETRAIN: "no-op"}),
    Edit("node label added", "full", group(SWEEP, node_labels={"team": "ml"}), {SWEEP: "in-place"}),
    Edit("node label changed", "full", group(SCORE, node_labels={"team": "research"}), {SCORE: "in-place"}),
    Edit("last node label gone", "full", group(SCORE, node_labels=None), {SCORE: "no-op"}),
    Edit("resource label of a group", "full", group(SWEEP, resource_labels={"cost": "x"}), {SWEEP: "metadata"}),
    Edit("last resource label of a group gone", "full", group(SCORE, resource_labels=None), {SCORE: "metadata"}),
    Edit("taint added", "full", group(SWEEP, taints=[_TAINT]), {SWEEP: "in-place"}),
    Edit("taint that evicts", "full", group(SWEEP, taints=[_EVICTING]), {SWEEP: "restart"}),
    Edit("taint that evicts, of a slice", "full", group(PAIR, taints=[_TAINT, _EVICTING]), {PAIR: "restart"}),
    Edit("taint changed", "full", group(SCORE, taints=[_TAINT]), {SCORE: "in-place"}),
    Edit("taint that evicts from now on", "full", group(SCORE, taints=[_EVICTING]), {SCORE: "restart"}),
    Edit("taint gone", "full", group(SCORE, taints=None), {SCORE: "in-place"}),
    Edit("most Pods of a node", "full", group(SCORE, max_pods_per_node=64), {SCORE: "replace"}),
    Edit("most Pods of a node left out", "full", group(SCORE, max_pods_per_node=None), {SCORE: "no-op"}),
    Edit("nodes that may be away", "full", group(PAIR, upgrade={"max_unavailable": 4}), {PAIR: "in-place"}),
    Edit("blue-green upgrades", "full", group(CHAT, upgrade="blue_green"), {CHAT: "in-place"}),
    Edit("surge upgrades again", "blue-green", group(CHAT, upgrade=None), {CHAT: "in-place"}),
    Edit("two nodes of surge again", "blue-green", group(CHAT, upgrade={"max_surge": 2}), {CHAT: "in-place"}),
    Edit("no auto-repair", "full", group(PAIR, upgrade={"auto_repair": False}), {PAIR: "in-place"}),
    Edit("host maintenance", "full", group(PAIR, host_maintenance="as_needed"), {PAIR: "replace"}),
    Edit(
        "second boot disk",
        "full",
        group(SCORE, secondary_boot_disk={"image": "global/images/preload"}),
        {SCORE: "replace"},
    ),
    Edit(
        "more networks",
        "full",
        group(SCORE, additional_networks=[{"network": "data", "subnetwork": "data-us-east5"}]),
        {EAST: "in-place", SCORE: "replace"},
    ),
    Edit(
        "collection changed",
        "full",
        group(CHAT, collection={"name": "talk", "workload": "high_availability"}),
        {CHAT: "replace"},
    ),
    Edit("collection gone", "full", group(CHAT, collection=None), {CHAT: "no-op"}),
    Edit(
        "collection added",
        "full",
        group(SCORE, collection={"name": "scores", "workload": "high_availability"}),
        {SCORE: "replace"},
    ),
    Edit(
        "TPUs left to the DRA driver",
        "full",
        group(SCORE, driver_mode="dynamic_resource_allocation"),
        {SCORE: "in-place"},
    ),
    Edit(
        "transparent hugepages always enabled",
        "full",
        group(SCORE, transparent_hugepages="always"),
        {SCORE: "restart"},
    ),
    Edit(
        "upgrades of a group until the end of support",
        "full",
        group(PAIR, maintenance={"end_of_support": True}),
        {PAIR: "no-op"},
    ),
    Edit("protection off", "full", group(PRETRAIN, protect=False), {PRETRAIN: "metadata"}),
    Edit(
        "protection off and another topology",
        "full",
        group(PRETRAIN, protect=False, topology="8x16"),
        {PRETRAIN: "replace"},
    ),
    Edit("protection on", "full", group(PAIR, protect=True), {PAIR: "metadata"}),
    Edit("protection on and another topology", "full", group(PAIR, protect=True, topology="4x8"), {PAIR: "replace"}),
    Edit("timeouts of a group", "full", group(SWEEP, timeouts={"create": "4h"}), {SWEEP: "metadata"}),
    Edit("name of a group", "full", group(SWEEP, name="trials"), {SWEEP: "delete"}),
    Edit(
        "extra: kubelet",
        "full",
        group(SWEEP, extra={"node_config": {"kubelet_config": {"pod_pids_limit": 4096}}}),
        {SWEEP: "restart"},
    ),
    Edit(
        "extra: logging",
        "full",
        group(SWEEP, extra={"node_config": {"logging_variant": "MAX_THROUGHPUT"}}),
        {SWEEP: "in-place"},
    ),
    Edit(
        "extra: said without effect",
        "full",
        group(SCORE, extra={"node_config": {"enable_confidential_storage": False}}),
    ),
)
"""What nodes are like."""

GROUPS = (
    Edit(
        "group added",
        "full",
        lambda plan: plan["clusters"][EAST]["slices"].update(more=_ADDED),
        {"train-east/more": "create"},
        pools("create", "train-east/more/more"),
    ),
    Edit("group gone", "full", lambda plan: plan["clusters"][EAST]["slices"].pop("sweep"), {SWEEP: "delete"}),
    Edit(
        "group gone, protected",
        "full",
        lambda plan: plan["clusters"][EAST]["slices"].pop("pretrain"),
        {PRETRAIN: "delete"},
        refused="engine",
    ),
    Edit(
        "group gone, acknowledged before",
        "lifted",
        lambda plan: plan["clusters"][EAST]["slices"].pop("pretrain"),
        {PRETRAIN: "delete"},
    ),
    Edit("group renamed", "full", renamed(SWEEP, "trials"), {SWEEP: "delete", "train-east/trials": "create"}),
    Edit(
        "group renamed, with the name it had in GKE",
        "full",
        both(renamed(SWEEP, "trials"), group("train-east/trials", name="sweep")),
        {SWEEP: "delete", "train-east/trials": "create"},
        refused="GKE",
    ),
    Edit(
        "group renamed, with the name it had in GKE, and another shape",
        "full",
        both(renamed(SWEEP, "trials"), group("train-east/trials", name="sweep", topology="2x4", chips_per_host=4)),
        {SWEEP: "delete", "train-east/trials": "create"},
    ),
    Edit(
        "group renamed, with the name it had in GKE, and other machines",
        "full",
        both(renamed(SWEEP, "trials"), group("train-east/trials", name="sweep", topology="2x2", chips_per_host=None)),
        {SWEEP: "delete", "train-east/trials": "create"},
        refused="GKE",
    ),
    Edit(
        "protected group renamed",
        "full",
        renamed(PRETRAIN, "main"),
        {PRETRAIN: "delete", "train-east/main": "create"},
        refused="engine",
    ),
    Edit(
        "protected group renamed, and labels and number changed",
        "full",
        both(renamed(PRETRAIN, "main"), group("train-east/main", count=3, node_labels={"team": "ml"})),
        {PRETRAIN: "delete", "train-east/main": "create"},
        refused="engine",
    ),
    Edit(
        "protected group renamed, and another one moved",
        "full",
        both(renamed(SWEEP, "trials", moved=True), renamed(PRETRAIN, "main")),
        {PRETRAIN: "delete", "train-east/main": "create"},
        refused="engine",
    ),
    Edit(
        "protected group renamed, and something else acknowledged",
        "full",
        acknowledge("replace", PAIR, renamed(PRETRAIN, "main"), group(PAIR, topology="4x8")),
        {PRETRAIN: "delete", "train-east/main": "create", PAIR: "replace"},
        refused="engine",
    ),
    Edit(
        "protected group that may be one of two new ones",
        "full",
        both(copied(PRETRAIN, "main"), renamed(PRETRAIN, "next")),
        {PRETRAIN: "delete", "train-east/main": "create", "train-east/next": "create"},
        refused="engine",
    ),
    Edit(
        "two groups renamed",
        "full",
        both(renamed(PRETRAIN, "main"), renamed(CHAT, "talk")),
        {PRETRAIN: "delete", "train-east/main": "create", CHAT: "delete", "train-east/talk": "create"},
        refused="engine",
    ),
    Edit(
        "protected cluster renamed",
        "full",
        renamed(EAST, WEST),
        {
            **every("delete", EAST, *ALL_GROUPS),
            **every("create", WEST, *(item.replace(EAST, WEST) for item in ALL_GROUPS)),
        },
        refused="engine",
    ),
    Edit(
        "cluster and a group in it renamed",
        "full",
        both(renamed(EAST, WEST), renamed("train-west/pretrain", "main")),
        {
            **every("delete", EAST, *ALL_GROUPS),
            **every("create", WEST, *(item.replace(EAST, WEST) for item in ALL_GROUPS if item != PRETRAIN)),
            "train-west/main": "create",
        },
        refused="engine",
    ),
    Edit(
        "protected group gone, and something else acknowledged",
        "full",
        acknowledge(
            "replace", PAIR, lambda plan: plan["clusters"][EAST]["slices"].pop("pretrain"), group(PAIR, topology="4x8")
        ),
        {PRETRAIN: "delete", PAIR: "replace"},
        refused="engine",
    ),
    Edit("group moved", "full", renamed(SWEEP, "trials", moved=True)),
    Edit("protected group moved", "full", renamed(PRETRAIN, "main", moved=True)),
    Edit(
        "group moved and changed",
        "full",
        both(renamed(SWEEP, "trials", moved=True), group("train-east/trials", node_labels={"team": "ml"})),
        {"train-east/trials": "in-place"},
    ),
    Edit("cluster moved", "full", renamed(EAST, WEST, moved=True)),
    Edit(
        "cluster renamed",
        "lifted",
        renamed(EAST, WEST),
        {
            **every("delete", EAST, *ALL_GROUPS),
            **every("create", WEST, *(item.replace(EAST, WEST) for item in ALL_GROUPS)),
        },
    ),
    Edit(
        "cluster gone",
        "lifted",
        lambda plan: (
            plan["clusters"].update(small={"mode": "autopilot", "location": "us-east5"}) or plan["clusters"].pop(EAST)
        ),
        {**every("delete", EAST, *ALL_GROUPS), "small": "create"},
    ),
    Edit(
        "cluster gone at once",
        "dev",
        lambda plan: (
            plan["clusters"].update(small={"mode": "autopilot", "location": "us-central1"})
            or plan["clusters"].pop("dev")
        ),
        {"dev": "delete", "small": "create"},
    ),
    Edit(
        "cluster added",
        "dev",
        lambda plan: plan["clusters"].update(more=copy.deepcopy(plan["clusters"]["dev"])),
        {"more": "create"},
    ),
)
"""Items that come, go and move."""
