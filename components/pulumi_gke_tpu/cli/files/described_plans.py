"""Reads plans, or what exists: files of gcloud, Terraform and Pulumi become the plans that describe them.

The content of a file tells what it is; ``-`` is standard input.
"""

import dataclasses
import functools
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.files.manifest_files import manifest_files_below, read_manifest_file
from pulumi_gke_tpu.cli.files.plan_arguments import names_of, several_plans
from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects.manifests import ManifestFile
from pulumi_gke_tpu.core.plan import Document, Plan, read_plan, read_plan_content
from pulumi_gke_tpu.core.resources.recognition import may_have_resources
from pulumi_gke_tpu.core.text.findings import listed, printable, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST
from pulumi_gke_tpu.core.workflows.check import PlanFile

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.resources.model import RawResource
    from pulumi_gke_tpu.core.resources.read import ResourceReader


_MOST_PROJECTS = 5


def read_fleets(
    arguments: Sequence[str], catalog: Catalog, *, past_syntax: bool = True, stdin: bytes | None = None
) -> tuple[Document[Plan], ...]:
    """Each plan once, as ``read_plans`` finds them, and a plan for each project of what other tools wrote.

    All that other tools wrote belongs together: one file may have the clusters, and another their node pools.
    ``stdin`` is the content of standard input, if it was read already.

    Raises:
        click.UsageError: a file does not exist, or a folder contains neither a plan nor what another tool wrote.
        OSError: a folder cannot be read.
    """
    files = _Files(catalog)
    if stdin is not None:
        files.read[STDIN] = ManifestFile(STDIN_NAME, stdin)
    names = names_of(arguments, files.below)
    found = [resource for name in names for resource in files.resources(name) or ()]
    plans = [files.plan(name, past_syntax=past_syntax) for name in names if files.resources(name) is None]
    return (*plans, *(_described(found, catalog) if found else ()))


def read_one_fleet(
    arguments: Sequence[str], catalog: Catalog, *, project: str | None = None, stdin: bytes | None = None
) -> Document[Plan]:
    """The one plan of the arguments: a file, a folder with one plan, or files of other tools about one project.

    ``project`` chooses one of several plans.

    Raises:
        click.UsageError: a file does not exist, or the arguments have no plan, several, or none of the project.
        OSError: a folder cannot be read.
    """
    plans = read_fleets(arguments, catalog, past_syntax=False, stdin=stdin)
    projects = sorted({plan.content.project for plan in plans if plan.content is not None})
    if project is not None:
        chosen = [plan for plan in plans if plan.content is not None and plan.content.project == project]
        if not chosen:
            known = listed([*map(printable, projects)], most=_MOST_PROJECTS) or "none"
            raise click.UsageError(f"No plan has the project {printable(project, 60)}. Their projects: {known}.")
        plans = tuple(chosen)
    if len(plans) == 1:
        return plans[0]
    if any(plan.describes_resources for plan in plans) and len(projects) == len(plans):
        known = listed([f"--project {printable(each)}" for each in projects], "or", most=_MOST_PROJECTS)
        raise click.UsageError(f"The arguments have {len(plans)} projects: add {known}.")
    raise several_plans(arguments, [plan.name for plan in plans])


def described_files(files: Mapping[str, PlanFile], catalog: Catalog) -> Mapping[str, PlanFile]:
    """The plan files of a side, with those of other tools as the plans that describe them, one for each project.

    Raises:
        click.UsageError: a file is of another tool, but has another form.
    """
    reader = _Files(catalog)
    found: dict[str, PlanFile] = {}
    for key, file in files.items():
        resources = None if file.problem else reader.of_content(file.name, file.content)
        if resources is None:
            found[key] = file
            continue
        plans = _described(resources, catalog)
        for plan in plans:
            project = plan.content.project if plan.content is not None and len(plans) > 1 else ""
            found[f"{key}{project}"] = dataclasses.replace(file, described=plan)
    return found


def _described(resources: "Sequence[RawResource]", catalog: Catalog) -> tuple[Document[Plan], ...]:
    from pulumi_gke_tpu.core.workflows.described import described_documents  # most commands get plans

    return described_documents(resources, catalog)


def running(document: Document[Plan], catalog: Catalog) -> Document[Plan]:
    """A plan, or what exists without the node pools that GKE could not create: they cost nothing and take no quota."""
    if not document.describes_resources:
        return document
    from pulumi_gke_tpu.core.workflows.described import that_runs  # most commands get plans

    return that_runs(document, catalog)


class _Files:
    """Files, each read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.read: dict[str, ManifestFile] = {}
        """Name -> the file, once it has been read."""
        self._found: dict[str, tuple[RawResource, ...] | None] = {}

    @functools.cached_property
    def _reader(self) -> "ResourceReader":
        from pulumi_gke_tpu.core.resources.read import ResourceReader  # most commands get plans

        return ResourceReader(self._catalog)

    def below(self, folder: str) -> Iterator[str]:
        """The files below a folder that other tools wrote."""
        for file in manifest_files_below(pathlib.Path(folder)):
            self.read[file.name] = file
            if self.resources(file.name) is not None:
                yield file.name

    def resources(self, name: str) -> "tuple[RawResource, ...] | None":
        """The resources in a file; None if no other tool wrote it.

        Raises:
            click.UsageError: the file is of another tool, but has another form.
        """
        if name not in self._found:
            if name not in self.read:
                self.read[name] = read_manifest_file(name)
            file = self.read[name]
            self._found[name] = self.of_content(file.name, file.content)
        return self._found[name]

    def plan(self, name: str, *, past_syntax: bool) -> Document[Plan]:
        """The plan in a file."""
        file = self.read[name]
        if file.findings or len(file.content) > LARGEST:
            return read_plan(pathlib.Path(name), past_syntax=past_syntax)
        return read_plan_content(file.content, file.name, past_syntax=past_syntax)

    def of_content(self, name: str, content: bytes) -> "tuple[RawResource, ...] | None":
        """The resources in some content; None if no other tool wrote it.

        Raises:
            click.UsageError: it is of another tool, but has another form.
        """
        if not may_have_resources(name, content):
            return None
        try:
            found = self._reader.read(name, content)
        except JsonError as error:
            raise click.UsageError(f"{printable_path(name)}: {printable(error, 1000)}") from None
        return found.found if found is not None else None
