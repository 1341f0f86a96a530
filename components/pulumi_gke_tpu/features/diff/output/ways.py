"""The entries that a change requires in the plans: one block to paste for each list of a plan."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.entries import REASON_TO_WRITE
from pulumi_gke_tpu.core.text.findings import listed as listed_text
from pulumi_gke_tpu.core.text.findings import number, without_backquotes
from pulumi_gke_tpu.features.diff.model import ChangeReport, Fix, ItemChange, PlanList
from pulumi_gke_tpu.features.diff.output.labels import without_groups_of

_NAMES = 3


@dataclass(slots=True)
class _Way:
    """Entries for one list of one plan, and the items that require them."""

    fix: Fix
    """One of the fixes with these entries."""
    entries: dict[str, None] = field(default_factory=dict)
    items: list[ItemChange] = field(default_factory=list)


@frozen
class WayAhead:
    """One block to paste."""

    plan: str
    key: str
    """The top-level key of the plan that the block belongs to."""
    lead: str
    """The instruction before the name of the plan."""
    where: str
    """The rest of the instruction, after the name of the plan; empty if the plan does not have the key yet."""
    text: str
    """YAML: a whole top-level key, with the existing entries of the plan; or only the entries to add to it."""
    after: str = ""
    """The next step."""


def ways_ahead(report: ChangeReport) -> list[WayAhead]:
    """Every block: renames first, then entries for this change, then entries for an earlier one.

    Entries for the same list are in one block, because a key can occur only once. Each candidate of a rename has its
    own block.
    """
    lists = {(found.plan, found.side, found.key): found for found in report.lists}
    ways: dict[tuple[object, ...], _Way] = {}
    for item in report.items:
        for fix in item.fixes:
            alone = fix.entries if fix.alone else ()
            way = ways.setdefault((item.plan, fix.side, fix.key, alone), _Way(fix))
            way.entries.update(dict.fromkeys(fix.entries))
            way.items.append(item)
    in_order = sorted(ways.values(), key=lambda way: (way.fix.key == "acknowledge", way.fix.side == "base"))
    found = [_way_ahead(way, lists.get((way.items[0].plan, way.fix.side, way.fix.key))) for way in in_order]
    later = [{way.after for way in found[index + 1 :]} for index in range(len(found))]
    return [replace(way, after="") if way.after in after else way for way, after in zip(found, later, strict=True)]


def _way_ahead(way: _Way, listed: PlanList | None) -> WayAhead:
    plan, fix = way.items[0].plan, way.fix
    if listed is not None:
        text, where = (
            _block(fix.key, [*listed.entries, *way.entries]),
            f" (this block replaces the existing `{fix.key}`)",
        )
    elif fix.text.startswith("- "):
        text, where = "\n".join(f"- {entry}" for entry in way.entries), f", under `{fix.key}`"
    else:
        text, where = _block(fix.key, list(way.entries)), ""
    if fix.key == "moved":
        return WayAhead(plan, fix.key, _rename_text(way), where, text, _deletion_text(way))
    if fix.side == "head":
        return WayAhead(plan, fix.key, "To proceed, add to", where, text)
    lead = "To proceed, first apply a separate change on the base branch that adds only these lines to"
    return WayAhead(plan, fix.key, lead, where, text, _then(way))


def _rename_text(way: _Way) -> str:
    if way.fix.alone:
        names = listed_text([entry.strip("{}") for entry in way.entries])
        return f"If this is a rename ({names}), keep the resources under the new name: add to"
    return "To keep the resources under the new name, add to"


def _deletion_text(way: _Way) -> str:
    """What to write instead of a rename to delete the items."""
    items = without_groups_of([item for item in way.items if item.gone])
    gone = list(dict.fromkeys(without_backquotes(item.item) for item in items))
    if not gone:
        return ""
    if not any(item.refused for item in items):
        return "To delete instead, no entry is required."
    entries = " and ".join(
        f"`{{change: delete, of: {name}, reason: {REASON_TO_WRITE}, until: YYYY-MM-DD}}`" for name in gone[:_NAMES]
    )
    more = f" and {number(len(gone) - _NAMES, 'more entry', 'more entries')} like these" if len(gone) > _NAMES else ""
    return (
        f"To delete instead, first apply a separate change on the base branch that adds {entries}{more} to "
        "`acknowledge`. Then make this change."
    )


def _then(way: _Way) -> str:
    """The step after the earlier change."""
    gone = [item.item for item in way.items if item.gone]
    if not gone:
        return "Then make this change and keep these entries in the plan."
    names = listed_text([f"`{without_backquotes(name)}`" for name in gone], most=_NAMES)
    return f"Then make this change, and remove the entries of the deleted items ({names})."


def _block(key: str, entries: Sequence[str]) -> str:
    return "\n".join([f"{key}:", *(f"  - {entry}" for entry in entries)])


def texts_of_fixes(items: Iterable[ItemChange]) -> Iterator[str]:
    """The texts of all fixes."""
    return (fix.text for item in items for fix in item.fixes)
