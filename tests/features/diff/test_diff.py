"""``gke-tpu diff`` of files, folders and stored previews: comparisons, messages, exit codes."""

import io
import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from support.shipped import NAMES
from support.small_plans import BASE, BROKEN, CHEAP, REPLACING, RESERVED, TODAY, plan

from pulumi_gke_tpu.features.diff.output.comment import LIMIT, MARKER, change_markdown
from pulumi_gke_tpu.features.diff.output.json import change_json, change_page_from_json, change_schema
from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS

STACKS = pathlib.Path(__file__).parents[3] / "stacks"


@pytest.fixture
def write(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``write("a/plan.yaml", text)`` below a folder that is the current one."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    return written


@pytest.fixture
def compare(gke_tpu: Any, write: Any) -> Any:
    """``compare(base text, head text, options...)`` -> what the command wrote."""

    def run(base: str, head: str, *options: str) -> Any:
        return gke_tpu("diff", write("base.yaml", base), write("head.yaml", head), *TODAY, *options)

    return run


def test_a_replacement_is_reported_with_hosts_and_the_entry_to_paste(compare: Any) -> None:
    run = compare(RESERVED, RESERVED.replace("4x4", "4x8"))
    assert (run.code, run.err) == (1, "")
    said = " ".join(run.out.split())
    assert "1 slice group replaced · +16 chips" in said
    assert "REPLACE train/pretrain topology: 4x4 → 4x8" in said
    assert "4 hosts" in said
    assert "8 hosts" in said
    assert "To proceed, add to head.yaml: acknowledge: - {change: replace, of: train/pretrain" in said


INTERFACES = """\
version: 1
project: acme-project
clusters:
  east:
    mode: standard
    location: us-east5
    additional_networks: {data: {subnet: 10.64.0.0/20}}
    slices:
      train: {tpu: v6e, topology: 4x8, zone: us-east5-b, capacity: spot, additional_networks: [data]}
"""


def test_a_replacement_without_the_interfaces_of_a_group_fails_where_replacements_must_not_happen(compare: Any) -> None:
    removed = INTERFACES.replace(", additional_networks: [data]", "")
    run = compare(INTERFACES, removed, "--fail-on", "delete,replace,restart,refused")
    assert run.code == 6
    assert "REPLACE east/train" in " ".join(run.out.split())
    assert compare(INTERFACES, INTERFACES, "--fail-on", "delete,replace,restart,refused").code == 0


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("folder", ["a folder with spaces/" + "and-folders/" * 11, "x" * 130 + "/"])
def test_the_first_lines_fit_the_terminal_whatever_the_paths(
    gke_tpu: Any, write: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, folder: str, width: int
) -> None:
    files = [tmp_path / write(f"{folder}{name}.yaml", text) for name, text in (("old", BASE), ("new", RESERVED))]
    monkeypatch.setenv("COLUMNS", str(width))
    head = gke_tpu("diff", *files, *TODAY).out.split("\n\n")[0]
    assert max(map(len, head.splitlines())) <= width
    assert "/old.yaml → …" in head
    assert "/new.yaml · catalog" in " ".join(head.split())


@pytest.mark.parametrize(
    "head",
    [
        BASE,
        f"# a comment\n{BASE}",
        BASE.replace("version: 1\nproject: acme-ml\n", "project: acme-ml\nversion: 1\n"),
        BASE.replace("acme-ml", '"acme-ml"'),
        BASE.replace("4x4", "&shape 4x4"),
        BASE.replace("      pretrain: {", "      pretrain:\n        {"),
        plan("4x4", count=1),
        json.dumps(
            {
                "version": 1,
                "project": "acme-ml",
                "clusters": {
                    "train": {
                        "mode": "standard",
                        "location": "us-east5",
                        "slices": {"pretrain": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}},
                    }
                },
            }
        ),
    ],
    ids=["equal", "comment", "order", "quotes", "anchor", "layout", "default", "json"],
)
def test_an_edit_without_effect_is_not_a_change(compare: Any, head: str) -> None:
    run = compare(BASE, head, "--exit-code")
    assert run.code == 0
    assert "no changes" in run.out


@pytest.mark.parametrize(
    ("head", "options", "code"),
    [
        (BASE, ("--exit-code",), 0),
        (CHEAP, (), 0),
        (CHEAP, ("--exit-code",), 4),
        (REPLACING, (), 0),
        (REPLACING, ("--exit-code",), 5),
        (REPLACING, ("--fail-on", "delete"), 0),
        (REPLACING, ("--fail-on", "replace,delete"), 6),
        (REPLACING, ("--fail-on", "cost:+20%"), 6),
        (REPLACING, ("--fail-on", "cost:+200%"), 0),
        (REPLACING, ("--fail-on", "dangerous", "--exit-code"), 6),
        (BROKEN, ("--fail-on", "dangerous", "--exit-code"), 1),
        (REPLACING, ("--most-hosts", "1"), 0),
        (REPLACING, ("--most-hosts", "1", "--strict"), 1),
    ],
)
def test_exit_codes(compare: Any, head: str, options: tuple[str, ...], code: int) -> None:
    assert compare(BASE, head, *options).code == code


def test_the_gate_that_is_closed_is_named(compare: Any) -> None:
    assert "failed gates: " in compare(BASE, REPLACING, "--fail-on", "replace").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fail-on", "replce"), "replace"),
        (("--fail-on", "cost"), "cost:+N%"),
        (("--fail-on", ""), "no gate; set"),
        (("--fail-on", " , "), "no gate; set"),
        (("--most-hosts", "-1"), "--most-hosts"),
        (("--ack-from", "here"), "--ack-from"),
        (("--today", "soon"), "invalid date"),
        (("--inventory", "nope.yaml"), "nope.yaml"),
        (("--catalog", "nope.yaml"), "nope.yaml"),
    ],
)
def test_wrong_use_exits_with_2(compare: Any, options: tuple[str, ...], said: str) -> None:
    run = compare(BASE, REPLACING, *options)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing side"),
        (("a.yaml",), "Missing side"),
        (("a.yaml", "nope.yaml"), "nope.yaml"),
        (("a.yaml", "folder"), "folder with a file"),
        (("a.yaml", "a.yaml", "stacks"), "require two revisions"),
        (("empty", "empty"), "No plan in"),
        (("a.yaml", "./nope.yaml"), "cannot read nope.yaml: no such file"),
    ],
)
def test_sides_that_mean_nothing_are_refused(
    gke_tpu: Any, write: Any, arguments: tuple[str, ...], said: str, tmp_path: pathlib.Path
) -> None:
    write("a.yaml", BASE)
    write("folder/plan.yaml", BASE)
    (tmp_path / "empty").mkdir()
    run = gke_tpu("diff", *arguments)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.parametrize("number", [0, 1])
def test_a_side_can_be_standard_input(
    gke_tpu: Any, write: Any, compare: Any, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    files, texts = [write("base.yaml", BASE), write("head.yaml", REPLACING)], [BASE, REPLACING]
    wanted = compare(*texts, "--format", "json")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(texts[number].encode())))
    run = gke_tpu(
        "diff", *(name if index != number else "-" for index, name in enumerate(files)), *TODAY, "--format", "json"
    )
    assert (run.code, run.err) == (wanted.code, "")
    assert run.out.replace("<stdin>", files[number]) == wanted.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-", "-"), "Only one side or stream of events can be standard input."),
        (("-", "plan.yaml", "--engine-events", "-"), "Only one side or stream of events can be standard input."),
    ],
)
def test_standard_input_is_one_plan(gke_tpu: Any, arguments: tuple[str, ...], said: str) -> None:
    run = gke_tpu("diff", *arguments)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


def test_without_git_a_file_that_does_not_exist_is_named(
    gke_tpu: Any, write: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    run = gke_tpu("diff", write("a.yaml", BASE), "nope.yaml")
    assert run.code == 2
    assert "nope.yaml: no such file, and not a revision: git is not on PATH" in run.err


def test_a_plan_with_errors_is_not_compared_and_its_errors_are_listed(compare: Any) -> None:
    run = compare(BASE, BROKEN)
    assert run.code == 1
    assert "1 error in the plans or the change · 1 plan not compared · no plans compared" in run.out
    assert "NOT COMPARED head.yaml\n  It has errors (TPU112)." in run.out
    assert "head.yaml:8:38: error TPU112" in run.out


def test_a_plan_with_errors_among_others_does_not_mean_no_changes(gke_tpu: Any, write: Any) -> None:
    write("old/plan.yaml", BASE)
    write("new/plan.yaml", BROKEN)
    for side in ("old", "new"):
        write(f"{side}/other/plan.yaml", plan(cluster="other"))
    out = gke_tpu("diff", "old", "new", *TODAY).out
    assert "1 error in the plans or the change · 1 plan not compared · no other changes" in out


OTHER = "      other: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"


@pytest.mark.parametrize("wrong", ["topology: 15x16", "topology: [4x4]", "topology: 4x4, count: many", "chips: 4x4"])
def test_a_group_with_errors_before_the_change_is_left_out_of_both_sides(compare: Any, wrong: str) -> None:
    """It is neither new nor gone: what happens to it is unknown, so no gate lets it pass."""
    base = plan().replace("topology: 4x4", wrong) + OTHER
    run = compare(base, plan("8x16") + OTHER.replace("4x4", "4x8"), "--format", "json", "--fail-on", "delete")
    data = json.loads(run.out)
    assert {item["item"]: item["change"] for item in data["items"]} == {"train/other": "replace"}
    assert [(entry["item"], entry["kind"]) for entry in data["unclear"]] == [("train/pretrain", "base")]
    chips = data["totals"]["capacity"]
    assert (chips["was"]["chips"]["max"], chips["will"]["chips"]["max"]) == (16, 32)
    assert data["dangerous"]
    assert run.code == 6
    assert data["failed"] == ["the base cannot be compared: head.yaml train/pretrain"]


def test_a_group_with_errors_that_moves_is_left_out_under_its_new_name(compare: Any) -> None:
    head = plan("8x16").replace("pretrain:", "main:") + OTHER + "moved: [{from: train/pretrain, to: train/main}]\n"
    data = json.loads(compare(plan("15x16") + OTHER, head, "--format", "json").out)
    assert [entry["item"] for entry in data["unclear"]] == ["train/main"]
    assert data["items"] == []


def test_a_removed_group_with_errors_is_named(compare: Any) -> None:
    head = plan("15x16").split("      pretrain")[0] + OTHER
    run = compare(plan("15x16") + OTHER, head)
    assert "NOT COMPARED head.yaml · train/pretrain\n  It had errors before this change (TPU112)." in run.out


@pytest.mark.parametrize("gates", ["delete", "cost:+20%", "engine", "create"])
@pytest.mark.parametrize("base", ["version: [1", "", BROKEN, BASE.replace("clusters", "clutsers")])
def test_a_base_that_cannot_be_compared_closes_every_gate(compare: Any, base: str, gates: str) -> None:
    run = compare(base, BASE, "--fail-on", gates)
    assert run.code == 6
    assert "failed gates: the base cannot be compared: head.yaml" in run.out
    assert "CREATE" not in run.out
    assert compare(base, BASE, "--exit-code").code == 5


INVENTORY = "version: 1\nas_of: 2026-11-20\nquotas: []\n"


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        ("", "TPU006: the file is empty"),
        (INVENTORY, "TPU021: this is an inventory, not a plan"),
        ("a: 1\n", "TPU020: not a plan: it has fewer than two"),
        ("version: [1\nclusters: {}\n", "TPU003: unclosed ["),
    ],
)
def test_a_base_that_is_not_a_plan_fails_without_a_gate_too(compare: Any, base: str, reason: str) -> None:
    """No rule about changes checks what happens to the plan, not even whether it loses protected items."""
    run = compare(base, BASE)
    assert run.code == 1
    assert f"NOT COMPARED head.yaml It could not be read as a plan before this change ({reason}" in " ".join(
        run.out.split()
    )
    assert "CREATE" not in run.out
    assert compare(BASE, base).code == 1


def test_a_base_of_which_one_item_has_errors_fails_gates_only(compare: Any) -> None:
    """A rule that is new must not stop every change."""
    base = plan("15x16") + OTHER
    assert compare(base, BASE + OTHER).code == 0
    assert compare(base, BASE + OTHER, "--fail-on", "delete").code == 6


RESERVED_LABEL = plan("4x4", node_labels='{node-role.kubernetes.io/tpu: "1"}')
NO_SUCH_PLACE = plan("4x4").replace("us-east5-b", "us-east5-x")


@pytest.mark.parametrize("base", [RESERVED_LABEL, NO_SUCH_PLACE])
def test_what_only_a_rule_refused_is_compared(compare: Any, base: str) -> None:
    """A rule that is new with a catalog must not hide what a change does to plans from before it."""
    run = compare(base, REPLACING, "--format", "json")
    data = json.loads(run.out)
    assert [item["change"] for item in data["items"]] == ["replace"]
    assert data["unclear"] == []
    assert any("all of its resources are known, so it is compared" in note for note in data["notes"])


def test_warnings_that_were_there_before_are_not_repeated(compare: Any) -> None:
    ranges = "subnet: 10.0.0.0/20, pods: 10.16.0.0/14, services: 10.20.0.0/20"
    doubtful = BASE.replace("us-east5\n", f"us-east5\n    network: {{create: {{mtu: 1460, {ranges}}}}}\n")
    assert "note TPU267" in compare(BASE, doubtful).out
    assert "TPU267" not in compare(doubtful, f"resource_labels: {{team: research}}\n{doubtful}").out


def test_auto_provisioned_chips_have_totals_of_their_own(compare: Any) -> None:
    def limited(chips: int) -> str:
        limits = f"autoprovisioning: {{cpu: 60000, memory_gib: 240000, tpu: {{v6e: {chips}}}}}"
        return BASE.replace("us-east5\n", f"us-east5\n    {limits}\n")

    run = compare(limited(64), limited(256), "--format", "json")
    totals = json.loads(run.out)["totals"]
    assert totals["capacity"]["was"] == totals["capacity"]["will"]
    assert totals["cost"]["was"] == totals["cost"]["will"]
    (auto,) = totals["auto"]
    held = totals["capacity"]["will"]["chips"]["min"]
    assert (auto["was"]["max"], auto["will"]["max"]) == (64 - held, 256 - held)
    lines = [" ".join(line.split()) for line in compare(limited(64), limited(256)).out.splitlines()]
    assert f"auto v6e us-east5, chips (not in the total) 0..{64 - held} 0..{256 - held} 0..+192" in lines
    assert [line for line in lines if line.startswith("auto v6e us-east5, USD per hour")]
    assert "auto v6e" not in compare(limited(64), limited(64)).out
    assert "auto v6e us-east5" in compare(BASE, limited(64)).out


def test_the_totals_have_the_limits_of_auto_provisioning(compare: Any) -> None:
    limits = "autoprovisioning: {cpu: 60000, memory_gib: 240000, tpu: {v6e: 64}}"
    with_limits = BASE.replace("us-east5\n", f"us-east5\n    {limits}\n")
    for head, count in ((BASE, 0), (with_limits, 1)):
        written = compare(BASE, head, "--format", "json").out
        assert len(json.loads(written)["totals"]["auto"]) == count
        assert change_json(change_page_from_json(written.encode())) == json.loads(written)


@pytest.fixture
def folders(write: Any) -> tuple[str, str]:
    write("old/prod/plan.yaml", BASE)
    write("old/gone/plan.yaml", plan(cluster="gone"))
    write("old/same.yaml", plan(cluster="same"))
    write("new/prod/plan.yaml", REPLACING)
    write("new/fresh/plan.yaml", plan(cluster="fresh", topology="2x2"))
    write("new/same.yaml", plan(cluster="same"))
    write("new/Pulumi.yaml", "name: x\nruntime: python\n")
    write("new/.hidden/plan.yaml", BROKEN)
    return "old", "new"


def test_folders_are_compared_plan_by_plan(gke_tpu: Any, folders: tuple[str, str]) -> None:
    data = json.loads(gke_tpu("diff", *folders, "--format", "json", *TODAY).out)
    changes = {(item["plan"], item["item"]): item["change"] for item in data["items"]}
    assert changes[("old/gone/plan.yaml", "gone/pretrain")] == "delete"
    assert changes[("new/prod/plan.yaml", "train/pretrain")] == "replace"
    assert changes[("new/fresh/plan.yaml", "fresh/pretrain")] == "create"
    assert not [plan for plan, _ in changes if "same" in plan]
    assert sorted(data["plans"]) == [
        "new/fresh/plan.yaml",
        "new/prod/plan.yaml",
        "new/same.yaml",
        "old/gone/plan.yaml",
    ]


def test_files_that_are_not_plans_are_named(gke_tpu: Any, folders: tuple[str, str]) -> None:
    assert "note: Not compared, because they are not plans: new/Pulumi.yaml." in gke_tpu("diff", *folders, *TODAY).out


def test_a_plan_that_was_moved_and_not_changed_is_compared_with_itself(gke_tpu: Any, write: Any) -> None:
    write("old/x/a/plan.yaml", BASE)
    write("new/y/a/plan.yaml", BASE)
    run = gke_tpu("diff", "old", "new", "--exit-code", *TODAY)
    assert run.code == 0
    assert "`new/y/a/plan.yaml` was moved from `old/x/a/plan.yaml`" in run.out


def test_of_equal_plans_the_one_in_a_folder_of_the_same_name_has_moved(gke_tpu: Any, write: Any) -> None:
    for name in ("a", "b"):
        write(f"old/{name}/plan.yaml", BASE)
    write("new/x/b/plan.yaml", BASE)
    assert "`new/x/b/plan.yaml` was moved from `old/b/plan.yaml`" in gke_tpu("diff", "old", "new", *TODAY).out


def test_a_plan_with_other_top_level_keys_is_still_compared(gke_tpu: Any, write: Any) -> None:
    write("old/prod.yaml", BASE)
    write("new/prod.yaml", "clusters: [\n")
    run = gke_tpu("diff", "old", "new", *TODAY)
    assert run.code == 1
    assert "new/prod.yaml" in run.out


def test_an_error_in_a_plan_that_is_not_touched_stops_nothing(gke_tpu: Any, write: Any) -> None:
    for side in ("old", "new"):
        write(f"{side}/wrong/plan.yaml", plan("4x5", cluster="other"))
    write("old/plan.yaml", BASE)
    write("new/plan.yaml", CHEAP)
    run = gke_tpu("diff", "old", "new", *TODAY)
    assert run.code == 0
    assert "`new/wrong/plan.yaml` has errors, also before this change: it is not compared" in " ".join(run.out.split())


def test_what_was_wrong_with_several_plans_before_is_not_told_again(gke_tpu: Any, write: Any) -> None:
    """The same cluster in two plans is an error, and not one of a change that touches neither."""
    for name, text in (("a", BASE), ("b", BASE), ("c", plan(cluster="other"))):
        write(f"old/{name}/plan.yaml", text)
        write(f"new/{name}/plan.yaml", text.replace("4x4", "4x8") if name == "c" else text)
    assert gke_tpu("diff", "old", "new", *TODAY).code == 0
    write("new/d/plan.yaml", BASE)
    run = gke_tpu("diff", "old", "new", *TODAY)
    assert run.code == 1
    assert "new/d/plan.yaml" in run.out


def test_json_follows_its_schema_and_is_enough_for_the_comment(compare: Any) -> None:
    written = compare(BASE, REPLACING, "--format", "json", "--fail-on", "replace").out
    jsonschema.Draft202012Validator(change_schema()).validate(json.loads(written))
    comment = compare(BASE, REPLACING, "--format", "markdown", "--fail-on", "replace").out
    assert change_markdown(change_page_from_json(written.encode())) == comment
    assert comment.startswith(MARKER)


def test_sarif_holds_the_findings_of_the_change(compare: Any) -> None:
    run = compare(BASE, BROKEN, "--format", "sarif")
    assert run.code == 1
    assert [result["ruleId"] for result in json.loads(run.out)["runs"][0]["results"]] == ["TPU112"]


def test_equal_sides_give_equal_bytes(compare: Any) -> None:
    assert compare(BASE, REPLACING, "--format", "json").out == compare(BASE, REPLACING, "--format", "json").out


def test_what_is_owned_limits_the_totals(compare: Any, write: Any) -> None:
    write(
        "inventory.yaml",
        "version: 1\nas_of: 2026-11-20\nreservations:\n"
        "  - {name: ours, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 4}\n",
    )
    out = compare(RESERVED, RESERVED.replace("4x4", "4x8"), "--inventory", "inventory.yaml").out
    assert "4 of 4" in out
    assert "8 of 4, too few" in out


def test_only_acknowledgements_of_the_base_can_be_asked_for(compare: Any) -> None:
    entry = 'acknowledge: [{change: replace, of: train/pretrain, reason: "larger", until: 2026-12-01}]\n'
    head = RESERVED.replace("4x4", "4x8") + entry
    assert compare(RESERVED, head, "--fail-on", "replace").code == 0
    run = compare(RESERVED, head, "--fail-on", "replace", "--ack-from", "base")
    assert run.code == 6
    assert "not accepted because it is not on the base yet, new in this change" in " ".join(run.out.split())


def store(gke_tpu: Any, path: str) -> str:
    stored = str(pathlib.Path(path).with_suffix(".json"))
    written = gke_tpu("preview", path, "--format", "json", "--resources", *TODAY).out
    pathlib.Path(stored).write_text(written, encoding="utf-8")
    return stored


@pytest.mark.parametrize("stack", NAMES)
def test_a_stored_preview_of_a_plan_differs_in_nothing(
    gke_tpu: Any, write: Any, stack: str, tmp_path: pathlib.Path
) -> None:
    given = write("plan.yaml", (STACKS / stack / "plan.yaml").read_text())
    run = gke_tpu("diff", store(gke_tpu, given), given, "--exit-code", *TODAY)
    assert (run.code, run.err) == (0, "")
    assert "no changes" in run.out


def test_a_stored_preview_stands_for_its_plan(gke_tpu: Any, write: Any, compare: Any) -> None:
    stored = store(gke_tpu, write("base.yaml", BASE))
    expected = compare(BASE, REPLACING, "--format", "json").out
    found = gke_tpu("diff", stored, "head.yaml", "--format", "json", *TODAY).out
    assert json.loads(found) | {"base": "base.yaml"} == json.loads(expected)


def test_a_stored_preview_keeps_its_resources(gke_tpu: Any, write: Any) -> None:
    """What another version registered is compared, not what this version would register for its plan."""
    stored = store(gke_tpu, write("base.yaml", BASE))
    path = pathlib.Path(stored)
    path.write_text(path.read_text().replace('"autoUpgrade": true', '"autoUpgrade": false'))
    run = gke_tpu("diff", stored, "base.yaml", "--resources", *TODAY)
    assert "management.autoUpgrade: false → true" in run.out
    assert "topology" not in run.out.split("IN PLACE")[0].lower()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a stored preview"),
        ('{"format": 1}', "not a stored preview"),
        ('{"format": 99, "catalog": "", "plan": ""}', "its format is 99"),
        ('{"format": 1, "catalog": "", "plan": ""}', "--resources"),
        ('{"format": 1, "catalog": "", "plan": "", "written": {}, "resources": [{}]}', "resources[0].urn: missing key"),
        ('{"format": 1, "catalog": "", "plan": "", "written": {}, "resources": [[]]}', "resources[0]: input should be"),
        ('{"format": 1, "catalog": "", "plan": "", "written": [], "resources": []}', "written: input should be"),
        ('{"format": 1, "catalog": "", "plan": "", "written": {"version": 1}, "resources": []}', "cannot be read"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_an_invalid_stored_preview_is_rejected_with_a_message(
    gke_tpu: Any, write: Any, content: str, said: str
) -> None:
    run = gke_tpu("diff", write("base.json", content), write("head.yaml", BASE), *TODAY)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_stored_preview_may_be_written_by_any_shell(gke_tpu: Any, write: Any, encoding: str) -> None:
    path = pathlib.Path(store(gke_tpu, write("base.yaml", BASE)))
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    assert gke_tpu("diff", path, "base.yaml", "--exit-code", *TODAY).code == 0


def test_the_number_of_hosts_in_the_help_is_that_of_the_rule(gke_tpu: Any) -> None:
    assert f"[default: ({MOST_HOSTS});" in " ".join(gke_tpu("diff", "--help").out.split())


def test_two_stored_previews_are_compared_without_pulumi(gke_tpu: Any, write: Any) -> None:
    names = [store(gke_tpu, write(name, text)) for name, text in (("a.yaml", BASE), ("b.yaml", REPLACING))]
    program = (
        "import sys\nfrom pulumi_gke_tpu.cli import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n    print('pulumi' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "diff", *names, *TODAY], capture_output=True, text=True, check=True
    )
    assert "1 slice group replaced" in done.stdout
    assert done.stderr.strip() == "False"


def test_a_thousand_groups_fit_into_one_comment(compare: Any) -> None:
    def many(topology: str) -> str:
        head, _ = BASE.split("      pretrain")
        return head + "".join(
            f"      g{number}: {{tpu: v6e, topology: {topology}, zone: us-east5-b}}\n" for number in range(150)
        )

    out = compare(many("4x4"), many("4x8"), "--format", "markdown").out
    assert len(out.encode()) <= LIMIT
    assert re.search(r"Left out: \d+ of 150 (changes|consequences)", out)
