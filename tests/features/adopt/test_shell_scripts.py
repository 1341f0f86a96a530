"""Scripts are read as data, however they are written, and nothing in them is executed."""

import pathlib
import time

import pytest
from support.sampling import size

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.command_lines.gcluster import plan_of as gcluster_plan_of
from pulumi_gke_tpu.features.adopt.command_lines.xpk import plan_of

CATALOG = read_catalog()
CREATE = "xpk cluster create --cluster c --project acme-ml --zone us-east5-a --tpu-type v5p-8 --spot"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("$(touch HERE)", "it contains the output of a command"),
        ("`touch HERE`", "it contains the output of a command"),
        ('"x$(touch HERE)"', "it contains the output of a command"),
        ("$((X + 2))", "it contains a sum of unknown values"),
        ("<(touch HERE)", "it has no value"),
        ("$1", "only a shell knows the value of $1"),
        ("$HOME", "the script does not set $HOME"),
        ("${X%y}", "the script does not set $X"),
        ("${!X}", "the script does not set $X"),
        ("${X@Q}", "the script does not set $X"),
    ],
)
def test_what_only_a_shell_knows_is_an_error_with_its_place(
    value: str, reason: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (problem,) = plan_of([("s.sh", f"echo\n{CREATE} --gke-version {value}")], CATALOG).problems
    assert problem.message == f"the value of `--gke-version` is not known: {reason}"
    assert (problem.file, problem.line) == ("s.sh", 2)
    assert not (tmp_path / "HERE").exists()


def test_a_variable_that_changes_in_a_loop_is_not_known() -> None:
    script = f"while a; do\n{CREATE} --gke-version 1.3$V\nV=$((V + 1))\ndone"
    (problem,) = plan_of([("s.sh", f"V=1\n{script}")], CATALOG).problems
    assert "$V has several values" in problem.message


@pytest.mark.parametrize("before", ["", "python3 ", "python3 path/to/", "FOO=1 ", "sudo ", "time ", "if ! "])
def test_xpk_may_be_started_in_many_ways(before: str) -> None:
    name = "xpk.py" if "python" in before else "xpk"
    assert not plan_of([("s", CREATE.replace("xpk", f"{before}{name}", 1))], CATALOG).problems


@pytest.mark.parametrize("other", ["echo", "grep", "cat"])
def test_xpk_as_a_word_of_another_command_runs_no_command_of_xpk(other: str) -> None:
    assert plan_of([("s", f"{other} {CREATE}")], CATALOG).problems[0].message == "no xpk command found"


HOSTILE = {
    "one long word": "a" * size(1_000_000),
    "long variable": "X=" + "a" * size(1_000_000) + "\necho $X",
    "doubling": "X=aaaaaaaaaa\n" + "X=$X$X$X$X\n" * 60 + f"{CREATE} --gke-version $X",
    "many lines": f"{CREATE}\n" * size(3_000),
    "many quotes": "'a' " * size(200_000),
    "many documents": "cat <<E\nE\n" * size(50_000),
    "deep parentheses": "$(" * size(200_000),
    "open quotes": '"' * size(333_333),
    "control characters": f"{CREATE} --gke-version \x1b]0;x\x07 --\u202e=1 \x00",
    "strange names": "xpk cluster create --cluster '../../x' --project 'a.b: {c}' --zone '-' --tpu-type v5p-8",
    "names with dots": f"{CREATE}\nxpk workload create --cluster c --workload a.b.c --command x --tpu-type v5p-8",
    "a workload named env": f"{CREATE}\nxpk workload create --cluster c --workload env --command x --tpu-type v5p-8",
    "backslash at the end": "xpk cluster create \\",
    "options without values": "xpk cluster create --cluster --project --zone --tpu-type",
    "only options": "xpk -- -- --=x -x ---",
    "yaml": "deployment_groups: [&a [*a]]\nvars: 1",
    "yaml lists": "deployment_groups: [1, {modules: [2, {source: 3, settings: 4, use: 5}]}]\nvars: {project_id: 1}",
    "unknown sources": "vars: {project_id: p-1, region: us-east5, zone: us-east5-b}\ndeployment_groups: "
    "[{modules: [{id: c, source: modules/scheduler/gke-cluster, settings: {additional_networks: [1], "
    "master_authorized_networks: 3, maintenance_exclusions: [1], system_node_pool_node_count: 2}}, "
    "{id: p, source: modules/compute/gke-node-pool, use: [c], settings: {machine_type: [], num_slices: x}}]}]",
    "variables in a circle": "vars: {project_id: $(vars.region), region: $(vars.project_id)}\ndeployment_groups: []",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_scripts_end_without_a_traceback(name: str) -> None:
    start = time.process_time()
    for read in (plan_of, gcluster_plan_of):
        translation = read([("s", HOSTILE[name])], CATALOG)
        shown = [str((row.option, row.value, row.key)) for row in translation.rows]
        assert all(text.isprintable() for text in shown)
    assert time.process_time() - start < size(30)
