"""Programs with transforms, for the embedded preview and the real engine. ``seen`` collects their arguments."""

import asyncio
from collections.abc import Callable, Sequence

import pulumi
import pulumi_gcp as gcp

Seen = list[str]
Args = pulumi.ResourceTransformArgs
Result = pulumi.ResourceTransformResult | None
PROJECT = "acme-ml"


class Group(pulumi.ComponentResource):
    """A component of a user."""

    def __init__(self, name: str, **options: object) -> None:
        super().__init__("acme:index:Group", name, {"label": name}, pulumi.ResourceOptions(**options))  # type: ignore[arg-type]


def network(name: str, description: pulumi.Input[str] = "", **options: object) -> gcp.compute.Network:
    opts = pulumi.ResourceOptions(**options)  # type: ignore[arg-type]
    return gcp.compute.Network(name, name=name, project=PROJECT, description=description, opts=opts)


def marking(mark: str, seen: Seen) -> Callable[[Args], Result]:
    """Adds a mark to descriptions, so that the order shows."""

    def transform(args: Args) -> Result:
        seen.append(f"{mark} {args.type_} {args.name} {'custom' if args.custom else 'component'}")
        if "description" not in args.props:
            return None
        props = {**args.props, "description": f"{args.props['description']}{mark}"}
        return pulumi.ResourceTransformResult(props, args.opts)

    return transform


def in_order(seen: Seen) -> None:
    """A resource's own, its ancestors', the stack's; those of the stack only for what comes after them."""
    early = network("early", "early:")
    pulumi.runtime.register_resource_transform(marking("S", seen))
    outer = Group("outer", transforms=[marking("O", seen)])
    inner = Group("inner", parent=outer, transforms=[marking("I", seen), marking("J", seen)])
    network("deep", "deep:", parent=inner, transforms=[marking("x", seen), marking("y", seen)])
    network("plain", "plain:", parent=outer)
    pulumi.runtime.register_stack_transform(marking("T", seen))
    network("late", "late:", depends_on=[early])


def of_every_sort(seen: Seen) -> None:
    """Transforms that are asynchronous, that answer nothing, that leave the options out, that change in place."""

    async def slow(args: Args) -> Result:
        await asyncio.sleep(0)
        seen.append(f"slow {args.name}")
        return pulumi.ResourceTransformResult({**args.props, "mtu": 8896}, args.opts)

    def silent(args: Args) -> None:
        seen.append(f"silent {args.name} {args.props.get('mtu')}")

    def bare(args: Args) -> Result:
        return pulumi.ResourceTransformResult({**args.props, "routingMode": "GLOBAL"}, None)

    def in_place(args: Args) -> Result:
        args.opts.protect = True  # type: ignore[misc]
        args.props["autoCreateSubnetworks"] = False  # type: ignore[index]
        return pulumi.ResourceTransformResult(args.props, args.opts)

    network("all", "text", protect=False, transforms=[slow, silent, bare, in_place])
    network("none", "text", transforms=[silent])


def options_changed(seen: Seen) -> None:
    """Every option that a transform may change, and what children take over from a changed parent."""
    ours = gcp.Provider("ours", project=PROJECT)
    other = network("other")

    def change(args: Args) -> Result:
        seen.append(f"{args.name} protect={args.opts.protect} ignores={args.opts.ignore_changes}")
        changes = pulumi.ResourceOptions(
            custom_timeouts=pulumi.CustomTimeouts(create="300s"),
            delete_before_replace=True,
            depends_on=[other],
            ignore_changes=["description"],
            protect=True,
            provider=ours,
            replace_on_changes=["routingMode"],
            retain_on_delete=True,
        )
        return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, changes))

    def protect(args: Args) -> Result:
        if args.name != "kept":
            return None
        changes = pulumi.ResourceOptions(protect=True, retain_on_delete=True)
        return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, changes))

    def with_provider(args: Args) -> Result:
        if args.name != "provided":
            return None
        changes = pulumi.ResourceOptions(providers={"gcp": ours})
        return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, changes))

    network("changed", ignore_changes=["mtu"], transforms=[change])
    network("inherits", parent=Group("group", transforms=[change]))
    kept = Group("kept", transforms=[protect])
    network("kept-child", parent=kept)
    network("kept-not", parent=kept, protect=False)
    network("provided-child", parent=Group("provided", transforms=[with_provider]))


def values_of_every_sort(seen: Seen) -> None:
    """Values that are unknown, secret, or known from another resource: as outputs, where the engine makes them such."""

    def kinds(label: str) -> Callable[[Args], Result]:
        def transform(args: Args) -> Result:
            found = {key: _sort_of(value) for key, value in sorted(args.props.items())}
            seen.append(f"{label} {args.name} {found}")
            if label == "copy":
                return pulumi.ResourceTransformResult({**args.props, "privateIpGoogleAccess": True}, args.opts)
            return None

        return transform

    first = network("first", pulumi.Output.secret("hidden"), transforms=[kinds("look")])
    inside = Group("inside", transforms=[kinds("inherited")])
    # Own transforms of all sorts, none, and only inherited ones.
    for name, transforms in (("looked", ["look"]), ("copied", ["copy"]), ("twice", ["copy", "look"]), ("free", [])):
        _subnetwork(name, first, [kinds(label) for label in transforms])
    _subnetwork("below", first, [], inside)


def _subnetwork(
    name: str, above: gcp.compute.Network, transforms: Sequence[object], parent: pulumi.Resource | None = None
) -> None:
    gcp.compute.Subnetwork(
        name,
        name=name,
        project=PROJECT,
        region="us-east5",
        network=above.id,
        description=above.name.apply(lambda known: f"in {known}"),
        ip_cidr_range="10.0.0.0/20",
        secondary_ip_ranges=[{"range_name": above.self_link, "ip_cidr_range": "10.16.0.0/14"}],
        opts=pulumi.ResourceOptions(transforms=list(transforms), parent=parent),  # type: ignore[arg-type]
    )


def _sort_of(value: object) -> str:
    """The shape of a value, down to the outputs in it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_sort_of(item)}" for key, item in sorted(value.items())) + "}"
    if isinstance(value, list):
        return f"[{', '.join(_sort_of(item) for item in value)}]"
    return repr(value) if isinstance(value, str | bool | float) else type(value).__name__


def slices_changed(seen: Seen) -> None:
    """Our component in a program of a user."""
    from pulumi_gke_tpu import TpuSlices

    def label(args: Args) -> Result:
        seen.append(f"{args.name} {sorted(args.props)}")
        if not args.type_.endswith(":NodePool"):
            return None
        node = {**args.props["nodeConfig"], "labels": {"owner": "research"}}
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
        return pulumi.ResourceTransformResult({**args.props, "nodeConfig": node}, options)

    cluster = gcp.container.Cluster(
        "theirs", name="theirs", project=PROJECT, location="us-east5", initial_node_count=1, deletion_protection=False
    )
    TpuSlices(
        "theirs/train",
        {
            "project": PROJECT,
            "cluster": cluster.id,
            "location": "us-east5",
            "tpu": "v6e",
            "topology": "4x4",
            "zone": "us-east5-b",
            "count": 2,
        },
        pulumi.ResourceOptions(transforms=[label]),
    )


PROGRAMS: list[Callable[[Seen], None]] = [
    in_order,
    of_every_sort,
    options_changed,
    values_of_every_sort,
    slices_changed,
]
