"""The folders of Terraform configurations, and which of them call others as modules."""

import dataclasses
import itertools
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile, HclValue
from pulumi_gke_tpu.core.resources.hcl_values import VALUES_IN_JSON, HclScope, folder_of
from pulumi_gke_tpu.core.resources.model import Resources, Unread
from pulumi_gke_tpu.core.resources.terraform_files import MODULE, read_hcl
from pulumi_gke_tpu.core.resources.terraform_module import calls_gke_module, made_by_module
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json
from pulumi_gke_tpu.core.text.yamlfile.stream import only_document

_DEEPEST = 10
_MOST_CALLS = 200
"""The most modules that the files of a folder are."""
_META = frozenset({"source", "version", "providers", "count", "for_each", "depends_on"})
_LIMITS = Limits(size=1_000_000, depth=60)
Scopes = tuple[tuple[str, HclScope], ...]


class TerraformFolders:
    """The files of some folders, each read once. ``contents`` are all files that were given, also other ones."""

    def __init__(self, files: Mapping[str, HclFile], contents: Mapping[str, bytes]) -> None:
        self.files = files
        self._contents = {posixpath.normpath(name.replace("\\", "/")): content for name, content in contents.items()}
        self._declared: dict[str, HclScope] = {}
        self._calls: dict[str, list[tuple[str, HclBlock]]] = defaultdict(list)
        """Folder -> the folders that call it, with the block."""
        for name, file in files.items():
            folder = folder_of(name)
            scope = self._declared.setdefault(folder, HclScope(folder, self._decoded))
            scope.add(name, file.root, len(file.source.text))
            for block in (*file.root.blocks, *_of_terragrunt(file)):
                called = _called(folder, block)
                if called is not None:
                    self._calls[called].append((folder, block))
        for name in contents:
            folder, path = folder_of(name), posixpath.normpath(name.replace("\\", "/"))
            values = self._decoded(path) if name.endswith(VALUES_IN_JSON) and folder in self._declared else None
            if isinstance(values, dict):
                self._declared[folder].give_file(name, values)
        self._scopes: dict[str, Scopes] = {}

    def read(self, file: HclFile, catalog: Catalog) -> Resources:
        """The resources of one of the files, once for each module that its folder is."""
        folder = folder_of(file.source.name)
        scopes = self._of(folder, 0)
        found = read_hcl(file, scopes, catalog)
        calls = [block for block in file.root.blocks if calls_gke_module(block, catalog)]
        made = [
            each
            for above, scope in scopes
            for block in calls
            for each in made_by_module(file, block, scope, above, catalog)
        ]
        known = [each for each in made if each is not None]
        unread = self._unread(file, folder, () if None not in made else calls, calls)
        every, parts = (*found.found, *known), (*found.unread, *unread)
        return dataclasses.replace(found, found=every, unread=parts)

    def _unread(
        self, file: HclFile, folder: str, unknown: Sequence[HclBlock], known: Sequence[HclBlock]
    ) -> Iterator[Unread]:
        for block in unknown:
            line = file.source.line_number(block.start)
            yield Unread(file.source.name, MODULE, f"module.{'.'.join(block.labels)}: node_pools", line)
        for block in (*file.root.blocks, *_of_terragrunt(file)):
            if block.type == "module" and block not in known and _called(folder, block) not in self._declared:
                line = file.source.line_number(block.start)
                yield Unread(file.source.name, MODULE, f"module.{'.'.join(block.labels)}", line)

    def _of(self, folder: str, depth: int) -> Scopes:
        """What the files of a folder are: one module for each call, or else a configuration of their own."""
        if folder not in self._scopes:
            declared = self._declared[folder]
            self._scopes[folder] = (("", declared),)  # while its callers are read, for folders that call each other
            if folder in self._calls and depth < _DEEPEST:
                self._scopes[folder] = tuple(itertools.islice(self._called(folder, depth), _MOST_CALLS))
        return self._scopes[folder]

    def _called(self, folder: str, depth: int) -> Iterator[tuple[str, HclScope]]:
        for caller, block in self._calls[folder]:
            name = f"module.{'.'.join(block.labels)}"
            for above, scope in self._of(caller, depth + 1):
                for suffix, names in scope.instances(block):
                    given = {key: scope.value(each.value, names) for key, each in _arguments(block)}
                    providers = scope.gets_providers or "providers" in block.attributes
                    called = self._declared[folder].called_with(given, providers=providers)
                    yield f"{above}{name}{suffix}.", called

    def _decoded(self, path: str) -> Any:
        """The data of a file in YAML or JSON; unknown if it was not given, or is none."""
        content = self._contents.get(path, b"")
        if not content or len(content) > _LIMITS.size:
            return UNKNOWN
        if path.endswith(".json"):
            try:
                return parse_json(content, _LIMITS)
            except JsonError:
                return UNKNOWN
        document = only_document(content, path)
        return document.data if document is not None else UNKNOWN


def _of_terragrunt(file: HclFile) -> Iterator[HclBlock]:
    """The call of a module that a file of Terragrunt stands for."""
    inputs = file.root.attributes.get("inputs")
    for block in file.root.blocks if file.source.name.endswith(".hcl") else ():
        source = block.attributes.get("source") if block.type == "terraform" else None
        if source is not None:
            given = inputs.value if inputs is not None and isinstance(inputs.value, dict) else {}
            values = {name: HclValue(value, block.start, block.start, block.start) for name, value in given.items()}
            yield HclBlock("module", ("terragrunt",), block.start, {**values, "source": source})


def _arguments(block: HclBlock) -> Iterable[tuple[str, Any]]:
    return ((name, each) for name, each in block.attributes.items() if name not in _META)


def _called(folder: str, block: HclBlock) -> str | None:
    """The folder that a block calls as a module by its path."""
    source = block.attributes.get("source") if block.type == "module" else None
    if source is None or not isinstance(source.value, str) or not source.value.startswith("."):
        return None
    return posixpath.normpath(posixpath.join(folder, source.value)).removeprefix("./").removeprefix(".")
