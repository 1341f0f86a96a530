"""The Pulumi operator: programs in YAML as objects, which Stack objects configure."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.model import Resources
from pulumi_gke_tpu.core.resources.pulumi import read_program

_STACKS = "pulumi.com"
_PROGRAM = "program"


def read_programs(objects: Sequence[KubernetesObject], catalog: Catalog) -> Iterator[tuple[str, Resources]]:
    """The file and the resources of each program, for each of its stacks."""
    own = [each for each in objects if each.group.endswith(_STACKS)]
    for owner in own:
        if owner.kind == "Program" and isinstance(owner.value(_PROGRAM, "resources"), dict):
            stacks = {
                each.name: mapping(each.value("spec", "config"))
                for each in own
                if each.kind == "Stack" and each.value("spec", "programRef", "name") == owner.name
            }
            base, within = (*owner.base, _PROGRAM), f"Program/{owner.name}: "
            yield owner.file.name, read_program(owner.file, catalog, stacks, base, within)
