"""Engine events: what is read of them, what is refused, and that no file can do harm or give a secret away."""

import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engine_samples import (
    MARK,
    POOL_TYPE,
    SECRET_MARK,
    STACK,
    digest,
    end,
    lines,
    prelude,
    protected,
    replaced,
    said,
    step,
    stream,
    urn,
)

from pulumi_gke_tpu.features.diff.engine.events import MOST_SAID, EngineRun, read_engine_events
from pulumi_gke_tpu.features.diff.engine.json import EventsError

RUN = [
    step("a", "same"),
    step("b", "update", "autoscaling.maxNodeCount"),
    *replaced("c", "placementPolicy.tpuTopology"),
    said("warning", "careful"),
    step("d", "delete"),
]


def operations(run: EngineRun) -> dict[str, tuple[str, bool | None, list[str]]]:
    return {step.urn.rsplit("::", 1)[1]: (step.operation, step.delete_first, list(step.paths)) for step in run.steps}


# What is read


def test_steps_are_folded_into_one_for_each_resource() -> None:
    run = read_engine_events(stream(*RUN))
    assert (run.stack, run.form, run.result) == ("prod", "stream", "succeeded")
    assert operations(run) == {
        "a": ("same", None, []),
        "b": ("update", None, ["autoscaling.maxNodeCount"]),
        "c": ("replace", True, ["placementPolicy.tpuTopology"]),
        "d": ("delete", None, []),
    }


def test_the_order_of_a_replacement_is_that_of_its_steps() -> None:
    run = read_engine_events(stream(*replaced("c", delete_first=False)))
    assert operations(run)["c"] == ("replace", False, [])


def test_what_is_replaced_under_another_urn_is_one_resource() -> None:
    went, came = step("a", "delete-replaced"), step("b", "create-replacement", old={"urn": urn("a"), "custom": True})
    (found,) = read_engine_events(stream(went, came)).steps
    assert (found.urn, found.former_urn, found.operation, found.delete_first) == (urn("b"), urn("a"), "replace", True)


def test_a_resource_deleted_with_another_one_and_not_created_again_is_deleted() -> None:
    run = read_engine_events(stream(step("c", "delete-replaced"), step("c", "remove-pending-replace")))
    assert operations(run)["c"] == ("delete", None, [])


def test_a_digest_leaves_out_order_and_what_stays() -> None:
    run = read_engine_events(digest(*RUN))
    assert (run.stack, run.form, run.result) == ("prod", "digest", "succeeded")
    assert operations(run) == {
        "b": ("update", None, ["autoscaling.maxNodeCount"]),
        "c": ("replace", None, ["placementPolicy.tpuTopology"]),
        "d": ("delete", None, []),
    }
    assert [note.message for note in run.diagnostics] == ["careful"]


def test_a_digest_with_an_error_failed() -> None:
    run = read_engine_events(digest(said("error", "no such zone", urn("a"))))
    assert (run.result, run.errs, run.failed_at) == ("failed", True, {urn("a")})


def test_results_of_a_refresh_are_not_planned() -> None:
    run = read_engine_events(digest(step("a", "refresh"), step("b", "update", "nodeCount"), step("b", "create")))
    assert operations(run) == {"b": ("create", None, [])}
    assert operations(read_engine_events(stream(step("a", "refresh"), step("a", "same")))) == {"a": ("same", None, [])}


def test_after_a_refresh_in_a_digest_the_second_update_of_a_resource_is_the_plan() -> None:
    found, planned = step("b", "update", "nodeCount"), step("b", "update", "nodeConfig")
    run = read_engine_events(digest(step("a", "refresh"), found, step("c", "create"), planned))
    assert operations(run) == {"c": ("create", None, []), "b": ("update", None, ["nodeConfig"])}


def test_without_a_detailed_difference_the_top_level_properties_count() -> None:
    run = read_engine_events(stream(step("a", "update", diffs=["nodeConfig"])))
    assert operations(run)["a"] == ("update", None, ["nodeConfig"])


def test_an_alias_keeps_the_former_urn() -> None:
    run = read_engine_events(stream(step("new", "same", old={"urn": urn("old"), "custom": True})))
    assert [found.former_urn for found in run.steps] == [urn("old")]


@pytest.mark.parametrize("form", [stream, digest])
@pytest.mark.parametrize(
    ("message", "refused", "replacing"),
    [
        (f'unable to replace resource "{urn("a")}"\nas it is currently marked for protection.', {urn("a")}, set()),
        (f'Preview failed: resource "{urn("a")}" cannot be deleted\nbecause it is protected.', {urn("a")}, set()),
        (
            f'unable to replace resource "{urn("a")}" as part of replacing "{urn("b")}" as it is currently marked for '
            "protection.",
            {urn("a")},
            {urn("b")},
        ),
    ],
)
def test_a_rejection_is_not_another_error(form: Any, message: str, refused: set[str], replacing: set[str]) -> None:
    run = read_engine_events(form(said("error", message, urn("a")), said("error", "preview failed")))
    assert (run.refused, run.replacing, run.failed_at, run.errs) == (refused, replacing, frozenset(), False)


def test_policies() -> None:
    event = {
        "policyName": "spot",
        "policyPackName": "pack",
        "policyPackVersion": "0.1.0",
        "enforcementLevel": "mandatory",
        "resourceUrn": urn("a"),
        "message": "<{%fg 1%}>no\nspot<{%reset%}>\x1b[31m\u202e",
    }
    run = read_engine_events(lines(prelude(), {"policyEvent": event}, {"policyEvent": event}, *end(pack="0.1.0")))
    (policy,) = run.policies
    assert (policy.pack, policy.policy, policy.level, policy.resource) == ("pack v0.1.0", "spot", "mandatory", "a")
    assert policy.message == "no spot"
    assert run.packs == ("pack v0.1.0",)


def test_debug_messages_are_passed_over_and_others_counted() -> None:
    many = [said("warning", f"number {number}") for number in range(MOST_SAID + 7)]
    run = read_engine_events(stream(said("debug", "x"), said("info", "y"), *many))
    assert (len(run.diagnostics), run.left_out) == (MOST_SAID, 7)


def test_a_urn_in_a_message_is_shown_as_a_name() -> None:
    (shown,) = read_engine_events(stream(protected("east/a"))).diagnostics
    assert shown.resource == "east/a"
    assert shown.message.startswith('unable to replace resource "east/a" as it is currently marked for protection.')


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\n\n" + content + b"\n",
        lambda content: content.decode().encode("utf-16"),
        lambda content: content.replace(b'{"sequence"', b'{"newEvent": {"x": 1}, "sequence"'),
    ],
    ids=["BOM", "CRLF", "empty lines", "UTF-16", "events to come"],
)
def test_spellings(change: Any) -> None:
    assert read_engine_events(change(stream(*RUN))) == read_engine_events(stream(*RUN))


@pytest.mark.parametrize("left", [lambda content: content[:-200], lambda content: content.rsplit(b"\n", 3)[0] + b"\n"])
def test_a_run_that_was_killed_is_cut_off(left: Any) -> None:
    run = read_engine_events(left(stream(*RUN)))
    assert run.result == "cut off"
    assert operations(run)["b"][0] == "update"


# What is refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b" \n\n", "it is empty"),
        (b"\xff\xfe\xff", "line 1: it is not UTF-8 text"),
        (stream() + b"\xff\n", "line 4: it is not UTF-8 text"),
        (b"Previewing update (prod)\n", "line 1: it is not JSON"),
        (b"warning: x\n" + stream(), "line 1: it is not JSON"),
        (
            lines(prelude()) + b"oops\n" + lines(*end()),
            "line 2: it is not JSON; the file must contain only the standard output of `pulumi preview --json`",
        ),
        (b"[]", "line 1: it is neither"),
        (b"3\n", "line 1: it is neither"),
        (b'{"version": 1}', "line 1: it is neither"),
        (lines(prelude()) + b"[1]\n", "line 2: it is not an event"),
        (digest(*RUN)[:-30], r"line \d+: it is cut off in the middle"),
        (digest(*RUN) + digest(*RUN), r"line \d+: a second document starts"),
        (stream(*RUN) + stream(*RUN), "line 11: a second run starts"),
        (lines(prelude(), prelude()), "line 2: a second run starts"),
        (stream(step("a", "same"), step("b", "same", of=f"urn:pulumi:dev::p::{POOL_TYPE}::b")), "more than one stack"),
        (b'{"sequence": 1, "sequence": 2, "cancelEvent": {}}\n', "line 1: duplicate key in an object"),
        (lines(prelude()) + b'{"cancelEvent": {}, "cancelEvent": {}}\n', "line 2: duplicate key in an object"),
        (b'{"sequence": NaN, "cancelEvent": {}}', "line 1: NaN is not JSON"),
        (b'{"steps": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"sequence": 1, "preludeEvent": ' + b'{"a": ' * 100_000, "line 1: it is nested too deeply"),
        (stream(step("a", "Update!")), "line 2: op: unknown operation Update!"),
        (stream(step("a", "same", of="urn:x")), "line 2: urn: urn:x is not a URN"),
        (stream(step("a", "same", of="\x1b[2J")), r"line 2: urn: \\x1b\[2J is not a URN"),
        (stream(step("a", "update", "p", kind="wild")), "line 2: detailedDiff of p: diffKind is one of"),
        (stream(step("a", "update", diffs="p")), "line 2: diffs: it must be a list of strings"),
        (stream(step("a", "update", old=[])), "line 2: old: it must be an object"),
        (lines({"resourcePreEvent": {"metadata": {}}}), "line 1: it is a step of `pulumi up`"),
        (lines({"summaryEvent": {"isPreview": False, "result": "succeeded"}}), "line 1: it is the end of `pulumi up`"),
        (lines({"summaryEvent": {"isPreview": True, "result": "fine"}}), "line 1: result: unknown result fine"),
        (lines({"preludeEvent": None}), "line 1: preludeEvent: it must be an object"),
        (lines(said("error", "x", "wrong")), "line 1: urn: wrong is not a URN"),
        (lines({"policyEvent": {"enforcementLevel": "strict"}}), "line 1: enforcementLevel: unknown level strict"),
        (b'{"steps": {}}', "steps: it must be a list"),
        (b'{"steps": [3]}', r"steps\[0\]: it must be an object"),
        (b'{"steps": [], "diagnostics": [{"severity": []}]}', r"diagnostics\[0\]: severity: it must be a string"),
    ],
)
def test_anything_else_is_one_clear_error(content: bytes, message: str) -> None:
    with pytest.raises(EventsError, match=message) as raised:
        read_engine_events(content)
    assert str(raised.value).isprintable()


def read_or_refused(content: bytes) -> EngineRun | None:
    """The result of a file: a run, or an error that is safe to print; no other exception."""
    try:
        return read_engine_events(content)
    except EventsError as refused:
        message = str(refused)
    assert [character for character in message if unicodedata.category(character)[0] == "C"] == []
    assert len(message) < 1000
    return None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from([urn("a"), "same"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
KEYS = ["op", "urn", "old", "new", "detailedDiff", "diffs", "metadata", "planning", "severity", "message", "config"]
KINDS = ["resourcePreEvent", "diagnosticEvent", "policyEvent", "preludeEvent", "summaryEvent", "errorEvent", "xEvent"]
PARTS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5)
EVENTS = st.dictionaries(
    st.sampled_from(KINDS), PARTS | JSON | st.fixed_dictionaries({"metadata": PARTS, "planning": st.just(True)})
)
DIGESTS = st.dictionaries(st.sampled_from(["steps", "diagnostics", "config"]), JSON | st.lists(PARTS, max_size=3))


@given(st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    assert read_or_refused(content) is None or content


@given(st.lists(EVENTS, min_size=1, max_size=4))
def test_any_events(events: list[Any]) -> None:
    run = read_or_refused("".join(json.dumps({"sequence": 1, **event}) + "\n" for event in events).encode())
    assert run is None or run.form == "stream"


@given(DIGESTS)
def test_any_digest(document: Any) -> None:
    run = read_or_refused(json.dumps(document).encode())
    assert run is None or run.form == "digest"


@given(st.integers(min_value=1, max_value=len(stream(*RUN))), st.sampled_from([stream, digest]))
def test_cut_anywhere(size: int, form: Any) -> None:
    run = read_or_refused(form(*RUN)[:size])
    assert run is None or {step.operation for step in run.steps} <= {"same", "update", "replace", "delete"}


# Secrets


def marked(secret: str) -> Any:
    return {MARK: SECRET_MARK, "plaintext": json.dumps(secret)}


SECRETS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: re.search(r"\w", text) and len(text) >= 4 and text not in "[secret][secret]" and "secret" not in text
)


@given(SECRETS, st.sampled_from([stream, digest]))
def test_no_text_that_is_marked_as_secret_is_kept(secret: str, form: Any) -> None:
    event = step("a", "update", f'nodeConfig.labels["{secret}"]', new={"inputs": {"x": [marked(secret)]}})
    run = read_engine_events(form(said("warning", f"got {secret}!"), event, said("error", f"{secret}\n{secret}")))
    kept = [note.message for note in run.diagnostics] + [path for found in run.steps for path in found.paths]
    assert len(kept) == 3
    assert not [text for text in kept if secret in text]


@given(SECRETS.filter(lambda text: text.lower() not in ("true", "false", "null", "none")))
def test_no_configuration_is_kept(value: str) -> None:
    config = {"a": value, "b": json.dumps({"c": [f"{value}-in-json"]})}
    run = read_engine_events(lines(prelude(**config), said("error", f"no {value}, no {value}-in-json"), *end("failed")))
    assert value not in run.diagnostics[0].message


def test_a_secret_across_the_end_of_what_is_looked_at_is_not_begun() -> None:
    secret = "s3cr3t-" * 10
    event = step("a", "same", new={"inputs": {"x": marked(secret)}})
    run = read_engine_events(stream(event, said("error", secret * 250 + "x" * 2_470 + secret)))
    assert "s3cr3t" not in run.diagnostics[0].message


def test_secrets_hidden_by_colors_and_line_breaks() -> None:
    event = step("a", "same", new={"outputs": {"key": marked("top hidden")}})
    run = read_engine_events(stream(event, said("error", "top\nhidden"), said("error", "top \x1b[1mhid<{%bold%}>den")))
    assert [note.message for note in run.diagnostics] == ["[secret]", "[secret]"]


def test_short_secrets_are_found_as_words() -> None:
    event = step("a", "same", new={"inputs": {"pin": marked("17")}})
    run = read_engine_events(stream(event, said("warning", "pin 17, port 1723")))
    assert run.diagnostics[0].message == "pin [secret], port 1723"


def test_unknown_values_are_called_unknown() -> None:
    run = read_engine_events(stream(said("warning", "id 04da6b54-80e4-46f7-96ec-b56ff0331ba9")))
    assert run.diagnostics[0].message == "id [unknown]"


def test_nothing_of_inputs_and_outputs_is_kept() -> None:
    state = {"inputs": {"name": "input-value"}, "outputs": {"id": "output-value"}, "custom": True}
    run = read_engine_events(stream(step("a", "create", new=state, old=state)))
    assert STACK in str(run)
    assert "-value" not in str(run)
