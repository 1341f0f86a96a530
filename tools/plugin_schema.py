"""Writes the arguments of the components and the schema of the Pulumi package from the models of a plan.

The version of the policy pack, which Pulumi reads from a file of its own, becomes that of the package.
"""

import pathlib
import re

from pulumi_gke_tpu import __version__
from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.features import policy_pack
from pulumi_gke_tpu.features.plugin.args_source import arguments_source
from pulumi_gke_tpu.features.plugin.schema import SCHEMA_FILE, package_schema


def main() -> None:
    """Bring the files up to date."""
    pathlib.Path(args.__file__).write_text(arguments_source(), encoding="utf-8")
    SCHEMA_FILE.write_text(package_schema(), encoding="utf-8")
    pack = pathlib.Path(policy_pack.__file__).with_name("PulumiPolicy.yaml")
    text = re.sub(r"(?m)^version: .*", f"version: {__version__}", pack.read_text(encoding="utf-8"))
    pack.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
