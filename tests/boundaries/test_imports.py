"""What a command and the package load: commands that compute never load Pulumi, and nothing loads what it does not use.

Layers and their order are contracts in ``.importlinter``, which ``tools/test`` checks; here is what only a process
shows.
"""

import functools
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PLAN = ROOT / "stacks" / "prod" / "plan.yaml"
WORKLOADS = ROOT / "docs" / "examples" / "workload.yaml"

MANIFEST = ROOT / "docs" / "examples" / "training.yaml"

PULUMI = {"pulumi", "pulumi_gcp", "google.protobuf", "grpc"}
MODELS = PULUMI | {"pydantic", "yaml", "pulumi_gke_tpu.core.catalog", "pulumi_gke_tpu.core.plan"}
CLIENTS = PULUMI | {"pulumi_kubernetes", "kubernetes", "kubernetes_asyncio", "lightkube", "httpx", "requests"}
CALL = """
import json, sys
from pulumi_gke_tpu.cli import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    print("\\n" + json.dumps({"code": stop.code, "modules": sorted(sys.modules)}))
"""
IMPORT = """
import json, sys
before = set(sys.modules)
import pulumi_gke_tpu
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def run(program: str, *arguments: object) -> str:
    """What a program of its own writes."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


@functools.cache
def loaded(*arguments: object) -> set[str]:
    """The modules that a successful command has loaded when it ends."""
    result = json.loads(run(CALL, *arguments).splitlines()[-1])
    assert result["code"] == 0
    return set(result["modules"])


@pytest.mark.parametrize(
    ("arguments", "never"),
    [
        (("validate", PLAN), PULUMI | {"jsonschema", "asyncio", "ssl", "pulumi_gke_tpu.core.text.jsonfile.form"}),
        (("validate", PLAN, "--format", "json"), PULUMI | {"jsonschema", "asyncio", "ssl"}),
        (("validate", PLAN, "--format", "sarif"), PULUMI | {"jsonschema"}),
        (("validate", PLAN, "--format", "github"), PULUMI | {"jsonschema", "asyncio", "ssl"}),
        (("preview", PLAN), PULUMI | {"jsonschema", "asyncio", "ssl"}),
        (("preview", PLAN, "--format", "json", "--resources"), PULUMI | {"jsonschema", "asyncio", "ssl"}),
        (("manifests", WORKLOADS), PULUMI | {"kubernetes", "pulumi_kubernetes", "jsonschema", "asyncio", "ssl"}),
        (("diff", PLAN, PLAN), PULUMI | {"jsonschema"}),
        (("explain", PLAN, "train-east/pretrain"), PULUMI),
        (("explain", "v5p-128"), PULUMI),
        (("catalog",), PULUMI),
        (("rule", "TPU112"), PULUMI),
        (("check", MANIFEST), CLIENTS | {"jsonschema", "asyncio", "ssl"}),
        (("check", MANIFEST, "--plan", PLAN), CLIENTS | {"jsonschema", "asyncio", "ssl"}),
        (("check", MANIFEST, "--format", "sarif"), CLIENTS | {"jsonschema"}),
        (("schema",), PULUMI),
        (("--help",), MODELS),
        (("validate", "--help"), MODELS),
        (("--version",), MODELS | {"pulumi_gke_tpu.core.text.findings"}),
    ],
    ids=lambda value: " ".join(pathlib.Path(word).name for word in value) if isinstance(value, tuple) else "never",
)
def test_what_a_command_never_loads(arguments: tuple[object, ...], never: set[str]) -> None:
    assert sorted(loaded(*arguments) & never) == []


NOT_FOR_A_VALID_PLAN = (
    "pulumi_gke_tpu.features.diff",
    "pulumi_gke_tpu.features.diff.engine",
    "pulumi_gke_tpu.core.estimate",
    "pulumi_gke_tpu.features.explain",
    "pulumi_gke_tpu.core.fleet.workloads",
    "pulumi_gke_tpu.core.graph.builders",
    "pulumi_gke_tpu.features.check",
    "pulumi_gke_tpu.features.check.rules.alignment",
    "pulumi_gke_tpu.core.plan.kubernetes",
    "pulumi_gke_tpu.core.plan.runs",
    "pulumi_gke_tpu.features.calendar.rules",
    "pulumi_gke_tpu.core.schedule.coverage",
    "pulumi_gke_tpu.features.capacity.rules.inventory",
    "pulumi_gke_tpu.features.check.rules.manifests",
    "pulumi_gke_tpu.features.check.rules.objects",
    "pulumi_gke_tpu.features.check.rules.operators",
    "pulumi_gke_tpu.features.capacity.rules.organization",
    "pulumi_gke_tpu.core.plan.organization",
    "pulumi_gke_tpu.core.rules.pools.",
    "pulumi_gke_tpu.features.check.rules.queueing",
    "pulumi_gke_tpu.features.workloads.rules",
    "pulumi_gke_tpu.core.plan.reading.corrections",
    "pulumi_gke_tpu.core.plan.reading.shape",
    "pulumi_gke_tpu.core.text.yamlfile.mistakes",
    "difflib",
)


def test_validating_a_valid_plan_loads_nothing_that_only_others_need() -> None:
    modules = loaded("validate", PLAN)
    assert sorted(name for name in modules if name.startswith(NOT_FOR_A_VALID_PLAN)) == []


def test_a_diff_without_events_of_the_engine_does_not_load_their_reader() -> None:
    modules = loaded("diff", PLAN, PLAN)
    checks = {name for name in modules if name.startswith("pulumi_gke_tpu.features.diff.engine.")}
    assert sorted(checks) == ["pulumi_gke_tpu.features.diff.engine.model"]


def test_the_search_finds_what_it_looks_for() -> None:
    """A stack program does load Pulumi."""
    program = f"from pulumi_gke_tpu import TpuFleet\n{CALL}"
    assert "pulumi" in json.loads(run(program, "--version").splitlines()[-1])["modules"]


def test_a_validation_imports_only_the_rules_that_it_checks() -> None:
    modules = {name for name in loaded("validate", PLAN) if name.startswith("pulumi_gke_tpu.")}
    assert {name for name in modules if name.startswith("pulumi_gke_tpu.core.rules.nodes.")}
    others = (
        "pulumi_gke_tpu.features.diff",
        "pulumi_gke_tpu.features.capacity.rules.inventory",
        "pulumi_gke_tpu.core.rules.pools.",
    )
    assert sorted(name for name in modules if name.startswith(others)) == []


ENDS = """
import atexit, gc
atexit.register(lambda: print("\\n" + str(len(gc.get_objects()))))
from pulumi_gke_tpu.cli import main
main()
"""


def test_a_command_leaves_no_objects_that_python_searches_for_garbage_at_its_end() -> None:
    assert int(run(ENDS, "--help").splitlines()[-1]) < 1_000


COLLECTS = """
import atexit, gc
from pulumi_gke_tpu.cli import main
phases = []
gc.callbacks.append(lambda phase, details: phases.append(phase))
atexit.register(lambda: print("\\n" + str(phases.count("start"))))
main()
"""


@pytest.mark.parametrize("command", ["validate", "preview"])
def test_a_command_for_one_stack_starts_no_garbage_collection(command: str) -> None:
    assert run(COLLECTS, command, PLAN).splitlines()[-1] == "0"


OBSERVER = """
print("the plugin runs")
class Observer:
    def new_schema_validator(self, *arguments, **settings):
        return None, None, None
plugin = Observer()
"""
BESIDE = "import os, sys; sys.path.insert(0, os.environ['OTHERS']);"


def test_a_command_loads_no_plugins_of_pydantic(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = tmp_path / "observer-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: observer\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[pydantic]\nobserver = observer:plugin\n", encoding="utf-8")
    (tmp_path / "observer.py").write_text(OBSERVER, encoding="utf-8")
    monkeypatch.setenv("OTHERS", str(tmp_path))
    monkeypatch.delenv("PYDANTIC_DISABLE_PLUGINS", raising=False)
    assert run(f"{BESIDE} import pydantic; pydantic.create_model('M')") == "the plugin runs\n"
    assert run(f"{BESIDE} from pulumi_gke_tpu.cli import main; main()", "validate", PLAN) == "no findings\n"


def test_importing_the_package_loads_nothing_but_itself() -> None:
    others = {name.split(".")[0] for name in json.loads(run(IMPORT))} - {"pulumi_gke_tpu"}
    assert sorted(others - set(sys.stdlib_module_names)) == []
