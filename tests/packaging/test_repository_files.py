"""Files for the people around the project: links that lead somewhere, forms and hooks that a host accepts."""

import importlib.metadata
import pathlib
import re
import textwrap
from typing import Any

import pytest
import yaml
from support.documents import link_targets

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")])
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
WORKFLOWS = ROOT / ".github" / "workflows"
DECISIONS = ROOT / "docs" / "decisions"


def read(path: pathlib.Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def links(page: pathlib.Path) -> list[str]:
    """Targets of links that stay in the repository."""
    targets = link_targets(page.read_text(encoding="utf-8"))
    return [target for target in targets if not re.match(r"[a-z+]+:|#", target)]


def test_every_link_leads_to_a_file() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links(page)
        if not (page.parent / target.partition("#")[0]).exists()
    ]
    assert broken == []
    assert sum(len(links(page)) for page in PAGES) > 100, "links are found"


def test_every_file_that_is_marked_as_generated_is_there() -> None:
    lines = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    marked = {path.lstrip("/"): mark for path, mark in (line.split() for line in lines if not line.startswith("#"))}
    assert set(marked.values()) == {"linguist-generated"}
    assert [path for path in marked if not (ROOT / path).is_file()] == []
    page = (ROOT / "docs" / "contributing" / "documentation.md").read_text(encoding="utf-8")
    assert [path for path in marked if f"`{path}`" not in page] == [], "the page names the command that writes it"


def test_contributing_is_short_and_leads_to_every_page_for_contributors() -> None:
    page = ROOT / "CONTRIBUTING.md"
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 150
    found = {target.partition("#")[0] for target in links(page)}
    folder = ROOT / "docs" / "contributing"
    assert {f"docs/contributing/{path.name}" for path in folder.glob("*.md")} <= found
    assert set(links(folder / "README.md")) >= {path.name for path in folder.glob("*.md")} - {"README.md"}


def test_the_list_of_decisions_names_every_page_once() -> None:
    listed = [target for target in links(DECISIONS / "README.md") if target.startswith("0")]
    assert listed == sorted(path.name for path in DECISIONS.glob("0*.md"))


def test_every_decision_states_problem_decision_and_consequences() -> None:
    for path in DECISIONS.glob("0*.md"):
        headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert headings[0].startswith(f"{path.name[:4]}: ")
        assert headings[1:] == ["Problem", "Decision", "Consequences"], path.name


def test_issue_forms_ask_for_named_fields() -> None:
    assert [path.stem for path in FORMS] == ["bug", "fact", "rule"]
    for path in FORMS:
        form = read(path)
        assert {"name", "description", "labels", "body"} == set(form), path.name
        fields = [field["id"] for field in form["body"]]
        assert len(fields) == len(set(fields)) >= 3
        assert all(
            field["validations"] == {"required": True} and field["attributes"]["label"] for field in form["body"]
        )


def test_the_workflow_runs_what_a_change_needs_and_may_only_read() -> None:
    workflow = read(WORKFLOWS / "ci.yml")
    (step,) = [step for step in workflow["jobs"]["test"]["steps"] if "run" in step]
    assert step == {"run": ".ci/run"}
    assert workflow["permissions"] == {"contents": "read"}


def test_the_site_is_published_by_a_job_that_runs_nothing_of_the_repository() -> None:
    workflow = read(WORKFLOWS / "site.yml")
    assert workflow["permissions"] == {}
    permissions = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert permissions == {"build": {"contents": "read"}, "publish": {"pages": "write", "id-token": "write"}}
    assert [step["uses"].split("@")[0] for step in workflow["jobs"]["publish"]["steps"]] == ["actions/deploy-pages"]


@pytest.mark.parametrize("path", sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.name)
def test_a_workflow_pins_its_actions_and_keeps_no_credentials(path: pathlib.Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert all(re.search(r"@[0-9a-f]{40} # v\d", line) for line in text.splitlines() if "uses:" in line)
    # Maven Central takes packages of an account only; its secrets are those of one environment.
    of_maven = {"secrets.MAVEN_SIGNING_KEY", "secrets.MAVEN_TOKEN"} if path.name == "release.yml" else set()
    assert set(re.findall(r"secrets\.\w+", text)) == of_maven
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    assert "pull_request_target" not in workflow[True], "`on`, which YAML 1.1 reads as true"
    for job in workflow["jobs"].values():
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)
        assert job["timeout-minutes"] <= 90


def test_owners_and_updates_are_of_folders_that_exist() -> None:
    lines = (ROOT / ".github" / "CODEOWNERS.example").read_text(encoding="utf-8").splitlines()
    paths = [line.split()[0] for line in lines if not line.startswith("#")]
    updated = [entry["directory"] for entry in read(ROOT / ".github" / "dependabot.yml")["updates"]]
    assert [path for path in [*paths, *updated] if not (ROOT / path.lstrip("/")).exists()] == []
    assert len(paths) >= 5


def test_the_hooks_for_others_run_our_command_on_plans() -> None:
    scripts = importlib.metadata.entry_points(group="console_scripts").names
    hooks = {hook["id"]: hook for hook in read(ROOT / ".pre-commit-hooks.yaml")}
    assert {id: hook["entry"] for id, hook in hooks.items()} == {
        "gke-tpu-validate": "gke-tpu validate --skip-others --",
        "gke-tpu-fix": "gke-tpu validate --fix --skip-others --",
        "gke-tpu-check": "gke-tpu check --",
        "gke-tpu-manifests": "gke-tpu manifests",
    }
    assert all(hook["entry"].split()[0] in scripts for hook in hooks.values())
    plans = ["plan.yaml", "stacks/prod/plan.yaml", "plan.yml", "gke-tpu.yaml", "a/prod.tpu.yaml"]
    manifests = ["manifests/queues.yaml", "a/k8s/base/job.yml"]
    others = ["my-plan.yaml", "deploy/plan.yaml", "k8s/a.tpu.yaml"]
    taken = {
        id: [
            name
            for name in [*plans, *manifests, *others]
            if re.search(hook["files"], name) and not re.search(hook.get("exclude", "^$"), name)
        ]
        for id, hook in hooks.items()
    }
    assert taken == {
        "gke-tpu-validate": [*plans, *others[1:]],
        "gke-tpu-fix": [*plans, *others[1:]],
        "gke-tpu-check": manifests,
        "gke-tpu-manifests": [*plans, "manifests/queues.yaml", *others[1:]],
    }


def test_our_own_hooks_run_installed_programs() -> None:
    for repository in read(ROOT / ".pre-commit-config.yaml")["repos"]:
        assert repository["repo"] == "local", "versions are those of constraints.txt"
        for hook in repository["hooks"]:
            assert (ROOT / hook["entry"].split()[0]).exists(), hook["id"]
            assert hook["entry"].split()[-1] == "--", f"{hook['id']}: a name of a file can begin with a dash"


def test_every_family_of_checks_is_on_and_the_package_has_four_exceptions() -> None:
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.ruff.lint]\n")[2]
    selected, _, rest = table.partition("]")
    assert {"D", "ANN", "C90", "PL", "SLF", "T20"} <= set(re.findall(r'"([A-Z]+[0-9]*)"', selected))
    everywhere = rest.partition("ignore = [\n")[2].partition("\n]")[0].splitlines()
    assert [line for line in everywhere if " # " not in line and "RUF00" not in line] == [], "each has a reason"
    exceptions = dict(re.findall(r'^"([^"]+)" = \[(.*)\]$', rest, re.MULTILINE))
    in_package = {path: rules for path, rules in exceptions.items() if path.startswith("components/")}
    assert {path: rules for path, rules in in_package.items() if rules != '"ANN401"'} == {
        "components/pulumi_gke_tpu/__init__.py": '"F403", "F405"',
        "components/pulumi_gke_tpu/core/**/__init__.py": '"F401"',
        "components/pulumi_gke_tpu/{cli/*,features/*/commands/*,features/plan/fix}.py": '"PLR0913", "PLR0917"',
        "components/pulumi_gke_tpu/{core/rules,features/*/rules}/**": '"D103"',
    }


def test_the_skill_has_the_form_of_the_specification_and_its_commands_exist(
    gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    path = ROOT / "skills" / "gke-tpu" / "SKILL.md"
    _, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(front)
    assert about.keys() == {"name", "description", "license"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", about["name"])
    assert about["name"] == path.parent.name
    assert len(about["description"]) <= 1024
    assert len(text.splitlines()) <= 500
    plan = tmp_path / "plan.yaml"
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    plan.write_text(textwrap.dedent(block), encoding="utf-8")
    assert gke_tpu("validate", plan, "--today", "2026-11-20").out == "no findings\n"
    commands = re.findall(r"`gke-tpu (\w+)([^`]*)`", text)
    assert len(commands) >= 10
    for command, rest in commands:
        shown = gke_tpu(command, "--help").out
        assert all(flag in shown for flag in re.findall(r"--[\w-]+", rest)), (command, rest)
