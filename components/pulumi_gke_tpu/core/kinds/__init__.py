"""Kinds of workloads: one module for each, which nothing lists.

A module of ``written`` states a kind that a plan can name, and the name of the module is the word in the plan. A module
of ``read`` states a kind that gke-tpu only reads in manifests. Both state it as ``KIND``: how to find its Pod
templates, its traits, and for a kind of plans what gke-tpu writes. Other modules ask for these traits and name no kind.
"""

from pulumi_gke_tpu.core.kinds.kind import Kind, Written
from pulumi_gke_tpu.core.kinds.registry import (
    all_kinds,
    has_head,
    head_has_volumes,
    kind_of,
    kind_of_manifest,
    pod_templates,
    queue_at,
    queue_labels,
    written_kind,
    written_kinds,
)
