"""A place where a rule is broken, and the wording of the common kinds of problem."""

import dataclasses
from typing import TYPE_CHECKING, Any, TypedDict

from typing_extensions import Unpack

from pulumi_gke_tpu.core.catalog import Fact
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Fix, Path, Related, Severity, quoted

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan import Document


class Details(TypedDict, total=False):
    """What a hit can add to its message: fields of :class:`Hit`."""

    fact: Fact | None
    severity: Severity | None
    given: str
    allowed: tuple[str, ...]
    why: str
    fix: Fix | None


@frozen
class Hit:
    """One place where a rule is broken. What is left empty is taken from the rule; ``fact`` gives source and weight.

    The constructors word the common kinds of problem in one way. They escape the values that they quote, so that
    nothing that a plan contains can change the text around it.
    """

    path: Path
    message: str
    fact: Fact | None = None
    severity: Severity | None = None
    given: str = ""
    allowed: tuple[str, ...] = ()
    why: str = ""
    fix: Fix | None = None
    """A fix that only spells a value correctly need not be marked as the only one."""
    related: Related | None = None
    """Where the requirement is set, if that is another file of the user."""
    document: "Document[Any] | None" = None
    """The document of the place, for rules that check several."""

    def within(self, document: "Document[Any]") -> "Hit":
        """The hit in one of several documents."""
        return dataclasses.replace(self, document=document)

    @classmethod
    def invalid(cls, path: Path, what: str, value: object, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """A value of the wrong form: ``invalid zone `us-east5`: it is a region``."""
        return cls(path, _because(f"invalid {what} {quoted(value)}", reason), **details)

    @classmethod
    def unknown(cls, path: Path, what: str, value: object, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """A name that does not exist: ``unknown add-on `gcs``."""
        return cls(path, _because(f"unknown {what} {quoted(value)}", reason), **details)

    @classmethod
    def duplicate(cls, path: Path, what: str, value: object, first: str = "", **details: Unpack[Details]) -> "Hit":
        """A second definition: ``duplicate label `team`: already defined in entry 1``."""
        return cls(path, _because(f"duplicate {what} {quoted(value)}", first), **details)

    @classmethod
    def unsupported(cls, path: Path, what: str, by: str, **details: Unpack[Details]) -> "Hit":
        """Something that does not work together: ``placement is not supported with single-host slices``."""
        return cls(path, f"{what} is not supported with {by}", **details)

    @classmethod
    def missing(cls, path: Path, what: str, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """Something that is required: ``missing key `zone`: us-east5 is a region``."""
        return cls(path, _because(f"missing {what}", reason), **details)

    @classmethod
    def conflict(cls, path: Path, one: str, other: str, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """Two things that exclude each other: ```count` conflicts with `min```."""
        return cls(path, _because(f"{one} conflicts with {other}", reason), **details)

    @classmethod
    def exceeds(cls, path: Path, what: str, limit: str, **details: Unpack[Details]) -> "Hit":
        """Something above its limit: ``12,000 hosts exceed the limit of 8,000``."""
        return cls(path, f"{what} exceeds {limit}", **details)


def _because(problem: str, reason: str) -> str:
    return f"{problem}: {reason}" if reason else problem
