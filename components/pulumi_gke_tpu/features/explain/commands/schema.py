"""``gke-tpu schema``: print JSON Schemas for editors and programs."""

import pathlib

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples, american
from pulumi_gke_tpu.cli.options import catalog_option, load_catalog
from pulumi_gke_tpu.core.text.findings import did_you_mean, printable
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text


@click.command(
    "schema",
    cls=CommandWithExamples,
    short_help="Print a JSON Schema for editors and programs.",
    examples=("gke-tpu schema plan",),
)
@click.argument("name", default="plan", metavar="[plan|inventory|organization|catalog|findings|preview|diff|quota]")
@catalog_option
def command(name: str, overlays: tuple[pathlib.Path, ...]) -> int:
    """Print the JSON Schema of an input (plan, inventory, organization, catalog) or of an output (the other names).

    With --catalog, the schema of a plan also contains your own generations, topologies and machine types.
    """
    from pulumi_gke_tpu.core.output.schemas import all_schemas
    from pulumi_gke_tpu.core.plan.schema import plan_schema

    schemas = all_schemas()
    name = american(name)
    if name not in schemas:
        near = did_you_mean(name, schemas)
        hint = f" Did you mean {near}?" if near else ""
        raise click.UsageError(f"Unknown schema {printable(name, 40)}.{hint} Use one of: {', '.join(schemas)}.")
    if overlays and name != "plan":
        raise click.UsageError("--catalog requires the schema plan: gke-tpu schema plan --catalog FILE")
    schema = plan_schema(load_catalog(overlays)) if overlays else schemas[name]()
    click.echo(json_text(schema))
    return 0
