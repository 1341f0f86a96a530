"""``gke-tpu evidence``: what a run on GKE shows, as a file without any name of the user."""

import pathlib

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, load_catalog
from pulumi_gke_tpu.features.status.commands import read_both, snapshot_option


@click.command(
    "evidence",
    cls=CommandWithExamples,
    short_help="Compare a fleet on GKE with the facts of the catalog, from a snapshot.",
    examples=("gke-tpu evidence plan.yaml --snapshot snapshot",),
)
@click.argument("plan", type=click.Path(allow_dash=True), metavar="PLAN")
@snapshot_option
@click.option(
    "--engine-events", multiple=True, type=click.Path(allow_dash=True), metavar="FILE",
    help="Output of `pulumi preview --refresh --json` after the update; may be repeated.",
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="FILE",
    help="File to write instead of standard output.",
)
@click.option("--issue", is_flag=True, help="Print the text of an issue about what contradicts the catalog.")
@catalog_option
def command(
    plan: str,
    folder: pathlib.Path,
    engine_events: tuple[str, ...],
    output: pathlib.Path | None,
    issue: bool,
    overlays: tuple[pathlib.Path, ...],
) -> int:
    """Compare a fleet that exists with the facts of the catalog, and print the result as YAML.

    The result contains only machine families, words of gke-tpu and words of the catalog: no project, name, zone,
    account, or text of an answer or of an overlay. The only date is the month. Read it before you send it. It lists
    the facts that the answers do not show, such as those about a node pool that does not run, as not seen.

    The exit code is 0 if nothing contradicts the catalog, and 1 if something does.
    """
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.cli.shared import report_errors
    from pulumi_gke_tpu.features.diff.sides import read_runs
    from pulumi_gke_tpu.features.evidence.file import evidence_file, issue_text
    from pulumi_gke_tpu.features.evidence.observed import evidence

    catalog = load_catalog(overlays)
    checked, snapshot = read_both(plan, folder, catalog)
    if snapshot is None or checked.fleet is None:
        return report_errors(checked.findings)
    run = evidence(checked.fleet, snapshot, read_runs(engine_events), load_catalog(()))
    text = issue_text(run)
    if run.not_seen and (issue or output is not None):
        click.echo(f"note: not seen: {', '.join(run.not_seen)}", err=True)
    if issue:
        click.echo(text or "Nothing contradicts the catalog.", nl=not text)
    elif output is None:
        click.echo(evidence_file(run), nl=False)
    elif not write_and_name(output.parent, {output.name: evidence_file(run)}, overwrite=False):
        return 2
    return 1 if text else 0
