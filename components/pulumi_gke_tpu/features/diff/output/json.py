"""A page of changes as JSON and back.

Reading trusts nothing: what comes back out of a file is a page that this library could have written, or an error.
"""

from collections import Counter
from typing import Any

from pulumi_gke_tpu.core.text.jsonfile.form import check_same, from_data, schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeReport
from pulumi_gke_tpu.features.diff.output.page import LONGEST_TEXT, ChangePage, is_settled

FORMAT = 1
"""The version of this format. Readers refuse every other one, so any new or changed key raises it."""

LARGEST = 50_000_000
"""Bytes of the largest document that is read."""

_MOST_ENTRIES = 100_000
"""Entries of the longest list or object."""
_LIMITS = Limits(size=LARGEST, depth=60, entries=_MOST_ENTRIES, is_text=is_settled)


def change_json(page: ChangePage) -> dict[str, Any]:
    """Give a page as data that ``json.dumps`` takes. Money is in USD, unrounded, as text; null is unknown."""
    data = to_data(page)
    report = data.pop("report")
    change = report.pop("change")
    return {"format": FORMAT, **_derived(page.report), **change, **report, **data}


def change_page_from_json(content: bytes) -> ChangePage:
    """Read a page as :func:`change_json` writes it.

    Raises:
        JsonError: the content is anything else.
    """
    data = parse_json(content, _LIMITS)
    if not isinstance(data, dict):
        raise JsonError((), "it must be an object")
    if data.get("format") != FORMAT or isinstance(data.get("format"), bool):
        raise JsonError(("format",), f"must be {FORMAT}; the file is from another version of gke-tpu, or not a diff")
    page = from_data(ChangePage, {**data, "report": {**data, "change": data}})
    check_same(change_json(page), data)
    return page


def _derived(report: Report) -> dict[str, Any]:
    """What programs would have to count themselves."""
    counts = Counter(item.change for item in report.change.items)
    return {"dangerous": report.dangerous, "counts": {name: counts[name] for name in CLASSES}}


def change_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`change_json`."""
    schema = schema_of(
        ChangePage,
        title="Effects of a change",
        description="What `gke-tpu diff --format json` writes. Money is in USD, as text; null is unknown.",
        longest_text=LONGEST_TEXT,
        most_entries=_MOST_ENTRIES,
    )
    page, records = schema["properties"], schema["$defs"]
    report, change = records.pop(Report.__name__)["properties"], records.pop(ChangeReport.__name__)["properties"]
    del page["report"], report["change"]
    properties = {
        "format": {"const": FORMAT, "description": "The version of this format."},
        "dangerous": {"type": "boolean", "description": "Whether any item needs a second look."},
        "counts": {
            "description": "How many items there are of each class.",
            "type": "object",
            "properties": {name: {"type": "integer", "minimum": 0} for name in CLASSES},
            "required": list(CLASSES),
            "additionalProperties": False,
        },
        **change,
        **report,
        **page,
    }
    return {**schema, "properties": properties, "required": list(properties)}
