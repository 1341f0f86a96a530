"""Tells files that can have resources of other tools from manifests, before anything is imported that reads them."""

import re

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_ANSWER = lazy_pattern(rb"^(?:- )?[ \t]*(?:selfLink|currentMasterVersion|kind: compute#\w+)\b", re.MULTILINE)
_OBJECT = lazy_pattern(rb"^(?:- )?apiVersion:", re.MULTILINE)
_PROGRAM = lazy_pattern(rb"^(?:runtime:|[ \t]+type:[ \t]*[\"']?gcp:)", re.MULTILINE)
HCL_ENDINGS = (".tf", ".tofu", ".hcl")
_HCL = lazy_pattern(
    rb"(?:\s+|\#[^\n]*\n|//[^\n]*\n|/\*.*?\*/)*"
    rb"(?:(?:resource|data)[ \t]+\"[\w-]+\"[ \t]+\"[\w-]+\"|(?:module|provider|variable|output)[ \t]+\"[\w-]+\""
    rb"|terraform|locals)[ \t]*\{",
    re.DOTALL,
)


def first_character(content: bytes) -> bytes:
    """The first character that is neither a byte order mark nor white space."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def is_answer_in_yaml(content: bytes) -> bool:
    """Whether a file looks like an answer of gcloud in YAML."""
    return bool(_ANSWER.search(content)) and not _OBJECT.search(content)


def is_program_in_yaml(content: bytes) -> bool:
    """Whether a file looks like a project or a program of Pulumi in YAML."""
    return bool(_PROGRAM.search(content)) and not _OBJECT.search(content)


def is_hcl(name: str, content: bytes) -> bool:
    """Whether a file is one of Terraform by its name, or by its first block."""
    return name.endswith(HCL_ENDINGS) or bool(_HCL.match(content))


def may_have_resources(name: str, content: bytes) -> bool:
    """Whether a file is JSON, or looks like HCL, an answer of gcloud or a program of Pulumi in YAML."""
    in_yaml = is_answer_in_yaml(content) or is_program_in_yaml(content)
    return first_character(content) in (b"{", b"[") or in_yaml or is_hcl(name, content)


_GROUPS = (".cnrm.cloud.google.com", ".upbound.io", "crossplane.io", "cluster.x-k8s.io", "kro.run")
"""The ends of the API groups of Config Connector, Crossplane and Cluster API, and of objects with such templates."""


def may_describe_resources(group: str) -> bool:
    """Whether objects of an API group can describe resources of Google Cloud."""
    return group.endswith(_GROUPS)
