"""Manifests for the tests of rules about them, and what these rules find."""

from support.manifests import findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode
from pulumi_gke_tpu.features.check.rules.alignment.pathways import pathways_job_larger_than_slices
from pulumi_gke_tpu.features.check.rules.objects.services import service_without_pods

SERVER, _, SERVICE = service_without_pods.passing.partition("---\n")
PATHWAYS, _, PATHWAYS_PLAN = pathways_job_larger_than_slices.failing.partition("--- plan\n")
ON_POOL = "\n  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}"
CLUSTER = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def only(text: str, **more: object) -> Finding:
    """The only finding."""
    (finding,) = findings_in(text, **more)  # type: ignore[arg-type]
    return finding


def assert_found(text: str, rule: str, severity: Severity, words: str) -> None:
    """The only finding is by a rule, has its severity, and contains these words."""
    finding = only(text)
    assert (finding.rule, finding.severity) == (rule, severity)
    assert words in finding.message


def chips(amount: str) -> str:
    return tpu_pod().replace("google.com/tpu: 4", f"google.com/tpu: {amount}")


def job_set_with(spec: str, *, selector: str = "", annotations: str = "", env: str = "", replicas: int = 2) -> str:
    return f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool{annotations}}}
spec:
  failurePolicy: {{maxRestarts: 10}}
  replicatedJobs:
    - name: slice
      replicas: {replicas}
      template:
        spec:
          {spec}
          backoffLimit: 0
          podFailurePolicy: {{rules: [{{action: FailJob, onPodConditions: [{{type: DisruptionTarget}}]}}]}}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                {selector}
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers:
                - name: jax
                  image: train
                  {env}
                  resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""


def with_replicas(kind: str, replicas: int) -> str:
    text = tpu_job(job=f"replicas: {replicas}\nselector: {{matchLabels: {{app: trainer}}}}")
    text = text.replace("batch/v1", "apps/v1").replace("kind: Job", f"kind: {kind}").replace("  backoffLimit: 0\n", "")
    text = text.replace("      restartPolicy: Never\n", "").replace("      subdomain: trainer\n", "")
    text = text.replace("  replicas:", "  serviceName: trainer\n  replicas:") if kind == "StatefulSet" else text
    return text.replace("    spec:\n", "    metadata: {labels: {app: trainer}}\n    spec:\n", 1)


ON_TPU7X = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
    "  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: 2x2x1}\n"
)


def findings_of(text: str, rule: str) -> list[Finding]:
    """The findings of a rule."""
    return [finding for finding in findings_in(text) if finding.rule == rule]


def finding_of(text: str, rule: str, mode: ClusterMode | None = None, plan: str | None = None) -> Finding:
    """The only finding of a rule."""
    found: list[Finding] = [item for item in findings_in(text, mode=mode, plan=plan) if item.rule == rule]
    assert len(found) == 1
    return found[0]


def found_beside(text: str, of: str, rule: str) -> Finding:
    """The only finding of a rule about manifests beside a plan."""
    return finding_of(text, rule, plan=of)


def plan_with(body: str, mode: str = "standard", more: str = "") -> str:
    """A plan with one slice group of these keys."""
    return (
        f"version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: {mode}\n    location: us-east5\n{more}"
        f"    slices:\n      main: {{{body}, zone: us-east5-b}}\n"
    )


def with_service(spec: str, name: str = "serve") -> str:
    """A server and a Service beside it."""
    return f"{SERVER}---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {spec}\n"
