"""Tells files that can have resources of other tools from manifests, before anything is imported that reads them."""

import re

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_ANSWER = lazy_pattern(rb"^(?:- )?[ \t]*(?:selfLink|currentMasterVersion|kind: compute#\w+)\b", re.MULTILINE)
_OBJECT = lazy_pattern(rb"^(?:- )?apiVersion:", re.MULTILINE)
_PROGRAM = lazy_pattern(rb"^(?:runtime:|[ \t]+type:[ \t]*[\"']?gcp:)", re.MULTILINE)
PULUMI_HCL = ".pp"
HCL_ENDINGS = (".tf", ".tofu", ".hcl", ".tfvars", PULUMI_HCL)
STACK_FILE = lazy_pattern(r"(?:\A|[/\\])Pulumi\.(?P<stack>[\w-]{1,100})\.ya?ml\Z")
"""The names of files with the configuration of a stack of Pulumi."""
SCRIPT_ENDINGS = (".sh", ".bash", ".zsh", ".ksh", ".ps1", ".cmd", ".bat", "Makefile", "makefile", ".mk", "justfile")
"""The ends of the names of files that are scripts, or have commands of a shell."""
TABLE_ENDINGS = (".txt", ".csv", ".tsv")
"""The ends of the names of files that a script can read line by line."""
HIDDEN = frozenset({".github", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".circleci", ".cloudbuild", ".tekton"})
"""The hidden files and folders with pipelines."""
_HCL = lazy_pattern(
    rb"(?:\s+|\#[^\n]*\n|//[^\n]*\n|/\*.*?\*/)*"
    rb"(?:(?:resource|data)[ \t]+\"[\w-]+\"[ \t]+\"[\w-]+\"|(?:module|provider|variable|output)[ \t]+\"[\w-]+\""
    rb"|terraform|locals)[ \t]*\{",
    re.DOTALL,
)


def first_character(content: bytes) -> bytes:
    """The first character that is neither a byte order mark nor white space."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def is_json(content: bytes) -> bool:
    """Whether a file begins as JSON does, which can be so large that a search in it is slow."""
    return first_character(content) in (b"{", b"[")


def is_answer_in_yaml(content: bytes) -> bool:
    """Whether a file looks like an answer of gcloud in YAML."""
    return not is_json(content) and bool(_ANSWER.search(content)) and not _OBJECT.search(content)


def is_program_in_yaml(content: bytes) -> bool:
    """Whether a file looks like a project or a program of Pulumi in YAML."""
    return not is_json(content) and bool(_PROGRAM.search(content)) and not _OBJECT.search(content)


def is_hcl(name: str, content: bytes) -> bool:
    """Whether a file is one of Terraform by its name, or by its first block."""
    if name.endswith(PULUMI_HCL):
        return False
    return name.endswith(HCL_ENDINGS) or bool(_HCL.match(content))


def may_have_resources(name: str, content: bytes) -> bool:
    """Whether a file is JSON or a script, or looks like HCL, an answer of gcloud or a program of Pulumi in YAML."""
    return (
        is_json(content)
        or is_answer_in_yaml(content)
        or is_program_in_yaml(content)
        or STACK_FILE.search(name) is not None
        or may_have_scripts(name, content)
        or is_shell_script(name, content)
        or is_hcl(name, content)
        or name.endswith(PULUMI_HCL)
    )


_GROUPS = (".cnrm.cloud.google.com", ".upbound.io", "crossplane.io", "cluster.x-k8s.io", "kro.run", "pulumi.com")
"""The ends of API groups: Config Connector, Crossplane, Cluster API, Pulumi, and objects with such templates."""


def may_describe_resources(group: str) -> bool:
    """Whether objects of an API group can describe resources of Google Cloud."""
    return group.endswith(_GROUPS)


_EMBEDDED_NAMES = lazy_pattern(
    r"(?:\.(?:md|markdown|ps1|cmd|bat|mk)|(?:\A|[/\\])(?:(?:GNU)?[Mm]akefile|\.?[Jj]ustfile))\Z", re.IGNORECASE
)
_EMBEDDED = lazy_pattern(rb"\bgcloud\b")
_COMMAND_WORDS = lazy_pattern(rb"\b(?:node-pools|clusters|resource-policies)\b")


def may_have_scripts(name: str, content: bytes) -> bool:
    """Whether a pipeline in YAML, a runbook or a Makefile may have commands of gcloud."""
    is_kind = name.endswith((".yaml", ".yml")) or _EMBEDDED_NAMES.search(name) is not None
    return is_kind and bool(_EMBEDDED.search(content)) and bool(_COMMAND_WORDS.search(content))


_SHELL_NAMES = SCRIPT_ENDINGS[:4]
_SHEBANG = lazy_pattern(
    rb"\A(?:\xef\xbb\xbf)?#![^\n]*?(?P<shell>\b(?:ba|z|k|da)?sh\b)?[ \t\r]*(?:-\w+[ \t\r]*)*(?:\n|\Z)"
)
_GCLOUD = lazy_pattern(
    rb"^[ \t]*(?:\$[ \t]+|sudo[ \t]+|time[ \t]+|[A-Za-z_]\w*=[^\s;]*[ \t]+)*gcloud[ \t]+(?:-[^\n]*[ \t])?"
    rb"(?:(?:alpha|beta|preview)[ \t]+)?(?:container|compute|config)\b",
    re.MULTILINE,
)
_OTHER_TEXT = lazy_pattern(
    rb"^(?:```|~~~|import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|def[ \t]+\w+\(|class[ \t]+\w+|package[ \t]+\w"
    rb"|<\w|---[ \t\r]*$|#include\b)",
    re.MULTILINE,
)
_ENDING = lazy_pattern(r"\.(?P<ending>[A-Za-z][A-Za-z0-9]{0,9})\Z")


def is_shell_script(name: str, content: bytes) -> bool:
    """Whether a file is a shell script: by the ending of its name, its first line, or commands of gcloud in it."""
    if name.endswith(_SHELL_NAMES):
        return True
    shebang = _SHEBANG.match(content)
    if shebang is not None:
        return shebang["shell"] is not None
    ending = _ENDING.search(name)
    if ending is not None and ending["ending"] != "txt":
        return False
    return (
        not is_json(content)
        and bool(_GCLOUD.search(content))
        and not _OBJECT.match(content)
        and not _OTHER_TEXT.search(content)
    )
