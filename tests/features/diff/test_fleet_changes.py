"""A cluster joins and leaves a fleet by an update, and cannot change the fleet."""

from collections.abc import Callable
from typing import Any

import pulumi_gcp as gcp
import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.preview import run_program

LIGHT = {"membership_type": "LIGHTWEIGHT"}


def program(fleet: dict[str, str] | None) -> Callable[[], None]:
    def run() -> None:
        arguments: Any = {"fleet": fleet}
        gcp.container.Cluster("c", name="c", location="us-east5", **arguments)

    return run


@pytest.mark.parametrize(
    ("was", "will", "effect"),
    [
        (None, {"project": "acme"}, "in-place"),
        (LIGHT, {**LIGHT, "project": "acme"}, "in-place"),
        ({"project": "acme"}, {"project": "acme-other"}, "refused"),
        ({**LIGHT, "project": "acme"}, LIGHT, "in-place"),
        ({"project": "acme"}, None, "in-place"),
    ],
    ids=["joined", "joined beside another setting", "another one", "left beside another setting", "left"],
)
def test_only_another_fleet_is_refused(was: dict[str, str] | None, will: dict[str, str] | None, effect: str) -> None:
    (change,) = compare(run_program(program(was)), run_program(program(will)), read_catalog().provider)
    assert (change.operation, change.effect) == ("update", effect)
    assert (change.refused_by, change.refusal_is_certain) == ("GKE" if effect == "refused" else "", True)
