"""Nothing that a manifest contains causes an exception, a hang or control characters in the output."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.manifests import findings_in
from support.odd_json import CONTROL
from support.sampling import sample
from support.work import function_calls
from support.written import FORMATS_OF_FINDINGS, findings_as

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

FOLDER = Path(__file__).parent / "valid"
KINDS = (
    "any/pod.json",
    "any/storage-classes.yaml",
    "autopilot/v5p-extended-run-job.yaml",
    "standard/compute-class-all-fields.yaml",
    "standard/kueue-cohort.yaml",
    "standard/pathwaysjob.yaml",
    "standard/tpu7x-leaderworkerset.yaml",
    "standard/v4-raycluster-multihost.yaml",
    "standard/v6e-multislice-with-queues.yaml",
    "standard/v6e-queued-jobset.yaml",
)
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 10**18, 1.5, "", "x" * 300, "{{ x }}", "\u202e", [], {}, [None], [[]], {"": None}, [{"a": []}],
)  # fmt: skip
PLAN = plan_of(OTHER, TWO_SLICES)


def paths_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from paths_in(value, (*path, key))


def changed(documents: list[Any], path: tuple[Any, ...], value: Any) -> str:
    found = copy.deepcopy(documents)
    place: Any = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return "\n---\n".join(json.dumps(item) for item in found)


@pytest.mark.parametrize("name", KINDS)
def test_any_value_in_any_place_is_checked(name: str) -> None:
    documents = list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))
    mode: Any = name.partition("/")[0] if "any" not in name else None
    for number, path in sample(enumerate(paths_in(documents)), 25, of=name):
        for turn in (0, 5, 11):
            text = changed(documents, path, ODD[(number + turn) % len(ODD)])
            findings = findings_in(text, mode=mode, plan=PLAN if number % 7 == turn else None)
            assert all(finding.position is not None for finding in findings), path


HOSTILE = {
    "nothing": b"",
    "zero bytes": b"\0" * 1000,
    "random bytes": bytes(range(256)) * 20,
    "UTF-16": tpu_pod().encode("utf-16"),
    "old line breaks": tpu_pod().replace("\n", "\r").encode(),
    "Windows line breaks": tpu_pod(topology="4x2", chips=8).replace("\n", "\r\n").encode(),
    "byte order marks": ("\ufeff" + tpu_pod() + "---\n\ufeff" + tpu_pod()).encode(),
    "tabs": tpu_pod().replace("    ", "\t").encode(),
    "nesting": b"apiVersion: v1\nkind: Pod\nspec: " + b"[" * 100_000,
    "nested mappings": b"{a: " * 5_000 + b"}" * 5_000,
    "nested JSON": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "aliases": b"a: &a [" + b"x," * 1000 + b"]\nb: [" + b"*a," * 5000 + b"]",
    "billion laughs": b"a: &a [x]\n" + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a"] * 9)) for n in range(9)),
    "recursive alias": b"apiVersion: v1\nkind: List\nitems: &a [*a]",
    "merge keys": b"a: &a {kind: Pod}\n<<: [*a, *a]\napiVersion: v1",
    "many keys": b"apiVersion: v1\nkind: Pod\n" + b"".join(b"k%d: 1\n" % n for n in range(5_000)),
    "equal keys": b"apiVersion: v1\nkind: Pod\n" + b"a: 1\n" * 5_000,
    "many documents": b"--- {}\n" * 9_000,
    "too many documents": b"--- a\n" * 20_000,
    "separators": b"---\n" * 500_000,
    "comments": b"# a\n" * 500_000,
    "a long line": b"apiVersion: v1\nkind: " + b"x" * 1_000_000,
    "a list of lists": b"{apiVersion: v1, kind: List, items: [" * 30 + b"]}" * 30,
    "terminal codes": tpu_pod(topology='"\\e[31m\\x07"').encode(),
    "marks from right to left": tpu_pod(topology="\u202e4x4").encode(),
    "workflow commands": tpu_pod(topology='"::error::x"').encode(),
    "selectors": tpu_pod(selector="\n".join(f"cloud.google.com/gke-tpu-topolog{n}: a" for n in range(3_000))).encode(),
    "a CRD": b"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: jobset.x-k8s.io}",
    "YAML in a ConfigMap": b"apiVersion: v1\nkind: ConfigMap\ndata:\n  pod.yaml: |\n"
    + "".join(f"    {line}\n" for line in tpu_pod(chips=3).splitlines()).encode(),
    "a template": b"{{- range .Values.pools }}\n" + tpu_pod().encode() + b"{{- end }}\n",
    "a shell script": b"#!/bin/sh\nset -e\nif [ -z \"$A\" ]; then exit 1; fi\n",
    "a private key": b"-----BEGIN PRIVATE KEY-----\nMIIhunter2\n-----END PRIVATE KEY-----\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_checked_and_their_findings_printed(name: str) -> None:
    findings = findings_in(HOSTILE[name], plan=PLAN)
    assert [form for form in FORMATS_OF_FINDINGS if CONTROL.search(findings_as(form, findings))] == []


@pytest.mark.parametrize("name", ["a CRD", "YAML in a ConfigMap", "byte order marks"])
def test_other_objects_with_pods_inside_are_silent(name: str) -> None:
    assert [item.rule for item in findings_in(HOSTILE[name]) if item.severity is not Severity.NOTE] == []


def test_positions_are_right_with_windows_line_breaks() -> None:
    (finding,) = findings_in(HOSTILE["Windows line breaks"])
    assert finding.position is not None
    assert finding.position.text == "    cloud.google.com/gke-tpu-topology: 4x2"


def test_a_private_key_is_not_quoted() -> None:
    assert "hunter2" not in repr(findings_in(HOSTILE["a private key"]))


def test_the_largest_file_is_read() -> None:
    text = tpu_pod() + "---\napiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n" + "    text\n" * 540_000
    assert 4_800_000 < len(text) < 5_000_000
    assert findings_in(text) == ()


def test_work_grows_with_the_objects_and_with_the_groups_only() -> None:
    """Each of n workloads selects one of n groups."""

    def calls(count: int) -> int:
        plan = plan_of(*(f"g{n}: {{tpu: v6e, topology: 2x2, zone: us-east5-b}}" for n in range(count)))
        pods = "---".join(tpu_pod(selector=f"cloud.google.com/gke-nodepool: g{n}") for n in range(count))
        return function_calls(lambda: findings_in(pods, plan=plan))

    assert calls(160) < 2.5 * calls(80)
