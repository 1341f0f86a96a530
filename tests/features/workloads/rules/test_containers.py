"""Rules about variables from Secrets, ports, probes, images, and temporary data of Pathways."""

import pytest
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

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


CATALOG = read_catalog()

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: create
    cpu_pools: {head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
    kubernetes:
      workloads:
        run:
          slices: main
"""

DIGEST = "sha256:" + "0123456789abcdef" * 4


def found_in(keys: str) -> list[Finding]:
    text = PLAN + "".join(f"          {line}\n" for line in keys.splitlines())
    return list(check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG).findings)


@pytest.mark.parametrize(
    "image",
    [
        "train",
        "vllm/vllm-tpu:nightly",
        "us-docker.pkg.dev/acme-ml/train/llama:2026.11.20_A",
        "gcr.io/acme-ml/a__b/c-d.e",
        "localhost:5000/llama",
        f"Registry.Example.com/llama@{DIGEST}",
        f"us-docker.pkg.dev/p/r/i:tag@{DIGEST}",
    ],
)
def test_a_reference_that_container_runtimes_read_is_valid(image: str) -> None:
    assert found_in(f'image: "{image}"') == []


@pytest.mark.parametrize(
    ("image", "fix"),
    [
        ("https://gcr.io/acme-ml/train", "image: gcr.io/acme-ml/train"),
        ("docker://gcr.io/acme-ml/train:v1", 'image: "gcr.io/acme-ml/train:v1"'),
        ("gcr.io/acme-ml/Train:V1", 'image: "gcr.io/acme-ml/train:V1"'),
        ("LLAMA", "image: llama"),
        ("gcr.io/acme ml/train", ""),
        ("gcr.io/acme-ml//train", ""),
        ("gcr.io/acme-ml/train:", ""),
        ("gcr.io/acme-ml/train:a:b", ""),
        ("gcr.io/acme-ml/train@sha256:12", ""),
        ("<IMAGE>", ""),
        ("", ""),
    ],
)
def test_another_reference_is_an_error_with_the_reference_that_is_meant(image: str, fix: str) -> None:
    (found,) = found_in(f'image: "{image}"')
    assert (found.rule, found.severity.word, found.path[-1], found.fix) == ("TPU356", "error", "image", fix)


def test_the_image_of_the_head_is_checked() -> None:
    (found,) = found_in("image: train\nkind: leaderworkerset\nhead: {image: https://train}")
    assert (found.rule, found.path[-2:]) == ("TPU356", ("head", "image"))


@pytest.mark.parametrize("scratch", ["gs://acme-tmp", "gs://acme-tmp/", "gs://acme.tmp_1/a/b"])
def test_a_path_in_cloud_storage_is_valid(scratch: str) -> None:
    assert found_in(f'image: train\nkind: pathways\nscratch: "{scratch}"') == []


@pytest.mark.parametrize(
    ("scratch", "fix"),
    [
        ("acme-tmp/pathways", 'scratch: "gs://acme-tmp/pathways"'),
        ("s3://acme-tmp/pathways", ""),
        ("/tmp/pathways", ""),
        ("gs://", ""),
        ("gs://Acme", ""),
        ("gs://acme tmp", ""),
    ],
)
def test_another_path_is_an_error(scratch: str, fix: str) -> None:
    (found,) = found_in(f'image: train\nkind: pathways\nscratch: "{scratch}"')
    assert (found.rule, found.severity.word, found.fix) == ("TPU357", "error", fix)


def test_scratch_of_another_kind_has_no_effect() -> None:
    (found,) = found_in('image: train\nkind: job\nscratch: "gs://acme-tmp"')
    assert (found.rule, found.path[-1]) == ("TPU713", "scratch")
