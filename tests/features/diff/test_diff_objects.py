"""``gke-tpu diff`` of Kubernetes objects: text, Markdown, JSON and exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.features.diff.output.json import change_page_from_json

GkeTpu = Callable[..., Any]
PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "1.35"
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot}
    kubernetes:
      namespace: research
      workloads:
        llama: {slices: pretrain, image: us-docker.pkg.dev/acme-ml/t/llama:1, kind: jobset}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "head.yaml").write_text(PLAN.replace("llama:1", "llama:2"), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("files")
def test_a_change_of_kubernetes_alone_is_never_called_no_changes(gke_tpu: GkeTpu) -> None:
    for form in ("text", "markdown"):
        shown = " ".join(gke_tpu("diff", "base.yaml", "head.yaml", "--format", form).out.split())
        assert "no changes" not in shown
        assert "1 Kubernetes object changed: 1 replaced" in shown
        assert "`spec` cannot change, so it is deleted and created again: its Pods stop." in shown.replace(chr(92), "")
        assert "replace (disruptive) " in shown
    assert gke_tpu("diff", "base.yaml", "head.yaml", "--exit-code").code == 4
    assert "no changes" in gke_tpu("diff", "base.yaml", "base.yaml").out


@pytest.mark.usefixtures("files")
def test_json_has_the_objects_and_a_document_without_them_is_valid(gke_tpu: GkeTpu) -> None:
    out = gke_tpu("diff", "base.yaml", "head.yaml", "--format", "json").out
    data = json.loads(out)
    jsonschema.validate(data, all_schemas()["diff"]())
    assert [(item["operation"], item["object"]) for item in data["objects"]] == [("replace", "JobSet/research/llama")]
    assert len(change_page_from_json(out.encode()).report.change.objects) == 1
    same = gke_tpu("diff", "base.yaml", "base.yaml", "--format", "json").out
    assert json.loads(same)["objects"] == []
    jsonschema.validate(json.loads(same), all_schemas()["diff"]())
    change_page_from_json(same.encode())
