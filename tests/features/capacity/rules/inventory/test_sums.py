"""Rules about finds the groups at which the use of a limit by several plans exceeds it."""

import datetime

from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory

TODAY = datetime.date(2026, 11, 20)

CATALOG = read_catalog()

counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5)


@given(counts, st.integers(1, 30))
def test_a_sum_is_compared_by_its_bounds(sizes: list[tuple[int, int]], vms: int) -> None:
    """However groups are spread over plans, the severity follows from the sums, and there is one finding at most."""
    groups = [
        {
            "tpu": "v6e",
            "topology": "2x2",
            "zone": "us-east5-b",
            "capacity": {"reservation": "r"},
            "count": {"min": low, "max": low + more},
        }
        for low, more in sizes
        if low + more
    ]
    documents = [
        parse_plan(
            {
                "version": 1,
                "project": "acme-ml",
                "clusters": {f"c{index}": {"mode": "standard", "location": "us-east5", "slices": {"g": group}}},
            }
        )
        for index, group in enumerate(groups)
    ]
    entry = {"name": "r", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": vms}
    owned = Inventory.model_validate({"version": 1, "as_of": TODAY, "reservations": [entry]})
    plans = [check_plan(document, CATALOG, TODAY) for document in documents]
    findings = validate_inventory(plans, Document(owned), CATALOG, today=TODAY)
    least = sum(low for low, _ in sizes)
    most = sum(low + more for low, more in sizes)
    expected = ["error"] if least > vms else ["warning"] if most > vms else []
    assert [item.severity.word for item in findings] == expected
