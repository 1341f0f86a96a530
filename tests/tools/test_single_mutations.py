"""Single mutations: what is changed, what is left alone, and that a sample stays the same."""

import ast
import pathlib
import sys

import pytest
from support.sampling import sample

TOOLS = pathlib.Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from mutations import mutated, mutations  # noqa: E402


def changes(folder: pathlib.Path, source: str) -> list[str]:
    (folder / "module.py").write_text(source, encoding="utf-8")
    return [f"{mutation.before} -> {mutation.after}" for mutation in mutations(folder, "module.py")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", ["a < b -> a <= b"]),
        ("a == b != c", ["a == b != c -> a != b != c", "a == b != c -> a == b == c"]),
        ("a and b", ["a and b -> a or b", "a and b -> b", "a and b -> a"]),
        ("not a", ["not a -> a"]),
        ("3", ["3 -> 4"]),
        ("True", ["True -> False"]),
        ("'text'", []),
        ("a + b", ["a + b -> a - b"]),
        ("a + 'text'", []),
        ("min(a)", ["min(a) -> max(a)", "min(a) -> pass"]),
        ("a.startswith(b)", ["a.startswith(b) -> a.endswith(b)", "a.startswith(b) -> pass"]),
        ("if a: b", ["if a -> if not a"]),
        ("b if a else c", ["b if a else c -> b if not a else c"]),
        ("[a for a in b if c]", ["[a for a in b if c] -> [a for a in b]"]),
        ("def f():\n yield a", ["yield a -> yield from ()"]),
        ("for a in b:\n continue", ["continue -> break"]),
        ("for a in b:\n break", ["break -> continue"]),
    ],
)
def test_what_is_changed(source: str, expected: list[str], tmp_path: pathlib.Path) -> None:
    assert sorted(changes(tmp_path, source)) == sorted(expected)


@pytest.mark.parametrize(
    "source",
    [
        "import a",
        "if TYPE_CHECKING:\n import a",
        "a: bool = True",
        "assert a == b",
        "@d(1 < 2)\ndef f(a=1 < 2) -> 'x': ...",
        "def f():\n 'text'",
    ],
)
def test_what_has_no_meaning_at_run_time_is_left_alone(source: str, tmp_path: pathlib.Path) -> None:
    assert changes(tmp_path, source) == []


def test_each_mutation_changes_the_module_once_and_can_be_compiled() -> None:
    root, path = TOOLS.parent, "components/pulumi_gke_tpu/core/fleet/derive.py"
    original = ast.unparse(ast.parse((root / path).read_text(encoding="utf-8")))
    found = mutations(root, path)
    results = [ast.unparse(mutated(root, mutation)) for mutation in sample(found, 20)]
    assert original not in results
    assert len(found) == len({mutation.key for mutation in found}) > 20
    for mutation in sample(found, 20):
        compile(mutated(root, mutation), path, "exec")


def test_keys_stay_when_code_moves_within_the_module(tmp_path: pathlib.Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    return a < b\n", encoding="utf-8")
    before = [mutation.key for mutation in mutations(tmp_path, "module.py")]
    module.write_text("def g():\n    return 1\n\n\ndef f():\n    return a < b\n", encoding="utf-8")
    assert set(before) < {mutation.key for mutation in mutations(tmp_path, "module.py")}
