"""One error in the form of a plan: its place, the values around it, and what may replace it."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel, Unknown
from pulumi_gke_tpu.core.plan.files.kinds import kind_of_model
from pulumi_gke_tpu.core.plan.keys import as_written, field_of, form_of, is_plan_model, key_names, type_at
from pulumi_gke_tpu.core.plan.reading.corrections import UNCLEAR, Correction, correction_at, entry_within
from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, Replace, SetKeys, Severity, as_only, printable
from pulumi_gke_tpu.core.text.formats.property_path import value_at

Written = Callable[[Path], str | None]
"""Returns a scalar exactly as the file spells it, or None."""


@frozen
class FormProblem:
    """One validation error: its path and value, and the document."""

    path: Path
    given: Any
    context: Mapping[str, Any]
    message: str
    root: type[PlanModel]
    document: Any
    written: Written
    corrections: dict[Path, Correction] = field(repr=False)
    """The intended entries by path; translators add to it."""

    @property
    def name(self) -> str:
        """The name of the entry in messages; an entry of a list has the name of the list."""
        if not self.path:
            return kind_of_model(self.root).name
        return f"{self.path[-2]}[{self.path[-1]}]" if self.in_list else self.key

    @property
    def form(self) -> str | None:
        """The form of the text that the key takes."""
        holder = type_at(self.root, self.path[:-1])
        field = field_of(holder, str(self.path[-1])) if is_plan_model(holder) else None
        return form_of(field) if field else None

    @property
    def in_list(self) -> bool:
        """Whether the error is about an entry of a list."""
        return len(self.path) > 1 and isinstance(self.path[-1], int)

    @property
    def key(self) -> str:
        """The key of the entry in the document: that of the mapping if the document uses a shorthand."""
        return str(as_written(self.document, self.path)[-1])

    def pasted(self, value: Any) -> Fix | None:
        """The entry with another value; None if it cannot be shown whole."""
        if not self.path:
            return None
        return Replace.value(value) if self.in_list else SetKeys.of({self.key: value})

    @property
    def siblings(self) -> Mapping[str, Any]:
        """The mapping with the entry."""
        entries = value_at(self.document, as_written(self.document, self.path)[:-1])
        return entries if isinstance(entries, Mapping) else {}

    def read_as(self, value: Any) -> Fix | None:
        """Record the intended value; returns the fix, which is the only one."""
        if value is UNCLEAR or not self.path:
            return None
        self.corrections[self.path] = {self.key: value}
        return as_only(self.pasted(value))

    def read_beside(self) -> Fix | None:
        """Record the entries of a mapping below ``tpu`` as keys of the group."""
        holder = type_at(self.root, self.path[:-1])
        if self.key != "tpu" or not is_plan_model(holder) or not isinstance(self.given, dict):
            return None
        entries = entry_within(holder, self.given)
        if "tpu" not in entries or not entries.keys() <= {*key_names(holder)} - (self.siblings.keys() - {"tpu"}):
            return None
        self.corrections[self.path] = entries
        return as_only(SetKeys.of(entries))

    def clear(self) -> Any:
        """The intended value, or ``UNCLEAR``."""
        return UNCLEAR if isinstance(self.given, Unknown) else correction_at(self.root, self.path, self.given)

    @property
    def shown(self) -> str:
        """The value in messages, as in the file."""
        written = self.written(self.path)
        return printable(written if written is not None else short(self.given))

    def finding(self, rule: str, message: str, **parts: Any) -> Finding:
        """The finding about the error; ``parts`` are further fields of it."""
        parts.setdefault("given", f"{printable(self.name)}: {self.shown}" if self.path else "")
        return Finding(rule=rule, severity=Severity.ERROR, path=self.path, message=message, **parts)


def short(value: Any) -> str:
    """A value in a message: a container only as brackets."""
    if isinstance(value, dict):
        return "{...}"
    if isinstance(value, list):
        return "[...]"
    return (
        {None: "", True: "true", False: "false"}.get(value, str(value)) if not isinstance(value, float) else str(value)
    )
