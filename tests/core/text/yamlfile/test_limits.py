"""Documents made to hurt: each ends soon, with one clear error."""

from collections.abc import Callable

import pytest
import yaml
from support.work import function_calls, no_hang

from pulumi_gke_tpu.core.text.yamlfile import YamlFile, YamlProblem, build, parse_yaml


def first(text: str) -> str:
    """The rule of the first finding."""
    with no_hang(), pytest.raises(YamlProblem) as caught:
        parse_yaml(text.encode(), "plan.yaml")
    return caught.value.findings[0].rule


def anchors(count: int, line: Callable[[int], str]) -> str:
    return "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} {line(i - 1)}\n" for i in range(1, count))


HURTFUL = {
    "a million brackets": ("[" * 1_000_000, "TPU008"),
    "a million braces": ("{a: " * 1_000_000, "TPU008"),
    "a million dashes": ("- " * 1_000_000, "TPU008"),
    "deep blocks": ("\n".join(" " * i + "a:" for i in range(2000)), "TPU008"),
    "a billion laughs": (anchors(50, lambda i: f"[*a{i}, *a{i}, *a{i}, *a{i}, *a{i}, *a{i}, *a{i}]"), "TPU007"),
    "a chain of aliases": (anchors(1000, lambda i: f"[*a{i}]"), "TPU008"),
    "a chain of merges": ("a0: &a0 {k: 1}\n" + anchors(1000, lambda i: f"{{<<: *a{i}}}")[15:], "TPU008"),
    "a wide mapping merged often": (
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\nb:\n" + "- <<: *a\n" * 100_000,
        "TPU007",
    ),
    "one mapping merged often in one place": (
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\nb: {<<: [" + "*a, " * 100_000 + "]}",
        "TPU007",
    ),
    "a number of a million digits": ("a: " + "9" * 1_000_000, "TPU011"),
    "a time of a million parts": ("a: 1" + ":00" * 300_000, "TPU011"),
    "many tag directives": ("".join(f"%TAG !a{i}! b\n" for i in range(100_000)), "TPU009"),
    "brackets and quotes": ("[" + ' "\\"' * 300_000, "TPU003"),
    "a quote that never ends": ('a: "' + "x\n" * 300_000, "TPU003"),
    "many empty lines": ("a: 1\n" + "\n" * 1_000_000 + "  b: 2", "TPU003"),
    "many comments": ("a: 1\n" + "#\n" * 500_000 + "  b: 2", "TPU003"),
    "control characters": ("\x00" * 1_000_000, "TPU003"),
    "the same key": ("a: 1\n" * 200_000, "TPU004"),
}


@pytest.mark.parametrize(("text", "rule"), HURTFUL.values(), ids=HURTFUL)
def test_hurtful_document_is_refused(text: str, rule: str) -> None:
    assert first(text) == rule


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_sixty_levels_are_enough() -> None:
    assert parse_yaml(nested(60).encode(), "").data
    assert first(nested(61)) == "TPU008"


def test_levels_count_through_aliases() -> None:
    assert parse_yaml(f"- &a {nested(30)}\n- {'[' * 29}*a{']' * 29}".encode(), "").data
    assert first(f"- &a {nested(30)}\n- {'[' * 30}*a{']' * 30}") == "TPU008"


def test_ordinary_use_of_aliases_is_free() -> None:
    base = "base: &base {" + ", ".join(f"k{i}: {i}" for i in range(10)) + "}\n"
    groups = "".join(f"g{i}: {{<<: *base, zone: z}}\n" for i in range(5000))
    assert len(parse_yaml((base + groups).encode(), "").data) == 5001


def plan(groups: int) -> bytes:
    """A plan of the usual form, eight keys for each group."""
    lines = ["version: 1", "clusters:", "  dev:", "    slices:"]
    for number in range(groups):
        lines += [
            f"      group-{number}:",
            "        tpu: v6e",
            "        topology: 16x16",
            "        count: 2  # two",
            "        zone: us-east5-b",
            "        capacity: {reservation: v6e-pretrain}",
            "        boot_disk: {type: hyperdisk-balanced, size_gib: 200}",
            '        min_version: "1.34"',
            "        protect: true",
        ]
    return "\n".join(lines).encode()


def test_reading_is_linear_in_the_number_of_groups() -> None:
    few, many = plan(500), plan(1000)
    assert function_calls(lambda: parse_yaml(many, "")) < 2.1 * function_calls(lambda: parse_yaml(few, ""))


def test_positions_are_found_in_a_large_file_of_one_line() -> None:
    file: YamlFile = parse_yaml(("[" + "a, " * 100_000 + "]").encode(), "")
    with no_hang():
        assert [file.position((at,)).column for at in range(10_000)] == [2 + 3 * at for at in range(10_000)]


@pytest.mark.parametrize("text", ["a: [1, {b: c}]", "a: [1,", "a: &x {b: 1}\nc: {<<: *x}", "a:\n\tb: 1", "a: 'it's'"])
def test_without_libyaml_the_outcome_is_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome() -> object:
        try:
            return parse_yaml(text.encode(), "plan.yaml").data
        except YamlProblem as problem:
            return problem.findings

    with_libyaml = outcome()
    monkeypatch.setattr(build, "_LOADER", yaml.SafeLoader)
    assert outcome() == with_libyaml
