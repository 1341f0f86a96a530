"""Comments on typical changes, as a reviewer sees them unfolded: approve, lost, next, also with open errors."""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.features.diff.output.verdict import ABOUT_ITEMS

GkeTpu = Callable[..., Any]
RESERVED = {"reservation": "v6e-pretrain"}
PRETRAIN = {"tpu": "v6e", "topology": "8x16", "zone": "us-east5-b", "count": 2, "capacity": RESERVED}
SWEEP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2, "capacity": "spot"}
ACKNOWLEDGED = {"change": "replace", "of": "train/pretrain", "reason": "larger slices", "until": "2026-12-01"}


def plan(**keys: Any) -> dict[str, Any]:
    """A plan with slice groups, and with further keys at the top level."""
    groups = {name: keys.pop(name) for name in list(keys) if isinstance(keys[name], dict)}
    cluster = {"mode": "standard", "location": "us-east5", "slices": groups}
    return {"version": 1, "project": "acme-ml", "clusters": {"train": cluster}, **keys}


@pytest.fixture
def comment(gke_tpu: GkeTpu, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The parts of the comment on a change: title, box and the lines below, without what is folded."""

    def of(before: dict[str, Any], after: dict[str, Any], vms: int = 64) -> dict[str, Any]:
        for name, content in (("before", before), ("after", after)):
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(copy.deepcopy(content)), encoding="utf-8")
        entry = {"name": "v6e-pretrain", "project": "acme-ml", "zone": "us-east5-b"}
        entry |= {"machine_type": "ct6e-standard-4t", "vms": vms}
        (tmp_path / "inventory.yaml").write_text(
            yaml.safe_dump({"version": 1, "as_of": "2026-11-20", "reservations": [entry]}), encoding="utf-8"
        )
        files = (tmp_path / "before.yaml", tmp_path / "after.yaml", "--inventory", tmp_path / "inventory.yaml")
        run = gke_tpu("diff", *files, "--today", "2026-11-20", "--format", "markdown")
        seen = re.sub(r"<details>.*?</details>", "", run.out, flags=re.DOTALL).replace(str(tmp_path), "")
        box = " ".join(line.removeprefix(">").strip() for line in seen.splitlines() if line.startswith(">"))
        parts = re.split(r"\*\*(Lost [^:]*|Next):\*\*", box)
        named = dict(zip((part.split(" ")[0] for part in parts[1::2]), map(str.strip, parts[2::2]), strict=True))
        approve = parts[0].removeprefix("[!CAUTION]").strip()
        return {
            "title": next(line for line in seen.splitlines() if line.startswith("###")).removeprefix("### TPU plan: "),
            "approve": approve,
            "lost": named.get("Lost", ""),
            "next": named.get("Next", ""),
            "errors": re.findall(r"^- \*\*error (TPU\d+)\*\*", seen, re.M),
            "changes": re.findall(r"^- (?:\*\*)?([A-Z -]+?)(?:\*\*)? train/", seen, re.M),
            "seen": seen,
        }

    return of


def test_fewer_slices_on_other_capacity_are_replaced(comment: Callable[..., dict[str, Any]]) -> None:
    """One slice is replaced and one is deleted: the label says what happens to the group that stays."""
    after = plan(pretrain=PRETRAIN, sweep=SWEEP | {"count": 1, "capacity": "on_demand"})
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), after)
    assert found["title"] == "no errors or warnings; 1 slice group replaced; -1,245 USD/month"
    assert found["changes"] == ["REPLACE"]
    assert found["approve"] == "**Approve only if this loss is intended.**"
    assert found["lost"] == ("`train/sweep`: 8 hosts deleted before 4 new ones are created, no capacity in between.")
    assert found["next"].startswith("Nothing else stops the loss of `train/sweep`")


def test_a_topology_with_an_open_error(comment: Callable[..., dict[str, Any]]) -> None:
    """The acknowledgement alone is not enough: the error about the reservation comes first."""
    after = plan(pretrain=PRETRAIN | {"topology": "16x16"}, sweep=SWEEP)
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), after)
    assert found["title"] == "2 errors; `pulumi up` will fail; 1 slice group replaced; +504,576 USD/month"
    assert found["approve"] == (
        "**Do not approve yet:** the replacement of the protected `train/pretrain` is not acknowledged (TPU964) and "
        "TPU804 is not fixed. Until then, `pulumi up` changes nothing."
    )
    assert found["lost"].startswith("`train/pretrain`: 64 hosts deleted before 128 new ones")
    assert found["next"] == (
        "Fix TPU804, see the error below. If the loss of `train/pretrain` is intended, the author adds the "
        "`acknowledge` entry below. Otherwise the author reverts the change."
    )
    assert found["errors"] == ["TPU804"]


def test_the_same_topology_without_other_errors(comment: Callable[..., dict[str, Any]]) -> None:
    after = plan(pretrain=PRETRAIN | {"topology": "16x16"}, sweep=SWEEP)
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), after, vms=128)
    assert found["approve"].endswith("is not acknowledged (TPU964). Until then, `pulumi up` changes nothing.")
    assert "the author adds the `acknowledge` entry below, and you can approve." in found["next"]
    assert found["errors"] == []


def test_an_acknowledged_replacement_with_an_open_error(comment: Callable[..., dict[str, Any]]) -> None:
    after = plan(pretrain=PRETRAIN | {"topology": "16x16"}, sweep=SWEEP, acknowledge=[ACKNOWLEDGED])
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), after)
    assert found["approve"] == "**Do not approve yet:** TPU804 is not fixed."
    assert found["next"] == (
        "Fix TPU804, see the error below. Check the reason of the `acknowledge` entry for `train/pretrain` below."
    )
    assert found["errors"] == ["TPU804"]


def test_a_declared_rename(comment: Callable[..., dict[str, Any]]) -> None:
    after = plan(llama=PRETRAIN, sweep=SWEEP, moved=[{"from": "train/pretrain", "to": "train/llama"}])
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), after)
    assert found["title"].endswith("nothing is deleted, replaced or restarted; 1 slice group renamed; same cost")
    assert found["changes"] == ["RENAME"]
    assert "**Approve if the new names are intended.**" in found["seen"]
    assert (
        "`train/pretrain` is now `train/llama` in the plan; 64 hosts are kept: `pretrain-0` and `pretrain-1` keep "
        "their names in GKE as long as the plan has the `moved` entry."
    ) in found["seen"]


def test_an_undeclared_rename(comment: Callable[..., dict[str, Any]]) -> None:
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), plan(llama=PRETRAIN, sweep=SWEEP))
    assert found["approve"] == (
        "**Do not approve yet:** the probable rename of `train/pretrain` is not declared (TPU959). Until then, "
        "`pulumi up` changes nothing."
    )
    assert "If `train/pretrain` is only renamed, the author adds the `moved` entry below" in found["next"]


def test_the_removal_of_a_reserved_group(comment: Callable[..., dict[str, Any]]) -> None:
    found = comment(plan(pretrain=PRETRAIN, sweep=SWEEP), plan(sweep=SWEEP))
    assert found["title"] == "1 error; `pulumi up` will fail; 1 slice group deleted; -504,576 USD/month"
    assert found["approve"] == (
        "**Do not approve yet:** the deletion of the protected `train/pretrain` is not acknowledged (TPU953). Until "
        "then, `pulumi up` changes nothing."
    )
    assert found["lost"] == "`train/pretrain`: 64 hosts deleted."
    assert "in a change of its own on the base branch" in found["next"]


def test_eight_items(comment: Callable[..., dict[str, Any]]) -> None:
    small = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    groups = {f"g{index}": small | {"capacity": "spot" if index % 2 else RESERVED} for index in range(7)}
    after = copy.deepcopy(groups)
    after["g0"]["topology"] = after["g5"]["topology"] = "4x8"
    after["g1"]["count"], after["g6"]["count"] = 3, 2  # type: ignore[assignment]
    after["g2"]["boot_disk"] = {"size_gib": 200}
    after["g4"]["node_labels"] = {"team": "research"}
    del after["g3"]
    after["new"] = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
    found = comment(plan(**groups), plan(**after))
    assert found["title"] == (
        "1 error; `pulumi up` will fail; 1 slice group deleted, 2 replaced, 1 restarted and 4 more; +103,737 USD/month"
    )
    assert found["changes"] == [
        *("DELETE", "REPLACE", "REPLACE", "RESTART", "IN PLACE", "SCALE UP", "SCALE UP", "CREATE"),
    ]
    assert "you can approve" not in found["next"]
    assert found["next"].endswith(
        "Nothing else stops the loss of `train/g3`, `train/g5` and `train/g2`: ask the owners of the jobs before you "
        "approve."
    )


def test_fewer_hosts_in_one_node_pool_are_scaled_down(comment: Callable[..., dict[str, Any]]) -> None:
    """The node pool stays, and the other hosts are not restarted."""
    serve = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": 4}
    found = comment(plan(serve=serve), plan(serve=serve | {"count": 3}))
    assert found["changes"] == ["SCALE DOWN"]
    assert "1 slice group scaled down" in found["title"]
    assert found["lost"] == "`train/serve`: 1 host deleted."


def test_the_box_states_rules_about_changes_only() -> None:
    assert {rule.id for rule in rules_of(Scope.CHANGE)} >= ABOUT_ITEMS
