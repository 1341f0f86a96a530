"""What a first plan asks for."""

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone
from pulumi_gke_tpu.features.plan.starter import choose_starter


@pytest.mark.parametrize(
    ("wishes", "chosen"),
    [
        ({"tpu": "v6e", "mode": "standard"}, {"tpu": "v6e", "topology": "2x2"}),
        ({"tpu": "v5p", "mode": "standard"}, {"tpu": "v5p", "topology": "2x2x1"}),
        ({"location": "us-east5-b", "tpu": "v6e"}, {"mode": "standard", "location": "us-east5-b", "zone": None}),
        ({"location": "us-east5", "tpu": "v6e"}, {"mode": "autopilot", "location": "us-east5", "zone": None}),
        ({"location": "us-east5", "tpu": "v6e", "mode": "standard"}, {"zone": "us-east5-a"}),
        ({"tpu": "v5e", "topology": "2x4", "mode": "standard"}, {"chips_per_host": 8}),
        ({"tpu": "v6e", "topology": "2x4", "mode": "autopilot"}, {"chips_per_host": None}),
        ({"tpu": "v5p", "topology": "4x4x8", "mode": "standard"}, {"topology": "4x4x8", "chips_per_host": None}),
        ({"tpu": "nope"}, {"tpu": "nope"}),
        ({"topology": "nope"}, {"topology": "nope"}),
        ({"location": "nope", "mode": "standard"}, {"location": "nope", "zone": None}),
    ],
)
def test_wishes_are_kept_and_the_rest_is_filled_in(
    catalog: Catalog, wishes: dict[str, str], chosen: dict[str, object]
) -> None:
    starter = choose_starter(catalog, project="acme-ml", **wishes)  # type: ignore[arg-type]
    assert {name: getattr(starter, name) for name in chosen} == chosen
    assert starter.tpu
    assert starter.topology
    assert starter.location


@pytest.mark.parametrize("tpu", read_catalog().generation_names)
def test_a_zone_is_one_that_gke_documents(catalog: Catalog, tpu: str) -> None:
    starter = choose_starter(catalog, project="acme-ml", tpu=tpu, mode="standard")
    documented = {
        zone for family in catalog.generation(tpu).families for zone in catalog.zones.families[family].documented.zones
    }
    assert starter.zone in documented
    assert not is_ai_zone(starter.zone or "")
