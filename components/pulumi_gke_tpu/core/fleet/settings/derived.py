"""An effective value with its origin."""

from typing import Generic, Literal, TypeVar

from pulumi_gke_tpu.core.frozen import frozen

T = TypeVar("T")
Value_co = TypeVar("Value_co", covariant=True)

Origin = Literal["plan", "default", "capacity_mode", "fact"]
"""plan: a key sets it. default: gke-tpu sends it without a key. capacity_mode: gke-tpu sends it because of the capacity
mode. fact: gke-tpu sends nothing; GKE decides, and the value is what it usually is."""

FROM_PLAN, DEFAULT = "from the plan", "the default"


@frozen
class Derived(Generic[Value_co]):
    """An effective value, why it is this one, and whether it is sent."""

    value: Value_co
    """For a fact, None if it is unknown."""
    origin: Origin
    note: str
    """The reason, as a clause."""

    @property
    def sent(self) -> Value_co | None:
        """The value that resources get; None leaves it to GKE."""
        return None if self.origin == "fact" else self.value

    @property
    def written(self) -> bool:
        """Whether a key of the plan sets it."""
        return self.origin == "plan"


def written_or(written: T | None, otherwise: Derived[T]) -> Derived[T]:
    """The value of a key, or without the key another one."""
    return otherwise if written is None else Derived(written, "plan", FROM_PLAN)
