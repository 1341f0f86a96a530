"""Findings about properties that the provider google of Terraform does not create; google-beta does."""

import dataclasses
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.resources.terraform_names import set_among
from pulumi_gke_tpu.core.rules.engine.rule import links_of, source_text
from pulumi_gke_tpu.core.rules.files.providers import NOT_BY_GOOGLE
from pulumi_gke_tpu.core.text.findings import Finding, printable

_LONGEST_ADDRESS = 300
_LACKS = "the provider google does not have this property"
_NEVER_SENDS = "the provider google takes this property, but never sends it"


def findings_of_providers(resources: Iterable[RawResource], catalog: Catalog) -> Iterator[Finding]:
    """The outermost properties of resources of google that only google-beta creates.

    A plan of Terraform has passed the schema of its provider, so it has only those that google never sends.
    """
    for each in resources:
        known = catalog.terraform.resources.get(each.type)
        ends = each.action is not None and each.action.kinds in (("delete",), ("forget",))
        if known is None or ends or each.google_provider != "google":
            continue
        written = each.origin.source is SourceFormat.TERRAFORM_CONFIGURATION
        for paths, problem in ((known.beta if written else (), _LACKS), (known.unsent, _NEVER_SENDS)):
            found = set_among(paths, each.values.data)
            for path in found:
                if not any(path.startswith(f"{other}.") for other in found):
                    yield _finding(each, path, problem, catalog)


def _finding(resource: RawResource, path: str, problem: str, catalog: Catalog) -> Finding:
    place, address = resource.spelling.place(path), printable(resource.origin.address, _LONGEST_ADDRESS)
    finding = NOT_BY_GOOGLE.finding(
        f"{address}: {resource.spelling.written(path)}: {problem}",
        position=resource.origin.locate(place),
        path=(resource.origin.address, *place),
    )
    source, links = source_text(catalog.terraform, catalog), links_of(NOT_BY_GOOGLE, catalog.terraform, catalog)
    return dataclasses.replace(finding, source=source, links=links)
