"""Reads the programs that ``pulumi convert`` writes in between: resources in HCL, in files that end with ``.pp``."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects.document import text
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile
from pulumi_gke_tpu.core.resources.hcl_evaluation import Evaluation, below
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, Resources, SourceFormat
from pulumi_gke_tpu.core.resources.open_properties import open_part
from pulumi_gke_tpu.core.resources.pulumi import OPEN, short_type
from pulumi_gke_tpu.core.resources.terraform_names import types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.findings import Path

_TYPED = 2
_STEPS = 20_000


class _Names:
    """What a program declares: its configuration with the usual values, and its variables."""

    def __init__(self, file: HclFile) -> None:
        self._written: dict[str, Any] = {name: each.value for name, each in file.root.attributes.items()}
        for block in file.root.blocks:
            if block.type == "config" and block.labels and "default" in block.attributes:
                self._written[block.labels[0]] = block.attributes["default"].value
        self._known: dict[str, Any] = {}
        self.evaluation = Evaluation(self._referred, lambda _: UNKNOWN, _STEPS + 10 * len(file.source.text))

    def _referred(self, steps: tuple[str | int, ...], names: Mapping[str, Any]) -> Any:
        first, *rest = steps
        if first not in self._written and first not in names:
            return UNKNOWN
        name = str(first)
        if name not in names and name not in self._known:
            self._known[name] = UNKNOWN
            self._known[name] = self.evaluation.value(self._written[name], {})
        found = names[name] if name in names else self._known[name]
        for step in rest:
            found = below(found, step)
        return found


def read_pulumi_hcl(file: HclFile, catalog: Catalog) -> Resources:
    """The resources of a program."""
    types = {short_type(token): token for token in types_of(catalog).values()}
    names, found, skipped, unread = _Names(file), [], Counter[str](), []
    for block in file.root.blocks:
        if block.type != "resource" or len(block.labels) < _TYPED:
            continue
        name, token = block.labels[:_TYPED]
        known = types.get(short_type(token))
        if known is None:
            skipped[token] += token.startswith("gcp:")
            continue
        made = _resource(file, block, name, known, names)
        found.append(made)
        unread.append(open_part(made, OPEN))
    return Resources(tuple(found), +skipped, unread=tuple(filter(None, unread)))


def _resource(file: HclFile, block: HclBlock, name: str, token: str, names: _Names) -> RawResource:
    values = {key: names.evaluation.value(each.value, {}) for key, each in block.attributes.items()}
    own, project = values.get("name"), values.get("project")

    def locate(path: Path) -> Any:
        return file.position(block, path)

    return RawResource(
        type=token,
        name=own if isinstance(own, str) else name,
        values=Values(values),
        origin=Origin(SourceFormat.PULUMI_PROGRAM, file.source.name, name, locate),
        project=text(project),
        refers_to={
            key: tuple(steps[0] for steps in file.references(each))
            for key, each in block.attributes.items()
            if key == "cluster"
        },
    )
