"""A small checkout with an empty cache, and runs of pytest in it: what a first run of the tests reports."""

import os
import pathlib
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).parents[1]
NOWHERE = "http://127.0.0.1:9"
_HELPERS = (
    "support/engine/pulumi_cli.py",
    "support/engine/go.mod",
    "support/first_run.py",
    "support/fixtures/order.py",
    "support/tool_installation.py",
)


def small_checkout(root: pathlib.Path, marker: str, test: str) -> pathlib.Path:
    """A checkout under `root` with one test in `tests/MARKER/` (`test`), and one that needs no programs."""
    tests = root / "checkout" / "tests"
    for name in (f"{marker}/conftest.py", *_HELPERS):
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TESTS / name, tests / name)
    folder = pathlib.Path("support", "control_plane")
    shutil.copytree(TESTS / folder, tests / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tests / marker / "test_real.py").write_text(f"{test}\n")
    (tests / "test_plain.py").write_text("def test_plain(): pass\n")
    (tests.parent / "pytest.ini").write_text(f"[pytest]\nmarkers = {marker}\naddopts = -p support.fixtures.order\n")
    return tests.parent


def run_pytest(checkout: pathlib.Path, *arguments: str, path: str, **environment: str) -> tuple[int, str]:
    """Exit status and output of pytest where the network refuses everything."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    refused = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)
    modules = os.pathsep.join([str(checkout / "tests"), str(TESTS), kept.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rsfE", "-v", "-p", "no:cacheprovider", *arguments],
        cwd=checkout,
        env={**kept, **refused, "no_proxy": "", "NO_PROXY": "", "PYTHONPATH": modules, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
