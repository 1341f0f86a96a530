"""Which notes fit: by what something is, and by what is asked about it."""

import pathlib
import re

import pytest

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.features.explain.steps import all_notes, fitting_notes

EXPLAIN = pathlib.Path(__file__).parents[3] / "components" / "pulumi_gke_tpu" / "features" / "explain"


def ids(catalog: Catalog, traits: set[str], subjects: set[str], **options: bool) -> set[str]:
    return {remark.id for remark in fitting_notes(catalog, traits, subjects, **options)}


@pytest.mark.parametrize(
    ("note", "traits", "subjects", "fits"),
    [
        ("multi-host-one-pool", {"multi_host"}, set(), True),
        ("multi-host-one-pool", {"single_host"}, set(), False),
        ("flex-start-pool-shape", {"flex_start"}, set(), True),
        ("flex-start-pool-shape", {"queued"}, set(), True),
        ("flex-start-pool-shape", {"spot"}, set(), False),
        ("v5e-serving-and-training", {"v5e", "reservation"}, set(), True),
        ("v5e-serving-and-training", {"v5e", "spot"}, set(), False),
        ("v5e-serving-and-training", {"v6e", "reservation"}, set(), False),
        ("many-pools", {"v6e"}, set(), False),
        ("many-pools", {"v6e"}, {"scaling"}, True),
        ("ai-zone-cpu", {"v6e"}, {"zones"}, False),
        ("ai-zone-cpu", {"ai_zones"}, set(), True),
        ("autopilot-surge", {"standard"}, {"maintenance"}, False),
        ("autopilot-surge", {"autopilot"}, set(), True),
    ],
)
def test_notes_fit_by_traits_and_subjects(
    catalog: Catalog, note: str, traits: set[str], subjects: set[str], fits: bool
) -> None:
    assert (note in ids(catalog, traits, subjects)) == fits


def test_one_subject_alone_keeps_the_others_out(catalog: Catalog) -> None:
    found = ids(catalog, {"v6e", "multi_host"}, {"quota"}, only_on_subjects=True)
    assert "quota-not-capacity" in found
    assert "multi-host-one-pool" not in found


def test_notes_that_reasons_rest_on_exist(catalog: Catalog) -> None:
    known = {note.id for note in all_notes(catalog)}
    used = {
        name
        for path in EXPLAIN.rglob("*.py")
        for name in re.findall(
            r'(?:proof|told|_proof\(catalog,|note_named\(catalog,|note =) ?\(?"([a-z0-9-]+)"', path.read_text()
        )
    }
    assert len(used) > 8
    assert used <= known
