"""Each key for the contents and the end of Pods, in each kind of workload, as the real server checks it."""

import pytest
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.testbed import Testbed
from support.kubernetes_standin.difference import differences, pruned
from support.pod_keys import KINDS, MODES, plan_with, shapes_of
from support.workload_plans import objects_of

pytestmark = pytest.mark.usefixtures("crds")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_server_stores_each_object_as_it_is_sent_and_accepts_its_pods(bed: Testbed, kind: str, mode: str) -> None:
    """A field that the server changes or does not know would be a change in every run of Pulumi."""
    wrong: dict[str, object] = {}
    for topology in shapes_of(kind):
        for item in objects_of(plan_with(kind, mode, topology), "workloads"):
            core = list(expand(item, bed.namespace))
            stored = bed.client.create(item, bed.namespace, dry_run=True)
            sent = {**item, "metadata": {**item["metadata"], "namespace": stored["metadata"]["namespace"]}}
            name = f"{topology} {item['kind']} {item['metadata']['name']}"
            changed = list(differences(pruned(stored, sent), sent))
            if changed:
                wrong[name] = changed
            refused = [bed.refusal(part) for part in (*core, *sample_pods(core))]
            wrong |= {f"{name}: {words}": words for words in refused if words}
    assert wrong == {}
