"""Rules about the workload, maintenance and sharing of reservations in the inventory."""

import datetime
from collections.abc import Callable

import pytest
from support.inventory_texts import PRETRAIN, cluster, reservation, reserved

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("topology", "workload", "expected"),
    [
        ("2x2", "serving", []),
        ("2x2", "batch", ["TPU805 error"]),
        ("2x2", "unspecified", []),
        ("4x4", "serving", ["TPU805 error"]),
        ("4x4", "batch", []),
        ("4x4", "unspecified", []),
    ],
)
def test_workload_types(found: Found, topology: str, workload: str, expected: list[str]) -> None:
    listed = "reservations:\n" + reservation(workload=workload)
    assert found(cluster(reserved(topology, "1")), inventory=listed) == expected


@pytest.mark.parametrize(
    ("interval", "periodic", "expected"),
    [
        ("periodic", "false", ["TPU806 warning"]),
        ("periodic", "true", []),
        ("periodic", None, []),
        ("as_needed", "false", []),
    ],
)
def test_periodic_maintenance(found: Found, interval: str, periodic: str | None, expected: list[str]) -> None:
    changes = {} if periodic is None else {"periodic_maintenance": periodic}
    group = f"{PRETRAIN}, host_maintenance: {interval}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(**changes)) == expected


@pytest.mark.parametrize(
    ("shared_with", "expected"),
    [
        ("[acme-web]", ["TPU807 error"]),
        ("[]", ["TPU807 error"]),
        ("[acme-web, acme-ml]", []),
        (None, []),
        ('["123456789012"]', []),
    ],
)
def test_sharing(found: Found, shared_with: str | None, expected: list[str]) -> None:
    changes = {} if shared_with is None else {"shared_with": shared_with}
    listed = "reservations:\n" + reservation(project="acme-infra", **changes)
    group = "tpu: v6e, topology: 4x4, zone: us-east5-b"
    group += ", capacity: {reservation: {name: v6e-pretrain, project: acme-infra}}"
    assert found(cluster(group), inventory=listed) == expected


def test_an_own_reservation_need_not_be_shared(found: Found) -> None:
    assert found(cluster(PRETRAIN), inventory="reservations:\n" + reservation(shared_with="[acme-web]")) == []
