"""A preview as Markdown, for a summary or a document."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.markdown_escape import code, fenced, table, text
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.render.preview import words
from pulumi_gke_tpu.render.preview.resources_text import resources_text

if TYPE_CHECKING:
    from pulumi_gke_tpu.graph.result import PlanPreview


def preview_markdown(preview: "PlanPreview", *, resources: bool) -> str:
    """Show a preview as Markdown. Nothing a plan contains can change what stands around it."""
    parts = [f"## TPU plan {code(preview.name)}", text(f"{preview.fleet.project}, catalog {preview.catalog_version}")]
    costs = {cost.group: cost for cost in preview.cost.groups}
    for cluster in preview.fleet.clusters:
        parts.append(f"### {text(cluster.key)}")
        lines = [words.cluster_words(cluster)]
        lines += [f"maintenance: {said}" for said in [words.maintenance_words(cluster)] if said]
        lines += [f"system pool: {said}" for said in [words.system_words(cluster)] if said]
        parts.append("\n".join(f"- {text(line)}" for line in lines))
        rows = [
            [
                group.key.rsplit("/", 1)[1],
                words.shape_words(group),
                words.slices_words(group),
                words.zone_words(group),
                words.capacity_words(group),
                str(group.hosts),
                str(group.chips),
                words.group_usd_words(costs[group.key]),
            ]
            for group in cluster.groups
        ]
        parts.append(table(["group", "shape", "slices", "zone", "capacity", "hosts", "chips", "cost"], rows))
    totals = [*preview.cost.modes, *([preview.cost.premium] if preview.cost.premium else []), preview.cost.total]
    parts.append("### Totals")
    parts.append(
        table(
            ["", "slices", "hosts", "chips", "USD per hour", "USD per month"],
            [
                [
                    words.MODE_WORDS[line.what],
                    str(line.slices),
                    str(line.hosts),
                    str(line.chips),
                    *words.usd_words(line),
                ]
                for line in totals
            ],
        )
    )
    remarks = [*words.price_notes(preview.cost), *preview.notes, f"{words.resource_words(preview.graph)}."]
    parts.append("\n".join(f"- {text(remark)}" for remark in remarks))
    if preview.findings:
        parts.append("### Findings")
        parts.append(
            table(
                ["rule", "severity", "place", "finding"],
                [
                    [
                        finding.rule,
                        "accepted" if finding.accepted else finding.severity.word,
                        f"{finding.position.line}:{finding.position.column}" if finding.position else "",
                        printable(finding.message, 400),
                    ]
                    for finding in preview.findings
                ],
            )
        )
    if resources:
        listing = fenced(resources_text(preview.graph), "yaml")
        parts.append(f"<details><summary>Resources</summary>\n\n{listing}\n\n</details>")
    return "\n\n".join(part for part in parts if part) + "\n"
