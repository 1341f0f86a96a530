"""The exported alerts in the real promtool: each incident fires once, and quiet histories stay silent."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
from support.promtool.evaluation import Alerts, Labels
from support.snapshots import checked_plan

from pulumi_gke_tpu.features.export.alerts.files import alert_files

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
      sweep: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 4}}
      serve: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: 3}
    kubernetes:
      queues: {tpu: {}}
"""
WHOLE, ERROR, INTERRUPTED = "slice-not-whole", "node-pool-in-error", "node-pool-interrupted"
STILL = "queue-stands-still-train-tpu"
ALWAYS = 10_000
"""A minute after the end of every history."""
Firing = tuple[str, Labels, int, int]
"""An alert, the labels of its series, and the first and last minute in which it fires."""


def place(pool: str, cluster: str = "train", location: str = "us-east5", **more: str) -> dict[str, str]:
    return {"cluster_name": cluster, "location": location, "node_pool_name": pool, **more}


def series(metric: str, labels: Labels) -> str:
    every = {"monitored_resource": "k8s_node_pool", **labels}
    selected = ",".join(f'{name}="{value}"' for name, value in every.items())
    return f"kubernetes_io:{metric}{{{selected}}}"


def whole(pool: str, values: str, **others: str) -> dict[str, str]:
    return {series("node_pool_multi_host_available", place(pool, **others)): values}


def status(pool: str, values: str, name: str = "Error", **others: str) -> dict[str, str]:
    return {series("node_pool_status", place(pool, **others) | {"status": name}): values}


def interrupted(pool: str, values: str, kind: str, reason: str, **others: str) -> dict[str, str]:
    labels = place(pool, **others) | {"interruption_type": kind, "interruption_reason": reason}
    return {series("node_pool_interruption_count", labels): values}


def queue(pending: str, admitted: str, name: str = "tpu") -> dict[str, str]:
    """Pending workloads, and the workloads that were admitted since the start of Kueue."""
    return {
        f'kueue_pending_workloads{{cluster_queue="{name}",status="inadmissible"}}': pending,
        f'kueue_admitted_workloads_total{{cluster_queue="{name}"}}': admitted,
    }


def fires(alert: str, group: str, pool: str, first: int, last: int = ALWAYS, **more: str) -> Firing:
    return f"{alert}-train-{group}", place(pool) | more, first, last


STOCKOUT = {"interruption_type": "PREEMPTION", "interruption_reason": "SPOT"}
TERMINATED = {"interruption_type": "EVENT", "interruption_reason": "HW/SW Maintenance"}
INCIDENTS: dict[str, tuple[dict[str, str], list[Firing]]] = {
    "a slice is lost for good": (whole("pretrain-0", "1x30 0x200"), [fires(WHOLE, "pretrain", "pretrain-0", 41)]),
    "a slice comes back": (whole("pretrain-0", "1x9 0x24 1x200"), [fires(WHOLE, "pretrain", "pretrain-0", 20, 34)]),
    "the other slice": (
        {**whole("pretrain-0", "1x90"), **whole("pretrain-1", "1x19 0x200")},
        [fires(WHOLE, "pretrain", "pretrain-1", 30)],
    ),
    "a slice that was never whole": (whole("pretrain-1", "0x200"), [fires(WHOLE, "pretrain", "pretrain-1", 10)]),
    "flapping counts from its last loss": (
        whole("pretrain-0", "1x9 0x7 1x1 0x200"),
        [fires(WHOLE, "pretrain", "pretrain-0", 30)],
    ),
    "samples are missing": (
        whole("pretrain-0", "1x9 0 _x2 0 _x2 0x200"),
        [fires(WHOLE, "pretrain", "pretrain-0", 20)],
    ),
    "both slices, one alert each": (
        {**whole("pretrain-0", "1x9 0x200"), **whole("pretrain-1", "1x9 0x200")},
        [fires(WHOLE, "pretrain", pool, 20) for pool in ("pretrain-0", "pretrain-1")],
    ),
    "two exporters of one metric": (
        {
            **whole("pretrain-0", "1x9 0x200"),
            series("node_pool_multi_host_available", place("pretrain-0") | {"instance": "b"}): "1x9 0x200",
        },
        [fires(WHOLE, "pretrain", "pretrain-0", 20)],
    ),
    "a pool fails at its creation": (
        {**status("pretrain-0", "1x40 0x200", "Provisioning"), **status("pretrain-0", "0x40 1x200")},
        [fires(ERROR, "pretrain", "pretrain-0", 46)],
    ),
    "a pool in error is deleted": (
        status("pretrain-1", "0x10 1x20 stale"),
        [fires(ERROR, "pretrain", "pretrain-1", 16, 31)],
    ),
    "a pool in error recovers": (
        status("pretrain-1", "0x10 1x20 0x200"),
        [fires(ERROR, "pretrain", "pretrain-1", 16, 31)],
    ),
    "an autoscaled pool in error": (status("sweep-2", "1x200"), [fires(ERROR, "sweep", "sweep-2", 5)]),
    "a pool of single hosts in error": (status("serve", "1x200"), [fires(ERROR, "serve", "serve", 5)]),
    "Spot capacity is taken back": (
        interrupted("pretrain-0", "0x19 1 0x200", *STOCKOUT.values()),
        [fires(INTERRUPTED, "pretrain", "pretrain-0", 20, 29, **STOCKOUT)],
    ),
    "maintenance of all hosts": (
        interrupted("pretrain-0", "0x19 4 0x200", *TERMINATED.values()),
        [fires(INTERRUPTED, "pretrain", "pretrain-0", 20, 29, **TERMINATED)],
    ),
    "hosts that go one after the other": (
        interrupted("pretrain-0", "0x19 1 1 0x5 2 0x200", *TERMINATED.values()),
        [fires(INTERRUPTED, "pretrain", "pretrain-0", 20, 37, **TERMINATED)],
    ),
    "a host of an autoscaled pool": (
        interrupted("sweep-0", "0x19 1 0x200", *STOCKOUT.values()),
        [fires(INTERRUPTED, "sweep", "sweep-0", 20, 29, **STOCKOUT)],
    ),
    "a queue that admits nothing any more": (
        queue("3x900", "0+1x60 60x840"),
        [(STILL, {"cluster_queue": "tpu"}, 429, ALWAYS)],
    ),
    "a queue that never admitted": (queue("1x900", "0x900"), [(STILL, {"cluster_queue": "tpu"}, 360, ALWAYS)]),
    "a queue without the counter": (
        {'kueue_pending_workloads{cluster_queue="tpu",status="active"}': "0x60 2x900"},
        [(STILL, {"cluster_queue": "tpu"}, 421, ALWAYS)],
    ),
    "a queue that goes on later": (
        queue("2x900", "5x600 6x300"),
        [(STILL, {"cluster_queue": "tpu"}, 360, 600)],
    ),
}
QUIET: dict[str, dict[str, str]] = {
    "slices that run": {**whole("pretrain-0", "1x90"), **whole("pretrain-1", "1x90"), **status("pretrain-0", "0x90")},
    "no metrics at all": {},
    "a restart of nine minutes": whole("pretrain-0", "1x30 0x8 1x60"),
    "three short repairs": whole("pretrain-0", "1x9 0x7 1x4 0x7 1x4 0x7 1x60"),
    "a slice of another cluster": whole("pretrain-0", "0x90", cluster="other"),
    "a cluster of this name elsewhere": whole("pretrain-0", "0x90", location="us-west4"),
    "a pool whose name begins alike": whole("pretrain-00", "0x90"),
    "a pool whose name ends alike": whole("old-pretrain-0", "0x90"),
    "an autoscaled pool without hosts": whole("sweep-0", "0x90"),
    "single hosts": whole("serve", "0x90"),
    "a pool that is deleted while it is not whole": whole("pretrain-0", "1x30 0x5 stale"),
    "a pool that is made": {**status("pretrain-0", "1x40 0x9", "Provisioning"), **status("pretrain-0", "0x49")},
    "a pool that changes": status("pretrain-0", "1x90", "Reconciling"),
    "an error of four minutes": status("pretrain-0", "0x20 1x3 0x60"),
    "an error of another pool": status("extra", "1x90"),
    "an error of another cluster": status("pretrain-0", "1x90", cluster="other"),
    "counts of zero": interrupted("pretrain-0", "0x90", *STOCKOUT.values()),
    "an interruption elsewhere": interrupted("pretrain-0", "0x9 3x20", *STOCKOUT.values(), cluster="other"),
    "an empty queue": queue("0x900", "7x900"),
    "a queue that moves slowly": queue("5x900", "0x299 1x300 2x301"),
    "a queue that waits for five hours": queue("0x60 4x300 0x500", "3x860"),
    "a long job without others behind it": queue("1x30 0x800", "0x30 1x800"),
    "another queue": queue("5x900", "0x900", name="tpu-dev"),
    "a restart of Kueue": queue("5x900", "9x200 10x150 0x5 1x300 2x245"),
}


@pytest.fixture(scope="module")
def alerts(promtool: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Alerts:
    checked = checked_plan(PLAN)
    assert checked.fleet is not None
    folder = tmp_path_factory.mktemp("alerts")
    rules = folder / "rules.yaml"
    rules.write_text(alert_files(checked.fleet, checked.catalog)["rules.yaml"], encoding="utf-8")
    return Alerts(rules, promtool)


def minutes(values: Mapping[str, str], marks: Sequence[int] = ()) -> list[int]:
    """Minutes to look at: every one in short histories, else those around the marks and every tenth."""
    end = 900 if any("kueue" in each for each in values) else 90
    near = {mark + step for mark in marks for step in (-1, 0, 1)}
    return sorted(minute for minute in {*range(0, end, 1 if end == 90 else 10), *near} if 0 <= minute < end)


def test_the_rules_have_the_form_of_prometheus(alerts: Alerts) -> None:
    done = alerts.check()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", INCIDENTS)
def test_an_incident_fires_once(alerts: Alerts, name: str, tmp_path: pathlib.Path) -> None:
    """In one stretch of time: silent before and after it, with one alert for each series and no other alert."""
    history, expected = INCIDENTS[name]
    assert {alert for alert, *_ in expected} <= set(alerts.rules)
    looked_at = minutes(history, [mark for *_, first, last in expected for mark in (first, last)])
    firing: dict[int, dict[str, list[Labels]]] = {minute: {} for minute in looked_at}
    for alert, labels, first, last in expected:
        for minute in looked_at:
            if first <= minute <= last:
                firing[minute].setdefault(alert, []).append(labels)
    assert any(firing.values())
    assert alerts.wrong(tmp_path, history, firing) == ""


@pytest.mark.parametrize("name", QUIET)
def test_a_quiet_history_stays_silent(alerts: Alerts, name: str, tmp_path: pathlib.Path) -> None:
    assert alerts.wrong(tmp_path, QUIET[name], {minute: {} for minute in minutes(QUIET[name])}) == ""


def test_the_histories_are_as_many_as_promised() -> None:
    assert len(INCIDENTS) >= 20
    assert len(QUIET) >= 20
