"""The canonical form of quantities: that in which the real server stores them."""

import itertools

import pytest
from support.control_plane.client import Object
from support.control_plane.testbed import Testbed
from support.each import each

from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity, parse_quantity, quantities

NUMBERS = ("0", "1", "4", "12", "135", "500", "999", "1000", "1024", "1536", "2048", "123456", "1000000", "1048576")
FRACTIONS = ("0.5", ".25", "1.", "2.50", "0.0001", "1.001", "67.5", "1024.5", "0.9765625")
SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "Ti", "e-3", "e2", "e3", "e6")
EVERY = tuple("".join(parts) for parts in itertools.product(NUMBERS + FRACTIONS, SUFFIXES))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4, "4"),
        (0, "0"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("540Gi", "540Gi"),
        ("92160Gi", "90Ti"),
        ("512Ki", "512Ki"),
        ("0.5Ki", "512"),
        (4000, "4k"),
        ("12e3", "12e3"),
        ("1E2", "100"),
        ("1u", "1m"),
        ("+8", "8"),
        ("-0.5", "-500m"),
        ("16 GB", "16 GB"),
    ],
)
def test_the_canonical_form(value: str | int, text: str) -> None:
    assert canonical_quantity(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [("7", "3500m"), ("3Gi", "1536Mi"), ("1Gi", "512Mi"), ("1", "500m"), ("8", "4"), ("2e3", "1e3")]
)
def test_the_half_of_a_quantity(value: str, text: str) -> None:
    assert canonical_quantity(value, 2) == text


@each("text", EVERY)
def test_the_canonical_form_is_the_same_number_and_its_own_canonical_form(text: str) -> None:
    canonical = canonical_quantity(text)
    was, now = parse_quantity(text), parse_quantity(canonical)
    assert was is not None
    assert now is not None
    assert 0 <= now * 1000 - was * 1000 < 1
    assert canonical_quantity(canonical) == canonical


def test_amounts_that_are_not_set_are_left_out() -> None:
    assert quantities({"cpu": None, "memory": "1024Mi", "google.com/tpu": 4}) == {
        "memory": "1Gi",
        "google.com/tpu": "4",
    }


def test_the_server_stores_every_quantity_in_its_canonical_form(bed: Testbed) -> None:
    """It keeps a few other forms too, such as ``1.``, ``+4`` and ``1e0``."""
    found = zip(EVERY, stored(bed, EVERY), strict=True)
    assert [(text, kept) for text, kept in found if kept not in (text, canonical_quantity(text))] == []


def test_the_server_stores_the_canonical_form_as_it_is(bed: Testbed) -> None:
    canonical = [canonical_quantity(text) for text in (*EVERY, "+4", "1e0", "1E3")]
    assert stored(bed, canonical) == canonical


def stored(bed: Testbed, texts: tuple[str, ...] | list[str]) -> list[str]:
    """What the server stores for requests of memory."""
    containers = [
        {"name": f"c-{index}", "image": "unused", "resources": {"requests": {"memory": text}}}
        for index, text in enumerate(texts)
    ]
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "amounts"},
        "spec": {"containers": containers},
    }
    answer = bed.client.create(pod, bed.namespace, dry_run=True)
    return [container["resources"]["requests"]["memory"] for container in answer["spec"]["containers"]]
