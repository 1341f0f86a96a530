"""The catalog: every fact about Cloud TPUs on GKE that we rely on, each with source, date and confidence."""

from pulumi_gke_tpu.core.catalog.catalog import Catalog, CatalogError
from pulumi_gke_tpu.core.catalog.records.facts import Confidence, Fact
from pulumi_gke_tpu.core.catalog.records.generation import Topology
from pulumi_gke_tpu.core.catalog.shipped import read_catalog
from pulumi_gke_tpu.core.text.formats.versions import GkeVersion, VersionRange
