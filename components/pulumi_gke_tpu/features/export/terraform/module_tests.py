"""The tests of a module, which ``terraform test`` runs without credentials: shape, machine and count of slices."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, CLUSTER, NODE_POOL, TPU_SLICES
from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.core.text.formats.hcl_scalars import quoted_text
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.pools import ResourceFamily
from pulumi_gke_tpu.features.export.terraform.syntax import Attribute, Block, Expression, Gap, Item, attributes

FILE = "tests/slices.tftest.hcl"
_EMAIL = "nodes@my-project.iam.gserviceaccount.com"
_ACCOUNT = {"email": _EMAIL, "member": f"serviceAccount:{_EMAIL}"}
"""OpenTofu invents other values, which the provider refuses in a grant."""
_CHECKED = (
    "nodeConfig.machineType",
    "placementPolicy.tpuTopology",
    "nodeCount",
    "autoscaling.maxNodeCount",
    "autoscaling.totalMaxNodeCount",
)


def module_tests(addresses: Addresses, providers: Sequence[str]) -> list[Item]:
    """The tests; none for a plan without clusters and node pools of its own."""
    asserts = [block for family in addresses.families for block in _asserts(family, addresses)]
    if not asserts:
        return []
    account = Block("mock_resource", (addresses.spelling(ACCOUNT).type,), attributes({"defaults": _ACCOUNT}))
    mocked = [part for name in providers for part in (Block("mock_provider", (name,), (account,)), Gap())]
    spaced = [part for block in asserts for part in (Gap(), block)]
    return [*mocked, Block("run", ("plan",), (*attributes({"command": Expression("plan")}), *spaced))]


def _asserts(family: ResourceFamily, addresses: Addresses) -> Iterator[Block]:
    first = family.first
    resource = f"{addresses.spelling(first.type).type}.{family.name}"
    if first.type == CLUSTER and isinstance(first.properties.get("deletionProtection"), bool):
        wanted = "true" if first.properties["deletionProtection"] else "false"
        condition = f"{resource}.deletion_protection == {wanted}"
        yield _assert(condition, f"{family.key} must have deletion_protection = {wanted}.")
    if first.type != NODE_POOL or not first.parent.startswith(TPU_SLICES):
        return
    if family.of_slices:
        count = len(family.resources)
        yield _assert(f"length({resource}) == {count}", f"{family.key} must have {number(count, 'slice')}.")
    for path in _CHECKED:
        value = value_at(first.properties, parse_path(path))
        if isinstance(value, str | int):
            read = addresses.spelling(first.type).traversal(path)
            written = quoted_text(value) if isinstance(value, str) else str(value)
            condition = f"{'pool' if family.of_slices else resource}.{read} == {written}"
            condition = f"alltrue([for pool in {resource} : {condition}])" if family.of_slices else condition
            yield _assert(condition, f"{family.key} must have {read.rpartition('.')[2]} {value}.")


def _assert(condition: str, message: str) -> Block:
    return Block("assert", (), (Attribute("condition", Expression(condition)), Attribute("error_message", message)))
