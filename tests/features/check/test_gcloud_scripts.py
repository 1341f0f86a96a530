"""Scripts with commands of gcloud: each fault is reported at its flag; right and unknown values have no findings."""

import json
import pathlib
import time
from typing import Any

import pytest
import yaml
from support.sampling import size

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.resources.recognition import is_shell_script
from pulumi_gke_tpu.features.check.resource_check import check_resource_files
from pulumi_gke_tpu.features.check.resource_files import CheckedFiles, sorted_files

CATALOG = read_catalog()
DATA = pathlib.Path(__file__).parent / "data" / "gcloud"
EXPECTED = yaml.safe_load((DATA / "expected.yaml").read_text())
POOL = "gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b"
V6E = f"{POOL} --machine-type=ct6e-standard-4t"


def sorted_script(text: str, name: str = "deploy.sh") -> CheckedFiles:
    return sorted_files([ManifestFile(name, text.encode())], CATALOG)


def found(text: str) -> list[tuple[str, str]]:
    """The rule of each finding, and the text at its place."""
    given = sorted_script(text)
    findings = [*given.unusable, *check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings]
    lines = text.splitlines()
    places = []
    for item in findings:
        assert item.position is not None
        at = item.position
        places.append((item.rule, lines[at.line - 1][at.column - 1 : at.end_column - 1]))
    return places


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_fault_is_reported_at_its_flag(name: str) -> None:
    text = (DATA / "faulty" / f"{name}.sh").read_text()
    assert sorted(found(text)) == sorted(map(tuple, EXPECTED[name]))


def test_every_faulty_script_has_its_row() -> None:
    assert {path.stem for path in (DATA / "faulty").iterdir()} == EXPECTED.keys()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--ephemeral-storage-local-ssd=count=1", "property `--ephemeral-storage-local-ssd` is not supported"),
        (
            "--accelerator-network-profile=auto --additional-node-network=network=a,subnetwork=b",
            "`--accelerator-network-profile` conflicts with `--additional-node-network`",
        ),
    ],
)
def test_messages_name_flags_instead_of_properties(flags: str, words: str) -> None:
    given = sorted_script(f"{V6E} --num-nodes=1 {flags}")
    findings = check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings
    assert any(words in finding.message for finding in findings), [finding.message for finding in findings]


@pytest.mark.parametrize(
    "content", ["xpk workload create --cluster c", "python3 xpk.py cluster create", "gcluster job submit"]
)
def test_scripts_of_other_tools_name_the_command_that_reads_them(content: str) -> None:
    (finding,) = sorted_script(content, "train.sh").unusable
    assert "`gke-tpu adopt --from " in finding.message


@pytest.mark.parametrize("path", sorted((DATA / "right").iterdir()), ids=lambda path: path.stem)
def test_right_scripts_have_no_findings(path: pathlib.Path) -> None:
    assert found(path.read_bytes().decode()) == []


@pytest.mark.parametrize(
    "spelled",
    [
        "{} --tpu-topology=4x3",
        "{} --tpu-topology 4x3",
        "{} '--tpu-topology=4x3'",
        "TOPO=4x3\n{} --tpu-topology=$TOPO",
        "TOPO=4x3\n{} --tpu-topology ${{TOPO}}",
        '{} --tpu-topology="${{TOPO:-4x3}}"',
        "ARGS=(--tpu-topology=4x3)\n{} ${{ARGS[@]}}",
        "ARGS='--spot --tpu-topology=4x3'\n{} $ARGS",
        "f() {{ {} --tpu-topology=$1; }}\nf 4x3",
        "for t in 4x3; do\n{} --tpu-topology=$t\ndone",
        "if true; then {} --tpu-topology=4x3; fi",
        "a && {} --tpu-topology=4x3 || exit 1",
        "sudo {} --tpu-topology=4x3",
        "time {} \\\n  --tpu-topology=4x3",
        "{} \\\n  # what we need\n  --tpu-topology=4x3",
        "bash -c '{} --tpu-topology=4x3'",
        "bash <<EOF\n{} --tpu-topology=4x3\nEOF",
        "retry 5 {} --tpu-topology=4x3",
        "OUT=$({} --tpu-topology=4x3)",
        "{} --tpu-topology=4x3 &",
        "$ {} --tpu-topology=4x3",
    ],
)
@pytest.mark.parametrize("track", ["", "beta ", "alpha "])
def test_a_command_is_read_however_it_is_written(spelled: str, track: str) -> None:
    command = V6E.replace("gcloud ", f"gcloud {track}")
    assert [rule for rule, _ in found(spelled.format(command))] == ["TPU112"]


@pytest.mark.parametrize("value", ["$UNSET", "$(pick)", "`pick`", "$1", "${!name}", "4x${N}", "$TPU_TOPOLOGY --spot"])
def test_unknown_values_have_no_findings_and_are_named(value: str) -> None:
    text = f"{V6E} --num-nodes=4 --tpu-topology={value}"
    assert found(text) == []
    assert [each.part for each in sorted_script(text).read_sources.not_read] == ["c/tpu: --tpu-topology"]


@pytest.mark.parametrize("more", ["$MORE", '"${MORE[@]}"', '"$@"', "$(more)"])
def test_flags_that_a_variable_may_have_are_not_missing_and_are_named_as_not_read(more: str) -> None:
    text = f"{V6E} --num-nodes=4 {more}"
    assert found(text) == []
    assert [each.part for each in sorted_script(text).read_sources.not_read] == ["c/tpu: further flags"]


SLICE = f"{V6E} --tpu-topology=4x4"
BRANCHES = {
    "a default and a condition": f'F=(--num-nodes=4)\n[ -n "$A" ] && F+=(--disk-type=pd-ssd)\n{SLICE} "${{F[@]}}"',
    "if and else": f'if a; then F=(--num-nodes=4); else F=(--num-nodes=4 --disk-type pd-ssd); fi\n{SLICE} "${{F[@]}}"',
    "case": f'case $A in a) F=(--disk-type=pd-ssd) ;; b) F=(--spot) ;; esac\n{SLICE} --num-nodes=4 "${{F[@]}}"',
    "text that grows": f'F="--num-nodes=4"\nif a; then F="$F --disk-type=pd-ssd"; fi\n{SLICE} $F',
    "if a variable is set": f"{SLICE} --num-nodes=4 ${{A:+--disk-type=pd-ssd}}",
    "an array in another one": f'F=()\nif a; then F=(--disk-type=pd-ssd); fi\nG=(--num-nodes=4 "${{F[@]}}")\n'
    f'{SLICE} "${{G[@]}}"',
    "the second of two": f"F=(--num-nodes=4)\nif a; then F+=(--disk-type=pd-ssd); fi\nif b; then F+=(--spot); fi\n"
    f'{SLICE} "${{F[@]}}"',
    "in a function": f"f() {{ {SLICE} --num-nodes=4 $F; }}\nif a; then F=--disk-type=pd-ssd; else F=--spot; fi\nf",
    "with an unknown name": f"if a; then F=(--disk-type=pd-ssd); else F=(); fi\n"
    f'{SLICE.replace("create tpu", "create $1")} --num-nodes=4 "${{F[@]}}"',
}


@pytest.mark.parametrize("name", BRANCHES)
def test_flags_that_a_command_has_after_one_way_through_a_branch_are_judged(name: str) -> None:
    text = BRANCHES[name]
    assert [rule for rule, _ in found(text)] == ["TPU501"]
    assert found(text.replace("pd-ssd", "hyperdisk-balanced")) == []


MENU = f"""
TOPOLOGY= NODES=1
read -r KIND
case $KIND in
  1)
    read -r SIZE
    case $SIZE in
      1) TOPOLOGY=2x4; MACHINE=ct6e-standard-4t; NODES=2 ;;
      2) TOPOLOGY=4x4; MACHINE=ct6e-standard-4t; NODES=4 ;;
    esac ;;
  2)
    MACHINE=ct5p-hightpu-4t
    if [ "$LARGE" ]; then TOPOLOGY=2x2x4 NODES=4; else TOPOLOGY=2x2x2 NODES=2; fi ;;
esac
{POOL.replace("us-east5-b", "us-east5-a")} --machine-type="$MACHINE" --tpu-topology="$TOPOLOGY" --num-nodes="$NODES"
"""
"""Choices inside of choices: the values of one way belong together."""


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("NODES=4 ;;", "NODES=3 ;;", "TPU462"),
        ("TOPOLOGY=2x4", "TOPOLOGY=2x3", "TPU112"),
        ("2x2x2", "2x2", "TPU111"),
        ("NODES=2; fi", "NODES=4; fi", "TPU462"),
    ],
)
def test_each_way_through_branches_inside_of_branches_is_judged(right: str, wrong: str, rule: str) -> None:
    assert [each for each, _ in found(MENU.replace(right, wrong))] == [rule]
    assert found(MENU) == []


def test_conditions_that_exclude_each_other_do_not_hold_together() -> None:
    """Else each script that chooses the capacity with several conditions would have a conflict."""
    choices = ("--spot", "--flex-start --enable-autoscaling --max-nodes=4", "--reservation-affinity=none")
    branches = "\n".join(f'if [ "$KIND" = {index} ]; then F+=({flags}); fi' for index, flags in enumerate(choices))
    text = f'F=()\n{branches}\n{SLICE} "${{F[@]}}"'
    assert found(text) == []
    assert "c/tpu: further flags" in [each.part for each in sorted_script(text).read_sources.not_read]


GENERATIONS = """
while [ $# -gt 0 ]; do
  case $1 in --type) TYPE=$2; shift 2 ;; --spot) SPOT=1; shift ;; *) exit 1 ;; esac
done
case "$TYPE" in
  v6e) MACHINE=ct6e-standard-4t; TOPOLOGY=4x4; NODES=4; ZONE=us-east5-b ;;
  v5p) MACHINE=ct5p-hightpu-4t; TOPOLOGY=2x2x4; NODES=4; ZONE=us-east5-a ;;
  *) exit 1 ;;
esac
MORE=()
if [ -n "$SPOT" ]; then MORE+=(--spot); fi
gcloud container node-pools create "tpu-$TYPE" --cluster=c --region="${ZONE%-*}" --node-locations="$ZONE" \\
  --machine-type="$MACHINE" --tpu-topology="$TOPOLOGY" --num-nodes="$NODES" "${MORE[@]}"
"""


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("TOPOLOGY=4x4", "TOPOLOGY=4x3", "TPU112"),
        ("2x2x4; NODES=4", "2x2x4; NODES=2", "TPU462"),
        ("ZONE=us-east5-a", "ZONE=us-east5-c", "TPU208"),
        ("(--spot)", "(--spot --disk-type=pd-ssd)", "TPU501"),
    ],
)
def test_a_choice_and_an_option_about_something_else_are_judged(right: str, wrong: str, rule: str) -> None:
    assert rule in [each for each, _ in found(GENERATIONS.replace(right, wrong))]
    assert found(GENERATIONS) == []
    assert sorted_script(GENERATIONS).read_sources.not_read == ()


SIZES = """
if [ "$SIZE" = large ]; then TOPOLOGY=4x4; else TOPOLOGY=2x4; fi
if {}; then NODES=4; else NODES=2; fi
"""


@pytest.mark.parametrize("condition", ['[ "$SIZE" = large ]', "[[ $SIZE == large ]]", 'test "$SIZE" = "large"'])
def test_the_same_condition_in_two_places_has_the_same_way(condition: str) -> None:
    text = f'{SIZES.format(condition)}{V6E} --tpu-topology="$TOPOLOGY" --num-nodes="$NODES"'
    assert found(text) == []
    assert [rule for rule, _ in found(text.replace("NODES=4", "NODES=3"))] == ["TPU462"]


@pytest.mark.parametrize(
    "condition", ['[ "$SIZE" != small ]', '[ -n "$LARGE" ]', 'case_of "$SIZE"', "[ $((N > 2)) = 1 ]"]
)
def test_conditions_that_may_belong_together_are_not_combined(condition: str) -> None:
    """Else a script that chooses a topology and its number of nodes in two places would have a false finding."""
    text = f'{SIZES.format(condition)}{V6E} --tpu-topology="$TOPOLOGY" --num-nodes="$NODES"'
    assert found(text) == []
    parts = [each.part for each in sorted_script(text).read_sources.not_read]
    assert parts == ["c/tpu: --tpu-topology", "c/tpu: --num-nodes"]


def test_a_command_for_an_unknown_pool_may_change_each_pool_with_an_unknown_name() -> None:
    create = f"{V6E.replace('create tpu', 'create $A')} --flex-start --num-nodes=4"
    update = "gcloud container node-pools update $B --cluster=c --location=us-east5"
    assert "TPU404" in [rule for rule, _ in found(create)]
    assert found(f"{create}\n{update} --enable-autoscaling --max-nodes=4") == []


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--tpu-topolgy=4x4", "gcloud container node-pools create has no flag `--tpu-topolgy`"),
        ("--reservation=r", "`--reservation` needs `--reservation-affinity=specific`"),
        ("--reservation-affinity=specific", "`--reservation-affinity=specific` needs `--reservation`"),
        ("--num-nodes=x", "`--num-nodes` takes a whole number, not `x`"),
        ("--disk-size=big", "`--disk-size` takes a size such as 100GB, not `big`"),
        ("--node-taints=a", "`--node-taints` takes taints such as key=value:NoSchedule, not `a`"),
        ("--tpu-topology", "`--tpu-topology` has no value"),
    ],
)
def test_what_gcloud_refuses_is_an_error(flag: str, message: str) -> None:
    findings = sorted_script(f"{V6E} {flag}").unusable
    assert [item.message for item in findings] == [message]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("deploy.sh", "echo", True),
        ("deploy", "#!/bin/bash\necho", True),
        ("<stdin>", "#!/usr/bin/env -S bash -e\necho", True),
        ("<stdin>", V6E, True),
        ("<stdin>", "export A=b\nA=b sudo gcloud beta container clusters create c", True),
        ("notes.txt", f"$ {V6E}", True),
        ("deploy.py", f"#!/usr/bin/env python3\n'''\n{V6E}\n'''", False),
        ("deploy", f"#!/usr/bin/python3\n{V6E}", False),
        ("<stdin>", f"import os\n{V6E}", False),
        ("Deploy.java", V6E, False),
        ("README.md", f"```\n{V6E}\n```", False),
        ("<stdin>", f"# Guide\n```bash\n{V6E}\n```", False),
        ("job.yaml", f"apiVersion: v1\nkind: ConfigMap\ndata:\n  run: |\n    {V6E}", False),
        ("<stdin>", f"apiVersion: v1\nkind: ConfigMap\ndata:\n  run: |\n    {V6E}", False),
        ("<stdin>", "Run gcloud container clusters create c.", False),
        ("answer.json", '{"kind": "gcloud container"}', False),
    ],
)
def test_scripts_are_recognized_by_their_name_first_line_or_commands(name: str, content: str, expected: bool) -> None:
    assert is_shell_script(name, content.encode()) is expected


def test_the_command_reports_resources_and_objects_of_a_script(gke_tpu: Any) -> None:
    done = gke_tpu("check", DATA / "faulty" / "objects.sh", "--format", "json")
    assert done.code == 1
    findings = {item["rule"]: item for item in json.loads(done.out)["findings"]}
    assert set(findings) == {"TPU723", "TPU790"}
    assert findings["TPU790"]["why"].startswith("no node of the files has the labels")


@pytest.mark.parametrize(
    "text",
    [
        f"{V6E} --tpu-topology=4x4\n" * size(3_000),
        f"for a in {{1..999}}; do for b in {{1..999}}; do for c in {{1..999}}; do\n{V6E}\ndone; done; done",
        f"f() {{ g; g; }}\ng() {{ f; f; }}\nf\n{V6E}",
        f"A=$B\nB=$A\nA=$A$B$A\n{V6E} --tpu-topology=$A",
        f"{V6E} --node-labels=" + "a=b," * size(500_000),
        f"{V6E} " + "--spot " * size(100_000),
        "if a; then " * size(5_000) + V6E,
        "while a; do " * 30 + V6E + "; done" * 30,
        "x=(" + "a " * size(300_000) + f')\n{V6E} "${{x[@]}}"',
        f"{V6E} --tpu-topology='4x4",
        f"{V6E} {{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}",
        f"kubectl apply -f - <<EOF\napiVersion: {{{{{{\n\tkind\nEOF\n{V6E}",
        "gcloud container node-pools create --cluster --location",
        f"{V6E} --additional-node-network=,,=,= --max-run-duration=\x1b[31m --\u202e",
        "\n".join("if a; then F=($F --spot); G+=($F $G); fi" for _ in range(size(2_000))) + f"\n{V6E} $F $G",
        "\n".join(f"case $A in a) F{one}=a ;; b) F{one}=b ;; esac" for one in range(40))
        + f"\n{V6E} {' '.join(f'$F{one}' for one in range(40))}" * size(500),
    ],
    ids=range(16),
)
def test_hostile_scripts_end_in_time(text: str) -> None:
    start = time.process_time()
    found(text)
    assert time.process_time() - start < size(30)
