"""Rules about names of workloads by their kind, and about quotas and users of namespaces."""

import json

import pytest
from support.kubernetes_plans import findings, kubernetes
from support.workload_plans import TRAIN, workload_plan

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import format_path


@pytest.mark.parametrize(
    ("kind", "longest"), [("raycluster", 53), ("rayjob", 47), ("leaderworkerset", 50), ("deployment", 63)]
)
def test_each_kind_has_a_longest_name(kind: str, longest: int) -> None:
    slices = {"train": {**TRAIN, "topology": "2x2"}}
    for length in (longest, longest + 1):
        plan = workload_plan(slices, {"n" * length: {"slices": "train", "kind": kind}}, addons=["ray_operator"])
        findings = check_plan(parse_plan(plan), read_catalog(), None).findings
        rules = {item.rule for item in findings}
        assert bool(rules & {"TPU355", "TPU701"}) == (length > longest), (kind, length)


def test_a_name_begins_with_a_letter() -> None:
    plan = workload_plan({"train": TRAIN}, {"1st": {"slices": "train"}})
    (finding,) = (item for item in check_plan(parse_plan(plan), read_catalog(), None).findings if item.rule == "TPU355")
    assert (finding.message, finding.fix) == ("invalid workload name `1st`: it begins with a digit", "run-1st:")


RULES = ("TPU300", "TPU359", "TPU701")


@pytest.mark.parametrize(
    ("member", "valid"),
    [
        ("user:ada@example.com", True),
        ("group:tpu-users@example.com", True),
        ("serviceAccount:ci@acme-ml.iam.gserviceaccount.com", True),
        ("ada@example.com", False),
        ("domain:example.com", False),
        ("user:ada", False),
        ("user: ada@example.com", False),
        ("user:a@b@example.com", False),
        ("", False),
        ("allUsers", False),
        ("user:ada@example.com\n", False),
    ],
)
@pytest.mark.parametrize("key", ["admins", "editors", "viewers"])
def test_members(key: str, member: str, valid: bool, catalog: Catalog) -> None:
    members = json.dumps(["user:x@example.com", member])
    found = findings(kubernetes(f"{{namespaces: {{a: {{{key}: {members}}}}}}}"), catalog, rules=RULES)
    expected = [] if valid else [f"TPU359 namespaces.a.{key}[1]"]
    assert [f"{item.rule} {format_path(item.path[3:])}" for item in found] == expected


def test_the_email_of_a_service_account_is_recognized(catalog: Catalog) -> None:
    text = "{namespaces: {a: {editors: [ci@acme-ml.iam.gserviceaccount.com]}}}"
    (found,) = findings(kubernetes(text), catalog, rules=RULES)
    assert "serviceAccount:ci@acme-ml.iam.gserviceaccount.com" in str(found.fix)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("namespaces: {a: {chips: 8}}, workloads: {run: {W, count: 2, namespace: a}}", []),
        ("namespaces: {a: {chips: 7}}, workloads: {run: {W, count: 2, namespace: a}}", ["error"]),
        ("namespaces: {a: {chips: 0}}, workloads: {run: {W, count: 2}}", []),
        ("namespaces: {default: {chips: 4}}, workloads: {run: {W, count: 2}}", ["error"]),
        ("namespaces: {a: {chips: 8}}, queues: {q: {namespaces: [a], chips: {serve: 8}}}", []),
        ("namespaces: {a: {chips: 7}}, queues: {q: {namespaces: [a], chips: {serve: 8}}}", ["warning"]),
        ("namespaces: {a: {chips: 7}}, queues: {q: {namespaces: [b], chips: {serve: 8}}}", []),
        (
            "namespaces: {a: {chips: 8}}, queues: {q: {namespaces: [a], cohort: c, chips: {serve: 8}}, "
            "r: {namespaces: [b], cohort: c, chips: {serve: 4}}}",
            ["warning"],
        ),
        ("namespaces: {A: {}}", ["error"]),
    ],
)
def test_quotas(keys: str, expected: list[str], catalog: Catalog) -> None:
    text = f"{{{keys}}}".replace("{W,", "{slices: serve, image: a,")
    assert [item.severity.name.lower() for item in findings(kubernetes(text), catalog, rules=RULES)] == expected


@pytest.mark.parametrize(
    "keys",
    [
        "workloads: {j: {slices: g, kind: deployment, count: 3, image: a, namespace: ml}}",
        "queues: {q: {namespaces: [ml]}}",
    ],
)
def test_a_quota_counts_no_claims(keys: str, catalog: Catalog) -> None:
    def found(driver: str) -> list[str]:
        slices = f"slices: {{g: {{tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b, driver_mode: {driver}}}}}"
        text = f"min_version: '1.35'\n{slices}\nkubernetes: {{namespaces: {{ml: {{chips: 4}}}}, {keys}}}"
        return [item.rule for item in findings(text, catalog, rules=("TPU300",))]

    assert found("device_plugin") == ["TPU300"]
    assert found("dynamic_resource_allocation") == []
