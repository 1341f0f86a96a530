"""Reads the resources in a file of another tool, which its content tells."""

import contextlib
import dataclasses
import functools
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.answers import is_answer, read_answer
from pulumi_gke_tpu.core.resources.hcl import HclError, HclFile
from pulumi_gke_tpu.core.resources.hcl_values import VALUES_IN_JSON, folder_of
from pulumi_gke_tpu.core.resources.model import Resources, Unread
from pulumi_gke_tpu.core.resources.pulumi import is_program, read_events, read_preview, read_program, read_state
from pulumi_gke_tpu.core.resources.recognition import (
    PULUMI_HCL,
    STACK_FILE,
    first_character,
    is_answer_in_yaml,
    is_hcl,
    is_program_in_yaml,
    is_shell_script,
    may_have_scripts,
)
from pulumi_gke_tpu.core.resources.terraform import MEMBERS, TerraformReader, plan_outcome
from pulumi_gke_tpu.core.resources.terraform_files import read_json
from pulumi_gke_tpu.core.resources.terraform_folders import TerraformFolders
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart, document
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.model import UNKNOWN_PART
from pulumi_gke_tpu.core.text.yamlfile.refuse import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import YamlFile
from pulumi_gke_tpu.core.text.yamlfile.stream import only_document, parse_stream

_ANSWER_IN_JSON = lazy_pattern(r'"(?:selfLink|currentMasterVersion|nodePools|machineType)"\s*:')
_API_VERSION = lazy_pattern(r"^(?:- )?apiVersion:", re.MULTILINE)
_PROGRAM_FILE = lazy_pattern(r"(?:\A|/)(?:Pulumi|Main)\.ya?ml\Z")
_OF_PLANS = frozenset({"resource_changes", "planned_values", "configuration", *MEMBERS})
"""Members that only a plan of Terraform has; one without changes has no ``resource_changes``."""


class ResourceReader:
    """Reads files with one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._contents: dict[str, bytes] = {}
        self._folders = TerraformFolders({}, {})

    @functools.cached_property
    def _terraform(self) -> TerraformReader:
        """It needs what the catalog knows of the provider, which most files do not need."""
        return TerraformReader(self._catalog)

    def read(self, name: str, content: bytes) -> Resources | None:
        """The resources in a file; None for a file that is of no tool that is read here.

        Raises:
            JsonError: the file is of such a tool, but it is not JSON, or has another form.
        """
        if may_have_scripts(name, content):
            embedded = self._embedded(content, name)
            if embedded is not None:
                return embedded
        if name.endswith(VALUES_IN_JSON):
            beside = folder_of(name) in map(folder_of, self._folders.files)
            reason = "the values of a configuration: give its files, too"
            return Resources(unread=() if beside else (Unread(name, reason),))
        first = first_character(content)
        readers: tuple[tuple[bool, Callable[[bytes, str], Resources | None]], ...] = (
            (is_shell_script(name, content), self._script),
            (first == b"{", lambda text, file: self._object(document(text), file)),
            (first == b"[", lambda text, file: self._list(document(text), file)),
            (is_answer_in_yaml(content), lambda text, file: _yaml(text, file, self._catalog.provider)),
            (STACK_FILE.search(name) is not None, self._stack_file),
            (name.endswith(PULUMI_HCL), self._pulumi_hcl),
            (is_hcl(name, content), self._hcl),
            (is_program_in_yaml(content), self._program),
        )
        return next((read(content, name) for matches, read in readers if matches), None)

    def _script(self, content: bytes, name: str) -> Resources:
        from pulumi_gke_tpu.core.resources.script_files import read_script_file  # few files are scripts

        return read_script_file(content.decode("utf-8", "replace"), name, self._catalog.gcloud, self._file)

    def declare(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take in what files of Terraform declare for the other files of their folder, before any is read."""
        parsed: dict[str, HclFile] = {}
        self._contents = dict(files)
        for name, content in self._contents.items():
            if is_hcl(name, content):
                with contextlib.suppress(JsonError):
                    parsed[name] = _hcl_file(content, name)
        self._folders = TerraformFolders(parsed, self._contents)

    def _hcl(self, content: bytes, name: str) -> Resources:
        """The resources of a file of Terraform."""
        folders = self._folders
        if self._contents.get(name) != content or name not in folders.files:
            folders = TerraformFolders({name: _hcl_file(content, name)}, {})
        return folders.read(folders.files[name], self._catalog)

    def _file(self, script: str, path: str) -> str | None:
        """The text of a file that a script names: beside it, or below the folder in which it probably runs."""
        known = path.rpartition(UNKNOWN_PART)[2].lstrip("/")
        names = [posixpath.normpath(posixpath.join(posixpath.dirname(script), known)), posixpath.normpath(known)]
        content = next((self._contents[name] for name in names if name in self._contents), None)
        return content.decode("utf-8", "replace") if content is not None and known else None

    def _embedded(self, content: bytes, name: str) -> Resources | None:
        """The resources that commands in a pipeline, a runbook or a Makefile make; None if it has none."""
        from pulumi_gke_tpu.core.resources import embedded_scripts, script_files  # few files are of these kinds

        text = content.decode("utf-8", "replace")
        scripts = embedded_scripts.scripts_in_text(name, text)
        if scripts is not None:
            return script_files.read_embedded(scripts, text, name, self._catalog.gcloud, self._file)
        try:
            documents = [each for each in parse_stream(content, name) if not each.findings]
        except YamlProblem:
            return None
        every = [script for each in documents for script in embedded_scripts.scripts_in_yaml(each.file)]
        if not every:
            return None
        found = script_files.read_embedded(every, text, name, self._catalog.gcloud, self._file)
        is_manifest = _API_VERSION.search(text) is not None
        if is_manifest and not found.found:
            return None
        return dataclasses.replace(found, objects=content if is_manifest else b"")

    def _program(self, content: bytes, file: str) -> Resources | None:
        """The resources of a program in YAML; None if it is none, or is not YAML."""
        found = only_document(content, file)
        if found is None or not is_program(found.data):
            return None
        return read_program(found, self._catalog, self._stacks(file))

    def _pulumi_hcl(self, content: bytes, name: str) -> Resources:
        """The resources of a program in Pulumi's HCL."""
        from pulumi_gke_tpu.core.resources.pulumi_hcl import read_pulumi_hcl  # few files are of this kind

        return read_pulumi_hcl(_hcl_file(content, name), self._catalog)

    def _stacks(self, program: str) -> dict[str, dict[str, Any]]:
        """Stack -> its configuration, in the files beside a program."""
        found = {}
        for name, content in self._contents.items():
            match = STACK_FILE.search(name)
            if match is not None and posixpath.dirname(name) == posixpath.dirname(program):
                document = only_document(content, name)
                config = document.data.get("config") if document and isinstance(document.data, dict) else None
                found[match["stack"]] = mapping(config)
        return found

    def _stack_file(self, _content: bytes, name: str) -> Resources | None:
        """Nothing of its own: the configuration of a stack belongs to the program beside it."""
        around = (posixpath.dirname(other) for other in self._contents if _PROGRAM_FILE.search(other))
        if posixpath.dirname(name) in around:
            return Resources()
        return Resources(unread=(Unread(name, "the configuration of a stack: give the program beside it, too"),))

    def _object(self, root: JsonPart, file: str) -> Resources | None:
        by_member: Mapping[str, Callable[[JsonPart], Resources | None]] = {
            "deployment": lambda value: self._stack(value, file),
            "checkpoint": lambda value: self._stack(value, file),
            "resource": lambda _: read_json(dict(_first_members(root)), file, self._catalog),
            "sequence": lambda _: read_events(root, file, self._catalog),
            "steps": lambda value: read_preview(value, file, self._catalog) if _is_preview(value) else None,
            "format_version": lambda _: self._of_terraform(root, file),
        }
        is_named = any(f'"{key}"' in root.text for key in (*by_member, "apiVersion", "terraform_version"))
        for key, value in _first_members(root) if is_named else ():  # an answer can be long, and has none of them
            if key == "apiVersion":
                return None
            if key == "terraform_version":
                raise JsonError((), "it is a state as Terraform stores it: use the output of `terraform show -json`")
            found = by_member[key](value) if key in by_member else None
            if found is not None:
                return found
        data = _data(root)
        if is_program(data):
            return self._program(root.text.encode(), file)
        return read_answer(data, file, root.locator(file), self._catalog.provider) if is_answer(data) else None

    def _of_terraform(self, root: JsonPart, file: str) -> Resources:
        parts = dict(root.members())
        if "values" in parts:
            return self._terraform.state(parts["values"], file)
        if not parts.keys() & _OF_PLANS:
            return Resources()
        changes = parts.get("resource_changes")
        found = self._terraform.plan(changes, parts.get("configuration"), file) if changes is not None else Resources()
        return dataclasses.replace(found, plan=plan_outcome(parts, self._catalog))

    def _list(self, root: JsonPart, file: str) -> Resources | None:
        data = _data(root)
        return read_answer(data, file, root.locator(file), self._catalog.provider) if is_answer(data) else None

    def _stack(self, deployment: JsonPart, file: str) -> Resources | None:
        """The resources of a deployment; a checkpoint of a backend has it in ``latest``."""
        for key, value in deployment.members():
            if key == "latest":
                return self._stack(value, file)
            if key == "resources":
                return read_state(value, file, self._catalog)
        return Resources()


def _hcl_file(content: bytes, name: str) -> HclFile:
    try:
        return HclFile.read(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise JsonError((), "it is not UTF-8") from None
    except HclError as error:
        raise JsonError((), f"it is not HCL: {error}") from None


def _is_preview(steps: JsonPart) -> bool:
    """Whether the steps are those of a preview of Pulumi."""
    first = next(steps.elements(), None)
    return first is not None and first.has('"urn"') and first.has('"op"')


def _first_members(root: JsonPart) -> Iterator[tuple[str, JsonPart]]:
    """The members up to the place where the text is not JSON: it may be a template."""
    with contextlib.suppress(JsonError):
        yield from root.members()


def _data(root: JsonPart) -> Any:
    """The data of a document; None if it is not JSON and does not look like an answer either.

    Raises:
        JsonError: it looks like an answer that is not complete.
    """
    try:
        return root.value()
    except JsonError:
        if _ANSWER_IN_JSON.search(root.text):
            raise
        return None


def _yaml(content: bytes, file: str, provider: Provider) -> Resources | None:
    """The resources of an answer in YAML; None if it is none, or is not YAML."""
    try:
        documents = tuple(parse_stream(content, file))
    except YamlProblem:
        return None
    found = [_of_document(each.file, file, provider) for each in documents if is_answer(each.file.data)]
    if not found:
        return None
    skipped = sum((Counter(each.skipped) for each in found), Counter[str]())
    return Resources(tuple(resource for each in found for resource in each.found), skipped)


def _of_document(parsed: YamlFile, file: str, provider: Provider) -> Resources:
    return read_answer(parsed.data, file, parsed.position, provider)
