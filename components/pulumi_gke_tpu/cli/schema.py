"""``gke-tpu schema``: print JSON Schemas for editors and programs."""

import json

import click

from pulumi_gke_tpu.findings import did_you_mean, printable


@click.command("schema", short_help="Print a JSON Schema for editors and programs.")
@click.argument("name", default="plan", metavar="[plan|inventory|catalog|findings|preview|diff]")
def command(name: str) -> int:
    """Print the JSON Schema of an input (plan, inventory, catalog) or of an output (findings, preview, diff)."""
    from pulumi_gke_tpu.render.generated.schemas_index import SCHEMAS

    if name not in SCHEMAS:
        near = did_you_mean(name, SCHEMAS)
        hint = f" Did you mean {near}?" if near else ""
        raise click.UsageError(f"Unknown schema {printable(name, 40)}.{hint} Use one of: {', '.join(SCHEMAS)}.")
    click.echo(json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False))
    return 0
