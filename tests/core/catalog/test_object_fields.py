"""The listing of fields is consistent in itself."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog

KINDS = read_catalog().object_fields.kinds
TYPES = {"boolean", "integer", "number", "string", "quantity", "integer or string", "mapping", "any"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_is_a_mapping_in_the_listing(kind: str) -> None:
    listing = KINDS[kind]
    for place in (*listing.fields, *listing.required, *listing.embedded):
        if place == "spec" or any(place.startswith(f"{outer}.") for outer in listing.embedded):
            continue
        outer, _, key = place.removesuffix("[]").rpartition(".")
        wanted = "mapping[]" if place.endswith("[]") else "mapping"
        assert listing.fields[outer][key] == wanted, place
    for place, required in listing.required.items():
        assert set(required) <= set(listing.fields[place]), place
    assert set(listing.embedded.values()) <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_one_of_the_catalog(kind: str) -> None:
    for place, fields in KINDS[kind].fields.items():
        for key, wanted in fields.items():
            if isinstance(wanted, str):
                name = wanted.rpartition(" ")[0] if ".." in wanted else wanted
                assert name.removesuffix("[]").removesuffix("{}") in TYPES, f"{place}.{key}"
            else:
                assert len(set(wanted)) == len(wanted) > 0, f"{place}.{key}"
