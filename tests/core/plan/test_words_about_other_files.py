"""Findings about an inventory or an organization file do not call it a plan."""

from collections.abc import Callable
from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import Document, read_inventory_content, read_organization_content

READERS: dict[str, Callable[[bytes, str], Document[Any]]] = {
    "inventory": read_inventory_content,
    "organization": read_organization_content,
}
BROKEN = {
    "number as a key": "1: 2\n",
    "mapping as a key": "{a: 1}: 2\n",
    "empty": "",
    "list": "- 1\n",
    "text": "abc\n",
    "too deep": f"a: {'[' * 80}{']' * 80}\n",
    "two documents": "version: 1\n---\nversion: 2\n",
    "tag": 'version: !!int "a"\n',
    "template": "a: {{ x }}\n",
    "other version": "version: 2\n",
    "unknown keys": "version: 1\nfoo: 1\nquotass: []\n",
    "ambiguous": "version: yes\n",
    "duplicate": "version: 1\nversion: 1\n",
    "invisible": "ver\u200bsion: 1\n",
    "misspelled": "verson: 1\nas_of: x\n",
    "without values": "version: 1\nquotas:\nstandards:\n",
    "wrong types": "version: [1]\nquotas: 3\nstandards: 3\nreservations: [1, {a: b}, {name: 5}]\nexemptions: [1]\n",
    "alias": "version: *x\n",
    "merge": "version: 1\n<<: 3\n",
    "recursive": "a: &x [*x]\n",
    "unclosed": "version: [1\n",
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("name", BROKEN)
def test_no_finding_calls_the_file_a_plan(name: str, kind: str) -> None:
    findings = READERS[kind](BROKEN[name].encode(), "file.yaml").findings
    assert findings
    for finding in findings:
        texts = (finding.message, finding.why, finding.fix, *finding.allowed)
        assert not [text for text in texts if "plan" in text.lower()]
