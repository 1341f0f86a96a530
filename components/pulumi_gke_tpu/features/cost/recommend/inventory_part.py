"""The part of an inventory that slices in one region can use, so that a check does not read all of it."""

from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.core.text.formats.location import region_of


def part_of(inventory: Document[Inventory], reservation: str | None, region: str) -> Document[Inventory]:
    """The reservations of a name and the quotas of a region; no reservation if ``reservation`` is None."""
    content = inventory.content
    assert content is not None
    used = [entry for entry in content.reservations if entry.name == reservation]
    quotas = [entry for entry in content.quotas if region_of(entry.region) == region]
    return Document(content.model_copy(update={"reservations": used, "quotas": quotas}))
