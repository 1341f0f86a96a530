"""The distribution gke-tpu alone: commands work without the Pulumi SDK, and components name the extra that has it."""

import subprocess
import sys

import pytest
from support.documents import ROOT

WITHOUT = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("grpc", "pulumi", "pulumi_gcp", "pulumi_kubernetes", "pulumi_policy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + program], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    [
        ["preview", "stacks/prod/plan.yaml", "--resources"],
        ["diff", "docs/examples/first-plan-fixed.yaml", "docs/examples/first-plan-larger.yaml"],
        ["manifests", "docs/examples/workload.yaml"],
        ["schema", "plan"],
        ["rule", "TPU112"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_runs(words: list[str]) -> None:
    done = run(f"from pulumi_gke_tpu.cli import main\nsys.argv = ['gke-tpu', *{words!r}]\nmain()")
    others = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert (done.returncode, others) == (0, [])
    assert done.stdout


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("from pulumi_gke_tpu import TpuSlices", "TpuSlices requires the Pulumi SDK: install gke-tpu with the extra"),
        ("from pulumi_gke_tpu import WindowArgs", "WindowArgs requires the Pulumi SDK: install gke-tpu with the extra"),
        ("from pulumi_gke_tpu.features.plugin import main\nmain()", "The components require the Pulumi SDK: install"),
        ("from pulumi_gke_tpu.features.policy_pack.__main__ import main\nmain()", "requires pulumi-policy: install"),
    ],
)
def test_what_needs_pulumi_names_the_extra(program: str, said: str) -> None:
    done = run(program)
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]
