"""Edits of clusters: their own keys, their network, Autopilot, workload policies, and edits that change nothing."""

from support.editing import (
    ALL_GROUPS,
    CREATE_FIRST,
    DELETE_FIRST,
    EAST,
    PAIR,
    PRETRAIN,
    SWEEP,
    Edit,
    acknowledge,
    both,
    cluster,
    every,
    group,
    in_reverse,
    inside,
    pools,
    renamed,
    rewritten,
    top,
)

_EXCLUSIONS = {
    "frontier-run": {
        "start": "2026-12-01T00:00:00Z",
        "end": "2026-12-20T00:00:00Z",
        "scope": "no_minor_or_node_upgrades",
    }
}
_FREEZE = {"start": "2026-12-24T00:00:00Z", "end": "2026-12-27T00:00:00Z", "scope": "no_upgrades"}
_WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
_NETWORK = {"mtu": 8896, "subnet": "10.0.0.0/20", "pods": "10.16.0.0/14", "services": "10.20.0.0/20"}

_SYSTEM_TAINTS = [{"key": "components.gke.io/gke-managed-components", "value": "true", "effect": "NO_SCHEDULE"}]
_EVICTING = [{"key": "components.gke.io/gke-managed-components", "value": "true", "effect": "NO_EXECUTE"}]

CLUSTER = (
    Edit("release channel", "full", cluster(release_channel="rapid"), {EAST: "in-place"}),
    Edit("version raised", "full", cluster(min_version="1.35"), {EAST: "in-place"}),
    Edit("version lowered", "full", cluster(min_version="1.33"), {EAST: "no-op"}),
    Edit("version left out", "full", cluster(min_version=None), {EAST: "no-op"}),
    Edit("window", "full", inside("maintenance", window={**_WINDOW, "duration": "8h"}), {EAST: "in-place"}),
    Edit(
        "exclusion longer",
        "full",
        inside("maintenance", "exclusions", "frontier-run", end="2026-12-24T00:00:00Z"),
        {EAST: "in-place"},
    ),
    Edit(
        "exclusion added",
        "full",
        inside("maintenance", exclusions={**_EXCLUSIONS, "freeze": _FREEZE}),
        {EAST: "in-place"},
    ),
    Edit("exclusion gone", "full", inside("maintenance", exclusions=None), {EAST: "in-place"}),
    Edit("maintenance left out", "full", cluster(maintenance=None), {EAST: "in-place"}),
    Edit("add-on added", "full", cluster(addons=["gcs_fuse", "ray_operator", "lustre"]), {EAST: "in-place"}),
    Edit("ML diagnostics on", "full", cluster(ml_diagnostics=True, min_version="1.35"), {EAST: "in-place"}),
    Edit("ML diagnostics off", "full", cluster(ml_diagnostics=False), {EAST: "in-place"}),
    Edit("add-on gone", "full", cluster(addons=["gcs_fuse"]), {EAST: "in-place"}),
    Edit("no shielded nodes", "full", cluster(security={"shielded_nodes": False}), {EAST: "restart"}),
    Edit(
        "no secure boot of system nodes",
        "full",
        cluster(security={"secure_boot": False}),
        {EAST: "replace"},
        pools(DELETE_FIRST, "train-east/system"),
    ),
    Edit(
        "secure boot of TPU nodes",
        "full",
        cluster(security={"tpu_secure_boot": True}),
        every("replace", *ALL_GROUPS),
        refused="engine",
    ),
    Edit(
        "no workload identity",
        "full",
        cluster(security={"workload_identity": False}),
        every("no-op", EAST, *ALL_GROUPS),
    ),
    Edit("no Dataplane V2", "lifted", cluster(security={"dataplane_v2": False}), every("replace", EAST, *ALL_GROUPS)),
    Edit("machine of the system pool", "full", inside("system_pool", machine_type="n2-standard-8"), {EAST: "restart"}),
    Edit("size of the system pool", "full", inside("system_pool", max_nodes=5), {EAST: "in-place"}),
    Edit("disk of the system pool", "full", inside("system_pool", boot_disk_size_gib=200), {EAST: "restart"}),
    Edit("label of the system pool", "full", inside("system_pool", node_labels={"role": "system"}), {EAST: "in-place"}),
    Edit("taint of the system pool", "full", inside("system_pool", taints=_SYSTEM_TAINTS), {EAST: "in-place"}),
    Edit("taint that evicts Pods", "full", inside("system_pool", taints=_EVICTING), {EAST: "restart"}),
    Edit("limits of auto-provisioning", "full", inside("autoprovisioning", cpu=70000), {EAST: "in-place"}),
    Edit(
        "disk of auto-provisioning",
        "full",
        inside("autoprovisioning", boot_disk_type="pd-balanced", boot_disk_size_gib=200),
        {EAST: "in-place"},
    ),
    Edit(
        "account of auto-provisioning",
        "full",
        inside("autoprovisioning", node_service_account="auto@acme-ml.iam.gserviceaccount.com"),
        {EAST: "in-place"},
    ),
    Edit(
        "account created for auto-provisioning",
        "full",
        inside("autoprovisioning", node_service_account="create"),
        {EAST: "in-place"},
        {"Account train-east/autoprovisioning": "create", "Cluster train-east": "update"},
    ),
    Edit("no auto-provisioning", "full", cluster(autoprovisioning=None), {EAST: "in-place"}),
    Edit(
        "labels of everything",
        "full",
        top(resource_labels={"team": "other", "stage": "prod"}),
        every("metadata", EAST, *ALL_GROUPS),
    ),
    Edit("labels of a cluster", "full", cluster(resource_labels={"cost": "x"}), every("metadata", EAST, *ALL_GROUPS)),
    Edit(
        "one label of everything gone",
        "full",
        top(resource_labels={"team": "research"}),
        every("metadata", EAST, *ALL_GROUPS),
    ),
    Edit("no labels of everything any more", "full", top(resource_labels=None), every("metadata", EAST, *ALL_GROUPS)),
    Edit(
        "no labels of a cluster any more", "lifted", cluster(resource_labels=None), every("metadata", EAST, *ALL_GROUPS)
    ),
    Edit("no deletion protection", "full", cluster(deletion_protection=False), {EAST: "metadata"}),
    Edit("timeouts of a cluster", "full", cluster(timeouts={"update": "90m"}), {EAST: "metadata"}),
    Edit("fleet", "full", cluster(fleet="acme-fleet"), {EAST: "in-place"}),
    Edit(
        "another fleet",
        "blue-green",
        cluster(fleet="acme-other"),
        {EAST: "refused"},
        {"Cluster train-east": "update"},
        "GKE",
    ),
    Edit("fleet left out", "blue-green", cluster(fleet=None), {EAST: "in-place"}, {"Cluster train-east": "update"}),
    Edit("notifications", "full", cluster(notifications="projects/acme-ml/topics/upgrades"), {EAST: "in-place"}),
    Edit(
        "key of the database",
        "full",
        cluster(kms_key="projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/etcd"),
        {EAST: "in-place"},
    ),
    Edit(
        "name of the cluster",
        "lifted",
        lambda plan: plan["clusters"][EAST].update(name="other"),
        every("replace", EAST, *ALL_GROUPS),
        {"Network train-east": DELETE_FIRST, "Account train-east": DELETE_FIRST},
    ),
    Edit(
        "account of the nodes",
        "lifted",
        cluster(node_service_account="nodes@acme-ml.iam.gserviceaccount.com"),
        {EAST: "delete", **every("replace", *ALL_GROUPS)},
        {"Account train-east": "delete"},
    ),
    Edit("extra: subsetting on", "full", cluster(extra={"enable_l4_ilb_subsetting": True}), {EAST: "in-place"}),
    Edit(
        "Standard to Autopilot",
        "lifted",
        cluster(
            mode="autopilot",
            system_pool=None,
            autoprovisioning=None,
            slices={"notebook": {"tpu": "v6e", "topology": "2x2"}},
            addons=None,
        ),
        every("delete", EAST, *ALL_GROUPS),
        {"Cluster train-east": DELETE_FIRST, "Network train-east": "same"},
    ),
    Edit(
        "Standard without auto-provisioning to Autopilot",
        "blue-green",
        cluster(
            mode="autopilot", system_pool=None, slices={"notebook": {"tpu": "v6e", "topology": "2x2"}}, addons=None
        ),
        every("delete", EAST, *ALL_GROUPS),
        {"Cluster train-east": DELETE_FIRST},
    ),
    Edit("acknowledged, nothing else", "full", acknowledge("replace", PRETRAIN), {PRETRAIN: "metadata"}),
    Edit(
        "a warning accepted",
        "full",
        top(accept=[{"rule": "TPU583", "of": PRETRAIN, "reason": "tried", "until": "2026-12-01"}]),
    ),
)
"""The cluster around."""

NETWORK = (
    Edit("MTU", "full", inside("network", "create", mtu=1460), {EAST: "in-place"}),
    Edit("MTU left out", "full", inside("network", "create", mtu=None)),
    Edit("larger subnetwork", "full", inside("network", "create", subnet="10.0.0.0/19"), {EAST: "in-place"}),
    Edit(
        "smaller subnetwork",
        "lifted",
        inside("network", "create", subnet="10.0.0.0/21"),
        every("replace", EAST, *ALL_GROUPS),
        {"Subnetwork train-east": DELETE_FIRST, "RouterNat train-east": DELETE_FIRST},
    ),
    Edit(
        "subnetwork in another range",
        "lifted",
        inside("network", "create", subnet="10.1.0.0/20"),
        every("replace", EAST, *ALL_GROUPS),
        {"Subnetwork train-east": DELETE_FIRST, "RouterNat train-east": DELETE_FIRST},
    ),
    Edit(
        "range of the Pods",
        "full",
        inside("network", "create", pods="10.24.0.0/14"),
        {EAST: "refused"},
        {"Subnetwork train-east": "update", "Cluster train-east": "same"},
        "GKE",
    ),
    Edit(
        "no Cloud NAT",
        "full",
        inside("network", "create", nat=False),
        {EAST: "delete"},
        {"Router train-east": "delete", "RouterNat train-east": "delete", "Cluster train-east": "same"},
    ),
    Edit(
        "existing network",
        "lifted",
        cluster(
            network={
                "existing": {
                    "network": "shared",
                    "subnetwork": "shared-us-east5",
                    "pods_range": "pods",
                    "services_range": "services",
                }
            }
        ),
        {EAST: "delete", **every("replace", *ALL_GROUPS)},
        {"Cluster train-east": DELETE_FIRST},
    ),
    Edit("public nodes", "full", cluster(private_nodes=False), every("in-place", EAST, *ALL_GROUPS)),
    Edit("no DNS endpoint", "full", inside("control_plane", dns_endpoint=False), {EAST: "in-place"}),
    Edit(
        "other authorized networks",
        "full",
        inside("control_plane", authorized_networks={"office": "198.51.100.0/24"}),
        {EAST: "in-place"},
    ),
    Edit("private control plane", "full", inside("control_plane", private=True), {EAST: "in-place"}),
)
"""The network around the cluster."""

DEV = (
    Edit("topology on Autopilot", "dev", group("dev/notebook", topology="2x4", chips_per_host=8)),
    Edit("group gone on Autopilot", "dev", lambda plan: plan["clusters"]["dev"]["slices"].pop("batch")),
    Edit("release channel", "dev", cluster("dev", release_channel="stable"), {"dev": "in-place"}),
    Edit("version", "dev", cluster("dev", min_version="1.35"), {"dev": "in-place"}),
    Edit("location", "dev", cluster("dev", location="us-west4"), {"dev": "replace"}, {"Cluster dev": DELETE_FIRST}),
    Edit(
        "network",
        "dev",
        cluster("dev", network={"create": _NETWORK}),
        {"dev": "replace"},
        {"Cluster dev": DELETE_FIRST, "Network dev": "create"},
    ),
    Edit(
        "location, protected from deletion",
        "guarded",
        cluster("dev", location="us-west4"),
        {"dev": "replace"},
        refused="provider",
    ),
    Edit(
        "location, and no protection from deletion in the same step",
        "guarded",
        cluster("dev", location="us-west4", deletion_protection=False),
        {"dev": "replace"},
        refused="provider",
    ),
    Edit(
        "protected cluster gone",
        "guarded",
        lambda plan: (
            plan["clusters"].update(small={"mode": "autopilot", "location": "us-east5"}) or plan["clusters"].pop("dev")
        ),
        {"dev": "delete", "small": "create"},
        refused="provider",
    ),
    Edit(
        "cluster renamed on Autopilot",
        "guarded",
        renamed("dev", "lab"),
        {"dev": "delete", "lab": "create"},
        refused="provider",
    ),
    Edit("deletion protection", "dev", cluster("dev", deletion_protection=True), {"dev": "metadata"}),
    Edit(
        "Autopilot to Standard",
        "dev",
        cluster(
            "dev", mode="standard", slices={"notebook": {"tpu": "v5e", "topology": "2x2", "zone": "us-central1-a"}}
        ),
        {"dev": "replace", "dev/notebook": "create"},
        {"Cluster dev": DELETE_FIRST},
    ),
)
"""Autopilot, where slices have no resources."""

IRONWOOD = (
    Edit(
        "topology with its policy",
        "ironwood",
        group("ironwood/train", topology="4x8x8"),
        {"ironwood/train": "replace"},
        refused="engine",
    ),
    Edit(
        "topology with its policy, acknowledged in the same step",
        "ironwood",
        acknowledge("replace", "ironwood/train", group("ironwood/train", topology="4x8x8")),
        {"ironwood/train": "replace"},
        {"ResourcePolicy ironwood/train": CREATE_FIRST, "NodePool ironwood/train/train-0": DELETE_FIRST},
    ),
    Edit(
        "topology with its policy, acknowledged before",
        "unprotected",
        group("ironwood/train", topology="4x8x8"),
        {"ironwood/train": "replace"},
        {"ResourcePolicy ironwood/train": CREATE_FIRST, "NodePool ironwood/train/train-0": DELETE_FIRST},
    ),
    Edit(
        "policy of others, acknowledged before",
        "unprotected",
        group("ironwood/train", placement={"workload_policy": "cubes"}),
        {"ironwood/train": "delete"},
        {"ResourcePolicy ironwood/train": "delete", "NodePool ironwood/train/train-0": DELETE_FIRST},
    ),
    Edit(
        "no Dataplane V2, protected from deletion",
        "unprotected",
        cluster("ironwood", security={"dataplane_v2": False}),
        every("replace", "ironwood", "ironwood/train", "ironwood/serve"),
        refused="provider",
    ),
    Edit(
        "policy of others",
        "ironwood",
        group("ironwood/train", placement={"workload_policy": "cubes"}),
        {"ironwood/train": "delete"},
        refused="engine",
    ),
    Edit(
        "reservation",
        "ironwood",
        group("ironwood/train", capacity={"reservation": "cubes"}),
        {"ironwood/train": "replace"},
        refused="engine",
    ),
    Edit("node label", "ironwood", group("ironwood/train", node_labels={"team": "ml"}), {"ironwood/train": "in-place"}),
    Edit(
        "larger maximum",
        "ironwood",
        group("ironwood/serve", count={"min": 0, "max": 6}),
        {"ironwood/serve": "in-place"},
    ),
    Edit(
        "cluster replaced while protected from deletion",
        "ironwood",
        both(group("ironwood/train", protect=False), cluster("ironwood", security={"dataplane_v2": False})),
        every("replace", "ironwood", "ironwood/train", "ironwood/serve"),
        refused="engine",
    ),
)
"""Slices that are bound to a workload policy."""

_FINETUNE, _EVALUATE = "shared/finetune", "shared/evaluate"
EXISTING = (
    Edit(
        "another cluster",
        "shared",
        cluster("shared", existing="projects/acme-ml/locations/us-east5/clusters/other"),
        every("replace", _FINETUNE, _EVALUATE),
        refused="engine",
    ),
    Edit(
        "account created",
        "shared",
        both(group(_FINETUNE, protect=False), cluster("shared", node_service_account="create")),
        {"shared": "create"} | every("replace", _FINETUNE, _EVALUATE),
        pools(DELETE_FIRST, "shared/evaluate/evaluate"),
    ),
    Edit(
        "nodes with public addresses",
        "shared",
        cluster("shared", private_nodes=False),
        every("in-place", _FINETUNE, _EVALUATE),
    ),
    Edit(
        "addresses left to the cluster",
        "shared",
        cluster("shared", private_nodes=None),
        every("no-op", _FINETUNE, _EVALUATE),
    ),
    Edit(
        "no Workload Identity",
        "shared",
        inside("security", workload_identity=False),
        every("no-op", _FINETUNE, _EVALUATE),
    ),
    Edit(
        "CPU pool added",
        "shared",
        inside("cpu_pools", head={"machine_type": "n2-standard-8", "nodes": 1, "zones": ["us-east5-b"]}),
        {"shared": "create"},
    ),
    Edit(
        "other facts",
        "shared",
        cluster("shared", version="1.35", release_channel="rapid", location="us-east5"),
    ),
)
"""Slices in a cluster that exists already."""

UNCHANGED = (
    Edit("nothing", "full", lambda plan: None),
    Edit("order of keys", "full", in_reverse),
    Edit("comments and blank lines", "ironwood", rewritten("ironwood", ("clusters:", "# more\n\nclusters:  # all"))),
    Edit(
        "anchors",
        "ironwood",
        rewritten(
            "ironwood",
            ("zone: us-central1-c\n        capacity", "zone: &zone us-central1-c\n        capacity"),
            ("count: {min: 0, max: 4}\n        zone: us-central1-c", "count: {min: 0, max: 4}\n        zone: *zone"),
        ),
    ),
    Edit("quotes", "dev", rewritten("dev", ("location: us-central1", 'location: "us-central1"'))),
    Edit(
        "flow to block style",
        "dev",
        rewritten("dev", ("notebook: {tpu: v5e, topology: 2x2}", "notebook:\n        tpu: v5e\n        topology: 2x2")),
    ),
    Edit("canonical count", "full", group(SWEEP, count=None, min=0, max=8)),
    Edit(
        "canonical capacity",
        "full",
        both(
            group(SWEEP, capacity={"spot": True}),
            group(PRETRAIN, capacity={"reservation": {"name": "v6e-pretrain"}}),
            group(PAIR, capacity="on_demand"),
        ),
    ),
    Edit(
        "defaults written out",
        "full",
        both(
            cluster(deletion_protection=True, private_nodes=True),
            inside("network", "create", nat=True),
            group(PAIR, protect=False),
            group(PRETRAIN, protect=True),
        ),
    ),
)
"""Edits that change nothing."""
