"""Which items before and after a change are the same."""

import datetime

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.fleet.pairs import both_kinds, pair_fleets
from pulumi_gke_tpu.core.plan import parse_plan

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}


def fleet(clusters: dict[str, list[str]], **moved: str) -> Fleet:
    """A fleet with these groups in its clusters; ``moved`` gives old clusters and their new names."""
    plan = parse_plan(
        {
            "version": 1,
            "project": "acme-ml",
            "clusters": {
                name: {"mode": "standard", "location": "us-east5", "slices": dict.fromkeys(groups, GROUP)}
                for name, groups in clusters.items()
            },
            "moved": [{"from": old, "to": new} for old, new in moved.items()],
        }
    )
    assert plan.content is not None
    return derive(plan.content, read_catalog(), datetime.date(2026, 11, 20))


def keys(base: Fleet | None, head: Fleet | None) -> list[tuple[str, str, str]]:
    """Of every pair the key before, the key after, and the key of its item."""
    return [
        (pair.base.key if pair.base else "", pair.head.key if pair.head else "", pair.item.key)
        for pair in both_kinds(pair_fleets(base, head))
    ]


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (None, None, []),
        (None, fleet({"a": ["g"]}), [("", "a", "a"), ("", "a/g", "a/g")]),
        (fleet({"a": ["g"]}), None, [("a", "", "a"), ("a/g", "", "a/g")]),
        (
            fleet({"a": ["g", "h"]}),
            fleet({"a": ["h", "k"]}),
            [("a", "a", "a"), ("a/h", "a/h", "a/h"), ("", "a/k", "a/k"), ("a/g", "", "a/g")],
        ),
        (fleet({"a": ["g"]}), fleet({"b": ["g"]}, a="b"), [("a", "b", "b"), ("a/g", "b/g", "b/g")]),
        (fleet({"a": []}), fleet({"b": []}), [("", "b", "b"), ("a", "", "a")]),
    ],
    ids=["none", "new", "gone", "changed", "moved", "replaced"],
)
def test_every_item_has_one_pair_and_is_called_by_its_newest_key(
    base: Fleet | None, head: Fleet | None, expected: list[tuple[str, str, str]]
) -> None:
    assert keys(base, head) == expected
