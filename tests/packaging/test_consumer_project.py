"""Projects of others, with the wheel in an environment of its own: their tests, and their types in two checkers."""

import json
import os
import pathlib
import re
import shutil
import sys

import pytest
from support.documents import blocks
from support.installed_wheel import ROOT, Installed, attempt, installed_once, run

HERE = pathlib.Path(__file__).parent
PROJECT = HERE / "data" / "consumer_project"
RIGHT, WRONG = HERE / "data" / "consumer_types" / "right_uses.py", HERE / "data" / "consumer_types" / "wrong_uses.py"
CHECKED = (PROJECT / "training.py", PROJECT / "test_training.py", RIGHT, WRONG)
MARKED = [number for number, line in enumerate(WRONG.read_text("utf-8").splitlines(), 1) if "# wrong" in line]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed_once(tmp_path_factory)


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy of the project, so that nothing of the checkout is near."""
    return pathlib.Path(shutil.copytree(PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__")))


def test_its_own_tests_pass_with_the_wheel(installed: Installed, project: pathlib.Path) -> None:
    show = "import training, pulumi_gke_tpu; print(pulumi_gke_tpu.__file__)"
    assert pathlib.Path(run(installed.python, "-c", show, cwd=project).strip()).is_relative_to(installed.site)
    said = run(installed.python, "-m", "pytest", "-q", "-W", "error::UserWarning", cwd=project)
    assert re.search(r"^5 passed", said, re.MULTILINE), said


def test_the_guide_shows_these_very_files() -> None:
    shown = {block.file: block.text for block in blocks(ROOT / "docs" / "library.md") if block.file}
    assert shown == {name: (PROJECT / name).read_text("utf-8") for name in ("training.py", "test_training.py")}


def test_mistakes_are_marked() -> None:
    assert len(MARKED) >= 15


def test_types_with_mypy(installed: Installed, tmp_path: pathlib.Path) -> None:
    """The provider's package has thousands of modules and takes minutes to read, so it is left out."""
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nstrict = True\n[mypy-pulumi_gcp.*]\nfollow_imports = skip\n", "utf-8")
    options = (f"--config-file={settings}", f"--cache-dir={ROOT / '.mypy_cache' / 'consumer'}", "--no-error-summary")
    done = attempt(
        sys.executable, "-m", "mypy", f"--python-executable={installed.python}", *options, *CHECKED, cwd=tmp_path
    )
    assert done.stderr == ""
    found = re.findall(r"^(.*?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert [(name, text) for name, _, text in found if pathlib.Path(name).name != WRONG.name] == []
    assert sorted({int(line) for _, line, _ in found}) == MARKED


@pytest.mark.javascript
def test_types_with_pyright(installed: Installed, tmp_path: pathlib.Path) -> None:
    """The package on PyPI carries the checker itself; it needs Node from PATH, or it would fetch one."""
    if shutil.which("node") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("pyright needs Node")
    for path in CHECKED:
        shutil.copy(path, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}), "utf-8")
    command = (sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", installed.python, "-p", tmp_path)
    done = attempt(*command, cwd=tmp_path, PYRIGHT_PYTHON_IGNORE_WARNINGS="1")
    said = json.loads(done.stdout)
    assert said["summary"]["filesAnalyzed"] == len(CHECKED)
    found = said["generalDiagnostics"]
    assert [item for item in found if pathlib.Path(item["file"]).name != WRONG.name] == []
    assert sorted({item["range"]["start"]["line"] + 1 for item in found}) == MARKED
