"""``gke-tpu schema``: JSON Schemas, for editors and programs."""

import json

import click

from pulumi_gke_tpu.findings import did_you_mean, printable


@click.command("schema", short_help="Print a JSON Schema, for editors and programs.")
@click.argument("name", default="plan", metavar="[plan|inventory|catalog|findings|preview|diff]")
def command(name: str) -> int:
    """Print the JSON Schema of a file that is read (plan, inventory, catalog) or written (findings, preview, diff)."""
    from pulumi_gke_tpu.render.generated.schemas_index import SCHEMAS

    if name not in SCHEMAS:
        near = did_you_mean(name, SCHEMAS)
        hint = f" Did you mean {near}?" if near else ""
        raise click.UsageError(f"No schema {printable(name, 40)}.{hint} There are: {', '.join(SCHEMAS)}.")
    click.echo(json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False))
    return 0
