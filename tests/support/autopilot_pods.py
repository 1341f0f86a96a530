"""What Autopilot writes into Pods, as far as it matters for queues."""

from typing import Any

_STORAGE = {"ephemeral-storage": "1Gi"}


def as_on_autopilot(item: Any) -> Any:
    """An object, or a part of it, as Autopilot stores its Pods: each container requests ephemeral storage."""
    if isinstance(item, list):
        return [as_on_autopilot(one) for one in item]
    if not isinstance(item, dict):
        return item
    written = {key: as_on_autopilot(value) for key, value in item.items()}
    for key in ("containers", "initContainers"):
        written |= {key: [_requesting(one) for one in written[key]]} if key in written else {}
    return written


def _requesting(container: dict[str, Any]) -> dict[str, Any]:
    resources = container.get("resources", {})
    requests = {**_STORAGE, **resources.get("requests", {})}
    return {**container, "resources": {**resources, "requests": requests}}
