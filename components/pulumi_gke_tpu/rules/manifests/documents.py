"""Documents that cannot be checked: TPU720 and TPU721."""

from collections.abc import Iterable

from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.manifests import ManifestContext
from pulumi_gke_tpu.rules.engine.rule import Scope, rule

_PLAN_KEYS = frozenset({"version", "clusters"})


@rule(
    "TPU720",
    "not-a-kubernetes-object",
    scope=Scope.MANIFESTS,
    since="0.1",
    severity=Severity.NOTE,
    title="Document that is not a Kubernetes object",
    why="a Kubernetes object has `apiVersion` and `kind`; gke-tpu checks nothing in other documents",
    fix="Name only files with Kubernetes objects.",
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
        if isinstance(document.data, dict) and document.data.keys() >= _PLAN_KEYS:
            message = "a plan, not a Kubernetes object: compare manifests with it by `--plan`"
        elif document.data is None:
            message = "no Kubernetes object: the file is empty"
        else:
            message = "not a Kubernetes object: it has no `apiVersion` and `kind`"
        yield Hit(document.at(), message)


@rule(
    "TPU721",
    "template-instead-of-manifest",
    scope=Scope.MANIFESTS,
    since="0.1",
    severity=Severity.WARNING,
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
