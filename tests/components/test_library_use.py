"""The components in programs of other people: with outputs as arguments, with every option, and with mistakes."""

import json
import pydoc
import re
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.plans import ACCOUNT, CLUSTER, MEMBER, NETWORK, NODE_POOL, POLICY
from support.recording import UNKNOWN, Recording, record

import pulumi_gke_tpu
from pulumi_gke_tpu import AutopilotCluster, FindingsError, StandardCluster, TpuFleet, TpuSlices, preview
from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.core.text.findings import format_path

COMPONENTS: list[Any] = [StandardCluster, AutopilotCluster]
SLICE: Any = {"tpu": "v5e", "topology": "4x4", "zone": "us-central1-a"}
CUBE: Any = {"tpu": "tpu7x", "topology": "2x2x2", "zone": "us-central1-c"}
AT: Any = {"project": "acme-ml", "location": "us-central1"}


def later(name: str = "source") -> pulumi.Output[str]:
    """A value of another resource that is unknown before this exists."""
    return gcp.compute.Address(name, project="acme-ml").address


def sources(recording: Recording, name: str, type_token: str, key: str) -> list[str]:
    """The resources that an input comes from, by name."""
    urns = recording.one(type_token, name).request.propertyDependencies[key].urns
    return sorted(urn.rpartition("::")[2] for urn in urns)


# Arguments that are known later


def test_slices_in_a_cluster_of_another_resource() -> None:
    def program() -> None:
        cluster = gcp.container.Cluster("theirs", project="acme-ml", location="us-central1")
        TpuSlices("theirs/train", {**AT, **SLICE, "cluster": cluster.id})

    recording = record(program)
    pool = recording.one(NODE_POOL, "theirs/train/train-0")
    assert pool.inputs["cluster"] == UNKNOWN
    assert sources(recording, "theirs/train/train-0", NODE_POOL, "cluster") == ["theirs"]
    assert pool.inputs["nodeConfig"]["shieldedInstanceConfig"]["enableSecureBoot"] is False


def test_slices_alone_leave_to_the_cluster_what_is_not_written() -> None:
    """A pool with public addresses in a cluster without would be a surprise."""
    pool = record(lambda: TpuSlices("train", {**AT, **SLICE, "cluster": "c"})).one(NODE_POOL)
    assert pool.name == "cluster/train/train-0"
    assert "networkConfig" not in pool.inputs
    assert "serviceAccount" not in pool.inputs["nodeConfig"]
    assert pool.inputs["nodeConfig"]["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}


def test_slices_in_an_autopilot_cluster_are_labels_only() -> None:
    slices: Any = {**AT, "tpu": "tpu7x", "topology": "2x2x2", "cluster": "c", "mode": "autopilot"}
    recording = record(lambda: TpuSlices("train", slices))
    assert [item.type for item in recording] == ["gke-tpu:index:TpuSlices"]
    assert recording.registrations[0].outputs["pool_names"] == []


@pytest.mark.parametrize(
    ("written", "path", "value"),
    [
        ({"private_nodes": True}, ("networkConfig", "enablePrivateNodes"), True),
        ({"private_nodes": False}, ("networkConfig", "enablePrivateNodes"), False),
        ({"workload_identity": False}, ("nodeConfig", "workloadMetadataConfig"), None),
        ({"secure_boot": True}, ("nodeConfig", "shieldedInstanceConfig", "enableSecureBoot"), True),
        ({"node_service_account": "nodes@acme-ml"}, ("nodeConfig", "serviceAccount"), "nodes@acme-ml"),
    ],
)
def test_arguments_of_separate_slices_about_their_cluster(written: Any, path: tuple[str, ...], value: object) -> None:
    found: Any = record(lambda: TpuSlices("train", {**AT, **SLICE, "cluster": "c", **written})).one(NODE_POOL).inputs
    for step in path:
        found = found.get(step)
    assert found == value


def test_outputs_flow_into_the_properties_of_slices() -> None:
    def program() -> None:
        TpuSlices(
            "east/train",
            {
                **AT,
                **CUBE,
                "cluster": later("cluster"),
                "node_service_account": later("account"),
                "placement": {"workload_policy": later("policy")},
                "node_labels": {"team": later("label")},
                "resource_labels": {"owner": later("owner")},
                "additional_networks": [{"network": later("network"), "subnetwork": later("subnetwork")}],
                "secondary_boot_disk": {"image": later("image")},
                "extra": {"node_config": {"tags": [later("tag")]}},
            },
        )

    recording = record(program)
    assert recording.of_type(POLICY) == []
    pool = recording.one(NODE_POOL).inputs
    node = pool["nodeConfig"]
    assert (pool["cluster"], node["serviceAccount"], node["labels"]) == (UNKNOWN, UNKNOWN, {"team": UNKNOWN})
    assert (node["resourceLabels"], node["tags"]) == ({"owner": UNKNOWN}, [UNKNOWN])
    assert node["secondaryBootDisks"] == [{"diskImage": UNKNOWN}]
    assert pool["placementPolicy"] == {"type": "", "policyName": UNKNOWN, "tpuTopology": "2x2x2"}
    assert pool["networkConfig"]["additionalNodeNetworkConfigs"] == [{"network": UNKNOWN, "subnetwork": UNKNOWN}]
    assert sources(recording, "east/train/train-0", NODE_POOL, "placementPolicy") == ["policy"]
    assert sources(recording, "east/train/train-0", NODE_POOL, "nodeConfig") == [
        "account",
        "image",
        "label",
        "owner",
        "tag",
    ]


@pytest.mark.parametrize("component", COMPONENTS)
def test_outputs_flow_into_the_properties_of_a_cluster(component: Any) -> None:
    def program() -> None:
        component(
            "east",
            {
                **AT,
                "network": {
                    "existing": {
                        "network": later("network"),
                        "subnetwork": later("subnetwork"),
                        "pods_range": later("pods"),
                        "services_range": later("services"),
                    }
                },
                "node_service_account": later("account"),
                "control_plane": {"authorized_networks": {"office": later("office")}},
                "resource_labels": {"team": later("label")},
                "fleet": later("fleet"),
                "kms_key": later("key"),
                "notifications": later("topic"),
            },
        )

    recording = record(program)
    assert (recording.of_type(ACCOUNT), recording.of_type(MEMBER), recording.of_type(NETWORK)) == ([], [], [])
    cluster = recording.one(CLUSTER, "east").inputs
    assert (cluster["network"], cluster["subnetwork"]) == (UNKNOWN, UNKNOWN)
    assert cluster["ipAllocationPolicy"] == {
        "stackType": "IPV4",
        "clusterSecondaryRangeName": UNKNOWN,
        "servicesSecondaryRangeName": UNKNOWN,
    }
    assert cluster["masterAuthorizedNetworksConfig"]["cidrBlocks"] == [{"displayName": "office", "cidrBlock": UNKNOWN}]
    assert cluster["resourceLabels"] == {"team": UNKNOWN}
    assert cluster["fleet"] == {"project": UNKNOWN}
    assert cluster["databaseEncryption"] == {"state": "ENCRYPTED", "keyName": UNKNOWN}
    assert cluster["notificationConfig"] == {"pubsub": {"enabled": True, "topic": UNKNOWN}}
    for key, source in (("network", "network"), ("fleet", "fleet"), ("databaseEncryption", "key")):
        assert sources(recording, "east", CLUSTER, key) == [source]


def test_values_arrive_where_they_are_known() -> None:
    """An update, in which the other resource has answered."""
    recording = record(
        lambda: TpuSlices("train", {**AT, **SLICE, "cluster": later(), "node_labels": {"a": later("b")}}),
        known=lambda request: {"address": f"value-of-{request.name}"} if "Address" in request.type else {},
    )
    pool = recording.one(NODE_POOL).inputs
    assert (pool["cluster"], pool["nodeConfig"]["labels"]) == ("value-of-source", {"a": "value-of-b"})


@pytest.mark.parametrize(
    ("key", "path"),
    [("count", "count"), ("topology", "topology"), ("zone", "zone"), ("protect", "protect"), ("name", "name")],
)
def test_what_decides_what_exists_cannot_be_known_later(key: str, path: str) -> None:
    def program() -> None:
        TpuSlices("train", {**AT, **SLICE, "cluster": "c", key: later()})

    with pytest.raises(FindingsError) as refused:
        record(program)
    assert path in [format_path(finding.path) for finding in refused.value.findings]


# Options


def with_options(component: Any, options: Callable[[], pulumi.ResourceOptions], **known: Any) -> Recording:
    args = {**AT, "slices": {"train": SLICE if component is StandardCluster else {"tpu": "v5e", "topology": "4x4"}}}
    return record(lambda: component("east", args, options()), **known)


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_provider_reaches_every_child(component: Any) -> None:
    def options() -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(provider=gcp.Provider("ours", project="acme-ml"))

    recording = with_options(component, options, known=lambda request: {})
    provider = recording.one("pulumi:providers:gcp")
    used = {item.request.provider for item in recording if item.request.custom and item is not provider}
    assert used == {f"{provider.urn}::ours-id"}


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_parent_is_the_parent(component: Any) -> None:
    def options() -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=pulumi.ComponentResource("acme:index:Platform", "platform"))

    recording = with_options(component, options)
    parent = recording.one("acme:index:Platform")
    (own,) = (item for item in recording if item.request.parent == parent.urn)
    assert own.type == f"gke-tpu:index:{component.__name__}"
    cluster = recording.one(CLUSTER, "east")
    assert cluster.request.parent == own.urn
    assert cluster.urn.split("::")[2] == f"acme:index:Platform$gke-tpu:index:{component.__name__}${CLUSTER}"


@pytest.mark.parametrize("component", COMPONENTS)
def test_protection_reaches_every_child(component: Any) -> None:
    recording = with_options(component, lambda: pulumi.ResourceOptions(protect=True))
    assert {item.protect for item in recording} == {True}


def test_what_the_plan_says_of_protection_wins_over_the_component() -> None:
    def program() -> None:
        slices: Any = {"open": {**SLICE, "protect": False}, "silent": SLICE, "closed": {**SLICE, "protect": True}}
        StandardCluster("east", {**AT, "slices": slices}, pulumi.ResourceOptions(protect=True))
        StandardCluster("west", {**AT, "name": "west", "slices": slices})

    recording = record(program)
    protect = {pool.name: pool.protect for pool in recording.of_type(NODE_POOL)}
    assert protect == {
        "east/system": True,
        "east/open/open-0": False,
        "east/silent/silent-0": True,
        "east/closed/closed-0": True,
        "west/system": None,
        "west/open/open-0": False,
        "west/silent/silent-0": None,
        "west/closed/closed-0": True,
    }


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("several", [False, True])
def test_everything_waits_for_what_the_component_depends_on(component: Any, several: bool) -> None:
    def options() -> pulumi.ResourceOptions:
        service = gcp.projects.Service("api", project="acme-ml", service="container.googleapis.com")
        return pulumi.ResourceOptions(depends_on=[service] if several else service)

    recording = with_options(component, options)
    service = recording.one("gcp:projects/service:Service")
    assert [item.urn for item in recording if service.urn not in item.request.dependencies] == [service.urn]


def test_everything_waits_for_what_a_fleet_and_slices_depend_on() -> None:
    def program() -> None:
        api = gcp.projects.Service("api", project="acme-ml", service="container.googleapis.com")
        east: Any = {"mode": "standard", "location": "us-central1", "slices": {"train": SLICE}}
        TpuFleet("fleet", {"project": "acme-ml", "clusters": {"east": east}}, pulumi.ResourceOptions(depends_on=[api]))
        TpuSlices("west/cubes", {**AT, **CUBE, "cluster": "west"}, pulumi.ResourceOptions(depends_on=[api]))

    recording = record(program)
    service = recording.one("gcp:projects/service:Service")
    assert [item.urn for item in recording if service.urn not in item.request.dependencies] == [service.urn]


@pytest.mark.parametrize("component", COMPONENTS)
def test_transformations_see_every_child(component: Any) -> None:
    seen: list[str] = []

    def transform(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        seen.append(f"{args.type_} {args.name}")
        if args.type_ != CLUSTER:
            return None
        return pulumi.ResourceTransformationResult({**args.props, "minMasterVersion": "1.35"}, args.opts)

    recording = with_options(component, lambda: pulumi.ResourceOptions(transformations=[transform]))
    assert set(seen) == {f"{item.type} {item.name}" for item in recording}
    assert recording.one(CLUSTER).inputs["minMasterVersion"] == "1.35"


@pytest.mark.parametrize("component", COMPONENTS)
def test_transforms_go_to_the_engine_with_the_component(component: Any) -> None:
    """The engine runs them for everything inside."""

    def transform(args: pulumi.ResourceTransformArgs) -> None:
        return None

    recording = with_options(component, lambda: pulumi.ResourceOptions(transforms=[transform]))
    own = recording.one(f"gke-tpu:index:{component.__name__}", "east")
    assert len(own.request.transforms) == 1
    assert own.request.transforms[0].token


def test_a_renamed_component_keeps_what_it_has() -> None:
    def program() -> None:
        StandardCluster("new", {**AT, "moved": [{"from": "old", "to": "new"}], "slices": {"train": SLICE}})
        moved: Any = [{"from": "cluster/old", "to": "cluster/cubes"}]
        TpuSlices("cubes", {**AT, **CUBE, "cluster": "c", "moved": moved})

    recording = record(program)
    former = {item.name: item.former_names for item in recording}
    assert former["new"] == ("old",)
    assert former["new/train/train-0"] == ("old/train/train-0",)
    assert former["cubes"] == ("old",)
    assert former["cluster/cubes/old-0"] == ("cluster/old/old-0",)
    assert recording.one(CLUSTER).inputs["name"] == "old"
    assert recording.one(POLICY).inputs["name"] == "cluster-old-2x2x2"


@pytest.mark.parametrize("name", ["cubes", "cluster/cubes"])
def test_slices_without_a_cluster_in_their_name_call_themselves_by_it(name: str) -> None:
    moved: Any = [{"from": name.replace("cubes", "old"), "to": name}]
    until: Any = {"of": name, "reason": "wanted", "until": "2026-12-01"}
    args: Any = {**AT, **CUBE, "cluster": "c", "protect": True, "today": "2026-11-20", "moved": moved}
    recording = record(lambda: TpuSlices("cubes", {**args, "acknowledge": [{"change": "replace", **until}]}))
    pool = recording.one(NODE_POOL)
    assert (pool.protect, pool.former_names) == (False, ("cluster/old/old-0",))
    assert recording.one("gke-tpu:index:TpuSlices").former_names == ("old",)
    assert not [text for text in recording.messages if "is not in the plan" in text]


@pytest.mark.parametrize("component", [*COMPONENTS, TpuSlices, TpuFleet])
@pytest.mark.parametrize("args", [None, "plan.yaml", ["tpu"], 3])
def test_arguments_that_are_not_a_dictionary_are_named(component: Any, args: Any) -> None:
    with pytest.raises(TypeError, match=f"^{component.__name__} takes its arguments as a dictionary"):
        record(lambda: component("east", args))


@pytest.mark.parametrize("component", [*COMPONENTS, TpuSlices])
def test_a_name_and_options_of_the_wrong_type_are_named(component: Any) -> None:
    args = {**AT, **(SLICE if component is TpuSlices else {}), **({"cluster": "c"} if component is TpuSlices else {})}
    with pytest.raises(TypeError, match=f"^the first argument of {component.__name__} is its name"):
        record(lambda: component(3, args))
    with pytest.raises(TypeError, match=r"^options are given as pulumi.ResourceOptions"):
        record(lambda: component("east", args, {"protect": True}))


def test_the_date_is_not_an_input_of_a_component() -> None:
    """Or every day would show a change."""

    def program() -> None:
        StandardCluster("east", {**AT, "today": "2026-11-20", "resource_labels": {"team": "ml"}})
        TpuSlices("train", {**AT, **SLICE, "cluster": "c", "today": "2026-11-20"})

    recording = record(program)
    assert recording.one("gke-tpu:index:StandardCluster").inputs == {**AT, "resource_labels": {"team": "ml"}}
    assert recording.one("gke-tpu:index:TpuSlices", "train").inputs == {**AT, **SLICE, "cluster": "c"}


# Outputs


def test_outputs_of_slices() -> None:
    outputs: dict[str, Any] = {}

    def program() -> None:
        slices = TpuSlices("east/cubes", {**AT, **CUBE, "count": 2, "cluster": "east"})
        for name in ("accelerator", "node_selector", "pool_names", "chips", "hosts", "slices", "policy"):
            getattr(slices, name).apply(lambda value, name=name: outputs.update({name: value}))

    recording = record(program)
    assert outputs == recording.one("gke-tpu:index:TpuSlices").outputs
    assert outputs == {
        "accelerator": "tpu7x",
        "node_selector": {
            "cloud.google.com/gke-tpu-accelerator": "tpu7x",
            "cloud.google.com/gke-tpu-topology": "2x2x2",
        },
        "pool_names": ["cubes-0", "cubes-1"],
        "chips": 16,
        "hosts": 4,
        "slices": 2,
        "policy": "east-cubes-2x2x2",
    }


@pytest.mark.parametrize("component", COMPONENTS)
def test_outputs_of_a_cluster_that_exists(component: Any) -> None:
    outputs: dict[str, Any] = {}

    def program() -> None:
        cluster = component("east", {**AT, "slices": {}})
        for name in ("cluster_name", "cluster_id", "endpoint", "ca_certificate", "kubeconfig", "network", "subnetwork"):
            getattr(cluster, name).apply(lambda value, name=name: outputs.update({name: value}))

    answer = {
        "endpoint": "10.0.0.2",
        "network": "projects/acme-ml/global/networks/default",
        "subnetwork": "projects/acme-ml/regions/us-central1/subnetworks/default",
        "masterAuth": {"clusterCaCertificate": "Q0E="},
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"endpoint": "gke-1234.us-central1.gke.goog", "allowExternalTraffic": True}
        },
    }
    record(program, known=lambda request: answer if request.type == CLUSTER else {})
    config = json.loads(outputs.pop("kubeconfig"))
    assert config["clusters"] == [{"name": "east", "cluster": {"server": "https://gke-1234.us-central1.gke.goog"}}]
    assert config["current-context"] == "east"
    assert outputs == {
        "cluster_name": "east",
        "cluster_id": "east-id",
        "endpoint": "gke-1234.us-central1.gke.goog",
        "ca_certificate": "Q0E=",
        "network": "projects/acme-ml/global/networks/default",
        "subnetwork": "projects/acme-ml/regions/us-central1/subnetworks/default",
    }


def test_the_kubeconfig_of_an_ip_endpoint_has_the_certificate_and_no_credentials() -> None:
    answer = {"endpoint": "10.0.0.2", "masterAuth": {"clusterCaCertificate": "Q0E=", "clientKey": "private"}}
    found: list[str] = []

    def program() -> None:
        cluster = StandardCluster("east", {**AT, "control_plane": {"dns_endpoint": False}})
        cluster.kubeconfig.apply(found.append)

    recording = record(program, known=lambda request: answer if request.type == CLUSTER else {})
    (config,) = map(json.loads, found)
    (server,) = config["clusters"]
    assert server["cluster"] == {"server": "https://10.0.0.2", "certificate-authority-data": "Q0E="}
    (user,) = config["users"]
    assert user["user"]["exec"]["command"] == "gke-gcloud-auth-plugin"
    assert "private" not in found[0]
    assert "secret" in recording.one("gke-tpu:index:StandardCluster").outputs["kubeconfig"]


@pytest.mark.parametrize("component", [*COMPONENTS, TpuSlices, TpuFleet])
def test_keywords_register_what_a_dictionary_registers(component: Any) -> None:
    args: dict[str, Any] = {**AT, **(SLICE if component is TpuSlices else {})}
    args |= {"cluster": "east"} if component is TpuSlices else {}
    if component is TpuFleet:
        args = {"project": "acme-ml", "clusters": {"east": {"mode": "autopilot", "location": "us-central1"}}}
    mapping, keywords = record(lambda: component("east", args)), record(lambda: component("east", **args))
    assert {item.urn: item.inputs for item in keywords} == {item.urn: item.inputs for item in mapping}
    assert len(mapping.registrations) > 1 or component is TpuSlices
    with pytest.raises(TypeError, match=f"^{component.__name__} takes its arguments as a dictionary or as keywords"):
        record(lambda: component("east", args, **args))


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_slices_of_a_cluster_by_name(component: Any) -> None:
    groups: dict[str, Any] = {}

    def program() -> None:
        cluster = component(
            "east", {**AT, "slices": {"train": {"tpu": "v5e", "topology": "4x4", "zone": "us-central1-a"}}}
        )
        groups.update(cluster.slices)

    record(program)
    assert [(key, type(value)) for key, value in groups.items()] == [("train", TpuSlices)]


@pytest.mark.parametrize("component", COMPONENTS)
def test_other_resources_can_depend_on_a_cluster_and_on_its_node_pools(component: Any) -> None:
    urns: dict[str, Any] = {}

    def program() -> None:
        group = {"tpu": "v5e", "topology": "4x4", "zone": "us-central1-a", "count": 2}
        cluster = component("east", {**AT, "slices": {"train": group}})
        resources = {"cluster": cluster.resource, **cluster.node_pools, **cluster.slices["train"].node_pools}
        for name, resource in resources.items():
            assert isinstance(resource, pulumi.CustomResource)
            resource.urn.apply(lambda urn, name=name: urns.update({name: urn}))

    recording = record(program)
    pools = {pool.inputs["name"]: pool.urn for pool in recording.of_type(NODE_POOL)}
    assert urns == {"cluster": recording.one(CLUSTER).urn, **pools}
    assert len(pools) == (0 if component is AutopilotCluster else 3)


def test_wrong_arguments_are_an_error_of_input_properties() -> None:
    """The engine names the properties if a component provider of a user raises it."""
    with pytest.raises(pulumi.InputPropertiesError) as refused:
        record(lambda: TpuSlices("east/train", {"cluster": "east", **AT, **SLICE, "topology": "4x5"}))
    error = refused.value
    assert isinstance(error, FindingsError)
    assert error.message == "1 error in the arguments of TpuSlices `east/train`"
    assert [detail["property_path"] for detail in error.errors or ()] == ["topology"]
    assert "TPU112" in (error.errors or ())[0]["reason"]


# What a person sees


def test_the_package_offers_its_names_before_they_are_loaded() -> None:
    """And every type of an argument is among them."""
    arguments = {name for name in vars(args) if name.endswith("Args") and not name.startswith("_")}
    assert arguments <= set(dir(pulumi_gke_tpu)) == set(pulumi_gke_tpu.__all__)
    assert [name for name in pulumi_gke_tpu.__all__ if not hasattr(pulumi_gke_tpu, name)] == []
    assert set(dir(preview)) == set(preview.__all__)
    with pytest.raises(AttributeError, match=r"^module 'pulumi_gke_tpu' has no attribute 'TpuSlice'$"):
        _ = pulumi_gke_tpu.TpuSlice  # type: ignore[attr-defined]


@pytest.mark.parametrize("component", [*COMPONENTS, TpuSlices, TpuFleet])
def test_help_names_arguments_errors_and_what_a_name_means(component: Any) -> None:
    text = pydoc.plain(pydoc.render_doc(component))
    words = (
        "FindingsError",
        f"{component.__name__}Args",
        "``resource_name``",
        "``args``",
        "``opts``",
        "Args:",
        "moved:",
    )
    for word in words:
        assert word in text
    assert "The type of this resource" not in text
    assert " _" not in re.sub(r" __\w+__", "", text.partition("Methods inherited")[0])
    outputs = (
        ["pool_names"]
        if component is TpuSlices
        else ["kubeconfig_commands"]
        if component is TpuFleet
        else ["kubeconfig"]
    )
    for name in outputs:
        assert f" {name}\n" in text
