"""Files with wrong values anywhere: node pools are adopted or left alone, and nothing is raised."""

import copy
import json
import pathlib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.fleets import as_json, fleets
from support.terraform.recordings import RECORDINGS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.adopt.adoption import adopt_fleets
from pulumi_gke_tpu.features.adopt.files import PLAN, files_of
from pulumi_gke_tpu.features.adopt.output.document import adoption_page

WRONG: list[Any] = [None, [], {}, "", 0, -1, True, "x\n\x1b[31m", 10**30, 1.5, ["a"], {"a": 1}, "A B", [{}], [None]]
MADE = [fleet for fleet in fleets() if fleet.made]
RECORDED = sorted(RECORDINGS.rglob("*.json"))


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        yield (*above, step)
        yield from paths(inner, (*above, step))


@given(st.data())
def test_a_wrong_value_anywhere_raises_nothing_and_adds_no_line_to_the_plan(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([*MADE, *RECORDED]), label="fleet or recording")
    written = json.loads(source.read_text()) if isinstance(source, pathlib.Path) else copy.deepcopy(as_json(source))
    *above, last = data.draw(st.sampled_from([*paths(written)]))
    target = written
    for step in above:
        target = target[step]
    target[last] = copy.deepcopy(data.draw(st.sampled_from(WRONG)))
    catalog = read_catalog()
    found = ResourceReader(catalog).read("fleet.json", json.dumps(written).encode())
    adoptions = adopt_fleets(found.found, catalog) if found is not None else ()
    adoption_page(adoptions, ())
    for adoption in adoptions:
        if adoption.graph is not None:
            text = files_of(adoption, catalog, "dev")[PLAN]
            assert "\x1b" not in text
            assert text.replace("\n", "").isprintable()
            assert [item for item in adoption.warnings if item.severity is Severity.ERROR] == []
