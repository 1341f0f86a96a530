"""Several environments in one folder are checked each for itself: ``check .`` finds what ``check prod`` finds."""

import cProfile
import pstats
from collections.abc import Mapping

import pytest

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import ManifestFile, read_manifests
from pulumi_gke_tpu.features.check.environments import environments
from pulumi_gke_tpu.features.check.manifest_check import check_manifests

FLAVOR = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: tpu}
spec:
  nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: TOPOLOGY}
"""
QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu, memory, google.com/tpu]
      flavors:
        - name: tpu
          resources:
            - {name: cpu, nominalQuota: 1k}
            - {name: memory, nominalQuota: 4Ti}
            - {name: google.com/tpu, nominalQuota: CHIPS}
"""
LOCAL = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research, namespace: default}
spec: {clusterQueue: research}
"""
JOB = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pretrain
  labels: {kueue.x-k8s.io/queue-name: research}
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicatedJobs:
    - name: slice
      replicas: 1
      template:
        spec:
          parallelism: HOSTS
          completions: HOSTS
          backoffLimit: 0
          podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: TOPOLOGY
              containers:
                - name: jax
                  image: us-docker.pkg.dev/acme/jax/trainer:1
                  resources: {requests: {google.com/tpu: 4, cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
"""
SIZES = {"prod": ("8x8", "64", "16"), "dev": ("4x4", "16", "4")}


def of(size: str, *texts: str) -> str:
    topology, chips, hosts = SIZES[size]
    whole = "---".join(texts)
    return whole.replace("TOPOLOGY", topology).replace("CHIPS", chips).replace("HOSTS", hosts)


def rules(files: Mapping[str, str], catalog: Catalog) -> list[tuple[str, str]]:
    found = check_manifests((ManifestFile(name, text.encode()) for name, text in files.items()), catalog, None)
    return [(finding.rule, finding.position.file if finding.position else "") for finding in found]


NATURAL = {
    "a folder each": {
        f"{name}/{kind}.yaml": of(name, text)
        for name in SIZES
        for kind, text in (("flavor", FLAVOR), ("queue", QUEUE), ("local", LOCAL), ("job", JOB))
    },
    "a folder each, below another one": {
        f"k8s/envs/{name}/{kind}.yaml": of(name, text)
        for name in SIZES
        for kind, text in (("queues", FLAVOR + "---" + QUEUE + "---" + LOCAL), ("job", JOB))
    },
    "a file each": {f"{name}.yaml": of(name, FLAVOR, QUEUE, LOCAL, JOB) for name in SIZES},
    "names of files": {
        f"{kind}-{name}.yaml": of(name, text)
        for name in SIZES
        for kind, text in (("queues", FLAVOR + "---" + QUEUE + "---" + LOCAL), ("job", JOB))
    },
    "a part of the folder names": {
        f"cluster-{name}-us-east5/{kind}.yaml": of(name, text)
        for name in SIZES
        for kind, text in (("queues", FLAVOR + "---" + QUEUE + "---" + LOCAL), ("job", JOB))
    },
    "folders by kind, then by environment": {
        f"{kind}/{name}/all.yaml": of(name, text)
        for name in SIZES
        for kind, text in (("queues", FLAVOR + "---" + QUEUE + "---" + LOCAL), ("jobs", JOB))
    },
    "folders of environments and files with their names elsewhere": {
        **{f"{name}/queues.yaml": of(name, FLAVOR, QUEUE, LOCAL) for name in SIZES},
        **{f"jobs/pretrain-{name}.yaml": of(name, JOB) for name in SIZES},
    },
    "a common local queue": {
        "base/local.yaml": LOCAL,
        **{f"{name}/queues.yaml": of(name, FLAVOR, QUEUE) for name in SIZES},
        **{f"{name}/job.yaml": of(name, JOB) for name in SIZES},
    },
    "a job in one of them": {
        **{f"{name}/queues.yaml": of(name, FLAVOR, QUEUE, LOCAL) for name in SIZES},
        "prod/job.yaml": of("prod", JOB),
    },
    "regions with environments": {
        f"{region}/{name}/all.yaml": of(name, FLAVOR, QUEUE, LOCAL, JOB)
        for name in SIZES
        for region in ("us-east5", "us-central1")
    },
}


@pytest.mark.parametrize("case", NATURAL)
def test_environments_that_are_right_alone_are_right_together(case: str, catalog: Catalog) -> None:
    assert rules(NATURAL[case], catalog) == []


@pytest.mark.parametrize("case", NATURAL)
def test_a_job_that_exceeds_the_queue_of_its_environment_is_found_once(case: str, catalog: Catalog) -> None:
    of_dev = [name for name in NATURAL[case] if "dev" in name and "us-central1" not in name]
    wrong = next((name for name in of_dev if "job" in name), of_dev[-1])
    files = {**NATURAL[case], wrong: NATURAL[case][wrong] + "---" + of("prod", JOB).replace("pretrain", "large")}
    found = rules(files, catalog)
    assert found.count(("TPU746", wrong)) == 1
    assert {file for _, file in found} == {wrong}


def test_one_environment_is_checked_as_a_whole(catalog: Catalog) -> None:
    files = {"a/queues.yaml": of("dev", FLAVOR, QUEUE, LOCAL), "b/job.yaml": of("prod", JOB)}
    assert ("TPU746", "b/job.yaml") in rules(files, catalog)


def test_objects_with_one_name_in_one_file_make_one_environment() -> None:
    manifests = read_manifests([("all.yaml", f"{LOCAL}---{LOCAL}".encode()), ("job.yaml", JOB.encode())])
    assert environments(manifests.objects) == (manifests.objects,)


def test_each_object_is_in_an_environment_and_no_two_of_one_name() -> None:
    files = [*NATURAL["regions with environments"].items(), ("README/notes.yaml", LOCAL.replace("research", "notes"))]
    objects = read_manifests((name, text.encode()) for name, text in files).objects
    found = environments(objects)
    assert {owner.index for members in found for owner in members} == {owner.index for owner in objects}
    assert len(found) == 4
    for members in found:
        names = [(owner.kind, owner.name) for owner in members]
        assert len({*names}) == len(names)
        assert ("LocalQueue", "notes") in names


def folders(number: int) -> list[tuple[str, bytes]]:
    """As many environments, and as many common files."""
    own = [(f"team{index}/queue.yaml", LOCAL.encode()) for index in range(number)]
    return own + [(f"common/{index}.yaml", LOCAL.replace("research", f"q{index}").encode()) for index in range(number)]


def test_many_environments_take_linear_work() -> None:
    def work(number: int) -> int:
        objects = read_manifests(folders(number)).objects
        profile = cProfile.Profile()
        found = profile.runcall(environments, objects)
        assert sum(map(len, found)) == len(objects)
        return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]

    assert work(1000) < 11 * work(100)
