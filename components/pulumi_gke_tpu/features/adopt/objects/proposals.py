"""Items of the key `kubernetes` that could render objects which exist. They are only guesses: rendering decides."""

from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject


@frozen(eq=False)
class ItemProposal:
    """An item of the key, and the object that it should render."""

    section: str
    """The key below `kubernetes`, such as `queues`."""
    name: str
    value: dict[str, Any]
    target: KubernetesObject
    service_account: tuple[str, dict[str, Any]] | None = None
    """The entry of the service account that a workload uses, if it is to be adopted with it."""

    @property
    def key(self) -> tuple[str, str]:
        """The section and the name."""
        return self.section, self.name


class NoKeysError(Exception):
    """No key can describe an object. The text says why."""


def shortest(**keys: Any) -> dict[str, Any]:
    """The keys with a value: not None, and not empty."""
    return {name: value for name, value in keys.items() if value not in (None, {}, [], "")}
