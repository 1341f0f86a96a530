"""The embedded engine: unknown values, hidden values, failures, and no effect on other programs."""

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.recording import record

from pulumi_gke_tpu.preview import Graph, Unknown, plain, run_program

ADDRESS = "gcp:compute/address:Address"
ROUTER = "gcp:compute/router:Router"
PREFIX = "urn:pulumi:preview::gke-tpu::"


class Group(pulumi.ComponentResource):
    """A component, so that URNs have ancestors."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("acme:index:Group", name, {}, opts)


def address(key: str, **properties: Any) -> gcp.compute.Address:
    return gcp.compute.Address(key, project="acme-ml", **properties)


def inputs(graph: Graph, name: str) -> Any:
    (found,) = (resource for resource in graph.resources if resource.name == name)
    return found.inputs


# Values


def test_outputs_stay_unknown_and_name_where_they_come_from() -> None:
    def program() -> None:
        first, second = address("first"), address("second")
        address(
            "third",
            address=first.address,
            description=pulumi.Output.concat(first.address, "/", second.address),
            labels={"plain": "text", "both": pulumi.Output.all(second.id, first.id).apply(str)},
            name=first.name,
        )

    third = inputs(run_program(program), "third")
    first, second = (f"{PREFIX}{ADDRESS}::{name}" for name in ("first", "second"))
    assert third["address"] == Unknown((first,))
    assert third["description"] == Unknown((first, second))
    assert third["labels"] == {"plain": "text", "both": Unknown((first, second))}
    assert third["project"] == "acme-ml"
    assert plain(third)["address"] == {"$unknown": [first]}


def test_known_values_are_returned() -> None:
    """An engine in preview answers with the inputs, so a name that was given is known."""

    def program() -> None:
        first = address("first", name="given")
        address("second", name=first.name.apply(lambda name: f"{name}-too"))

    assert inputs(run_program(program), "second")["name"] == "given-too"


def test_numbers_and_emptiness_are_kept() -> None:
    def program() -> None:
        gcp.compute.Router("router", network="n", bgp={"asn": 64514, "keepalive_interval": 0, "advertised_groups": []})

    bgp = inputs(run_program(program), "router")["bgp"]
    assert bgp == {"asn": 64514, "keepaliveInterval": 0, "advertisedGroups": []}
    assert type(bgp["asn"]) is int


def test_a_resource_that_is_read_is_none_of_the_program() -> None:
    def program() -> None:
        theirs = gcp.compute.Network.get("theirs", "projects/acme-ml/global/networks/theirs")
        platform = pulumi.StackReference("acme/platform/prod")
        gcp.compute.Router("router", network=theirs.id, name=theirs.name, description=platform.get_output("text"))

    graph = run_program(program)
    assert [resource.name for resource in graph.resources] == ["router"]
    router = inputs(graph, "router")
    assert router["network"] == "projects/acme-ml/global/networks/theirs"
    assert isinstance(router["name"], Unknown)
    assert isinstance(router["description"], Unknown)


NETWORK_OF_OTHERS = "gcp:compute/getNetwork:getNetwork"


def test_what_a_function_answers_is_unknown_unless_it_is_given() -> None:
    def program() -> None:
        gcp.compute.Router("router", network=gcp.compute.get_network_output(name="theirs").self_link)

    answers = {NETWORK_OF_OTHERS: {"selfLink": "projects/p/global/networks/theirs"}}
    assert isinstance(inputs(run_program(program), "router")["network"], Unknown)
    known = inputs(run_program(program, functions=answers), "router")["network"]
    assert known == "projects/p/global/networks/theirs"


def test_an_answer_that_is_needed_at_once_has_to_be_given() -> None:
    def program() -> None:
        gcp.compute.Router("router", network=gcp.compute.get_network(name="theirs").self_link)

    answers = {NETWORK_OF_OTHERS: {"selfLink": "there"}}
    assert inputs(run_program(program, functions=answers), "router")["network"] == "there"
    with pytest.raises(LookupError, match=f"needs what {NETWORK_OF_OTHERS} answers"):
        run_program(program)


@pytest.mark.parametrize("place", ["whole", "in a mapping", "in a list", "in an apply", "of a component"])
def test_secrets_never_show(place: str) -> None:
    def program() -> None:
        secret = pulumi.Output.secret("hunter2")
        if place == "whole":
            address("a", description=secret)
        elif place == "in a mapping":
            address("a", labels={"password": secret})
        elif place == "in a list":
            gcp.compute.Firewall("a", network="n", source_ranges=["10.0.0.0/8", secret])
        elif place == "in an apply":
            address("a", description=secret.apply(lambda text: f"<{text}>"))
        else:
            pulumi.ComponentResource("acme:index:Safe", "a", {"deep": {"er": [secret]}})

    graph = run_program(program)
    assert "hunter2" not in repr(graph)
    assert "hunter2" not in str([plain(resource.inputs) for resource in graph.resources])
    assert "Unknown" in repr(inputs(graph, "a"))


# Configuration


def test_a_program_gets_its_configuration_as_the_engine_passes_it() -> None:
    """The texts are those that the Pulumi CLI gives a program for the same values in Pulumi.STACK.yaml."""
    seen: dict[str, Any] = {}

    def program() -> None:
        ours, theirs = pulumi.Config(), pulumi.Config("gcp")
        seen.update({name: ours.get(name) for name in ("text", "number", "share", "flag", "nothing", "all", "absent")})
        seen.update(project=theirs.require("project"), int=ours.require_int("number"), bool=ours.require_bool("flag"))
        address("a", description=ours.require_object("all")["zones"][1])

    config = {
        "gcp:project": "acme-ml",
        "acme:text": "2026",
        "acme:number": 3,
        "share": 1.50,
        "acme:flag": True,
        "acme:nothing": None,
        "acme:all": {"zones": ("a", "b"), "deep": {"er": [1, None]}},
    }
    graph = run_program(program, project="acme", config=config)
    assert seen == {
        "text": "2026",
        "number": "3",
        "share": "1.5",
        "flag": "true",
        "nothing": "",
        "all": '{"zones":["a","b"],"deep":{"er":[1,null]}}',
        "absent": None,
        "project": "acme-ml",
        "int": 3,
        "bool": True,
    }
    assert inputs(graph, "a")["description"] == "b"


def test_secrets_of_the_configuration_are_secret_outputs() -> None:
    seen: list[object] = []

    def program() -> None:
        ours = pulumi.Config("acme")
        address("a", description=ours.require_secret("password"))
        address("b", description=ours.require_secret_object("all").apply(lambda value: value["inner"]))
        ours.require_secret("password").apply(seen.append)
        seen.extend(pulumi.runtime.is_config_secret(f"acme:{name}") for name in ("password", "all", "zone"))
        seen.append(ours.require_object("all"))

    config = {
        "acme:password": {"secure": "hunter2"},
        "acme:all": {"inner": {"secure": "hunter3"}, "list": [{"secure": "a", "and": 1}]},
        "acme:zone": "us-east5-b",
    }
    graph = run_program(program, config=config)
    assert [type(inputs(graph, name)["description"]) for name in "ab"] == [Unknown, Unknown]
    assert "hunter" not in repr(graph)
    whole = {"inner": "hunter3", "list": [{"secure": "a", "and": 1}]}
    assert seen[:4] == [True, True, False, whole]
    assert seen[4:] == ["hunter2"]


def test_the_configuration_of_one_program_is_none_of_another() -> None:
    found: list[str | None] = []

    def program() -> None:
        found.append(pulumi.Config("acme").get("zone"))

    def surrounding() -> None:
        pulumi.runtime.set_all_config({"acme:zone": "surrounding"})
        run_program(program, config={"acme:zone": "inside"})
        run_program(program, config={})
        program()

    in_a_fresh_context(surrounding)
    assert found == ["inside", None, "surrounding"]


@pytest.mark.parametrize("value", [object(), float("nan"), {"deep": [b"bytes"]}])
def test_a_value_that_no_stack_file_has_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match=r"config `acme:zone` has a value that no stack file has: .*\. Secrets: "):
        run_program(lambda: None, config={"acme:zone": value})


# URNs and options


def test_urns_have_the_types_of_all_ancestors_and_no_names() -> None:
    def program() -> None:
        outer = Group("outer")
        inner = Group("inner", pulumi.ResourceOptions(parent=outer))
        address("deep", opts=pulumi.ResourceOptions(parent=inner))
        address("flat")

    graph, recording = run_program(program, project="acme", stack="prod"), record(program, project="acme", stack="prod")
    group = "acme:index:Group"
    assert [resource.urn for resource in graph.resources] == [
        f"urn:pulumi:prod::acme::{group}${group}${ADDRESS}::deep",
        f"urn:pulumi:prod::acme::{group}${group}::inner",
        f"urn:pulumi:prod::acme::{group}::outer",
        f"urn:pulumi:prod::acme::{ADDRESS}::flat",
    ]
    assert {resource.urn for resource in graph.resources} == {item.urn for item in recording}
    parents = {resource.name: resource.parent.rpartition("::")[2] for resource in graph.resources}
    assert parents == {"deep": "inner", "inner": "outer", "outer": "", "flat": ""}
    assert [resource.name for resource in graph.resources if resource.component] == ["inner", "outer"]


def test_every_option_of_a_registration_is_kept() -> None:
    def program() -> None:
        first = address("first")
        provider = gcp.Provider("ours", project="acme-ml")
        options = pulumi.ResourceOptions(
            protect=False,
            delete_before_replace=True,
            replace_on_changes=["addressType", "labels"],
            ignore_changes=["description"],
            retain_on_delete=True,
            custom_timeouts=pulumi.CustomTimeouts(create="5m", delete="600s"),
            aliases=[pulumi.Alias(name="before"), pulumi.Alias(name="other", type_="a:b:C"), "urn:pulumi:a::b::c::d"],
            depends_on=[first],
            provider=provider,
        )
        gcp.compute.Address("second", opts=options)

    graph = run_program(program)
    (second,) = (resource for resource in graph.resources if resource.name == "second")
    options = second.options
    assert (options.protect, options.delete_before_replace, options.retain_on_delete) == (False, True, True)
    assert (options.replace_on_changes, options.ignore_changes) == (("addressType", "labels"), ("description",))
    assert options.custom_timeouts == (("create", "5m"), ("delete", "600s"))
    assert options.aliases == ("name=before", "name=other, type=a:b:C", "urn:pulumi:a::b::c::d")
    assert options.depends_on == (f"{PREFIX}{ADDRESS}::first",)
    assert options.provider.startswith(f"{PREFIX}pulumi:providers:gcp::ours::")


def test_options_that_are_not_given_are_not_there() -> None:
    (only,) = run_program(lambda: address("only")).resources
    options = only.options
    assert (options.protect, options.retain_on_delete, options.delete_before_replace) == (None, None, None)
    assert (only.options.aliases, only.options.depends_on, only.options.custom_timeouts) == ((), (), ())


def test_a_graph_gives_resources_by_urn_and_type() -> None:
    graph = run_program(lambda: (address("b"), address("a"), gcp.compute.Router("r", network="n")))
    assert [resource.name for resource in graph.of_type(ADDRESS)] == ["a", "b"]
    assert graph[f"{PREFIX}{ROUTER}::r"].name == "r"
    with pytest.raises(KeyError):
        graph["urn:pulumi:preview::gke-tpu::gcp:compute/router:Router::other"]


# Programs


def test_asynchronous_programs_run() -> None:
    async def program() -> None:
        await asyncio.sleep(0)
        address("late")

    assert [resource.name for resource in run_program(program).resources] == ["late"]


def test_resources_made_in_an_apply_are_there() -> None:
    def program() -> None:
        address("first", name="a").name.apply(lambda name: address(f"from-{name}") and None)

    assert [resource.name for resource in run_program(program).resources] == ["first", "from-a"]


def test_a_program_without_resources_is_an_empty_graph() -> None:
    assert run_program(lambda: None) == Graph(())


def test_two_resources_with_one_urn_are_an_error() -> None:
    with pytest.raises(Exception, match=f"two resources have the URN {PREFIX}{ADDRESS}::same".replace("$", r"\$")):
        run_program(lambda: (address("same"), address("same")))


def test_a_failure_is_reported_once(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """Not once more for every resource that fails for the same reason."""
    with pytest.raises(Exception, match="two resources have the URN"):
        run_program(lambda: [address("same") for _ in range(20)])
    gc.collect()
    written = capfd.readouterr()
    assert (caplog.text, written.out, written.err) == ("", "", "")


@pytest.mark.parametrize("kind", ["plain", "asynchronous", "in an apply", "system exit"])
def test_what_a_program_raises_comes_out(kind: str) -> None:
    def fail(*_: object) -> None:
        raise SystemExit(3) if kind == "system exit" else LookupError("in the program")

    async def later() -> None:
        fail()

    def program() -> object:
        address("before", name="a")
        if kind == "in an apply":
            pulumi.Output.from_input("known").apply(fail)
            return None
        return later() if kind == "asynchronous" else fail()

    with pytest.raises(SystemExit if kind == "system exit" else LookupError):
        run_program(program)


def test_a_failed_program_leaves_the_next_one_alone() -> None:
    with pytest.raises(ZeroDivisionError):
        run_program(lambda: address("a") and 1 // 0)
    assert [resource.name for resource in run_program(lambda: address("a")).resources] == ["a"]


# Isolation


class Answers(pulumi.runtime.Mocks):
    """A provider as people mock it in tests of their own."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        return f"{args.name}-id", {**args.inputs, "address": f"10.0.0.{len(args.name)}"}

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        return {}, None


def in_a_fresh_context(function: Callable[[], None]) -> None:
    """Mocks are set for good in the context in which that happens, so it gets a thread of its own."""
    failures: list[BaseException] = []

    def run() -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            function()
        except BaseException as failure:
            failures.append(failure)
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    gc.collect()
    if failures:
        raise failures[0]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the SDK's mocks leave their event loops open
def test_a_test_with_mocks_goes_on_as_if_nothing_had_been() -> None:
    seen: dict[str, Any] = {}

    def test_of_somebody() -> None:
        pulumi.runtime.set_mocks(Answers(), project="theirs", stack="test", preview=False)

        @pulumi.runtime.test
        def body() -> Any:
            before = address("before")
            graph = run_program(lambda: address("inside", description=address("other").address))
            seen["graph"] = [resource.urn for resource in graph.resources]
            seen["place"] = (pulumi.get_project(), pulumi.get_stack(), pulumi.runtime.is_dry_run())
            after = address("after", description=before.address)
            return pulumi.Output.all(before.address, after.description, after.id, after.urn).apply(
                lambda values: seen.update(values=values)
            )

        body()

    in_a_fresh_context(test_of_somebody)
    assert seen["graph"] == [f"{PREFIX}{ADDRESS}::inside", f"{PREFIX}{ADDRESS}::other"]
    assert seen["place"] == ("theirs", "test", False)
    *values, urn = seen["values"]
    assert values == ["10.0.0.6", "10.0.0.6", "after-id"]
    assert urn.startswith("urn:pulumi:test::theirs::")


def test_a_program_can_preview_another_one() -> None:
    inside: list[str] = []

    def program() -> None:
        address("outer")
        inside.extend(resource.name for resource in run_program(lambda: address("inner")).resources)
        address("outer-too")

    assert [resource.name for resource in run_program(program).resources] == ["outer", "outer-too"]
    assert inside == ["inner"]


def test_previews_run_side_by_side() -> None:
    graphs: dict[int, Graph] = {}
    together = threading.Barrier(4)

    def preview(number: int) -> None:
        def program() -> None:
            together.wait(30)
            first = address(f"a{number}")
            for index in range(20):
                address(f"b{number}-{index}", description=first.address)

        graphs[number] = run_program(program, stack=f"s{number}")

    threads = [threading.Thread(target=preview, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        resources = graphs[number].resources
        assert len(resources) == 21
        assert all(resource.urn.startswith(f"urn:pulumi:s{number}::gke-tpu::") for resource in resources)
        assert inputs(graphs[number], f"b{number}-7")["description"].urns == (
            f"urn:pulumi:s{number}::gke-tpu::{ADDRESS}::a{number}",
        )


def test_the_order_of_registration_does_not_show() -> None:
    def program(names: str) -> Callable[[], None]:
        return lambda: [address(name) for name in names] and None

    assert run_program(program("abc")) == run_program(program("cab"))
