"""Rules about ComputeClasses with TPUs."""

import pytest
from support.manifest_texts import CLUSTER, finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, compute_class, queues


def test_machine_types_and_families_exclude_each_other_without_tpus_too() -> None:
    text = compute_class().replace(
        "tpu: {type: tpu-v6e-slice, count: 4, topology: 4x4}", "machineType: n2-standard-4\n      machineFamily: n2"
    )
    finding = finding_of(text, "TPU788")
    assert finding.severity is Severity.ERROR
    assert finding.message == "`machineFamily` conflicts with `machineType`"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("machineType: ct6e-standard-4t", []),
        ("machineType: ct6e-standard-1t", ["TPU788"]),
        ("machineFamily: ct6e", []),
        ("machineFamily: n2", ["TPU788"]),
        ("gpu: {type: nvidia-l4, count: 1}", ["TPU788"]),
        ("machineType: '{{ .Values.machine }}'", []),
    ],
)
def test_hardware_that_contradicts_the_tpus_warns(field: str, expected: list[str]) -> None:
    found = findings_in(compute_class(field))
    assert [item.rule for item in found] == expected
    assert all(item.severity is Severity.WARNING for item in found)


@pytest.mark.parametrize("value", ["[]", "{a: b}", "[[a]]"])
def test_a_machine_type_of_another_form_is_reported(value: str) -> None:
    assert "TPU788" in {item.rule for item in findings_in(compute_class(f"machineType: {value}"))}


@pytest.mark.parametrize(
    ("written", "severity"),
    [
        ("", Severity.NOTE),
        ("whenUnsatisfiable: ScaleUpAnyway", Severity.WARNING),
        ("whenUnsatisfiable: Never", Severity.ERROR),
    ],
)
def test_how_sure_a_wrong_value_for_unavailable_capacity_is(written: str, severity: Severity) -> None:
    finding = finding_of(
        changed(compute_class(), ("whenUnsatisfiable: DoNotScaleUp", written or "description: a")), "TPU784"
    )
    assert (finding.severity, finding.fix) == (severity, "whenUnsatisfiable: DoNotScaleUp")


def test_open_tpus_of_a_class_are_unknown() -> None:
    assert (
        broken(compute_class().replace("topology: 4x4", "topology: '${TOPOLOGY}'").replace("count: 4", "count: 7"))
        == []
    )


@pytest.mark.parametrize(("topology", "fix", "allowed"), [("4x4", "4", ("4",)), ("2x4", "", ("8", "4"))])
def test_chips_that_no_host_has(topology: str, fix: str, allowed: tuple[str, ...]) -> None:
    finding = finding_of(
        compute_class().replace("count: 4, topology: 4x4", f"count: 2, topology: {topology}"), "TPU781"
    )
    assert (finding.fix, finding.allowed) == (fix, allowed)


def test_an_unlike_accelerator_of_a_class_has_no_fix() -> None:
    finding = finding_of(compute_class().replace("tpu-v6e-slice", "gpu"), "TPU781")
    assert (finding.message, finding.fix) == ("unknown accelerator `gpu`", "")


def versions(version: str, more: str = "", spec: str = "", priority: str = "") -> list[tuple[str, Severity]]:
    slices = "    slices:\n      other: {tpu: v5p, topology: 2x2x1, zone: us-east5-a}\n"
    plan = CLUSTER + f'    min_version: "{version}"\n{more}' + slices
    text = compute_class(priority, spec=spec)
    return [
        (item.message.partition(" requires ")[0], item.severity)
        for item in findings_in(text, plan=plan)
        if item.rule == "TPU786"
    ]


@pytest.mark.parametrize(
    ("version", "spec", "expected"),
    [
        ("1.34.1-gke.3084001", "", []),
        ("1.31.0-gke.1000000", "", [("automatic creation of v6e node pools", Severity.ERROR)]),
        ("1.31.5-gke.1000000", "", [("automatic creation of v6e node pools", Severity.WARNING)]),
        ("1.32.4-gke.1000000", "", [("`nodePoolAutoCreation`", Severity.WARNING)]),
        ("1.34.1-gke.3084001", "nodePoolConfig: {taints: []}", [("`nodePoolConfig.taints`", Severity.ERROR)]),
        ("1.34", "nodePoolConfig: {taints: []}", []),
        ("1.34.1-gke.3084001", "nodePoolGroup: {name: a}", []),
    ],
)
def test_what_an_old_cluster_lacks(version: str, spec: str, expected: list[tuple[str, Severity]]) -> None:
    assert versions(version, spec=spec) == expected


def test_fields_of_priorities_have_versions_of_their_own() -> None:
    assert versions("1.33.3-gke.1000000", priority="taints: []") == [("`priorities.taints`", Severity.ERROR)]
    assert versions("1.33.4-gke.1350000", priority="taints: []") == []


def test_auto_provisioning_of_the_cluster_creates_node_pools_for_a_class() -> None:
    limits = "    autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64}}\n"
    assert versions("1.32.4-gke.1000000") == [("`nodePoolAutoCreation`", Severity.WARNING)]
    assert versions("1.32.4-gke.1000000", limits) == []


def test_open_resources_of_a_queue_are_unknown() -> None:
    assert broken(changed(queues(), ("[google.com/tpu]", "['{{ .Values.resource }}', cpu]"))) == []
