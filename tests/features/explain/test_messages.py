"""Texts of failures are found wherever and however they were pasted, and nothing else is taken for one."""

import json
import pathlib
import re
import textwrap
import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.sampling import sample, size

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.messages import Message
from pulumi_gke_tpu.core.messages.pasted import plain, read_pasted
from pulumi_gke_tpu.core.messages.patterns import KINDS, part_names, with_parts
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.features.explain.messages.diagnosis import Diagnosis, diagnose

DATA = pathlib.Path(__file__).parents[2] / "data"
SAMPLES = {
    "zone": "us-east5-b",
    "region": "us-east5",
    "quota": "TPUS_PER_TPU_FAMILY",
    "code": "CODE_7",
    "topology": "4x8",
    "duration": "35m4.03s",
    "range": "10.90.0.0/17",
    "project": "acme-ml",
    "text": "some other words, here",
    "zones": "us-east5-a, us-east5-b",
    **dict.fromkeys(("count", "total", "needed", "limit", "requested", "capacity", "free"), "16"),
    **dict.fromkeys(("running", "transitioning"), "3"),
}
"""Values for the parts of patterns; every other part is a name."""


def rows() -> list[tuple[str, str]]:
    """The message that explains a text, and the text."""
    content = yaml.safe_load((DATA / "failure_texts.yaml").read_text(encoding="utf-8"))
    return [(id, text) for id, texts in content.items() for text in texts]


def public() -> list[tuple[str, str]]:
    """The message that is the cause of a text, and the text, of public threads."""
    content = yaml.safe_load((DATA / "public_texts.yaml").read_text(encoding="utf-8"))
    return [(id, text) for id, texts in content.items() for text in texts]


def unknown() -> list[str]:
    content: list[str] = yaml.safe_load((DATA / "unknown_texts.yaml").read_text(encoding="utf-8"))
    return content


def messages() -> dict[str, Message]:
    return {id: message for group in read_catalog().messages.values() for id, message in group.items()}


def patterns() -> list[tuple[str, str]]:
    return [(id, pattern) for id, message in messages().items() for pattern in message.patterns]


def filled(pattern: str) -> str:
    return with_parts(pattern, {name: SAMPLES.get(name, f"my-{name.replace('_', '-')}") for name in KINDS})


def found_in(text: str) -> set[str]:
    """The ids of the messages in a text; those that are not shown beside a more precise one count too."""
    shown = {message.id for message in diagnose(read_catalog(), text).messages}
    return shown | {id for id, message in messages().items() if shown & set(message.unless)}


def in_a_log(text: str) -> str:
    noise = "2026-11-29T03:12:45.123Z INFO controller: reconciled 12 objects\n"
    red = f"\x1b[1;31m{text[: len(text) // 2]}\x1b[0m{text[len(text) // 2 :]}"
    return f"{noise * 3}2026-11-29T03:12:46.001Z ERROR \x1b[31m✗\x1b[0m {red}\n{noise * 3}"


def in_json(text: str) -> str:
    inner = json.dumps({"message": text})
    return json.dumps({"textPayload": inner, "severity": "ERROR", "insertId": "1x"}, indent=2)


def in_a_narrow_terminal(text: str) -> str:
    """Broken after 40 columns wherever that is, in the box that Terraform and Pulumi draw."""
    return "\n".join(f"│ {line}" for line in textwrap.wrap(text, 40, break_on_hyphens=False)) + "\n╵\n"


def broken_within_words(text: str) -> str:
    return "\n".join(text[at : at + 37] for at in range(0, len(text), 37))


@each("id, text", rows)
def test_a_text_is_explained_by_its_message(id: str, text: str) -> None:
    assert id in found_in(text)


@each("id, text", public)
def test_the_first_message_of_a_public_text_is_its_cause(id: str, text: str) -> None:
    assert [known.id for known in diagnose(read_catalog(), text).messages][:1] == [id]


@pytest.mark.parametrize("dressed", [in_a_log, in_json, in_a_narrow_terminal])
def test_texts_are_found_in_logs_json_and_wrapped_lines(dressed: Any) -> None:
    tried = sample(rows(), 80, lambda row: row[0], of=dressed.__name__)
    missed = [f"{id}: {text}" for id, text in tried if id not in found_in(dressed(text))]
    assert missed == []


def test_there_are_enough_texts() -> None:
    """Every message has a text of its own in the table."""
    assert set(messages()) == {id for id, _ in rows()}
    assert len(messages()) >= 120
    assert len(unknown()) >= 30


@each("id, pattern", lambda: sample(patterns(), 120, lambda row: row[0]))
def test_every_wording_is_found_with_its_parts(id: str, pattern: str) -> None:
    found = diagnose(read_catalog(), f"It failed: {filled(pattern)}, and went on.").messages
    shown = {known.id: known for known in found}
    assert id in shown or shown.keys() & {*messages()[id].unless}
    if id in shown and "text" not in part_names(pattern):
        assert {*part_names(pattern)} <= {part.name for part in shown[id].parts}


def test_long_texts_are_found_although_words_are_broken() -> None:
    long = [(id, text) for id, text in rows() if len(text) > 90]
    missed = [id for id, text in long if not diagnose(read_catalog(), broken_within_words(text)).messages]
    assert len(missed) <= len(long) // 20, missed


def test_a_place_is_shown_as_the_text_has_it() -> None:
    for text in ('ProvisioningRequest failed: "x"', "Provisioning\nRequest failed", "a 'Provisioning Request' failed"):
        (known,) = diagnose(read_catalog(), text).messages
        assert known.excerpt in " ".join(text.split())
        assert " failed" in known.excerpt


@each("text", unknown)
def test_other_texts_are_unknown(text: str) -> None:
    assert [(known.id, known.excerpt) for known in diagnose(read_catalog(), text).messages] == []


def test_messages_of_one_text_are_those_of_each(catalog: Catalog) -> None:
    """A log with several failures has the messages of all of them that no other one says more precisely, and text of
    others between them changes nothing."""
    some = rows()[::9]
    text = "\n".join(f"{other}\n{each_text}" for (_, each_text), other in zip(some, unknown() * 9, strict=False))
    found, known = found_in(text), messages()
    assert {id for id, _ in some if found.isdisjoint(known[id].unless)} <= found


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (
            "Not all instances running in IGM after 35m. Expected 4, running 0, transitioning 4. Current errors: "
            "[GCE_STOCKOUT]: x; Quota 'TPUS_PER_TPU_FAMILY' exceeded. Limit: 0.0 in region us-east5.",
            ["quota-exceeded", "gke-stockout", "igm-not-running"],
        ),
        (
            "jobset failed due to reaching max number of restarts. Reason: OOMKilled",
            ["pod-oom", "jobset-max-restarts"],
        ),
        (
            "FailedScheduling 0/4 nodes are available: 4 Insufficient google.com/tpu. pod didn't trigger scale-up: "
            "1 max node group size reached",
            ["insufficient-tpu", "max-node-group-size", "failed-scheduling", "not-trigger-scale-up"],
        ),
    ],
)
def test_the_root_cause_is_first(catalog: Catalog, text: str, order: list[str]) -> None:
    assert [known.id for known in diagnose(catalog, text).messages] == order


def test_a_stockout_says_that_a_quota_can_be_behind_it(catalog: Catalog) -> None:
    alone = diagnose(catalog, "[GCE_STOCKOUT]").messages[0]
    both = diagnose(catalog, "[GCE_STOCKOUT] Quota 'X_CHIPS' exceeded. Limit: 0.0").messages
    assert alone.hidden == (messages()["quota-exceeded"].title,)
    assert [known.hidden for known in both] == [(), ()]


@pytest.mark.parametrize(
    ("text", "id", "parts"),
    [
        (
            "Quota 'TPU_LITE_PODSLICE_V5' exceeded.  Limit: 0.0 in region us-west4.",
            "quota-exceeded",
            {"quota": "TPU_LITE_PODSLICE_V5", "limit": "0.0", "region": "us-west4"},
        ),
        (
            'specific reservation "v6e-res" is insufficient for node pool "np4" at zone "us-central1-c": required 16 '
            "and short of 4 VM count of machine type ct6e-standard-4t.",
            "reservation-insufficient",
            {"reservation": "v6e-res", "pool": "np4", "zone": "us-central1-c", "requested": "16", "needed": "4"},
        ),
        (
            'topology "cubes" allows to fit only 3 out of 4 slice(s)',
            "kueue-topology",
            {"topology_name": "cubes", "free": "3", "requested": "4"},
        ),
        (
            'Maximum node count 8 is not a valid size of TPU pod slice with topology \\"4x4\\"',
            "pool-size-not-topology",
            {"count": "8", "topology": "4x4"},
        ),
    ],
)
def test_the_variable_parts_are_named(catalog: Catalog, text: str, id: str, parts: dict[str, str]) -> None:
    known = next(known for known in diagnose(catalog, text).messages if known.id == id)
    assert parts.items() <= {part.name: " ".join(part.values) for part in known.parts}.items()


def test_commands_have_the_values_of_the_text_and_name_the_others(catalog: Catalog) -> None:
    text = (
        "The zone 'projects/acme-ml/zones/us-east5-b' does not have enough resources available to fulfill the request."
    )
    known = diagnose(catalog, f"{text} https://x/clusters/train/nodePools/pretrain-0").messages[0]
    assert known.look[0].startswith(
        "gcloud container node-pools describe pretrain-0 --cluster=train --location=LOCATION --project=acme-ml "
    )
    assert known.needs == ("location",)


def test_a_text_that_resembles_a_message_is_unknown_with_the_nearest(catalog: Catalog) -> None:
    shown = diagnose(catalog, "not enough resources are in the zone us-east5-b to fulfill this request")
    assert shown.messages == ()
    assert "gke-stockout" in [near.id for near in shown.nearest]
    assert diagnose(catalog, "the quick brown fox jumps over the lazy dog").nearest == ()


def test_every_reference_of_a_message_exists(catalog: Catalog) -> None:
    known, rules = messages(), {rule.id for rule in all_rules()}
    assert sum(map(len, catalog.messages.values())) == len(known), "two messages have the same id"
    for id, message in known.items():
        assert set(message.rules) <= rules, id
        assert message.page in catalog.symptoms, id
        assert {*message.hides, *message.unless} <= set(known) - {id}, id
        assert message.look, id
    assert {message.page for message in known.values()} == set(catalog.symptoms)


@each("id, pattern", patterns)
def test_patterns_have_known_parts_and_begin_with_something_rare(id: str, pattern: str) -> None:
    assert set(part_names(pattern)) <= set(KINDS)
    assert pattern == " ".join(pattern.split())
    first = re.match(r"\{(\w+)\}", pattern)
    assert first is None or KINDS[first[1]] == KINDS["count"], "it would be tried at every place of a text"
    literal = max(re.split(r"\{\w+\}", pattern), key=len)
    assert len(literal.strip()) >= 5, "it would be found everywhere"


HOSTILE = {
    "one beginning": "Quota ",
    "numbers": "0/1",
    "escapes": "\x1b[",
    "backslashes": "\\",
    "escaped quotation marks": "\\u0022",
    "boxes": "│ ",
    "one word": "a",
    "blank lines": "\n",
    "zones": "us-east5-b ",
    "beginnings of patterns": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_time_in_proportion_to_their_length(catalog: Catalog, name: str) -> None:
    """The limit is far above what 2 MB need, and far below what anything else than proportional work would need."""
    beginnings = " ".join(pattern.partition("{")[0] for _, pattern in patterns()[::20])
    unit = HOSTILE[name] or beginnings
    started = time.process_time()
    assert isinstance(diagnose(catalog, unit * (size(2_000_000) // len(unit))), Diagnosis)
    assert time.process_time() - started < size(20)


def test_no_control_character_reaches_the_output(catalog: Catalog) -> None:
    text = (
        "Quota 'A\x1b]0;x\x07B\u202e' exceeded. Limit: \x9b31m0.0 in region us-east5. reservation \x00x\x08 not found"
    )
    shown = json.dumps([known.excerpt for known in diagnose(catalog, text).messages], ensure_ascii=False)
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        (
            "0/12 nodes are available: 12 node(s) didn't match Pod's node affinity/selector.",
            "12 node(s) didn't match Pod's node affinity/selector",
        ),
        (
            '{"message": "Quota \'TPUS_PER_TPU_FAMILY\' exceeded.  Limit: 32.0 in region us-east5."}',
            "Quota 'TPUS_PER_TPU_FAMILY' exceeded. Limit: 32.0 in region us-east5",
        ),
    ],
)
def test_an_excerpt_has_the_quotation_marks_of_the_text(text: str, excerpt: str) -> None:
    assert diagnose(read_catalog(), text).messages[0].excerpt == excerpt


@given(st.text("ab '\"`\u2019\n>| ", max_size=14))
def test_the_text_that_is_searched_is_the_pasted_one_without_quotation_marks(text: str) -> None:
    pasted = read_pasted(text)
    assert pasted.text == " ".join(plain(text).split())
    for start in range(len(pasted.text)):
        shown = pasted.with_quotes(start, len(pasted.text))
        assert re.sub("['\"`\u2019]", "", shown).split() == pasted.text[start:].split()
