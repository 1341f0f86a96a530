"""Documents that cannot be checked, or not as a whole: TPU720, TPU721 and TPU358."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects.document import OtherDocument
from pulumi_gke_tpu.core.objects.open_values import is_placeholder
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, Severity, listed, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_PLAN_KEYS = frozenset({"version", "clusters"})


@rule(
    "TPU720",
    severity=Severity.NOTE,
    otherwise={
        Severity.WARNING: "if the file is named on the command line, and nothing in it is read",
        Severity.ERROR: "if only one of `apiVersion` and `kind` is missing or misspelled",
    },
    title="Document that is not a Kubernetes object",
    why="a Kubernetes object has `apiVersion` and `kind`; gke-tpu checks nothing in other documents",
    fix="Set `apiVersion` and `kind` of a Kubernetes object, and leave other files out. For a plan, use `--plan`, or "
    "`gke-tpu validate`.",
    source="Kubernetes: every object has the fields apiVersion and kind",
    failing="""
replicaCount: 2
image: trainer
""",
    passing="""
apiVersion: v1
kind: ConfigMap
metadata: {name: trainer}
data: {replicaCount: "2"}
""",
)
def not_a_kubernetes_object(context: ManifestContext) -> Iterable[Hit]:
    for document in context.others:
        if document.template:
            continue
        if not document.patch and (missing := _missing_identity(document.data)):
            yield from _incomplete(document, missing)
            continue
        if document.patch:
            message = "a patch of a kustomization, not a whole object: check the output of `kubectl kustomize`"
        elif isinstance(document.data, dict) and document.data.keys() >= _PLAN_KEYS:
            message = "a plan, not a Kubernetes object: compare manifests with it by `--plan`"
        elif document.invalid:
            message = "not a Kubernetes object, and invalid YAML; its content is not shown"
        elif document.data is None:
            message = "no Kubernetes object: the file is empty"
        elif document.data in ([], {}):
            yield Hit(document.at(), "an empty list or mapping: it contains nothing to check")
            continue
        else:
            message = "not a Kubernetes object: it has no `apiVersion` and `kind`"
        yield Hit(document.at(), message, severity=Severity.WARNING if document.asked else None)


_IDENTITY = ("apiVersion", "kind")


def _missing_identity(data: object) -> str:
    """The key that an object with a name lacks; empty if it has both, or none, and is of another program."""
    if not isinstance(data, dict) or not isinstance(data.get("metadata"), dict) or "name" not in data["metadata"]:
        return ""
    missing = [key for key in _IDENTITY if key not in data]
    return missing[0] if len(missing) == 1 else ""


def _incomplete(document: OtherDocument, missing: str) -> Iterator[Hit]:
    near = next((key for key in document.data if str(key).lower() == missing.lower()), None)
    if near is None:
        yield Hit.missing(document.at(), f"key `{missing}` of a Kubernetes object", severity=Severity.ERROR)
    else:
        place, fix = document.at(near), Rename.to(missing)
        yield Hit.unknown(
            place, "key of a Kubernetes object", near, severity=Severity.ERROR, allowed=_IDENTITY, fix=fix
        )


@warning(
    "TPU721",
    title="Template that is not YAML before it is rendered",
    why="gke-tpu does not render templates, so it cannot check this document and others like it in the file",
    fix="Render the template, and check the output: `helm template . | gke-tpu check -`.",
    source="YAML: template directives such as {{- if }} are not YAML",
    failing="""
apiVersion: v1
kind: ConfigMap
metadata:
  name: trainer
{{- if .Values.debug }}
data: {debug: "1"}
{{- end }}
""",
    passing="""
apiVersion: v1
kind: ConfigMap
metadata:
  name: trainer
data: {debug: "1"}
""",
)
def template_instead_of_manifest(context: ManifestContext) -> Iterable[Hit]:
    for document in context.others:
        if document.template:
            yield Hit(document.at(), "a template, not YAML: render it first, and check the output")


@warning(
    "TPU358",
    title="Placeholder that is not filled in",
    why="Kubernetes takes a placeholder as it is written, and gke-tpu cannot check a value that is missing",
    fix="Replace the placeholder by a value. If a program does that, check its output.",
    source="Kubernetes: values are not expanded",
    failing=tpu_pod(topology="<TOPOLOGY>").replace("tpu: 4", "tpu: <CHIPS>"),
    passing=tpu_pod(),
)
def unfilled_placeholder(context: ManifestContext) -> Iterable[Hit]:
    for item in context.objects:
        places: dict[str, Path] = {}
        for path, value in _placeholders(item.data, ()):
            places.setdefault(value, path)
        if places:
            names = listed([quoted(value) for value in places])
            noun = "placeholder" if len(places) == 1 else "placeholders"
            yield Hit(item.at(*next(iter(places.values()))), f"{noun} {names} not filled in")


_FREE_TEXT = frozenset({"annotations", "args", "binaryData", "command", "data", "description", "stringData"})
"""Keys with texts for programs or people, in which angle brackets have a meaning of their own."""


def _placeholders(data: object, path: Path) -> Iterator[tuple[Path, str]]:
    """The values that are placeholders, in their order, with their paths."""
    if isinstance(data, dict):
        entries: Iterable[tuple[str | int, object]] = (
            (key, value) for key, value in data.items() if key not in _FREE_TEXT
        )
    elif isinstance(data, list):
        entries = enumerate(data)
    else:
        if is_placeholder(data):
            yield path, str(data)
        return
    for step, value in entries:
        yield from _placeholders(value, (*path, step))
