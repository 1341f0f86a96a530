"""The JSON Schema of :func:`pulumi_gke_tpu.render.findings.json.findings_json`, from the file beside this module."""

import json
from pathlib import Path
from typing import Any


def findings_schema() -> dict[str, Any]:
    """The schema, complete in itself."""
    text = (Path(__file__).parent / "findings.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
