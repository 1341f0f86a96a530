"""Makes manifests of any number."""

_JOB = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train-{number}
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}}
spec:
  failurePolicy:
    maxRestarts: 10
    rules:
      - {{name: disruption, action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [PodFailurePolicy]}}
  replicatedJobs:
    - name: slice
      replicas: 1
      template:
        spec:
          parallelism: 4
          completions: 4
          completionMode: Indexed
          backoffLimit: 0
          podFailurePolicy:
            rules:
              - {{action: FailJob, onPodConditions: [{{type: DisruptionTarget}}]}}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
{pool}              containers:
                - name: jax
                  image: us-docker.pkg.dev/acme-ml/train/jax:1
                  command: [python, train.py, --steps=1000]
                  env:
                    - {{name: JAX_PLATFORMS, value: "tpu,cpu"}}
                    - {{name: RUN, value: "run-{number}"}}
                  resources:
                    requests: {{google.com/tpu: 4, cpu: 100, memory: 400Gi}}
                    limits: {{google.com/tpu: 4, memory: 400Gi}}
"""
_POOL = "                cloud.google.com/gke-nodepool: {pool}\n"


def training_jobs(count: int, pool: str = "") -> str:
    """That many JobSets on one slice each; ``pool`` is the node pool that each selects, with ``{number}`` in it."""
    selected = [_POOL.format(pool=pool.format(number=number)) if pool else "" for number in range(count)]
    return "---\n".join(_JOB.format(number=number, pool=line) for number, line in enumerate(selected))
