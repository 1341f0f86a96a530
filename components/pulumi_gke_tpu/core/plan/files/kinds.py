"""The kinds of files that users write: plans, inventories and organization files."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import ImportedLater, PlanModel
from pulumi_gke_tpu.core.plan.keys import key_names


@frozen
class FileKind:
    """One kind of file."""

    name: str
    shown: str
    """The name with its article."""
    usage: str
    """How commands read such a file, in a clause."""
    reads: ImportedLater

    @property
    def model(self) -> type[PlanModel]:
        """The model of the whole file. Only commands that read such a file, or files with errors, import it."""
        return self.reads.model


PLAN = FileKind(
    "plan",
    "a plan",
    "pass a plan as an argument: `gke-tpu validate PLAN`",
    ImportedLater("pulumi_gke_tpu.core.plan.model", "Plan"),
)
INVENTORY = FileKind(
    "inventory",
    "an inventory",
    "pass an inventory with its option: `gke-tpu validate PLAN --inventory FILE`",
    ImportedLater("pulumi_gke_tpu.core.plan.inventory", "Inventory"),
)
ORGANIZATION = FileKind(
    "organization file",
    "an organization file",
    "pass an organization file with its option: `gke-tpu validate PLAN --organization FILE`",
    ImportedLater("pulumi_gke_tpu.core.plan.organization", "Organization"),
)
KINDS = (PLAN, INVENTORY, ORGANIZATION)


def kind_of_model(model: type[PlanModel]) -> FileKind:
    """The kind of file that a model reads."""
    return next(kind for kind in KINDS if kind.model is model)


def kind_of_keys(keys: Iterable[object]) -> FileKind | None:
    """The kind of file that has the most of these top-level keys; None if two kinds have as many.

    Keys of several kinds, such as ``version``, do not count.
    """
    found = {*keys}
    names = {kind.name: {*key_names(kind.model)} for kind in KINDS}
    own = {
        kind.name: len(found & names[kind.name] - set().union(*(names[other] for other in names if other != kind.name)))
        for kind in KINDS
    }
    most = max(own.values())
    best = [kind for kind in KINDS if own[kind.name] == most]
    return best[0] if len(best) == 1 else None
