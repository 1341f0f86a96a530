"""``gke-tpu inventory``: an inventory from a snapshot, whose comments survive a refresh."""

import pathlib
from collections.abc import Callable

from support.fixtures.commands import Run
from support.snapshots import QUOTA, TAKEN, Answers, quota, reservation, write

from pulumi_gke_tpu.core.plan.reading.read import read_inventory_content

ANSWERS: Answers = {
    "snapshot.json": {"format": 1, "taken": TAKEN},
    "reservations-acme-ml.json": [reservation(128, in_use=94)],
    QUOTA: quota(64),
    "cluster-train.json": {"name": "train", "location": "us-east5"},
    "server-config-train.json": {"channels": [{"channel": "RAPID", "validVersions": ["1.35.1-gke.100"]}]},
}


def test_a_new_inventory_has_date_and_command_beside_each_entry(
    tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]
) -> None:
    write(tmp_path, ANSWERS)
    file = tmp_path / "inventory.yaml"
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", file).code == 0
    document = read_inventory_content(file.read_bytes(), "inventory.yaml")
    assert document.findings == ()
    assert document.content is not None
    assert [(item.name, item.chips, item.in_use) for item in document.content.reservations] == [
        ("v6e-pretrain", 128, 0)
    ]
    assert [item.limit for item in document.content.quotas] == [64]
    assert document.content.gke_versions == {"us-east5": {"rapid": ["1.35.1-gke.100"]}}
    assert file.read_text().count("# 2026-11-28: gcloud ") == 3
    before = file.read_bytes()
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", file).code == 0
    assert file.read_bytes() == before


OWN = """\
# Our capacity. Ask Ada before you change it.
version: 1
as_of: 2026-10-01 # weekly
reservations:
  # The contract ends in March.
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    family: VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E
    chips: 64 # ordered: 128
    usd_per_chip_hour: 1.23 # contract
    in_use: 8 # notebooks
  - {name: elsewhere, project: acme-lab, zone: us-east5-a, family: ct6e, chips: 8}
"""


def test_comments_and_own_values_survive_a_refresh(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    write(tmp_path, ANSWERS)
    file = tmp_path / "inventory.yaml"
    file.write_text(OWN, encoding="utf-8")
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", file).code == 0
    told = "# 2026-11-28: gcloud beta quotas info describe"
    entry = f"  - {{project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 64}} {told}\n"
    assert (
        file.read_text()
        == OWN.replace("2026-10-01", "2026-11-28").replace("chips: 64", "chips: 128") + "quotas:\n" + entry
    )
    assert read_inventory_content(file.read_bytes(), "inventory.yaml").findings == ()


def test_a_folder_without_a_snapshot_is_refused(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", tmp_path / "inventory.yaml").code == 2
    assert not (tmp_path / "inventory.yaml").exists()


def test_an_empty_list_that_was_read_is_written_and_filled_later(
    tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]
) -> None:
    name, file = "reservations-acme-ml.json", tmp_path / "inventory.yaml"
    write(tmp_path, ANSWERS | {name: []})
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", file).code == 0
    assert "reservations: [] # 2026-11-28: gcloud compute reservations list\n" in file.read_text()
    write(tmp_path, ANSWERS)
    assert gke_tpu("inventory", "--snapshot", tmp_path, "-o", file).code == 0
    document = read_inventory_content(file.read_bytes(), "inventory.yaml")
    assert document.findings == ()
    assert document.content is not None
    assert [item.name for item in document.content.reservations] == ["v6e-pretrain"]
