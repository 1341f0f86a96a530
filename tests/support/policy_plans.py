"""Slice groups with workload policies."""

from pulumi_gke_tpu.core.text.findings import Finding, format_path


def group(name: str, topology: str, policy: str = "", **more: str) -> str:
    keys = {"tpu": "tpu7x", "topology": topology, "zone": "us-central1-c"}
    if policy:
        keys["placement"] = f"{{workload_policy: {policy}}}"
    return f"{name}: {{{', '.join(f'{key}: {value}' for key, value in {**keys, **more}.items())}}}"


def body(*groups: str, name: str = "train", location: str = "us-central1") -> str:
    lines = "".join(f"  {item}\n" for item in groups)
    return f"mode: standard\nlocation: {location}\nname: {name}\nslices:\n{lines}"


MADE = group("large", "4x4x4")
"""Its policy is train-large-4x4x4."""


def said(findings: tuple[Finding, ...], rule: str) -> list[tuple[str, str]]:
    return [(item.severity.word, format_path(item.path)) for item in findings if item.rule == rule]


NAMED = group("large", "4x4x4", "cubes")
