"""Writes the inputs and the cases of tools/golden.py: every command in every format over the corpora of the tests.

usage: python tools/golden_corpora.py FOLDER

The package and tests/ are those on PYTHONPATH, the stacks and pages those of the current folder. FOLDER gets a folder
for each input, and the file cases.jsonl with a case in each line. A plan that differs little from another one, such as
an edited one, is the input of every command in one format; all others are the input of every command in every format.
"""

import itertools
import os
import pathlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from golden_cases import ABOUT_PLANS, INVENTORY, NAMED, ORGANIZATION, PLAN, TODAY, Cases, Input, options_of
from support import documents, engine_samples, plan_corpus
from support.clones import Clone
from support.editing import BASES, edited
from support.edits import EDITS
from support.fleets import fleets
from support.mistakes import base_text, mistakes
from support.small_plans import BASE, CHEAP, REPLACING

from pulumi_gke_tpu.cli.commands import command_modules
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.plan.key_table import plan_keys
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of, manifest_files_of
from pulumi_gke_tpu.features.explain.facts.topics import topic_names
from pulumi_gke_tpu.features.explain.words.vocabulary import vocabulary

ROOT = pathlib.Path.cwd()
ACCEPTANCE, EXAMPLES, MANIFESTS = ROOT / "tests/acceptance", ROOT / "docs/examples", ROOT / "tests/manifests"
HEAD = "head.yaml"
NEEDS = (
    *(("--chips", chips, "--near", "us-east5") for chips in ("4", "64", "256", "9000")),
    ("--chips", "64", "--interruptible", "no", "--run", "10d", "--limit", "40"),
    ("--hbm", "1000", "--use", "serving", "--mode", "autopilot"),
    ("--tflops", "100000", "--precision", "bf16", "--budget", "500/h"),
    ("--chips", "64", "--capacity", "spot,flex-start", "--by", "2026-12-01", "--gke-version", "1.34"),
    ("--chips", "64", "--inventory", INVENTORY, "--project", "acme-ml", "--with", PLAN),
    ("--chips", "64", "--organization", ORGANIZATION),
    ("--chips", "64", "--budget", "1/h"),
    ("--chips", "0"),
    (),
)
"""Arguments of ``recommend``."""
ENDS = {"|", "||", "&&", ";", "<", "2>&1", "2>"}
"""Words that end a command line of ours in a page."""


def main() -> None:
    """Write all inputs and cases, and fail if a command or a format has none."""
    cases = Cases(pathlib.Path(sys.argv[1]))
    for part in (words, plans, edits, rules, mistaken, pages, surroundings, revisions, manifests, foreign, incidents):
        part(cases)
    if cases.missing():
        sys.exit(f"no case of: {', '.join(cases.missing())}")
    cases.write()


def words(cases: Cases) -> None:
    """What needs no plan: help, facts, names, schemas, recommendations, and first plans."""
    owned = {file: (EXAMPLES / file).read_bytes() for file in NAMED.values()}
    folder = cases.input("words", "all", {PLAN: (ROOT / "stacks/prod/plan.yaml").read_bytes(), **owned}).folder
    given = Input(folder, {}, TODAY)  # only the options that are named below: these commands take no plan
    for command in command_modules():
        cases.case(given, command, "--help")
        cases.case(given, command, "--nothing")
    facts = plan_corpus.catalog()
    cases.calls(given, "catalog")
    for topic in (*topic_names(), *facts.generation_names, *facts.announced, "nothing"):
        cases.calls(given, "catalog", topic)
    for name in facts.generation_names:
        cases.calls(given, "catalog", "prices", "--generation", name)
        for mode in ("standard", "autopilot"):
            cases.case(given, "init", "new", "--mode", mode, "--tpu", name, "--stack", "prod")
    cases.case(given, "init", "new")
    cases.case(given, "init", "new", "--tpu", "nothing")
    for word in (*vocabulary(facts), *(key.path for key in plan_keys()), "nothing", "v6e:4x4", "v5p-100"):
        cases.calls(given, "explain", word)
    for name in (*all_schemas(), "nothing"):
        cases.case(given, "schema", name)
    for need in NEEDS:
        cases.calls(given, "recommend", *need)
        for more in (("--emit", "1"), ("--why-not", "v5e"), ("--why-not", "on-demand")):
            cases.case(given, "recommend", *need, *more, "--today", TODAY)


def plans(cases: Cases) -> None:
    """The stacks, the bases of edits, the plan with every key, and the matrix."""
    for kind in ("stacks", "matrix"):
        for name, data, today in plan_corpus.KINDS[kind]():
            given = cases.input("plan", name, {PLAN: written(data)}, today.isoformat())
            of_edits = name.startswith("base ")
            cases.about_plan(given, once=of_edits)
            if kind == "stacks" and not of_edits:
                cases.values(given)
    beside = {file: (EXAMPLES / file).read_bytes() for file in NAMED.values()}
    for path in sorted((ROOT / "stacks").glob("*/plan.yaml")):
        cases.about_plan(cases.input("plan", f"file {path.parent.name}", {PLAN: path.read_bytes(), **beside}))
    every = {file: (ACCEPTANCE / f"every_{kind}_key.yaml").read_bytes() for kind, file in NAMED.items()}
    cases.about_plan(cases.input("plan", "every key of all files", {PLAN: plan_corpus.EVERY_KEY.read_bytes(), **every}))


def written(plan: Mapping[str, Any]) -> str:
    """A plan as a file; the day is an argument of programs only."""
    return yaml.safe_dump({key: value for key, value in plan.items() if key != "today"}, sort_keys=False)


def edits(cases: Cases) -> None:
    """Every edit as a change, as the plan after it, and as the comment on a pull request."""
    for edit in EDITS:
        files = {"base.yaml": written(BASES[edit.base]()), HEAD: written(edited(edit))}
        cases.change(cases.input("edit", str(edit), files), "base.yaml", HEAD)
        cases.about_plan(cases.input("edited", str(edit), {PLAN: files[HEAD]}), once=True)


def rules(cases: Cases) -> None:
    """The pages of all rules, and their examples with the commands that read them."""
    no_files = cases.input("words", "rules", {})
    cases.calls(no_files, "rule")
    for word in ("duplicate-taint", "duplicate-tain", "TPU999", "nothing"):
        cases.calls(no_files, "rule", word)
    for rule in all_rules():
        cases.calls(no_files, "rule", rule.id)
        cases.calls(no_files, "explain", rule.id)
        for outcome in ("failing", "passing"):
            example, name = getattr(rule, outcome), f"{rule.id} {outcome}"
            if rule.scope.breakable in ("manifests", "rendered manifests"):
                found = manifest_files_of(example)
                plan = {} if found.plan is None else {PLAN: found.plan}
                given = cases.input("manifests", name, {"manifests.yaml": found.manifests, **plan})
                cases.manifests(given, "manifests.yaml", found.mode)
                continue
            given = cases.input("rule", name, dict(example_files(example)), rule.today or TODAY)
            if rule.scope.breakable == "change":
                cases.change(given, *given.plans[:2])
            cases.calls(given, "validate", *given.plans, more=True)
            cases.about_plan(given, once=outcome == "failing")


def example_files(example: str) -> Iterator[tuple[str, str]]:
    """Name and text of each file of an example about plans."""
    found = files_of(example)
    for number, text in enumerate(found.plans, start=1):
        yield PLAN if number == 1 else f"plan-{number}.yaml", text
    for kind, file in NAMED.items():
        text = getattr(found, kind)
        if text is not None:
            yield file, text


def mistaken(cases: Cases) -> None:
    """The corpus of mistakes, in block and in flow style."""
    for mistake in mistakes():
        for case in filter(None, (mistake, mistake.between_braces())):
            beside = {PLAN: base_text("standard"), f"{case.base}.yaml": case.text}
            files = beside if case.base in NAMED else {PLAN: case.text}
            given = cases.input("mistake", f"{case.id} {case.base}", files)
            cases.calls(given, "validate", PLAN, more=True)


def pages(cases: Cases) -> None:
    """The plans and the commands of the documentation, beside the files that they name."""
    for name, data, today in plan_corpus.KINDS["pages"]():
        cases.about_plan(cases.input("page", name, {PLAN: written(data)}, today.isoformat()))
    paths = sorted(path for folder in (ROOT / "stacks", EXAMPLES) for path in folder.rglob("*.yaml"))
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in paths}
    everywhere = documents.commands_of("gke-tpu")
    for page in documents.PAGES:
        name, blocks = str(page.relative_to(ROOT)), documents.blocks(page)
        given = cases.input("commands", name, {**files, **{block.file: block.text for block in blocks if block.file}})
        shown = [shlex.split(block.command) for block in blocks if block.command]
        for line in [*shown, *(line for place, line in everywhere.items() if place.startswith(name))]:
            documented(cases, given, line)


def documented(cases: Cases, given: Input, line: Sequence[str]) -> None:
    """A command line of a page up to a pipe, on the fixed day."""
    arguments = list(itertools.takewhile(lambda word: word not in ENDS, line))[1:]
    if arguments and arguments[0] in command_modules():
        day = "--today" in options_of(arguments[0]) and "--today" not in arguments
        cases.case(given, *arguments, *(("--today", given.today) if day else ()))


def surroundings(cases: Cases) -> None:
    """Facts of the user's own, stored previews, events of the engine, and broken files."""
    overlay = {PLAN: "v9x_plan.yaml", "facts.yaml": "v9x_overlay.yaml"}
    given = cases.input(
        "more", "facts", {name: (ACCEPTANCE / "data" / file).read_bytes() for name, file in overlay.items()}
    )
    for line in (
        ("schema", "plan"),
        ("catalog", "v9x"),
        ("explain", "v9x"),
        *((name, PLAN) for name in ABOUT_PLANS[:6]),
    ):
        cases.calls(given, *line, "--catalog", "facts.yaml")
    steps = engine_samples.replaced("train/pretrain/pretrain-0", "placementPolicy.tpuTopology")
    files = {"base.yaml": BASE, HEAD: REPLACING, "events.json": engine_samples.stream(*steps), "broken.json": "{"}
    given = cases.input("more", "base", {"base.yaml": BASE})
    stored = cases.output(given, "preview", "base.yaml", "--format", "json", "--resources", "--today", TODAY)
    given = cases.input("more", "stored", {**files, "stored.json": stored})
    for base in ("stored.json", "broken.json", "missing.yaml"):
        cases.calls(given, "diff", base, HEAD)
    for file in ("events.json", "broken.json"):
        cases.calls(given, "diff", "base.yaml", HEAD, "--engine-events", file)
        cases.case(given, "comment", file, "--print")
    cases.calls(given, "validate", "missing.yaml")
    cases.case(given, "report", "base.yaml", "-o", "report.html", "--today", TODAY)


def revisions(cases: Cases) -> None:
    """A repository with a commit on each of two branches."""
    given = cases.input("more", "repository", {"other.yaml": "a: 1\n"})
    here = pathlib.Path.cwd()
    os.chdir(cases.folder / given.folder)
    try:
        clone = Clone(pathlib.Path())
        clone.commit(stacks__prod__plan=BASE)
        clone("branch", "work")
        clone.commit(stacks__prod__plan=CHEAP)
        clone("checkout", "--quiet", "work")
        clone.commit(stacks__prod__plan=REPLACING, stacks__dev__plan=BASE)
    finally:
        os.chdir(here)
    for sides in (
        ("main...work",),
        ("--base-rev", "main", "--head-rev", "work"),
        ("main...work", "stacks/dev"),
        ("x...y",),
    ):
        cases.calls(given, "diff", *sides)


def manifests(cases: Cases) -> None:
    """Manifests that work, the same with one wrong field, and those that follow from the plans above."""
    for path in sorted(path for path in (MANIFESTS / "valid").rglob("*.*") if path.name != "notes.yaml"):
        given = cases.input("manifests", path.name, {path.name: path.read_bytes()})
        for mode in (None, *({path.parent.name} & {"standard", "autopilot"})):
            cases.manifests(given, path.name, mode)
    sys.path.insert(0, str(MANIFESTS))
    import test_broken_fields as fields

    for mistake in fields.MISTAKES:
        text = yaml.safe_dump_all(fields.broken(mistake), sort_keys=False, width=1000)
        cases.manifests(cases.input("manifests", mistake.name, {"broken.yaml": text}), "broken.yaml", mistake.mode)
    for given in list(cases.inputs.values()):
        if b"kubernetes:" in given.files.get(PLAN, b""):
            files = {
                "rendered.yaml": cases.output(given, "manifests", PLAN, "--today", given.today),
                PLAN: given.files[PLAN],
            }
            cases.manifests(cases.input("rendered", given.folder, files, given.today), "rendered.yaml", None)


def foreign(cases: Cases) -> None:
    """Clusters and node pools that other tools made."""
    for fleet in fleets():
        name = "fleet.json" if fleet.made else fleet.file.name
        given = cases.input("fleet", fleet.name, {name: fleet.content})
        cases.calls(given, "adopt", name)
        cases.case(given, "adopt", name, "-o", "written")


def incidents(cases: Cases) -> None:
    """The snapshot of the documentation."""
    folder = pathlib.Path("docs/examples/incident")
    given = cases.input("incident", "", {path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    cases.calls(given, "status", PLAN, "--snapshot", ".")
    cases.calls(given, "doctor", PLAN, "--snapshot", ".")
    cases.case(given, "inventory", "--snapshot", ".", "-o", "inventory.yaml")
    cases.case(given, "export", "alerts", PLAN, "-o", "written")
    cases.case(given, "snapshot", PLAN, "-o", "written")


if __name__ == "__main__":
    main()
