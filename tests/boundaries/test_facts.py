"""Facts are only in the catalog: no zone, machine type, label, version or price is written in code.

The check reads the strings of the code. It ignores documentation (docstrings, descriptions of keys, the texts of a
rule), example plans (strings of several lines, and the examples of a rule), and examples in messages after "such as".
``ALLOWED`` contains the exceptions with their reasons.
"""

import ast
import functools
import re
from collections.abc import Iterator

import pytest
from support.source_files import Module, docstrings, modules

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog

FORMS = {
    "place": re.compile(r"\b(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d+(?:-\w+)?\b"),
    "machine type": re.compile(r"\b(?:ct\d\w*|tpu\d+x|[acemn]\d[a-z]?)-[a-z]+-\d+t?\b"),
    "accelerator label": re.compile(r"\btpu-?v\d[\w-]*\b"),
    "accelerator type": re.compile(r"\bv\d(?:litepod|e|p)?-\d+\b"),
    "machine family": re.compile(r"\bct\d\w*\b"),
    "label key": re.compile(r"(?<![\w./])cloud\.google\.com/[a-z][\w-]*"),
    "GKE version": re.compile(r"\b1\.[1-9]\d(?:\.\d+(?:-gke\.\d+)?)?\b|-gke\.\d"),
}
DOCUMENTING = {
    "title",
    "why",
    "fix",
    "fix_of_resources",
    "source",
    "description",
    "help",
    "short_help",
    "epilog",
    "examples",
}
EXAMPLES = {"failing", "passing", "edit"}
_EXAMPLE = re.compile(r"such as (?:[^,;.]|\.(?=\d))*")

ALLOWED = {
    **{("components/args.py", name): "generated from the catalog" for name in read_catalog().generation_names},
    (
        "core/plan/cpu_pools.py",
        "n2-standard-4",
    ): "a default of the plan: it must stay what it is when the catalog changes",
    **{
        (
            "core/plan/policies.py",
            f"cloud.google.com/{label}",
        ): "a property that a key sends; catalog/provider.yaml describes it"
        for label in ("gke-nodepool-group-name", "gke-workload-type")
    },
    ("core/plan/reading/shape.py", "us-east5"): "fills in the fix for a missing location",
    ("core/plan/reading/shape.py", "us-east5-b"): "an example of a zone",
    ("core/plan/reading/shape.py", "v6e"): "fills in the fix for a missing generation",
    ("features/explain/reference/rule_page.py", "us-east5"): "tells where the example plans are",
    **{
        ("core/plan/schema.py", example): "an example of the form of a text"
        for example in ("1.34", "1.34.1-gke.3084001", "n2-standard-4", "us-east5", "us-east5-b")
    },
    ("core/rules/engine/examples.py", "us-east5-b"): "the zone of the example plans",
    **{("core/rules/engine/rule.py", name): "the example plans of rules" for name in ("us-east5", "v6e")},
}
FLOATS = {
    ("core/text/findings/suggestions.py", 0.6): "how alike two words must be",
    ("core/text/findings/suggestions.py", 0.75): "how alike two words must be for one suggestion without a list",
    ("core/text/findings/suggestions.py", 0.05): "how much less alike the second word must be",
    ("features/explain/words/vocabulary.py", 0.6): "how alike two words must be",
    ("cli/shared.py", 2.0): "seconds until a progress message appears",
}


def _texts(module: Module) -> Iterator[str]:
    """The texts of a module that are neither documentation nor examples."""
    skipped = docstrings(module.tree)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.keyword) and node.arg in DOCUMENTING | EXAMPLES:
            skipped.update(map(id, ast.walk(node.value)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "key" and node.args:
            skipped.add(id(node.args[0]))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            text = node.value
            if "\n" not in text.strip("\n"):
                yield _EXAMPLE.sub("", text)


@functools.cache
def _catalog() -> Catalog:
    return read_catalog()


def _facts(text: str) -> set[str]:
    found = {match for form in FORMS.values() for match in form.findall(text)}
    return found | ({text} & set(_catalog().generation_names))


def test_no_fact_is_written_in_code() -> None:
    written = {(module.name, fact) for module in modules() for text in _texts(module) for fact in _facts(text)}
    assert sorted(written - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - written) == [], "no longer needs to be an exception"


def test_no_price_is_written_in_code() -> None:
    floats = {
        (module.name, node.value)
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value not in (0.0, 1.0)
    }
    assert sorted(floats - FLOATS.keys()) == []
    assert sorted(FLOATS.keys() - floats) == [], "no longer needs to be an exception"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("place", "zone us-east5-b"),
        ("place", "us-south1-ai1b"),
        ("machine type", "ct6e-standard-4t"),
        ("machine type", "tpu7x-standard-4t"),
        ("machine type", "n2-standard-4"),
        ("accelerator label", "tpu-v6e-slice"),
        ("accelerator type", "v5litepod-16"),
        ("machine family", "ct5lp"),
        ("label key", "the label cloud.google.com/gke-queued"),
        ("GKE version", "1.34.0-gke.2201000"),
        ("GKE version", "1.34"),
    ],
)
def test_the_search_knows_a_fact_when_it_sees_one(kind: str, text: str) -> None:
    assert FORMS[kind].search(text)


def test_the_search_knows_every_name_of_the_catalog() -> None:
    catalog = _catalog()
    names = {zone for family in catalog.zones.families.values() for zone in family.documented.zones}
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        names.update(generation.machine_types)
        names.update(family.accelerator_label for family in generation.families.values())
        names.add(name)
    assert sorted(name for name in names if not _facts(name)) == []
