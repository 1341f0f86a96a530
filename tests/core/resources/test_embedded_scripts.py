"""Commands of gcloud in pipelines, runbooks and Makefiles: each at its place, with the values that the file states."""

import time

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.model import Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader

READER = ResourceReader(read_catalog())
CREATE = "gcloud container node-pools create tpu --cluster=c --location=us-east5 --machine-type=ct6e-standard-4t"


def read(text: str, name: str = "pipeline.yaml", **files: str) -> Resources:
    READER.declare((other, content.encode()) for other, content in files.items())
    found = READER.read(name, text.encode())
    assert found is not None
    return found


def topologies(text: str, name: str = "pipeline.yaml") -> list[str]:
    return [each.values.known_text("placementPolicy.tpuTopology") for each in read(text, name).found]


@pytest.mark.parametrize(
    "text",
    [
        f"steps:\n- run: {CREATE} --tpu-topology=4x4\n",
        f'steps:\n- run: "{CREATE} --tpu-topology=4x4"\n',
        f"steps:\n- run: '{CREATE} --tpu-topology=4x4'\n",
        f"steps:\n- run: |\n    set -e\n    {CREATE} \\\n      --tpu-topology=4x4\n",
        f"steps:\n- run: |-\n\n    {CREATE} --tpu-topology=4x4\n",
        f"steps:\n- run: >\n    {CREATE}\n    --tpu-topology=4x4\n",
        f"steps:\n- run: {CREATE}\n    --tpu-topology=4x4\n",
        f"script:\n- {CREATE}\n  --tpu-topology=4x4\n- echo done\n",
        "args: [gcloud, " + ", ".join(CREATE.split()[1:]) + ", --tpu-topology=4x4]\n",
        "entrypoint: gcloud\nargs:\n"
        + "".join(f"- '{word}'\n" for word in [*CREATE.split()[1:], "--tpu-topology", "4x4"]),
        "name: gcr.io/cloud-builders/gcloud\nargs: [beta, " + ", ".join(CREATE.split()[1:]) + ", --tpu-topology=4x4]\n",
        f"env: {{T: 4x4}}\njobs:\n  a:\n    run: {CREATE} --tpu-topology=$T\n",
        f"env: {{T: 2x4}}\njobs:\n  a:\n    env: {{T: 4x4}}\n    run: {CREATE} --tpu-topology=${{{{ env.T }}}}\n",
        f"substitutions: {{_T: 4x4}}\nsteps:\n- script: {CREATE} --tpu-topology=${{_T}}\n",
        f"on:\n  workflow_call: {{inputs: {{t: {{default: 4x4}}}}}}\nrun: {CREATE} --tpu-topology ${{{{inputs.t}}}}\n",
        f"params: [{{name: t, default: 4x4}}]\nscript: {CREATE} --tpu-topology=$(params.t)\n",
        f"env: [{{name: T, value: 4x4}}]\nscript: {CREATE} --tpu-topology=$T\n",
        f"environment: [T=4x4]\nscript: {CREATE} --tpu-topology=$T\n",
        f"vars: {{a: 4, t: '{{{{ a }}}}x4'}}\nshell: {CREATE} --tpu-topology={{{{ t }}}}\n",
        "args: [gcloud, " + ", ".join(CREATE.split()[1:]) + ", --tpu-topology=4x4, '--spot\n\n', --num-nodes, '4']\n",
        f"- strategy:\n    matrix:\n      t: [4x4]\n  run: {CREATE} --tpu-topology=${{{{ matrix.t }}}}\n",
    ],
)
def test_a_command_is_read_however_a_pipeline_writes_it(text: str) -> None:
    assert topologies(text) == ["4x4"]
    assert read(text).rejected == ()


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("${{ secrets.T }}", "only a run knows ${{ secrets.T }}"),
        ("${{ matrix.t || '4x4' }}", "only a run knows ${{ matrix.t || '4x4' }}"),
        ("$T", "the script does not set $T"),
        ("$(params.t)", "only a run knows $(params.t)"),
    ],
)
def test_values_that_only_a_run_knows_are_named(expression: str, reason: str) -> None:
    found = read(f"steps:\n- run: |\n    {CREATE} --tpu-topology={expression}\n")
    assert [(each.part, each.reason, each.line) for each in found.unread] == [("c/tpu: --tpu-topology", reason, 3)]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("nodeConfig.machineType", "--machine-type"),
        ("nodeConfig.labels.team", "--node-labels"),
        ("nodeConfig.shieldedInstanceConfig", "--shielded-integrity-monitoring"),
        ("nodeConfig.sandboxConfig.type", "nodeConfig.sandboxConfig.type"),
        ("nodeConfig.unknown", "nodeConfig.unknown"),
    ],
)
def test_a_property_has_the_name_of_the_flag_that_sets_it_or_a_part_of_it(path: str, shown: str) -> None:
    (pool,) = read(f"{CREATE} --machine-type=ct6e-standard-4t --node-labels=team=a\n", "up.sh").found
    assert pool.spelling.written(path) == shown


@pytest.mark.parametrize(
    ("matrix", "read_topologies"),
    [
        ("{t: [4x4, 2x4], n: [a, b], include: [{t: 8x8, n: c}]}", ["2x4", "2x4", "4x4", "4x4", "8x8"]),
        ("{t: [4x4, 2x4], include: [{t: 4x4, n: a}, {n: b}]}", ["2x4", "4x4"]),
        ("{include: [{t: 4x4, n: a}, {t: 2x4, n: b}]}", ["2x4", "4x4"]),
        ("{t: [4x4, 2x4], n: [a], exclude: [], include: [{t: 4x4, n: b}]}", ["2x4", "4x4", "4x4"]),
    ],
)
def test_every_combination_of_a_matrix_is_read(matrix: str, read_topologies: list[str]) -> None:
    """GitHub adds an entry of ``include`` to each combination of which it changes no value, or else as its own."""
    run = CREATE.replace(" tpu ", " p-${{ matrix.n }} ") + " --tpu-topology=${{ matrix.t }}"
    text = f"jobs:\n  a:\n    strategy:\n      matrix: {matrix}\n    steps:\n    - run: {run}\n"
    assert sorted(topologies(text)) == read_topologies


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", f"# Text\n\n```bash\n{CREATE} \\\n  --tpu-topology=4x4\n```\n"),
        (
            "README.md",
            f"1. Set it\n\n   ```sh\n   T=4x4\n   ```\n\n   ~~~console\n   $ {CREATE} --tpu-topology=$T\n   ~~~\n",
        ),
        ("Makefile", f"T ?= 4x4\npool:\n\t@{CREATE} \\\n\t  --tpu-topology=$(T)\n"),
        ("infra/Makefile", f"pool:\n\tfor t in 4x4; do {CREATE} --tpu-topology=$$t; done\n"),
        ("justfile", f't := "4x4"\npool:\n  @{CREATE} --tpu-topology={{{{t}}}}\n'),
        ("up.ps1", f'$T = "4x4"\n{CREATE} `\n  --tpu-topology=$T\n'),
    ],
)
def test_commands_in_other_files_are_read(name: str, text: str) -> None:
    assert topologies(text, name) == ["4x4"]


@pytest.mark.parametrize(
    ("deleted", "pools"),
    [
        ("default-pool --cluster=c --quiet", []),
        ("default-pool --cluster=d", ["default-pool"]),
        ("tpu --cluster=c", ["default-pool"]),
    ],
)
def test_a_new_cluster_has_a_node_pool_unless_the_script_deletes_it(deleted: str, pools: list[str]) -> None:
    made = "gcloud container clusters create c --location=us-east5 --machine-type=ct6e-standard-4t\n"
    found = read(f"{made}gcloud container node-pools delete {deleted}\n", "up.sh").found
    assert [each.name for each in found] == ["c", *pools]


def test_prose_and_other_languages_of_a_document_are_left_out() -> None:
    text = f"`{CREATE}`\n\n    {CREATE}\n\n```yaml\n{CREATE}\n```\n\n```bash\ngcloud container clusters list\n```\n"
    assert read(text, "README.md").found == ()


@pytest.mark.parametrize("value", ["NUM_NODES", "<number of nodes>", "<NODES>"])
def test_placeholders_of_a_document_are_unknown(value: str) -> None:
    found = read(f"```\n{CREATE} --num-nodes={value} --tpu-topology=4x4\n```\n", "README.md")
    assert found.rejected == ()
    assert [each.reason for each in found.unread] == [f"only a run knows {value}"]


def test_files_that_a_script_names_are_read() -> None:
    script = "source ./settings.sh\ngcloud container node-pools create tpu --flags-file=flags.yaml --tpu-topology=$T\n"
    flags = "- --cluster: c\n  --spot:\n- --node-labels: {a: b}\n  --node-locations: [x, y]\n"
    found = read(script, "a/up.sh", **{"a/settings.sh": "T=4x4\n", "a/flags.yaml": flags}).found
    values = found[0].values
    assert values.text("placementPolicy.tpuTopology") == "4x4"
    assert values.get("nodeConfig.labels") == {"a": "b"}
    assert values.get("nodeLocations") == ["x", "y"]
    assert values.flag("nodeConfig.spot")
    alone = read(script, "a/up.sh").unread
    assert any("--flags-file" in each.part for each in alone)


@pytest.mark.parametrize(
    ("updates", "names"),
    [
        (["b"], ["a", "b"]),
        (["b", "c"], ["a", "b", "c"]),
        (["b", "-a"], ["b"]),
        (["b", "-a", "c", "-b"], ["c"]),
    ],
)
def test_updates_add_and_remove_maintenance_exclusions(updates: list[str], names: list[str]) -> None:
    add = "--add-maintenance-exclusion-name={0} --add-maintenance-exclusion-start=2026-12-01T00:00:00Z"
    lines = ["gcloud container clusters create t --location=us-east5 " + add.format("a")]
    for name in updates:
        flag = f"--remove-maintenance-exclusion={name[1:]}" if name.startswith("-") else add.format(name)
        lines.append(f"gcloud container clusters update t --location=us-east5 {flag}")
    cluster = read("\n".join(lines), "up.sh").found[0]
    exclusions = cluster.values.get("maintenancePolicy.maintenanceExclusions") or []
    assert [each["exclusionName"] for each in exclusions] == names
    for index, name in enumerate(names):
        place = cluster.position_of(f"maintenancePolicy.maintenanceExclusions[{index}].exclusionName")
        assert place.line == next(number for number, line in enumerate(lines, 1) if f"-name={name} " in f"{line} ")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--zone=us-east5-b --region=us-east5", "`--region` cannot be used with `--zone`"),
        ("--location=us-east5 --zone=us-east5-b", "`--zone` cannot be used with `--location`"),
    ],
)
def test_flags_of_which_gcloud_takes_one_are_refused(flags: str, message: str) -> None:
    found = read(f"gcloud container node-pools create tpu --cluster=c {flags}", "up.sh")
    assert [each.message for each in found.rejected] == [message]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", f"steps:\n- run: |\n    {CREATE}\n" + f"    {CREATE.replace(' tpu ', ' x ')}\n" * 2_000),
        (
            "a.yaml",
            "a: {b: gcloud clusters}\n" + "".join(f"k{n}:\n  env: {{A{n}: b}}\n  run: {CREATE}\n" for n in range(900)),
        ),
        ("a.yaml", "- gcloud container " + "${{ x }}" * 20_000 + "\n# clusters\n"),
        ("a.md", "gcloud clusters\n" + "```\n" * 50_000),
        ("Makefile", "# gcloud clusters\n" + "A := $(B)\n\techo $$(A) \\\n" * 20_000),
        ("a.ps1", "gcloud clusters `\n" * 20_000),
        (
            "a.yaml",
            "# gcloud clusters\n" + "matrix: {include: [{a: b}]}\nstrategy:\n  matrix: {a: [" + "x," * 5_000 + "]}\n",
        ),
    ],
)
def test_large_files_are_read_in_linear_time(name: str, text: str) -> None:
    began = time.process_time()
    READER.read(name, text.encode())
    assert time.process_time() - began < 6


@pytest.mark.parametrize(("written", "text"), [("true", "true"), ("4", "4"), ("'true'", "true")])
def test_a_value_of_a_pipeline_is_the_text_that_a_shell_gets(written: str, text: str) -> None:
    found = read(f"env: {{T: {written}}}\nrun: {CREATE} --node-labels=a=$T --tpu-topology=4x4\n").found
    assert found[0].values.get("nodeConfig.labels") == {"a": text}


def test_a_folded_text_continues_only_lines_that_are_not_indented_more() -> None:
    text = f"run: >\n    {CREATE}\n\n    {CREATE.replace(' tpu ', ' b ')}\n      --tpu-topology=4x4\n"
    assert [each.name for each in read(text).found] == ["tpu", "b"]
    assert topologies(text) == ["", ""]
