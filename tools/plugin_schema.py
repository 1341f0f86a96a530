"""Writes the arguments of the components and the schema of the Pulumi package from the models of a plan."""

import pathlib

from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.features.plugin.args_source import arguments_source
from pulumi_gke_tpu.features.plugin.schema import SCHEMA_FILE, package_schema


def main() -> None:
    """Bring both files up to date."""
    pathlib.Path(args.__file__).write_text(arguments_source(), encoding="utf-8")
    SCHEMA_FILE.write_text(package_schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
