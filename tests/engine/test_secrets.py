"""The encrypted values in the state of a real stack: secrets of the provider, and values that contain them."""

from collections.abc import Iterator
from typing import Any

from support.engine.stack_run import EngineStack
from support.gcp_standin.knowledge import CLUSTER
from support.provider_protocol.wire import SIGNATURE
from support.real_outputs import real_types

from pulumi_gke_tpu.core.graph.builders.cluster import SECRET_COMPONENT_OUTPUTS


def secrets(outputs: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The paths of encrypted values."""
    for name, value in outputs.items():
        if isinstance(value, dict):
            yield from (f"{prefix}{name}",) if SIGNATURE in value else secrets(value, f"{prefix}{name}.")


def test_the_certificate_is_secret_since_it_is_taken_from_master_auth(prod: EngineStack) -> None:
    found: dict[str, set[str]] = {}
    for resource in (prod.export().deployment or {})["resources"]:
        found.setdefault(resource["type"], set()).update(secrets(resource.get("outputs", {})))
    assert {token: paths for token, paths in found.items() if paths} == {
        "gke-tpu:index:StandardCluster": set(SECRET_COMPONENT_OUTPUTS),
        CLUSTER: set(real_types()[CLUSTER].secret),
    }
