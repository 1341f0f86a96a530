"""The wording of the common kinds of problem, and that nothing in a plan can disturb it."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.rules import Hit
from pulumi_gke_tpu.core.text.findings import SetKeys

PATH = ("clusters", "train")


@pytest.mark.parametrize(
    ("hit", "message"),
    [
        (Hit.invalid(PATH, "zone", "us-east5"), "invalid zone `us-east5`"),
        (Hit.invalid(PATH, "zone", "us-east5", "it is a region"), "invalid zone `us-east5`: it is a region"),
        (Hit.unknown(PATH, "add-on", "gcs"), "unknown add-on `gcs`"),
        (
            Hit.duplicate(PATH, "taint", "team:NoSchedule", "see entry 1"),
            "duplicate taint `team:NoSchedule`: see entry 1",
        ),
        (
            Hit.unsupported(PATH, "placement", "single-host slices"),
            "placement is not supported with single-host slices",
        ),
        (Hit.missing(PATH, "key `zone`", "us-east5 is a region"), "missing key `zone`: us-east5 is a region"),
        (Hit.conflict(PATH, "`count`", "`min`"), "`count` conflicts with `min`"),
        (Hit.exceeds(PATH, "`min`", "`max`"), "`min` exceeds `max`"),
    ],
)
def test_a_kind_of_problem_has_one_wording(hit: Hit, message: str) -> None:
    assert (hit.path, hit.message) == (PATH, message)


@pytest.mark.parametrize("make", [Hit.invalid, Hit.unknown, Hit.duplicate])
def test_a_quoted_value_is_escaped_and_cut(make: Callable[..., Hit]) -> None:
    message = make(PATH, "name", "\x1b[31m\u202e" + "x" * 1000).message
    assert message.isprintable()
    assert "\\x1b[31m\\u202exx" in message
    assert len(message) < 150


def test_a_hit_keeps_the_details_it_is_given() -> None:
    hit = Hit.invalid(
        PATH, "zone", "us-east5", fix=SetKeys.of(zone="us-east5-b"), allowed=("us-east5-b",), why="no reason"
    )
    assert (hit.fix, hit.allowed, hit.why) == (SetKeys.of(zone="us-east5-b"), ("us-east5-b",), "no reason")
