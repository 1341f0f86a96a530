"""Files of Terraform as data: what a literal is, where it is, and that no file hangs or breaks the reader."""

import contextlib
import time
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.hcl import HclError, HclFile
from pulumi_gke_tpu.core.resources.hcl_expressions import HclReference
from pulumi_gke_tpu.core.resources.hcl_functions import is_unknown
from pulumi_gke_tpu.core.resources.hcl_values import HclScope
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

READER = ResourceReader(read_catalog())


def value(text: str) -> Any:
    """The value of an attribute, which another one follows."""
    file = HclFile.read("main.tf", f"a = {text}\nafter = 1 # comment\n")
    assert file.root.attributes["after"].value == 1
    return HclScope().value(file.root.attributes["a"].value, {})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1", 1),
        ("-3", -3),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ('"us-east5-b"', "us-east5-b"),
        (r'"a \"b\" \n $${x} %%{y}"', 'a "b" \n ${x} %{y}'),
        ('["a", "b",]', ["a", "b"]),
        ('[\n  "a", # first\n  "b"\n]', ["a", "b"]),
        ('{ a = 1, "b" : 2 }', {"a": 1, "b": 2}),
        ("{\n  a = 1 // one\n  b = [true]\n}", {"a": 1, "b": [True]}),
        ("<<EOT\n  # text\nEOT", "  # text\n"),
        ("<<-EOT\n  }\n  EOT", "}\n"),
        ("1e3", 1000.0),
        ("-2.5E-1", -0.25),
        ("12345678901234567890", 12345678901234567890.0),
        (r'"\u00e9 \t \r \\ \q $ % $$ %%"', "é \t \r \\ q $ % $$ %%"),
        ('{ "a b" : 1\n 2 = 3, c = 4, }', {"a b": 1, "2": 3, "c": 4}),
        ("[ /* ] */ 1, # ]\n // ]\n 2 /* ,\n3 */ , ]", [1, 2]),
        ("[<<A\n]\nA\n, 1]", ["]\n", 1]),
        ("{\n  # b = 1\n  a = 1 # , b = 2\n}", {"a": 1}),
        ("[]", []),
        ("{}", {}),
        ("1 /* a */ # b", 1),
        ("1 // b", 1),
        ("<<EOT\n%{ if true }\nEOT", UNKNOWN),
    ],
)
def test_literals_are_values(text: str, wanted: object) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "var.zone",
        '"pool-${var.name}"',
        "var.large ? 8 : 4",
        "-var.count",
        "1 + var.x",
        "true && var.x",
        "[1, 2][2]",
        "{ a = 1 }.b",
        'merge({ a = 1 }, var.more)["a"]',
        '[for zone in var.zones : zone if zone != ""]',
        "{ for name, pool in var.pools : name => pool }",
        "(\n  var.a\n  ? 1 : 2\n)",
        "<<EOT\n  ${var.x}\nEOT",
        "google_container_cluster.train[0].id",
        "null_resource.a.id",
        "timestamp()",
        'templatefile("x", {})',
        "element([], 0)",
        "1 / 0",
        '"a" + 1',
        "!3",
        'lookup({}, "a")',
        "one([1, 2])",
        "range(1000000)",
        'provider::a::b("x")',
        'file("main.tf")',
        'yamldecode(file("/etc/passwd"))',
        "yamldecode()",
        "yamldecode(local.a)",
        'jsondecode(file("a", "b"))',
        "{ for a in [1] : a }",
        "[for a in [1] : a => a]",
        "[for a b in [1] : a]",
        "[for a in [1] a]",
        "[for a in [1] : a b]",
        "[for a in var.x : a]",
        "[for a in [1] : a if var.x]",
        "[[1, 2]...]",
        "max(1 2)",
        "max(1...)",
        "{ a 1 }",
        "{ a => 1 }",
        "{ [1] = 2 }",
        "{ (var.x) = 1 }",
        "1 ~ 2",
        "a b",
        "(1 2)",
        "!",
        "false || var.x",
        "var.x && true",
        "var.x + 1",
        "1 - var.x",
        "var.x == 1",
        "1 != var.x",
        "[1] == [var.x]",
        "[var.x] == [1]",
        "[1][var.x]",
        "[1][-1]",
        "[1][true]",
        '[1]["x"]',
        '["a"].b',
        "{ a = 1 }[var.x]",
        "{ a = 1 }[[1]]",
        "null.a",
        "1.a",
        "var.x[*].a",
        "try(var.x.a, 5)",
        "try([1][var.x], 5)",
        "try(var.x + 1, 5)",
        "try(2 * var.x, 5)",
        "can(var.x)",
        "try()",
        '"${var.x}"',
        '"a${~ 1 2 ~}b"',
        '"%{ if true }a%{ endif }"',
        "true + 1",
        '"" + 1',
        "1 % 0",
        "-true",
        '-"a"',
        "9223372036854775809 + 1",
        "1 + 9223372036854775809",
        'replace("a1", "/[0-9]/", "")',
        'tonumber("x")',
        "tonumber(true)",
        'tobool("x")',
        "one(3)",
        "keys([1])",
        "zipmap([1], [])",
        'format("%s")',
        "flatten([var.x])",
        "coalesce(null)",
        "length(1)",
        '"a" ? 1 : 2',
        "nothing(1)",
        'yamldecode("a: 1")',
        'yamldecode(upper("a.yaml"))',
        'yamldecode(file("a", "b"))',
        "yamldecode(file(var.x))",
        "jsondecode()",
        '[["a"]...]',
        '[["a"]... "b"]',
        "max({ a = 1 }...)",
        "max(var.x...)",
        "max(...)",
        '{ for k in ["a"] : k }',
        '[for k in ["a"] : k => 1]',
        '[for k ["a"] : k]',
        '[for k in ["a"] k]',
        '{for k ["a"] : k}',
        "[for v in [1, 2] : v if var.x]",
        '{ for v in ["a"] : var.x => v }',
        "[for v in var.x : v]",
        "{ a = 1, = 2 }",
        '"x" "y"',
        "1 2 /* ] */",
        "1 2 // ]",
        '1 [2 # ]\n, "]" /* ] */ ]',
        '1 <<EOT\n") ]\nEOT',
        "1 << 2",
        '"${1 2}"',
        '["a"][0 1]',
        'try(["a"][var.n], "b")',
        'try(var.x[0], "b")',
        "try(var.x + 1, 2)",
        "try(1 + var.x, 2)",
        "var.x || false",
        "null == var.x",
        "1 == {\n  a = var.x\n}",
        "var.x ? 1 : true",
        "var.x ? [var.y] : [var.y]",
        "1 * 9223372036854775809",
        'replace("abc", "/b/", "x")',
        "distinct([var.x])",
        "flatten([1, var.x])",
        "range(10001)",
    ],
)
def test_unset_names_and_refused_expressions_are_unknown(text: str) -> None:
    assert value(text) is UNKNOWN


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"${join(",", ["a", "}"])}"', "a,}"),
        ('"x-${1 + 2}-${true}"', "x-3-true"),
        ('"${"a-${"b"}"}"', "a-b"),
        ('"${[1]}"', [1]),
        ("1 + 2 * 3 - -4", 11),
        ("(1 + 2) * 3", 9),
        ("16 / 4", 4),
        ("1 / 2", 0.5),
        ("7 % 4", 3),
        ("2 >= 2 && !(1 == 2) || false", True),
        ("false && var.x", False),
        ("true || var.x", True),
        ('true ? "a" : var.b', "a"),
        ("var.x ? 1 : 1", 1),
        ('null == null ? "none" : "some"', "none"),
        ("1 < 2 ? 2 > 1 ? 3 : 4 : 5", 3),
        ('["a"][0]', "a"),
        ('{ a = { b = [1, 2] } }["a"].b[1]', 2),
        ("[{ a = 1 }, { a = 2 }][*].a", [1, 2]),
        ("[{ a = 1 }].0.a", 1),
        ("merge({\n  a = 1\n}, { b = 2 }, null, { a = 3 })", {"a": 3, "b": 2}),
        ("merge([{ a = 1 }, { b = 2 }]...)", {"a": 1, "b": 2}),
        ('lookup({ a = 1 }, "b", 2)', 2),
        ('format("%s-%02d-%d%%", "a", 3, 4)', "a-03-4%"),
        ('toset(["b", "a", "b"])', ["a", "b"]),
        ('[for z in ["a", "b"] : upper(z) if z != "a"]', ["B"]),
        ('[for i, z in ["a", "b"] : "${i}${z}"]', ["0a", "1b"]),
        ('{ for k, v in { a = 1, b = 2 } : "x-${k}" => v }', {"x-a": 1, "x-b": 2}),
        ('{ for v in [{ k = "a", n = 1 }, { k = "a", n = 2 }] : v.k => v.n... }', {"a": [1, 2]}),
        ("flatten([[1, [2]], [], [3]])", [1, 2, 3]),
        ("try({ a = 1 }.b, 5)", 5),
        ("can({ a = 1 }.b)", False),
        ('coalesce(null, "", "x")', "x"),
        ('compact(concat(["a", ""], [null], ["b"]))', ["a", "b"]),
        ('{ ("a") = 1, "b-${1}" = 2 }', {"a": 1, "b-1": 2}),
        ("<<EOT\nplain\nEOT", "plain\n"),
        ('replace("us-east5-b", "-b", "")', "us-east5"),
        ('join("-", slice(split("-", "us-east5-b"), 0, 2))', "us-east5"),
        ("length({ a = 1 })", 1),
        ('contains(keys({ a = 1 }), "a")', True),
        ('{ "4x4" = 4 }["4x4"]', 4),
        ("{\n  a = 1 +\n    2\n  b = 3\n}", {"a": 3, "b": 3}),
        ("-(1 + 2)", -3),
        ("! true", False),
        ('!"false"', True),
        ("- 3", -3),
        ("8-3", 5),
        ("2*3%4", 2),
        ("1 < 1 || 1 > 1", False),
        ("1 <= 1 && 1 >= 1", True),
        ("1 != 2", True),
        ('"1" == 1', False),
        ('true == "true"', False),
        ("1 == true", False),
        ("null == 1", False),
        ("null != 1", True),
        ("[1] == [1]", True),
        ("var.x || true", True),
        ("var.x && false", False),
        ('"3" + 1', 4),
        ('"-1.5" * 2', -3.0),
        ('"true" ? 1 : 2', 1),
        ('"false" ? 1 : 2', 2),
        ("false ? var.x : 2", 2),
        ("[true ? 1 : 2, 3]", [1, 3]),
        ("(\n  false\n  ? 1\n  : 2\n)", 2),
        ('"${ 1 + 2 }x"', "3x"),
        ('"a${~ 1 ~}b"', "a1b"),
        ('"${1.0}-${1.5}"', "1-1.5"),
        ("[0, 1][ 1 ]", 1),
        ('["a"]["0"]', "a"),
        ('{ "1" = 2 }[1]', 2),
        ("{ 1 = 2 }.1", 2),
        ("{ a = 1 }[*].a", [1]),
        ("[[1, 2], [3]][*][0]", [1, 3]),
        ("[for v in [1, 2] : v if v > 1]", [2]),
        ('[ for  k ,\n v in { a = 1 } :\n "${k}${v}" if true\n]', ["a1"]),
        ("{ for k, v in { a = 1, b = 2 } : k => v if v > 1 }", {"b": 2}),
        ('{ for v in [1, 2] :\n "a"\n =>\n v ... if v > 1 }', {"a": [2]}),
        ('{ for v in [1, 1] : "a" => v ... }', {"a": [1, 1]}),
        ('[for k, v in toset(["x"]) : k]', ["x"]),
        ("[for k, v in [5] : k]", [0]),
        ("[(1 2), 3]", [UNKNOWN, 3]),
        ("[1 +/* , */ 2, true ? /* ] */ 3 : 4]", [3, 3]),
        ("[a b /**/, 3]", [UNKNOWN, 3]),
        ('["${a "}" b}", 3]', [UNKNOWN, 3]),
        ("[(1 + 2)[0], 3]", [UNKNOWN, 3]),
        ("[{ a = { b = 1 c }, d = 2 }, 3]", [{"a": {"b": UNKNOWN}, "d": 2}, 3]),
        ("[{ 1.5 = 2 }, { -1 = 3 }]", [{"1.5": 2}, {"-1": 3}]),
        ("[1 2, 3]", [UNKNOWN, 3]),
        ("[true ? 1, 3]", [UNKNOWN, 3]),
        ("[max(1 2), 3]", [UNKNOWN, 3]),
        ("[{ a 1 }, 3]", [UNKNOWN, 3]),
        ("[[for a b], 3]", [UNKNOWN, 3]),
        ('[a "]" b, 3]', [UNKNOWN, 3]),
        ("[a b /* ] */, # ]\n 3]", [UNKNOWN, 3]),
        ("[a b <<E\n]\nE\n, 3]", [UNKNOWN, 3]),
        ("[a << 1, 3]", [UNKNOWN, 3]),
        ("{ a = b c, d = 3 }", {"a": UNKNOWN, "d": 3}),
        ('["${a b}", 3]', [UNKNOWN, 3]),
        ('["%{ if a }}%{ endif }", 3]', [UNKNOWN, 3]),
        ("max([1, 3]..., )", 3),
        ("max( [1, 3] ... )", 3),
        ('try({ a = 1 }["b"], [1][1], 5)', 5),
        ("can(1)", True),
        ("flatten([[null, 1], [2]])", [None, 1, 2]),
        ('replace("a/b/c", "/", "-")', "a-b-c"),
        ('replace("a/b", "/b", "")', "a"),
        ('replace("b/a", "b/", "")', "a"),
        ('tonumber("-3")', -3),
        ('tonumber("3.5")', 3.5),
        ("tonumber(3)", 3),
        ('[tobool("true"), tobool("false"), tobool(true)]', [True, False, True]),
        ("[tostring(true), tostring(null), tostring(1.0)]", ["true", None, "1"]),
        ('format("%5s|%-5s|%05d|%.2f|%q|%v", "a", "b", 7, 1, "c", true)', '    a|b    |00007|1.00|"c"|true'),
        ('formatlist("%s-x", ["a", "b"])', ["a-x", "b-x"]),
        ('substr("abcdef", 1, 2)', "bc"),
        ('substr("abcdef", -2, -1)', "ef"),
        ("element([1, 2, 3], 4)", 2),
        ("[one([]), one([1])]", [None, 1]),
        ("range(3)", [0, 1, 2]),
        ("range(1, 6, 2)", [1, 3, 5]),
        ("setproduct([1, 2], [3])", [[1, 3], [2, 3]]),
        ('setunion(["b"], ["a", "b"])', ["a", "b"]),
        ("distinct([2, 1, 2])", [2, 1]),
        ("reverse([1, 2])", [2, 1]),
        ('sort(["b", "a"])', ["a", "b"]),
        ("values({ b = 1, a = 2 })", [2, 1]),
        ('zipmap(["a"], [var.x])', {"a": UNKNOWN}),
        ('lookup({ a = 1 }, "a", 2)', 1),
        ("coalescelist([], [1])", [1]),
        ("[ceil(1.2), floor(1.8), abs(-2), max(1, 2), min(1, 2), sum([1, 2])]", [2, 1, 2, 2, 1, 3]),
        ("[alltrue([true, false]), anytrue([true, false])]", [False, True]),
        ('[startswith("ab", "a"), endswith("ab", "a"), strcontains("abc", "b")]', [True, False, True]),
        ('[trimprefix("ab", "a"), trimsuffix("ab", "b"), trim("-a-", "-"), trimspace(" a ")]', ["b", "a", "a", "a"]),
        ('[lower("A"), upper("a"), title("ab c")]', ["a", "A", "Ab C"]),
        (r'"\u0041\t\r"', "A\t\r"),
        ('"a ${~ "b" ~} c"', "abc"),
        ('"a ${ "b" } c"', "a b c"),
        ("[\n  1, /* two */ 2, // three\n  3\n]", [1, 2, 3]),
        ("1 /* one */", 1),
        ('["a", "b"][ 1 ]', "b"),
        ('["a", "b"][\n1\n]', "b"),
        ('["a", "b"]["1"]', "b"),
        ('can(["a"][true])', False),
        ('can(["a"][-1])', False),
        ('can(["a"][1])', False),
        ('can(["a"]["x"])', False),
        ("can({ a = 1 }.a)", True),
        ("can({ a = 1 }[null])", False),
        ('can({ a = 1 }[["a"]])', False),
        ('can("a".b)', False),
        ("{ true = 1 }[true]", 1),
        ('{ for v in\n["a"]\n:\nv\n=>\nv\n...\nif\ntrue\n}', {"a": ["a"]}),
        ('[ for v in\n["a"]\n:\nv\nif\ntrue\n]', ["a"]),
        ('[for v in [1, 2] : v if v == 1 ? "true" : "false"]', [1]),
        ('[for k, v in toset(["a"]) : "${k}${v}"]', ["aa"]),
        ('[for v in ["a", var.x] : v]', ["a", UNKNOWN]),
        ("{ (true) = 1, 4 = 2 }", {"true": 1, "4": 2}),
        ('"false" && true', False),
        ('"true" || false', True),
        ("can(1 && true)", False),
        ('!"true"', False),
        ("-(1.5)", -1.5),
        ("can(-true)", False),
        ("true == 1", False),
        ("true != 1", True),
        ('null == "a"', False),
        ('"a" != null', True),
        ('"-3" + 1', -2),
        ('"1.5" * 2', 3),
        ("can(true + 1)", False),
        ('can("x" + 1)', False),
        ("can([] + 1)", False),
        ("can(1 % 0)", False),
        ("-7 % 4", -3),
        ("7.5 % 2", 1.5),
        ("2 < 2", False),
        ("2 <= 2", True),
        ("2 > 2", False),
        ("9223372036854775807 + 1", 2**63),
        ("1 + 9223372036854775807", 2**63),
        ("1234567890123456789", 1234567890123456789),
        ("12345678901234567890", 1.2345678901234567e19),
        ("1e3", 1000),
        ("[[1], [2]][*][0]", [1, 2]),
        ("max([1, 2]...)", 2),
        ("merge([{ a = 1 }]... ,)", {"a": 1}),
        ("+".join(["1"] * 32), 32),
        ("+".join(["1"] * 33), UNKNOWN),
    ],
)
def test_expressions_of_known_values_have_values(text: str, wanted: object) -> None:
    assert value(text) == wanted


NESTED = [
    ("(", "1", ")", 59, 60, HclError),
    ("[", "1", "]", 59, 60, HclError),
    ("!", "true", "", 31, 32, "unknown"),
    ('"${', "1", '}"', 59, 60, HclError),
    ("abs(", "1", ")", 31, 32, "unknown"),
]


@pytest.mark.parametrize(("opening", "inner", "closing", "most", "too_many", "beyond"), NESTED)
def test_nested_values_are_read_up_to_a_depth(
    opening: str, inner: str, closing: str, most: int, too_many: int, beyond: object
) -> None:
    def nested(times: int) -> Any:
        found = value(opening * times + inner + closing * times)
        while isinstance(found, list):
            (found,) = found
        return found

    if beyond == "unknown":
        assert nested(most) is not UNKNOWN
        assert nested(too_many) is UNKNOWN
    else:
        HclFile.read("main.tf", f"a = {opening * most}{inner}{closing * most}\n")
        with pytest.raises(HclError, match="nested too deeply"):
            nested(too_many)


def test_blocks_are_read_up_to_a_depth() -> None:
    block = HclFile.read("main.tf", "b {\n" * 60 + "c = 1\n" + "}\n" * 60).root
    for _ in range(60):
        (block,) = block.blocks
    assert block.attributes["c"].value == 1
    with pytest.raises(HclError, match="blocks are nested too deeply"):
        HclFile.read("main.tf", "b {\n" * 61 + "}\n" * 61)


def test_names_that_refer_to_names_are_followed_up_to_a_depth() -> None:
    names = ["1", *(f"local.a{number}" for number in range(40))]
    text = "locals {\n" + "".join(f"  a{number} = {written}\n" for number, written in enumerate(names)) + "}\n"
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", text).root, len(text))
    known = [scope.value(HclReference(("local", f"a{number}")), {}) for number in (40, 10)]
    assert known == [UNKNOWN, UNKNOWN]
    other = HclScope()
    other.add("main.tf", HclFile.read("main.tf", text).root, len(text))
    assert [other.value(HclReference(("local", f"a{number}")), {}) for number in (29, 40)] == [1, 1]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('replace("a/b/", "/", "-")', "a-b-"),
        ('replace("a/b", "/b", "-")', "a-"),
        ('replace("a/b", "a/", "-")', "-b"),
        ('tonumber("4")', 4),
        ('tonumber("-4")', -4),
        ('tonumber("1.5")', 1.5),
        ("tonumber(4)", 4),
        ('tonumber("1234567890123456789")', 1234567890123456789),
        ('tonumber("12345678901234567890")', 1.2345678901234567e19),
        ("can(tonumber(true))", False),
        ('can(tonumber("x"))', False),
        ("can(tonumber([]))", False),
        ("tobool(true)", True),
        ('tobool("true")', True),
        ('tobool("false")', False),
        ("can(tobool(1))", False),
        ("tostring(4)", "4"),
        ("tostring(4 / 2.0)", "2"),
        ("tostring(true)", "true"),
        ("tostring(null)", None),
        ("can(tostring([]))", False),
        ('distinct(["a", "b", "a", 1, true, 1])', ["a", "b", 1, True]),
        ("length(distinct(range(2000)))", 2000),
        ("distinct(range(1001))[1000]", 1000),
        ('can(distinct("a"))', False),
        ("toset([2, 1, 2])", [2, 1]),
        ('tolist(toset(["b", "a"]))', ["a", "b"]),
        ('setunion(["b"], ["a", "b"])', ["a", "b"]),
        ('setproduct(["a"], ["b", "c"])', [["a", "b"], ["a", "c"]]),
        ("length(setproduct(range(100), range(100)))", 10_000),
        ("setproduct(range(101), range(100))", UNKNOWN),
        ("flatten([[1, null, 2], null, [[3]]])", [1, None, 2, None, 3]),
        ("length(flatten([range(10000)]))", 10_000),
        ("flatten([range(10000), 1])", UNKNOWN),
        ("length([var.x, 1])", 2),
        ('lookup({ a = 1 }, "a", 2)', 1),
        ('can(lookup({ a = 1 }, "b"))', False),
        (
            'format("%5s|%-5s|%05d|%.2f|%f|%q|%v|%t|%%", "a", "b", 7, 1.234, 1.5, "q", 3, true)',
            '    a|b    |00007|1.23|1.500000|"q"|3|true|%',
        ),
        ('format("a")', "a"),
        ('can(format("%s"))', False),
        ('can(format("%d", "x"))', False),
        ('formatlist("x-%s", ["a", "b"])', ["x-a", "x-b"]),
        ("element([1, 2], 3)", 2),
        ("keys({ b = 1, a = 2 })", ["a", "b"]),
        ("values({ b = 1, a = 2 })", [2, 1]),
        ('zipmap(["a"], [1])', {"a": 1}),
        ('can(zipmap(["a"], [1, 2]))', False),
        ("one([])", None),
        ('one(["a"])', "a"),
        ("can(one([1, 2]))", False),
        ('substr("hello", 1, 3)', "ell"),
        ('substr("hello", -3, -1)', "llo"),
        ('substr("hello", -9, 2)', "he"),
        ('substr("hello", 0, 0)', ""),
        ("range(3)", [0, 1, 2]),
        ("range(1, 4)", [1, 2, 3]),
        ("length(range(10000))", 10_000),
        ('coalescelist([], ["a"])', ["a"]),
        ("can(coalesce(null))", False),
        ('can(concat("a"))', False),
        ('reverse(["a", "b"])', ["b", "a"]),
        ('join(",", [1, true, "a"])', "1,true,a"),
        ('title("ab cd")', "Ab Cd"),
        ('trim("??a?", "?")', "a"),
        ("alltrue([true, false])", False),
        ("anytrue([true, false])", True),
        ('strcontains("abc", "b")', True),
        ('sensitive("a")', "a"),
        ("tomap({ a = 1 })", {"a": 1}),
    ],
)
def test_functions_have_the_results_that_terraform_computes(call: str, wanted: object) -> None:
    found = value(call)
    assert (found, isinstance(found, bool)) == (wanted, isinstance(wanted, bool))


@pytest.mark.parametrize("opening", ["b {", "a = [", "a = (", "a = -", "a = true ? "])
def test_sixty_levels_are_read_and_no_more(opening: str) -> None:
    start, bracket = opening[: opening.find("=") + 2] if "=" in opening else "", opening.rpartition("= ")[2]
    closing, inside = {"b {": ("}", ""), "[": ("]", ""), "(": (")", "1"), "-": ("", "x")}.get(bracket, (" : 1", "1"))
    most = {"[": 60, "b {": 60}.get(bracket, 59)

    def read(levels: int) -> HclFile:
        return HclFile.read("main.tf", f"{start}{bracket * levels}{inside}{closing * levels}\n")

    assert read(most).root
    with pytest.raises(HclError, match="are nested too deeply"):
        read(most + 1)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{ a = ", " }"), ("!", "")])
def test_values_are_known_to_thirty_one_levels(opening: str, closing: str) -> None:
    assert not is_unknown(value(f"{opening * 31}true{closing * 31}"))
    assert is_unknown(value(f"{opening * 32}true{closing * 32}"))


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["1"] * 50_000),
        "x = " + "f(" * 40 + ")" * 40,
        "x = [" + "for a in b : " * 20_000 + "]",
        "x = " + "a ? b : " * 50_000 + "c",
        'x = "' + "${1}" * 50_000 + '"',
        "x = a" + ".b" * 50_000 + "\n",
        "x = a" + "[0]" * 50_000 + "\n",
    ],
    ids=["sum", "calls", "loops", "conditions", "template", "names", "indices"],
)
def test_long_expressions_are_read_and_evaluated_in_linear_time(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(HclError):
        file = HclFile.read("main.tf", text)
        scope = HclScope()
        scope.add("main.tf", file.root, len(text))
        repr(scope.value(file.root.attributes["x"].value, {}))
    assert time.process_time() - began < 3


def test_nested_loops_stop_after_steps_in_proportion_to_the_file() -> None:
    inner = "[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a + b + c]]]"
    file = HclFile.read("main.tf", f"x = {inner}\ny = 1 + 1\n")
    scope = HclScope()
    scope.add("main.tf", file.root, len(inner))
    assert [scope.value(file.root.attributes[name].value, {}) for name in ("y", "x", "y")] == [2, UNKNOWN, UNKNOWN]
    assert -2_000 < scope.evaluation.steps < 0


def test_no_space_is_needed_around_signs() -> None:
    root = HclFile.read("main.tf", 'a=1\nb{c=2}\nd "e"{f=[3,4]}\n').root
    assert root.attributes["a"].value == 1
    assert [(block.type, block.labels) for block in root.blocks] == [("b", ()), ("d", ("e",))]
    assert [HclScope().data(block, {}) for block in root.blocks] == [{"c": 2}, {"f": [3, 4]}]


def test_a_part_of_a_list_or_a_mapping_can_be_unknown() -> None:
    assert value('["a", var.b]') == ["a", UNKNOWN]
    assert value('{ a = local.a, b = "b" }') == {"a": UNKNOWN, "b": "b"}


@pytest.mark.parametrize(
    "text",
    [
        'resource "a" {',
        'a = "x',
        "a = [1",
        "x {{",
        "a = <<EOT\nx",
        '"a"',
        "/* x",
        "a b c = 1",
        "a = " + "[" * 5000,
        "a = {" * 3000,
        'a = "' + '${"' * 5000,
        "b {" * 3000,
    ],
)
def test_what_is_not_hcl_is_an_error_with_its_place(text: str) -> None:
    with pytest.raises(HclError, match=r"line \d+, column \d+: "):
        HclFile.read("main.tf", text)
    with pytest.raises(JsonError, match=r"line \d+, column \d+: "):
        READER.read("main.tf", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "a " * 100_000,
        "x = " + "(" * 30_000 + ")" * 30_000,
        'x = "' + "$" * 100_000 + '"',
        "x = <<A\nA\n" * 5_000,
        "/" * 100_000,
        'resource "google_container_node_pool" "p" {\n x = [for a in b : {c = "${a}"}]\n}\n' * 5_000,
    ],
    ids=["words", "brackets", "dollars", "texts", "slashes", "blocks"],
)
def test_large_files_are_read_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(HclError):
        HclFile.read("main.tf", text)
    assert time.perf_counter() - start < 3


def test_modules_and_other_resources_are_named_as_not_read() -> None:
    text = 'module "gke" {\n  source = "x"\n}\n\nresource "google_sql_user" "a" {}\nresource "aws_instance" "b" {}\n'
    found = READER.read("main.tf", text.encode())
    assert found is not None
    assert [(each.part, each.line) for each in found.unread] == [("module.gke", 1)]
    assert "terraform show -json" in found.unread[0].reason
    assert found.skipped == {"google_sql_user": 1}


@pytest.mark.parametrize("name", ["-", "notes.txt", "main.tf"])
def test_a_file_is_recognized_by_its_first_block(name: str) -> None:
    text = '# Copyright\n\nresource "google_container_node_pool" "a" {\n  node_count = 2\n}\n'
    found = READER.read(name, text.encode())
    assert found is not None
    assert [each.origin.address for each in found.found] == ["google_container_node_pool.a"]


@pytest.mark.parametrize("text", ["resource: a\n", '#!/bin/sh\ncat <<EOF\nresource "a" "b" {}\nEOF\n', "locals\n"])
def test_other_files_are_not_read_as_terraform(text: str) -> None:
    found = READER.read("notes.txt", text.encode())
    assert found is None or not found.found


def test_a_reference_leads_to_the_resource_of_the_same_file() -> None:
    text = 'resource "google_container_cluster" "a" {\n  name = "a"\n}\n'
    text += 'resource "google_container_node_pool" "b" {\n  cluster = google_container_cluster.a.id\n}\n'
    found = READER.read("main.tf", text.encode())
    assert found is not None
    assert found.found[1].refers_to == {"cluster": ("google_container_cluster.a",)}


DECLARED = """\
locals {
  region = "us-east5"
  zone   = "${local.region}-b"
  zones  = [local.zone, "us-east5-c"]
  loop   = local.loop
}
variable "topology" { default = "4x3" }
variable "pool" {
  type    = object({ nodes = number })
  default = { nodes = 4, "a b" = ["x"] }
}
variable "given" { default = "a" }
variable "none" {}
"""


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("local.zone", "us-east5-b"),
        ("local.zones", ["us-east5-b", "us-east5-c"]),
        ("local.zones[1]", "us-east5-c"),
        ('"tpu-${var.topology}"', "tpu-4x3"),
        ("var.pool.nodes", 4),
        ('var.pool["a b"][0]', "x"),
        ("{ a = var.topology }", {"a": "4x3"}),
        ("var.given", UNKNOWN),
        ("local.loop", UNKNOWN),
        ("local.zones[2]", UNKNOWN),
        ("var.pool.other", UNKNOWN),
        ("var.none", UNKNOWN),
        ("var.pool.*.nodes", [4]),
        ('"${var.none}-b"', UNKNOWN),
    ],
)
def test_names_have_the_values_that_are_declared_beside_them(expression: str, wanted: object) -> None:
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", DECLARED).root, len(DECLARED))
    scope.add("prod.tfvars", HclFile.read("prod.tfvars", 'given = "b"\n').root, 12)
    written = HclFile.read("pool.tf", f"a = {expression}\n").root.attributes["a"].value
    assert scope.value(written, {}) == wanted


@pytest.mark.parametrize(
    ("first", "line"),
    [("[1]", "[local.a{0}, local.a{0}]"), ('"x"', '"${{local.a{0}}}${{local.a{0}}}"'), ("1", "local.a{0}")],
)
def test_names_that_grow_stay_small(first: str, line: str) -> None:
    names = [first, *(line.format(number) for number in range(3_000))]
    text = "".join(f"  a{number} = {written}\n" for number, written in enumerate(names))
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", f"locals {{\n{text}}}\n").root, len(text))
    began = time.process_time()
    for number in (14, 60, 2_999):
        written = HclFile.read("x.tf", f"a = local.a{number}\n").root.attributes["a"].value
        assert len(repr(scope.value(written, {}))) < 200_000
    assert time.process_time() - began < 2


REPEATED = """\
resource "google_container_node_pool" "tpu" {
  for_each = local.pools
  cluster  = "train"
  name     = each.key
  location = "us-east5"
  node_locations = ["us-east5-b"]
  node_count = 1
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = each.value
    dynamic "taint" {
      for_each = [{ key = "team", value = each.key, effect = "NO_SCHEDULE" }]
      content {
        key    = taint.value.key
        value  = taint.value.value
        effect = taint.value.effect
      }
    }
  }
}
"""


def test_each_instance_of_a_resource_is_read_with_what_its_folder_declares() -> None:
    files = {
        "infra/pools.tf": REPEATED,
        "infra/locals.tf": 'locals { pools = { a = "pd-ssd", b = var.disk } }\nvariable "disk" { default = "x" }\n',
        "infra/terraform.tfvars": 'disk = "hyperdisk-balanced"\n',
        "other/locals.tf": 'locals { pools = { z = "pd-ssd" } }\n',
    }
    reader = ResourceReader(read_catalog())
    reader.declare((name, text.encode()) for name, text in files.items())
    found = reader.read("infra/pools.tf", REPEATED.encode())
    assert found is not None
    values = {each.origin.address.partition(".")[2]: each.values for each in found.found}
    assert {name: one.text("nodeConfig.diskType") for name, one in values.items()} == {
        'tpu["a"]': "pd-ssd",
        'tpu["b"]': "hyperdisk-balanced",
    }
    assert values['tpu["a"]'].get("nodeConfig.taints") == [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]


KNOWN = 'dynamic "taint" {\n  for_each = ["a"]\n  content { key = taint.value }\n}\n'
OPEN = KNOWN.replace('["a"]', "var.taints")


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ([KNOWN, KNOWN], [{"key": "a"}, {"key": "a"}]),
        ([KNOWN, OPEN], UNKNOWN),
        ([OPEN, KNOWN], UNKNOWN),
        (["taint = var.taints\n", KNOWN], UNKNOWN),
        (["taint = 3\n", KNOWN], UNKNOWN),
    ],
)
def test_blocks_beside_others_whose_number_is_not_known_are_unknown(parts: list[str], wanted: object) -> None:
    root = HclFile.read("main.tf", "".join(parts)).root
    assert HclScope().data(root, {})["taint"] == wanted


def read_all(files: dict[str, str]) -> dict[str, str]:
    """Address -> disk type of every resource."""
    reader = ResourceReader(read_catalog())
    reader.declare((name, text.encode()) for name, text in files.items())
    read = [reader.read(name, text.encode()) for name, text in files.items() if name.endswith(".tf")]
    found = [each for file in read if file is not None for each in file.found]
    return {each.origin.address: each.values.known_text("nodeConfig.diskType") for each in found}


POOL = 'resource "google_container_node_pool" "p" {\n  node_config { disk_type = var.disk }\n}\n'
DISK = 'variable "disk" { default = "pd-ssd" }\n'


@pytest.mark.parametrize(
    ("caller", "wanted"),
    [
        ('disk = "x"', {"module.tpu.google_container_node_pool.p": "x"}),
        ("", {"module.tpu.google_container_node_pool.p": "pd-ssd"}),
        ("disk = var.none", {"module.tpu.google_container_node_pool.p": ""}),
        (
            'for_each = toset(["b", "a"])\ndisk = each.key',
            {f'module.tpu["{name}"].google_container_node_pool.p': name for name in ("a", "b")},
        ),
        ("count = 2\ndisk = count.index", {f"module.tpu[{n}].google_container_node_pool.p": "" for n in (0, 1)}),
        ("count = 0", {}),
    ],
)
def test_a_module_in_another_folder_has_the_variables_of_each_call(caller: str, wanted: dict[str, str]) -> None:
    call = f'module "tpu" {{\n  source = "./modules/tpu"\n{caller}\n}}\n'
    assert read_all({"modules/tpu/main.tf": DISK + POOL, "main.tf": call}) == wanted


def test_modules_call_modules_of_folders_around_them() -> None:
    files = {
        "live/prod/main.tf": 'module "fleet" {\n  source = "../../fleet"\n  disks = { a = "x", b = "y" }\n}\n',
        "fleet/main.tf": 'variable "disks" {}\nmodule "pool" {\n  for_each = var.disks\n  source = "../pool"\n'
        "  disk = each.value\n}\n",
        "pool/main.tf": DISK + POOL,
    }
    address = "module.fleet.module.pool[{}].google_container_node_pool.p"
    assert read_all(files) == {address.format('"a"'): "x", address.format('"b"'): "y"}


def test_folders_that_call_each_other_and_many_calls_end() -> None:
    loop = 'module "a" {\n  source = "../b"\n}\n' + POOL
    assert read_all({"a/main.tf": loop.replace("../b", "../b"), "b/main.tf": loop.replace("../b", "../a")})
    calls = "".join(f'module "m{number}" {{\n  source = "./pool"\n}}\n' for number in range(3_000))
    assert 0 < len(read_all({"main.tf": calls, "pool/main.tf": DISK + POOL})) <= 200


@pytest.mark.parametrize("number", [2, 100, 101])
@pytest.mark.parametrize("written", ["count = {}", 'for_each = toset(split(",", "{}"))'])
def test_a_block_that_is_repeated_too_often_is_read_once(written: str, number: int) -> None:
    repeated = written.format(number if "count" in written else ",".join(map(str, range(number))))
    assert len(read_all({"main.tf": POOL.replace("{\n", f"{{\n{repeated}\n", 1)})) == (number if number <= 100 else 1)


@pytest.mark.parametrize("inputs", ['{ disk = "x" }', '{ disk = "x", other = 1 }', "1", "[]", "local.inputs", None])
def test_a_file_of_terragrunt_is_a_call_with_its_inputs(inputs: str | None) -> None:
    call = 'terraform {\n  source = "../pool"\n}\n' + ("" if inputs is None else f"inputs = {inputs}\n")
    reader = ResourceReader(read_catalog())
    files = {"live/terragrunt.hcl": call.encode(), "pool/main.tf": (DISK + POOL).encode()}
    reader.declare(files.items())
    found = reader.read("pool/main.tf", files["pool/main.tf"])
    assert found is not None
    stated = "x" if inputs is not None and "disk" in inputs else "pd-ssd"
    assert [each.values.known_text("nodeConfig.diskType") for each in found.found] == [stated]


def test_optional_attributes_of_variables_have_their_usual_values() -> None:
    text = """\
variable "pools" {
  type = map(object({
    disk = optional(string, "pd-ssd")
    name = string
  }))
  default = { a = { name = "x" }, b = { name = "y", disk = "z" } }
}
resource "google_container_node_pool" "p" {
  for_each = var.pools
  node_config { disk_type = each.value.disk }
}
"""
    address = 'google_container_node_pool.p["{}"]'
    assert read_all({"main.tf": text}) == {address.format("a"): "pd-ssd", address.format("b"): "z"}


def test_files_of_data_beside_a_configuration_are_its_values() -> None:
    text = """\
locals { pools = yamldecode(file("${path.module}/pools.yaml")).pools }
resource "google_container_node_pool" "p" {
  for_each = local.pools
  node_config { disk_type = each.value }
}
"""
    found = read_all({"a/main.tf": text, "a/pools.yaml": "pools: {x: pd-ssd}\n"})
    assert found == {'google_container_node_pool.p["x"]': "pd-ssd"}
    assert read_all({"a/main.tf": text}) == {"google_container_node_pool.p": ""}


def test_properties_that_only_a_plan_knows_are_named_as_not_read() -> None:
    found = READER.read("main.tf", POOL.encode())
    assert found is not None
    assert [(each.part, each.line) for each in found.unread] == [
        ("google_container_node_pool.p: node_config.disk_type", 1)
    ]


PLACED = """\
r "t" "n" {
  name = "x"
  config {
    tags = [ # first
      "a", # ]
      "b"]
    labels = { a = 1, "b c" = [2, { d = 3 }]
      e : 4 }
  }
  dynamic "taint" {
    for_each = []
    labels   = [{ key = 1 }]
    content { key = "k" }
  }
  taint { key = "z" }
  other = merge({ a = 1 })
}
"""


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ((), 'r "t" "n" {'),
        (("name",), '"x"'),
        (("name", "a", 0), '"x"'),
        (("none",), 'r "t" "n" {'),
        (("none", "name"), 'r "t" "n" {'),
        (("config",), "config {"),
        (("config", 0), "config {"),
        (("config", 0, "none"), "config {"),
        (("config", 3), "config {"),
        (("config", 0, "tags"), "[ # first"),
        (("config", "tags", 0), '"a"'),
        (("config", 0, "tags", 1), '"b"'),
        (("config", 0, "tags", 2), "[ # first"),
        (("config", 0, "labels", "a"), "1"),
        (("config", 0, "labels", "b c"), "[2, { d = 3 }]"),
        (("config", 0, "labels", "b c", 0), "2"),
        (("config", 0, "labels", "b c", 1, "d"), "3"),
        (("config", 0, "labels", "b c", 1, "x"), "{ d = 3 }"),
        (("config", 0, "labels", "e"), "4"),
        (("config", 0, "labels", "f"), '{ a = 1, "b c" = [2, { d = 3 }]'),
        (("taint",), 'content { key = "k" }'),
        (("taint", 0, "key"), '"k"'),
        (("taint", 1, "key"), '"z"'),
        (("taint", 7, "key"), '"z"'),
        (("other", "a"), "merge({ a = 1 })"),
        (("content", "key"), 'r "t" "n" {'),
    ],
)
def test_a_path_leads_to_the_innermost_value_that_is_written(path: Path, wanted: str) -> None:
    file = HclFile.read("main.tf", PLACED)
    (block,) = file.root.blocks
    place = file.position(block, path)
    line = PLACED.splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith(wanted)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("var.a", [("var", "a")]),
        ('{ a = local.b.c[0], d = "${x.y}-z" }', [("local", "b", "c"), ("x", "y")]),
        ('"plain"', []),
        ("a-b.c-d", [("a-b", "c-d")]),
    ],
)
def test_an_expression_refers_to_names(written: str, wanted: list[tuple[str, ...]]) -> None:
    file = HclFile.read("main.tf", f"a = {written}\n")
    assert [*file.references(file.root.attributes["a"])] == wanted
