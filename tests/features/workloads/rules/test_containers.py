"""Rules about variables from Secrets, ports and probes."""

import pytest
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog

RUN = "kubernetes.workloads.run"
DEPLOYMENT = "kind: deployment"


def reported(keys: str, catalog: Catalog, slices: str = "serve") -> list[str]:
    return [item.replace(f"{RUN}.", "") for item in told(workload(keys, slices), catalog)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("env_from_secrets: {A: {secret: s, key: k}}", []),
        ("env: {B: '1'}, env_from_secrets: {A: {secret: s.example.com, key: tls.crt_1}}", []),
        ("env: {A: '1'}, env_from_secrets: {A: {secret: s, key: k}}", ["TPU560 env_from_secrets.A"]),
        ("env_from_secrets: {A: {secret: My_Secret, key: k}}", ["TPU561 env_from_secrets.A.secret"]),
        ("env_from_secrets: {A: {secret: s, key: 'a/b'}}", ["TPU561 env_from_secrets.A.key"]),
        ("env_from_secrets: {A: {secret: s, key: ''}}", ["TPU561 env_from_secrets.A.key"]),
        (f"env_from_secrets: {{A: {{secret: s, key: {'k' * 254}}}}}", ["TPU561 env_from_secrets.A.key"]),
        (f"env_from_secrets: {{A: {{secret: {'s' * 253}, key: k}}}}", []),
        (f"env_from_secrets: {{A: {{secret: {'s' * 254}, key: k}}}}", ["TPU561 env_from_secrets.A.secret"]),
        ("env_from_secrets: {TPU_WORKER_ID: {secret: s, key: k}}", ["TPU719 env_from_secrets.TPU_WORKER_ID"]),
        ("pull_secrets: [a, b]", []),
        ("pull_secrets: [a, b, a]", ["TPU561 pull_secrets[2]"]),
        ("pull_secrets: ['']", ["TPU561 pull_secrets[0]"]),
    ],
)
def test_variables_and_images_from_secrets(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert reported(keys, catalog) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("port: 8000, ports: {metrics: 9090}", []),
        ("ports: {metrics: 9090}", []),
        ("ports: {main: 9090}", []),
        ("port: 8000, ports: {main: 9090}", ["TPU562 ports.main"]),
        ("port: 8000, ports: {metrics: 8000}", ["TPU562 ports.metrics"]),
        ("ports: {a: 9090, b: 9090}", ["TPU562 ports.b"]),
        ("ports: {Metrics: 9090}", ["TPU562 ports.Metrics"]),
        ("ports: {a-sixteen-letter: 9090}", ["TPU562 ports.a-sixteen-letter"]),
        ("ports: {a-letter-fewer-: 9090}", ["TPU562 ports.a-letter-fewer-"]),
        ("ports: {'9090': 9090}", ['TPU562 ports["9090"]']),
    ],
)
def test_ports(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert reported(f"{DEPLOYMENT}, {keys}", catalog) == expected


def test_a_port_name_in_upper_case_is_corrected(catalog: Catalog) -> None:
    (finding,) = findings(workload(f"{DEPLOYMENT}, ports: {{My_Metrics: 9090}}", "serve"), catalog)
    assert "my-metrics" in str(finding.fix)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("port: 8000, probes: {startup: {http_path: /}}", []),
        ("probes: {startup: {port: 8000}}", []),
        ("probes: {startup: {http_path: /}}", ["TPU563 probes.startup"]),
        ("port: 80, probes: {liveness: {http_path: health}}", ["TPU563 probes.liveness.http_path"]),
        ("port: 80, probes: {readiness: {http_path: ''}}", ["TPU563 probes.readiness.http_path"]),
        (
            "port: 80, probes: {readiness: {period: 0s, timeout: 0s}}",
            ["TPU563 probes.readiness.period", "TPU563 probes.readiness.timeout"],
        ),
        ("port: 80, probes: {readiness: {period: 1s, timeout: 1s, initial_delay: 0s}}", []),
    ],
)
def test_probes(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert reported(f"{DEPLOYMENT}, {keys}", catalog) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("sidecars: [{name: a, image: a}], init_containers: [{name: b, image: b}]", []),
        ("sidecars: [{name: tpu, image: a}]", ["TPU567 sidecars[0].name"]),
        ("sidecars: [{name: tpu-0, image: a}]", []),
        ("init_containers: [{name: a, image: a}], sidecars: [{name: a, image: a}]", ["TPU567 sidecars[0].name"]),
        ("init_containers: [{name: A_b, image: a}]", ["TPU567 init_containers[0].name"]),
        (f"init_containers: [{{name: {'a' * 64}, image: a}}]", ["TPU567 init_containers[0].name"]),
        ("sidecars: [{name: a, image: a, memory: 1 GB}]", ["TPU702 sidecars[0].memory"]),
        ("init_containers: [{name: a, image: a, cpu: many}]", ["TPU702 init_containers[0].cpu"]),
        (
            "sidecars: [{name: a, image: a, env: {A: '1'}, env_from_secrets: {A: {secret: S, key: k}}}]",
            ["TPU560 sidecars[0].env_from_secrets.A", "TPU561 sidecars[0].env_from_secrets.A.secret"],
        ),
    ],
)
def test_additional_containers(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert sorted(reported(keys, catalog)) == expected


def test_the_names_of_two_containers_with_chips_are_taken(catalog: Catalog) -> None:
    keys = "containers: 2, sidecars: [{name: tpu-1, image: a}, {name: tpu, image: a}]"
    text = (
        "location: us-central1\nslices: {big: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c}}\n"
        f"kubernetes: {{workloads: {{run: {{slices: big, image: a, {keys}}}}}}}"
    )
    assert told(text, catalog) == [f"TPU567 {RUN}.sidecars[0].name"]
