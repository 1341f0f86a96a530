"""What a plan becomes, as gcloud, Terraform and Pulumi tell it after the first update."""

from collections.abc import Iterator, Mapping
from typing import Any

from support.foreign_files import Made, answer, pulumi_state, terraform_state
from support.fresh_stacks import created
from support.gcp_standin.cloud import Cloud
from support.plan_corpus import Source

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY

TYPES = (CLUSTER, NODE_POOL, RESOURCE_POLICY)


def told(plan: Source) -> Mapping[str, bytes]:
    """Tool -> the file that it writes."""
    stack, _ = created(plan, Cloud())
    outputs = [*_made(stack.resources, "outputs")]
    return {
        "gcloud": answer(outputs),
        "Terraform": terraform_state(outputs),
        "Pulumi": pulumi_state(outputs, [*_made(stack.resources, "inputs")]),
    }


def _made(resources: Mapping[str, Any], side: str) -> Iterator[Made]:
    for key, stored in resources.items():
        token, _, name = key.partition("::")
        if token in TYPES:
            yield token, name, _stated(getattr(stored, side))


def _stated(value: Any) -> Any:
    """A value without what is null, which no tool but Pulumi writes."""
    if isinstance(value, Mapping):
        return {key: _stated(item) for key, item in value.items() if item is not None}
    return [_stated(item) for item in value] if isinstance(value, list) else value
