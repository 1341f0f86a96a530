"""Rules about workloads, queues, priority classes and fallback: what each one reports, and where it is silent."""

import datetime

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, format_path

SLICES = """
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
  serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}
  big: {tpu: tpu7x, topology: 2x2x1, zone: us-east5-b}
  old: {tpu: v3, topology: 4x4, zone: us-east5-b}
"""
TODAY = datetime.date(2026, 11, 20)
OWN = tuple(f"TPU{number}" for number in (*range(341, 348), *range(700, 720)))


def findings(cluster: str, catalog: Catalog, mode: str = "standard") -> list[Finding]:
    body = {"mode": mode, "location": "us-east5", **yaml.safe_load(cluster)}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    assert document.findings == ()
    found = check_plan(document, catalog, TODAY).findings
    return [item for item in found if item.rule.startswith(OWN)]


def told(cluster: str, catalog: Catalog, mode: str = "standard") -> list[str]:
    """What is reported: the rule, and the path below the cluster."""
    return [f"{item.rule} {format_path(item.path[2:])}" for item in findings(cluster, catalog, mode)]


def kubernetes(text: str) -> str:
    return f"slices: {{{', '.join(line.strip() for line in SLICES.strip().splitlines()[:2])}}}\nkubernetes: {text}"


def workload(keys: str, slices: str = "pretrain") -> str:
    return kubernetes(f"{{workloads: {{run: {{slices: {slices}, image: train, {keys}}}}}}}")


RUN = "kubernetes.workloads.run"
LONG = "a" * 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{workloads: {run: {slices: serv, image: a}}}", [f"TPU700 {RUN}.slices"]),
        ("{workloads: {run: {slices: serve, image: a, queue: q}}}", [f"TPU700 {RUN}.queue"]),
        ("{workloads: {run: {slices: serve, image: a, priority: p}}}", [f"TPU700 {RUN}.priority"]),
        ("{queues: {q: {chips: {serv: 1}}}}", ["TPU700 kubernetes.queues.q.chips.serv"]),
        ("{queues: {q: {cohort: c, borrow: {serv: 1}}}}", ["TPU700 kubernetes.queues.q.borrow.serv"]),
        ("{namespace: Team_A}", ["TPU701 kubernetes.namespace"]),
        ("{queues: {Q: {}}}", ["TPU701 kubernetes.queues.Q"]),
        (
            "{queues: {q: {namespace: -q, cohort: c_c}}}",
            ["TPU701 kubernetes.queues.q.cohort", "TPU701 kubernetes.queues.q.namespace"],
        ),
        ("{priority_classes: {a.b: {value: 1}}}", ['TPU701 kubernetes.priority_classes["a.b"]']),
        (f"{{workloads: {{{LONG}: {{slices: serve, image: a, kind: deployment}}}}}}", []),
        (
            f"{{workloads: {{{LONG}: {{slices: serve, image: a, kind: jobset}}}}}}",
            [f"TPU701 kubernetes.workloads.{LONG}"],
        ),
        (
            f"{{workloads: {{{LONG}aaaaaaaaaaaaaa: {{slices: serve, image: a, kind: deployment}}}}}}",
            [f"TPU701 kubernetes.workloads.{LONG}aaaaaaaaaaaaaa"],
        ),
        (
            "{workloads: {run: {slices: serve, image: a, volumes: {d: {mount: /d, claim: A}}}}}",
            [f"TPU701 {RUN}.volumes.d.claim"],
        ),
        ("{workloads: {run: {slices: serve, image: a, volumes: {d: {mount: /d, claim: a.b}}}}}", []),
        ("{priority_classes: {system-a: {value: 1}}}", ["TPU707 kubernetes.priority_classes.system-a"]),
        ("{priority_classes: {a: {value: 1000000001}}}", ["TPU707 kubernetes.priority_classes.a.value"]),
        ("{priority_classes: {a: {value: 1000000000}}}", []),
        ("{priority_classes: {a: {value: -2147483648}}}", []),
        ("{priority_classes: {a: {value: -2147483649}}}", ["TPU707 kubernetes.priority_classes.a.value"]),
        ("{queues: {q: {borrow: {serve: 4}}}}", ["TPU706 kubernetes.queues.q.borrow"]),
        ("{queues: {q: {cohort: tpu, borrow: {serve: 4}}}}", []),
    ],
    ids=str,
)
def test_names_and_references(text: str, expected: list[str], catalog: Catalog) -> None:
    assert sorted(told(kubernetes(text), catalog)) == sorted(expected)


@pytest.mark.parametrize(
    ("queues", "expected"),
    [
        ("{q: {}}", []),
        ("{q: {}, r: {}}", ["TPU704 kubernetes.queues.r", "TPU704 kubernetes.queues.r"]),
        ("{q: {chips: {serve: 8}}, r: {chips: {serve: 8}}}", []),
        ("{q: {chips: {serve: 8}}, r: {chips: {serve: 9}}}", ["TPU704 kubernetes.queues.r.chips.serve"]),
        ("{q: {chips: {serve: 17}}}", ["TPU704 kubernetes.queues.q.chips.serve"]),
    ],
    ids=str,
)
def test_quotas_of_several_queues_fit_the_slice_group(queues: str, expected: list[str], catalog: Catalog) -> None:
    assert told(kubernetes(f"{{queues: {queues}}}"), catalog) == expected


@pytest.mark.parametrize(
    ("queues", "fits"),
    [
        ("{q: {}}", True),
        ("{q: {chips: {pretrain: 32}}}", True),
        ("{q: {chips: {pretrain: 31}}}", False),
        ("{q: {chips: {serve: 8}}}", False),
        ("{q: {chips: {pretrain: 16}, cohort: a}, r: {chips: {pretrain: 16}, cohort: a}}", True),
        ("{q: {chips: {pretrain: 16}, cohort: a}, r: {chips: {pretrain: 16}, cohort: b}}", False),
        (
            "{q: {chips: {pretrain: 16}, cohort: a, borrow: {pretrain: 8}}, r: {chips: {pretrain: 16}, cohort: a}}",
            False,
        ),
        (
            "{q: {chips: {pretrain: 16}, cohort: a, borrow: {pretrain: 16}}, r: {chips: {pretrain: 16}, cohort: a}}",
            True,
        ),
    ],
    ids=str,
)
def test_the_quota_of_a_queue_admits_its_largest_workload(queues: str, fits: bool, catalog: Catalog) -> None:
    text = f"{{queues: {queues}, workloads: {{run: {{slices: pretrain, image: a, count: 2, queue: q}}}}}}"
    assert told(kubernetes(text), catalog) == ([] if fits else [f"TPU705 {RUN}.queue"])


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("count: 2", "pretrain", []),
        ("count: 3", "pretrain", ["TPU703 count"]),
        ("cpu: 500m, memory: 16Gi", "pretrain", []),
        ("cpu: 0.5, memory: 1e9", "pretrain", []),
        ("cpu: lots", "pretrain", ["TPU702 cpu"]),
        ("memory: 16 GB", "pretrain", ["TPU702 memory"]),
        ("cpu: -1", "pretrain", ["TPU702 cpu"]),
        ("kind: leaderworkerset, head: {cpu: 1 2}", "pretrain", ["TPU702 head.cpu"]),
        ("grace_period: 30s", "pretrain", []),
        ("grace_period: 1h", "pretrain", ["TPU709 grace_period"]),
        ("grace_period: 61m", "pretrain", ["TPU708 grace_period"]),
        ("extended_run: true", "pretrain", ["TPU710 extended_run"]),
        ("containers: 2", "pretrain", ["TPU711 containers"]),
        ("kind: deployment", "pretrain", ["TPU712 kind"]),
        ("kind: deployment", "serve", []),
        ("kind: leaderworkerset", "pretrain", []),
        ("kind: deployment, port: 80", "serve", []),
        ("kind: jobset, port: 80", "serve", ["TPU713 port"]),
        ("kind: jobset, head: {}", "serve", ["TPU713 head"]),
        ("kind: deployment, max_restarts: 1", "serve", ["TPU713 max_restarts"]),
        ("kind: pathways", "pretrain", ["TPU714 kind"]),
        ("kind: raycluster", "pretrain", ["TPU715 kind"]),
        (
            "env: {TPU_WORKER_HOSTNAMES: a, MEGASCALE_NUM_SLICES: '2', RUN: a}",
            "pretrain",
            ["TPU719 env.MEGASCALE_NUM_SLICES", "TPU719 env.TPU_WORKER_HOSTNAMES"],
        ),
        ("volumes: {a: {mount: /a}}", "serve", ["TPU716 volumes.a"]),
        ("volumes: {a: {mount: /a, claim: a, empty_dir: true}}", "serve", ["TPU716 volumes.a"]),
        ("volumes: {a: {mount: a, empty_dir: true}}", "serve", ["TPU716 volumes.a.mount"]),
        ("volumes: {a: {mount: '/a:b', empty_dir: true}}", "serve", ["TPU716 volumes.a.mount"]),
        ("volumes: {a: {mount: /a, claim: a}, b: {mount: /a/, claim: b}}", "serve", ["TPU716 volumes.b.mount"]),
        ("volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9}}}", "serve", []),
        (
            "volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9}}}",
            "pretrain",
            ["TPU717 volumes.a.disk.access"],
        ),
        ("volumes: {a: {mount: /a, disk: {type: pd-ssd, size_gib: 9}}}", "serve", ["TPU717 volumes.a.disk.type"]),
        ("volumes: {a: {mount: /a, disk: {type: hyperdisk-ml, size_gib: 9, access: read_only_many}}}", "pretrain", []),
        (
            "volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9, access: read_only_many}}}",
            "pretrain",
            ["TPU717 volumes.a.disk.access"],
        ),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("group", "keys", "expected"),
    [
        ("{tpu: v6e, topology: 2x2}", "extended_run: true", []),
        ("{tpu: v6e, topology: 2x2, capacity: spot}", "extended_run: true", ["TPU710"]),
        ("{tpu: v6e, topology: 2x2, fallback: [spot]}", "extended_run: true", ["TPU710"]),
        ("{tpu: v6e, topology: 4x4}", "extended_run: true", []),
        ("{tpu: v6e, topology: 4x4}", "extended_run: true, kind: raycluster", ["TPU710", "TPU715"]),
        ("{tpu: v6e, topology: 4x4}", "kind: pathways", []),
    ],
    ids=str,
)
def test_workloads_on_autopilot(group: str, keys: str, expected: list[str], catalog: Catalog) -> None:
    text = f"slices: {{g: {group}}}\nkubernetes: {{workloads: {{run: {{slices: g, image: a, {keys}}}}}}}"
    assert [item.split(" ")[0] for item in told(text, catalog, "autopilot")] == expected


def test_a_warning_about_extended_run_names_both_sources(catalog: Catalog) -> None:
    (found,) = findings(workload("extended_run: true"), catalog)
    assert "upgrade" in found.source
    assert "exclusions" in found.source.lower()


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("", ["TPU714"]),
        ("system_pool: {machine_type: n2-standard-64}", []),
        ("system_pool: {machine_type: n2-standard-48}", ["TPU714"]),
        ("system_pool: {machine_type: n2-highcpu-64}", ["TPU714"]),
        ("system_pool: {machine_type: n2-highmem-48}", ["TPU714"]),
        ("system_pool: {machine_type: custom-64-262144}", []),
        ("cpu_pools: {head: {machine_type: n4-standard-64, max_nodes: 3, zones: [us-east5-b]}}", []),
        ("cpu_pools: {head: {machine_type: n4-standard-64, nodes: 0, zones: [us-east5-b]}}", ["TPU714"]),
    ],
    ids=str,
)
def test_the_pathways_head_needs_a_large_node(cluster: str, expected: list[str], catalog: Catalog) -> None:
    text = f"{workload('kind: pathways')}\n{cluster}"
    assert [item.split(" ")[0] for item in told(text, catalog)] == expected


def test_two_containers_share_a_host_of_tpu7x_only(catalog: Catalog) -> None:
    text = (
        "location: us-central1\nnetwork: {create: {}}\n"
        "slices:\n"
        "  big: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c}\n"
        "  small: {tpu: v6e, topology: 2x2, zone: us-central1-b}\n"
        "kubernetes: {workloads: {WORK}}"
    )
    both = text.replace(
        "WORK", "a: {slices: big, image: a, containers: 2}, b: {slices: small, image: a, containers: 2}"
    )
    assert told(both, catalog) == ["TPU711 kubernetes.workloads.b.containers"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kind: jobset, queue: q", []),
        ("kind: job, queue: q", []),
        ("kind: job", ["TPU718 kubernetes.workloads.run"]),
        ("kind: leaderworkerset, queue: q", []),
        ("kind: leaderworkerset, queue: q, head: {}", ["TPU718 kubernetes.workloads.run.head"]),
        ("kind: rayjob, queue: q", ["TPU718 kubernetes.workloads.run.kind"]),
    ],
    ids=str,
)
def test_queued_capacity_takes_one_set_of_pods_from_a_queue(keys: str, expected: list[str], catalog: Catalog) -> None:
    text = (
        "addons: [ray_operator]\n"
        "slices: {g: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {max: 1}, capacity: queued}}\n"
        f"kubernetes: {{queues: {{q: {{}}}}, workloads: {{run: {{slices: g, image: a, {keys}}}}}}}"
    )
    assert told(text, catalog) == expected


GROUP = "slices: {{g: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {}}}}}"
G = "slices.g"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("fallback: [spot, flex_start]", []),
        ("fallback: [flex_start, spot]", []),
        ("capacity: flex_start, fallback: [on_demand, spot]", []),
        ("capacity: spot, fallback: [spot]", [f"TPU341 {G}.fallback[0]"]),
        ("fallback: [spot, spot]", [f"TPU341 {G}.fallback[1]"]),
        ("fallback: [spot], protect: true", [f"TPU342 {G}.protect"]),
        ("fallback: [spot], resource_labels: {a: b}", [f"TPU342 {G}.resource_labels"]),
        ("fallback: [spot], count: {min: 0, max: 2}", []),
        ("fallback: [spot], min: 1, max: 2", [f"TPU342 {G}.min"]),
        ("fallback: [spot], upgrade: {max_surge: 1}", [f"TPU342 {G}.upgrade.max_surge"]),
        ("fallback: [spot], boot_disk: {size_gib: 200}, node_labels: {a: b}", []),
        ("capacity: queued, fallback: [spot]", [f"TPU343 {G}.capacity"]),
        ("capacity: {reservation: {name: r, block: b}}, fallback: [spot]", [f"TPU344 {G}.capacity.reservation.block"]),
        ("fallback: []", [f"TPU346 {G}.fallback"]),
    ],
    ids=str,
)
def test_fallback_of_a_group(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert told(GROUP.format(keys), catalog) == expected


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_key_that_a_compute_class_carries_is_allowed_in_both_modes(mode: str, catalog: Catalog) -> None:
    text = GROUP.format(
        "fallback: [spot], boot_disk: {size_gib: 200}, max_pods_per_node: 32, node_service_account: create"
    )
    body = {"mode": mode, "location": "us-east5", **yaml.safe_load(text)}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    rules = {item.rule for item in check_plan(document, catalog, TODAY).findings}
    assert not rules & {"TPU281", "TPU282", "TPU342"}


@pytest.mark.parametrize(
    ("version", "limits", "expected"),
    [
        ("1.33.2", "", ["TPU345"]),
        ("1.33.2", "autoprovisioning: {cpu: 100000, memory_gib: 1000000, tpu: {v6e: 64}}", []),
        ("1.33.2", "autoprovisioning: {cpu: 100000, memory_gib: 1000000, tpu: {v5p: 64}}", ["TPU345"]),
        ("1.33.3", "", []),
        ("1.33", "", []),
    ],
    ids=str,
)
def test_old_versions_need_auto_provisioning(version: str, limits: str, expected: list[str], catalog: Catalog) -> None:
    text = f"{GROUP.format('fallback: [spot]')}\nmin_version: '{version}'\n{limits}"
    assert [item.split(" ")[0] for item in told(text, catalog)] == expected


@pytest.mark.parametrize(
    ("generation", "fallback", "rule"),
    [
        ("tpu: v4, topology: 2x2x2, zone: us-central2-b", "flex_start", "TPU301"),
        ("tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "spot", "TPU302"),
        ("tpu: v6e, topology: 2x2, zone: us-central1-b", "flex_start", "TPU313"),
        ("tpu: v6e, topology: 2x2, zone: us-east1-d", "flex_start", "TPU314"),
    ],
)
def test_modes_to_fall_back_to_are_checked_like_capacity(
    generation: str, fallback: str, rule: str, catalog: Catalog
) -> None:
    def rules(keys: str) -> list[tuple[str, str]]:
        region = generation.rpartition("zone: ")[2].rpartition("-")[0]
        body = yaml.safe_load(f"{{mode: standard, location: {region}, slices: {{g: {{{generation}, {keys}}}}}}}")
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
        found = check_plan(document, catalog, TODAY).findings
        return [(item.rule, format_path(item.path[4:])) for item in found if item.rule == rule]

    as_capacity, as_fallback = rules(f"capacity: {fallback}, count: {{max: 1}}"), rules(f"fallback: [{fallback}]")
    assert [item for item, _ in as_capacity] == [item for item, _ in as_fallback] == [rule]
    assert [path for _, path in as_fallback] == [
        "fallback[0]" if path == "capacity" else path for _, path in as_capacity
    ]


def test_the_note_about_an_empty_fallback_names_the_order_of_google(catalog: Catalog) -> None:
    (found,) = findings(GROUP.format("fallback: []"), catalog)
    assert "reservation, flex-start, on-demand, then spot for training" in found.message
    assert "reservation, on-demand, flex-start, then spot for serving" in found.message
    assert found.fix == "fallback: [flex_start, spot]"


@pytest.mark.parametrize(
    ("version", "keys", "expected"),
    [
        ("1.28", "grace_period: 5m", True),
        ("1.30", "grace_period: 5m", False),
        ("1.28", "count: 1", False),
    ],
)
def test_graceful_termination_needs_a_version(version: str, keys: str, expected: bool, catalog: Catalog) -> None:
    body = {"mode": "standard", "location": "us-east5", "min_version": version, **yaml.safe_load(workload(keys))}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    found = [item.message for item in check_plan(document, catalog, TODAY).findings if item.rule == "TPU233"]
    assert any("graceful termination" in message for message in found) is expected


def rules_of(group: str, catalog: Catalog, mode: str = "standard", **cluster: str) -> set[str]:
    body = {"mode": mode, "location": "us-east5", **cluster, **yaml.safe_load(GROUP.format(group))}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    return {item.rule for item in check_plan(document, catalog, TODAY).findings}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ("collection: {name: chat}, fallback: [flex_start]", False),
        ("collection: {name: chat}, fallback: [flex_start, spot]", True),
        ("collection: {name: chat}, capacity: spot, fallback: [on_demand]", True),
    ],
)
def test_a_collection_never_falls_back_to_spot(keys: str, refused: bool, mode: str, catalog: Catalog) -> None:
    found = rules_of(keys, catalog, mode)
    assert ("TPU142" in found) is refused
    assert not found & {"TPU281", "TPU282", "TPU342"}


@pytest.mark.parametrize(
    ("keys", "version", "too_low"),
    [
        ("fallback: [spot]", "1.29", True),
        ("fallback: [spot]", "1.31", True),  # auto-creation of v6e
        ("fallback: [spot]", "1.34", False),
        ("fallback: [flex_start]", "1.32", True),
        ("fallback: [spot], collection: {name: c}", "1.32.1", True),
    ],
)
def test_the_version_of_the_cluster_has_what_a_compute_class_needs(
    keys: str, version: str, too_low: bool, catalog: Catalog
) -> None:
    assert ("TPU233" in rules_of(keys, catalog, min_version=version)) is too_low


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ("boot_disk: {type: pd-ssd}", "TPU501"),
        ("node_labels: {cloud.google.com/gke-spot: 'true'}", "TPU531"),
        ("max_pods_per_node: 257", "TPU511"),
        ("node_service_account: trainer", "TPU242"),
    ],
)
def test_settings_of_nodes_are_checked_with_fallback_on_autopilot_too(keys: str, rule: str, catalog: Catalog) -> None:
    without, served = (rules_of(f"{keys}{more}", catalog, "autopilot") for more in ("", ", fallback: [on_demand]"))
    assert rule not in without
    assert rule in rules_of(keys, catalog)
    assert rule in rules_of(f"{keys}, fallback: [spot]", catalog, "autopilot")
    assert served >= {rule}


def test_two_forms_of_a_topology_need_no_label_with_fallback(catalog: Catalog) -> None:
    slices = {
        "one": {"tpu": "v6e", "topology": "2x4", "chips_per_host": 8, "zone": "us-east5-b"},
        "two": {"tpu": "v6e", "topology": "2x4", "chips_per_host": 4, "zone": "us-east5-b"},
    }

    def rules(**more: list[str]) -> set[str]:
        groups = {key: {**group, **more} for key, group in slices.items()}
        body = {"mode": "standard", "location": "us-east5", "slices": groups}
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
        return {item.rule for item in check_plan(document, catalog, TODAY).findings}

    assert "TPU415" in rules()
    assert "TPU415" not in rules(fallback=["spot"])


@pytest.mark.parametrize(
    ("kind", "slices", "longest"),
    [
        ("jobset", "pretrain", 63 - len("-slice-0-3-abcde")),  # the webhook of JobSet adds such a suffix
        ("job", "pretrain", 63 - len("-slice-0-3-abcde")),  # a JobSet: two node pools can serve it
        ("job", "serve", 63 - len("-0")),
    ],
)
def test_generated_names_are_short_enough(kind: str, slices: str, longest: int, catalog: Catalog) -> None:
    def rules(length: int) -> set[str]:
        text = f"{{workloads: {{{'a' * length}: {{slices: {slices}, image: a, kind: {kind}}}}}}}"
        return {item.rule for item in findings(kubernetes(text), catalog)}

    assert "TPU701" not in rules(longest)
    assert "TPU701" in rules(longest + 1)


def test_a_plan_without_these_keys_runs_none_of_these_rules(catalog: Catalog) -> None:
    assert told(GROUP.format("count: 1"), catalog) == []
