"""A file that is not a plan: one finding, without its content."""

from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.reading.foreign import without_content
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity

SECRET = "root:x:0:0"


def test_data_without_positions_has_one_finding_too() -> None:
    (finding,) = without_content(Plan, ())
    assert (finding.path, finding.position) == ((), None)


def test_the_finding_has_a_position_without_the_line() -> None:
    place = Position("plan.yaml", 3, 5, 40, SECRET)
    found = Finding("TPU022", Severity.ERROR, ("a",), f"{SECRET} is wrong", given=SECRET, position=place)
    (finding,) = without_content(Plan, [found, found])
    assert finding.position == Position("plan.yaml", 3, 5, 6)
    assert SECRET not in repr(finding)
