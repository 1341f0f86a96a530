"""Manifests that work have no findings: forms that look like mistakes, and values that are not known yet."""

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod

ONE_CHIP_V5E = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 3
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
        cloud.google.com/gke-tpu-topology: 1x1
      containers:
        - name: server
          image: vllm/vllm-tpu:v0.11
          ports: [{containerPort: 8000}]
          resources: {requests: {google.com/tpu: 1}, limits: {google.com/tpu: 1}}
        - {name: metrics, image: exporter}
"""
TWO_PODS_OF_A_2X4_SLICE = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: tune
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicatedJobs:
    - name: slice
      replicas: 1
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 2x4
              containers:
                - name: jax
                  image: tune
                  resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
LEADER_WITHOUT_CHIPS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 5
    restartPolicy: RecreateGroupOnPodRestart
    leaderTemplate:
      spec:
        containers: [{name: leader, image: proxy, resources: {requests: {cpu: 4}}}]
    workerTemplate:
      spec:
        nodeSelector:
          cloud.google.com/gke-nodepool: serve
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
          - name: worker
            image: serve
            resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
TWO_CONTAINERS_ON_TPU7X = """
apiVersion: v1
kind: Pod
metadata: {name: bench}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu7x
    cloud.google.com/gke-tpu-topology: 2x2x1
  containers:
    - {name: left, image: bench, resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}}
    - {name: right, image: bench, resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}}
"""
LARGE_TPU7X = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pretrain
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicatedJobs:
    - name: slice
      replicas: 4
      template:
        spec:
          parallelism: 640
          completions: 640
          backoffLimit: 0
          podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu7x
                cloud.google.com/gke-tpu-topology: 8x16x20
                cloud.google.com/placement-policy-name: tpu7x-8x16x20
              containers:
                - {name: jax, image: train, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
"""
ONE_CHIP_WITHOUT_TOPOLOGY = """
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice}
  containers: [{name: jupyter, image: jupyter, resources: {limits: {google.com/tpu: 1}}}]
"""
CHIPS_WITHOUT_SELECTOR = """
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  containers: [{name: jupyter, image: jupyter, resources: {limits: {google.com/tpu: 4}}}]
"""
OF_A_CLASS = """
apiVersion: v1
kind: Pod
metadata: {name: serve}
spec:
  nodeSelector: {cloud.google.com/compute-class: tpu-v6e}
  containers: [{name: vllm, image: vllm, resources: {limits: {google.com/tpu: 8}}}]
"""
EXPORTER = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: exporter, namespace: monitoring}
spec:
  selector: {matchLabels: {app: exporter}}
  template:
    metadata: {labels: {app: exporter}}
    spec:
      hostNetwork: true
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}
      tolerations: [{operator: Exists}]
      containers: [{name: exporter, image: exporter, securityContext: {privileged: true}}]
"""
DYNAMIC_SLICE = """
apiVersion: batch/v1
kind: Job
metadata: {name: bench}
spec:
  completionMode: Indexed
  parallelism: 16
  completions: 16
  backoffLimit: 0
  template:
    metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x4}}
    spec:
      restartPolicy: Never
      subdomain: bench
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu7x
        cloud.google.com/gke-tpu-slice: bench
        cloud.google.com/gke-tpu-topology: 4x4x4
      containers: [{name: jax, image: bench, resources: {limits: {google.com/tpu: 4}}}]
"""
DEVICE_CLAIM = """
apiVersion: v1
kind: Pod
metadata: {name: bench}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  resourceClaims: [{name: tpu, resourceClaimTemplateName: all-chips}]
  containers: [{name: jax, image: bench, resources: {claims: [{name: tpu}]}}]
"""
PATHWAYS_WORKERS = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pathways
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  coordinator: {replicatedJob: head}
  replicatedJobs:
    - name: head
      replicas: 1
      template:
        spec:
          parallelism: 1
          completions: 1
          backoffLimit: 0
          template:
            spec:
              hostNetwork: true
              dnsPolicy: ClusterFirstWithHostNet
              restartPolicy: Never
              containers: [{name: proxy, image: proxy, resources: {requests: {cpu: 16, memory: 100G}}}]
    - name: worker
      replicas: 2
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 16
          template:
            spec:
              restartPolicy: OnFailure
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers:
                - name: worker
                  image: worker
                  env:
                    - name: MEGASCALE_NUM_SLICES
                      valueFrom:
                        fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/replicatedjob-replicas']"}
                    - name: MEGASCALE_COORDINATOR_ADDRESS
                      value: $(JOBSET_NAME)-$(REPLICATED_JOB_NAME)-0-0.$(JOBSET_NAME)
                    - {name: MEGASCALE_GRPC_ENABLE_XOR_TRACER, value: "false"}
                  resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
WORKS = {
    "1x1 on v5e": ONE_CHIP_V5E,
    "2x4 on v6e as two pods of four chips": TWO_PODS_OF_A_2X4_SLICE,
    "a leader without chips": LEADER_WITHOUT_CHIPS,
    "two containers that add up on tpu7x": TWO_CONTAINERS_ON_TPU7X,
    "a topology above 4x4x4 on tpu7x": LARGE_TPU7X,
    "one chip without a topology": ONE_CHIP_WITHOUT_TOPOLOGY,
    "chips without a selector": CHIPS_WITHOUT_SELECTOR,
    "a pod of a ComputeClass": OF_A_CLASS,
    "an exporter on every TPU node": EXPORTER,
    "a dynamic slice": DYNAMIC_SLICE,
    "a claim of devices": DEVICE_CLAIM,
    "workers of Pathways": PATHWAYS_WORKERS,
    "a limit without a request": tpu_pod().replace("requests: {google.com/tpu: 4}, ", ""),
    "an indexed Job in a named pool": tpu_job(),
    "chips as text": tpu_pod().replace("google.com/tpu: 4", 'google.com/tpu: "4"'),
    "other workloads": "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {hostNetwork: true}}}\n",
    "a grace period of an hour": tpu_pod(spec="terminationGracePeriodSeconds: 3600"),
    "not evicted on Standard": tpu_pod().replace(
        "{name: trainer}", '{name: a, annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}}', 1
    ),
    "a toleration that GKE adds anyway": tpu_pod(spec="tolerations: [{key: google.com/tpu, operator: Exists}]"),
    "another label of the domain": tpu_pod(selector="cloud.google.com/gke-netd-ready: 'true'"),
    "an own label": tpu_pod(selector="example.com/team: research"),
}


@pytest.mark.parametrize("name", WORKS)
def test_what_works_has_no_findings(name: str) -> None:
    assert [f"{item.rule}: {item.message}" for item in findings_in(WORKS[name])] == []


CHIPS = "resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}"
ID = "env: [{name: TPU_WORKER_ID, value: $(ID)}]"
OPEN = {
    "accelerator": tpu_pod().replace("tpu-v6e-slice", "${TPU}"),
    "topology": tpu_pod().replace("2x2", "{{ .Values.topology }}"),
    "chips": tpu_pod().replace("google.com/tpu: 4", "google.com/tpu: '$(CHIPS)'"),
    "a request": tpu_pod().replace("requests: {google.com/tpu: 4}", "requests: {google.com/tpu: '{{ x }}'}"),
    "resources": tpu_pod().replace(CHIPS, "resources: {{ x }}"),
    "containers": tpu_pod(topology="4x4").partition("  containers:")[0] + "  containers: {{ .Values.containers }}\n",
    "node selector": tpu_job().partition("      nodeSelector:")[0]
    + "      nodeSelector: {{ x }}\n      containers:"
    + tpu_job().partition("      containers:")[2],
    "parallelism": tpu_job(job="completionMode: Indexed\nparallelism: ${HOSTS}\ncompletions: ${HOSTS}"),
    "completion mode": tpu_job(job="completionMode: '{{ x }}'\nparallelism: 4\ncompletions: 4"),
    "capacity": tpu_pod(selector="cloud.google.com/gke-spot: '{{ spot }}'\ncloud.google.com/gke-flex-start: 'true'"),
    "a key of a selector": tpu_pod(selector="'cloud.google.com/{{ key }}': 'true'"),
    "grace period": tpu_pod(spec="terminationGracePeriodSeconds: {{ .Values.grace }}"),
    "tolerations": tpu_pod(spec="tolerations: {{ x }}", selector="cloud.google.com/gke-queued: 'true'"),
    "host name": tpu_job(selector="kubernetes.io/hostname: ${NODE}"),
    "variable": tpu_job().replace("image: trainer", f"image: trainer\n{' ' * 10}{ID}"),
    "kind": tpu_pod(chips=3).replace("kind: Pod", "kind: {{ .Values.kind }}"),
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_a_value_that_is_not_filled_in_is_unknown_and_not_wrong(name: str) -> None:
    assert [f"{item.rule}: {item.message}" for item in findings_in(OPEN[name])] == []
