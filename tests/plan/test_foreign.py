"""A file that is not a plan: one finding, without its content."""

from pulumi_gke_tpu.findings import Finding, Position, Severity
from pulumi_gke_tpu.plan import Plan
from pulumi_gke_tpu.plan.reading.foreign import without_content

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
