"""Reads calls of the Terraform module for GKE: the cluster, and the node pools in its variable ``node_pools``.

``catalog/other_tools.yaml`` says which attribute each key of a node pool sets. Labels, taints and scopes come from
other variables too, so they are unknown here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects.document import text
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile
from pulumi_gke_tpu.core.resources.hcl_values import HclScope
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, SourceFormat, Spelling
from pulumi_gke_tpu.core.resources.terraform_names import TerraformNames, names_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, PartlyKnown, Values
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import set_value
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_POOLS = "node_pools"
_MOST_POOLS = 200
_OPEN = ("labels", "taint", "oauth_scopes", "metadata", "tags", "resource_labels")
"""The attributes of ``node_config`` that other variables of the module set too."""
_NAMED = lazy_pattern(r"`([a-z][a-z0-9_.]*)")
_TEXTS = frozenset({"name", "version"})


def calls_gke_module(block: HclBlock, catalog: Catalog) -> bool:
    """Whether a block calls the module."""
    source = block.attributes.get("source")
    if block.type != "module" or source is None or not isinstance(source.value, str):
        return False
    facts = catalog.other_tools.gke_module
    registry, _, submodule = source.value.removeprefix("registry.terraform.io/").partition("//")
    name = submodule.partition("?")[0].removeprefix("modules/")
    return registry == facts.registry and (not submodule or name in facts.submodules)


def made_by_module(
    file: HclFile, block: HclBlock, scope: HclScope, above: str, catalog: Catalog
) -> Iterator[RawResource | None]:
    """What a call makes; None if its node pools are not known."""
    for suffix, names in scope.instances(block):
        given = {key: scope.value(each.value, names) for key, each in block.attributes.items()}
        address = f"{above}module.{block.labels[0] if block.labels else ''}{suffix}"
        call = _Call(file, block, given, address, catalog)
        yield call.cluster()
        pools = given.get(_POOLS, [])
        if not isinstance(pools, list) or not all(isinstance(pool, dict) for pool in pools):
            yield None
            continue
        yield from (call.pool(index, pool) for index, pool in enumerate(pools[:_MOST_POOLS]))


class _Call:
    def __init__(
        self, file: HclFile, block: HclBlock, given: Mapping[str, Any], address: str, catalog: Catalog
    ) -> None:
        self.file, self.block, self.given, self.address, self.catalog = file, block, given, address, catalog
        self.facts = catalog.other_tools.gke_module
        self.written = {path: key for key, path in self.facts.keys.items()} | {"node_locations": "node_locations"}
        """Attribute of a node pool -> the key that sets it."""

    @property
    def location(self) -> Any:
        """The region, or the first zone of a cluster in a zone."""
        if self.given.get("regional", True) in (True, "true"):
            return self.given.get("region", UNKNOWN)
        zones = self.given.get("zones")
        return zones[0] if isinstance(zones, list) and zones else UNKNOWN

    def cluster(self) -> RawResource:
        """The cluster, of which only some properties are read."""
        version = self.given.get("kubernetes_version", "latest")
        data = PartlyKnown(
            name=self.given.get("name", UNKNOWN),
            location=self.location,
            releaseChannel={"channel": self.given.get("release_channel", "REGULAR")},
            minMasterVersion=None if version == "latest" else version,
        )
        places = {"min_master_version": ("kubernetes_version",), "release_channel": ("release_channel",)}
        return self._resource(CLUSTER, self.address, data, places, {"min_master_version": "kubernetes_version"})

    def pool(self, index: int, given: Mapping[str, Any]) -> RawResource:
        """One node pool."""
        scaled = given.get("autoscaling", True) in (True, "true")
        usual = self.facts.defaults | (self.facts.scaled if scaled else {"node_count": 1})
        if scaled and {"total_min_count", "total_max_count"} & given.keys():
            usual = {key: value for key, value in usual.items() if key not in self.facts.scaled}
        own = {**usual, **given}
        if scaled:
            own.setdefault("initial_node_count", own.get("min_count", 1))
        data: dict[str, Any] = {"node_config": dict.fromkeys(_OPEN, UNKNOWN)}
        for key, value in own.items():
            path = self.facts.keys.get(key)
            if path is None or value is None or (path.startswith("autoscaling.") and not scaled):
                continue
            if path == ("initial_node_count" if not scaled else "node_count"):
                continue
            set_value(data, tuple(path.split(".")), _converted(key, value))
        zones = given.get("node_locations", "")
        data |= {"cluster": self.given.get("name", UNKNOWN), "location": self.location}
        if zones:
            data["node_locations"] = zones.split(",") if isinstance(zones, str) else UNKNOWN
        names = names_of(self.catalog, NODE_POOL)
        places = {path: (_POOLS, index, key) if key in given else (_POOLS, index) for path, key in self.written.items()}
        label = given.get("name")
        index_text = f'"{label}"' if isinstance(label, str) else str(index)
        address = f"{self.address}.{_POOLS}[{index_text}]"
        return self._resource(NODE_POOL, address, names.properties(data), places, self.written)

    def _resource(
        self,
        kind: str,
        address: str,
        data: dict[str, Any],
        places: Mapping[str, Path],
        written: Mapping[str, str],
    ) -> RawResource:
        names = names_of(self.catalog, kind)

        def locate(path: Path) -> Any:
            steps = ".".join(str(step) for step in path if isinstance(step, str))
            while steps and steps not in places:
                steps = steps.rpartition(".")[0]
            usual = places.get("name", ())[:2] if kind == NODE_POOL else ()
            return self.file.position(self.block, places.get(steps, usual))

        name, project = data.get("name"), self.given.get("project_id")
        return RawResource(
            type=kind,
            name=name if isinstance(name, str) else address,
            values=Values(data),
            origin=Origin(SourceFormat.TERRAFORM_CONFIGURATION, self.file.source.name, address, locate),
            project=text(project),
            spelling=_spelling(names, written),
        )


def _spelling(names: TerraformNames, keys: Mapping[str, str]) -> Spelling:
    """The keys of a node pool instead of the attributes that they set."""
    plain = names.spelling
    keys_by_name = {**{path.rpartition(".")[2]: key for path, key in keys.items()}, **keys}

    def written(path: str) -> str:
        own = plain.written(path)
        return keys.get(own, own)

    def words(text: str) -> str:
        return _NAMED.sub(lambda match: f"`{keys_by_name.get(match[1], match[1])}", plain.words(text))

    def entry(path: str, value: object) -> str:
        name, equals, rest = plain.entry(path, value).partition(" ")
        return f"{keys_by_name.get(name, name)}{equals}{rest}"

    return Spelling(written=written, place=plain.place, words=words, entry=entry)


def _converted(key: str, value: Any) -> Any:
    """A value as Terraform converts it: a map of several types has texts."""
    if not isinstance(value, str) or key in _TEXTS:
        return value
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdecimal() and len(value) < 10 else value  # noqa: PLR2004 - no count has more digits
