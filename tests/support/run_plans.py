"""Clusters with planned runs and the exclusions that cover them."""

from pulumi_gke_tpu.core.text.findings import Finding

OF_RUNS = {f"TPU{number}" for number in (*range(621, 630), 633, 636)}

LLAMA = "llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}"

EXCLUSION = "llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}"


def cluster(group: str, *runs: str, mode: str = "standard", exclusion: str = EXCLUSION) -> str:
    lines = "\n".join(f"  {run}" for run in runs or (LLAMA,))
    return (
        f"mode: {mode}\nlocation: us-east5\nslices:\n  main: {{zone: us-east5-b, tpu: v6e, {group}}}\n"
        "maintenance:\n  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}\n"
        f"  exclusions:\n    {exclusion}\nruns:\n{lines}\n"
    )


def of_runs(findings: tuple[Finding, ...]) -> dict[str, str]:
    return {item.rule: item.message for item in findings if item.rule in OF_RUNS}
