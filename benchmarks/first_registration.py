"""Runs a Pulumi program under mocks, and ends the process when it asks for its first resource.

usage: first_registration.py (stack | bare)

``stack`` is the program of the shipped stacks, for the stack prod. ``bare`` is the least that a program with a cluster
can load: the typed class of it, with one resource.
"""

import os
import pathlib
import runpy
import sys
from typing import Any

import pulumi

PROGRAM = pathlib.Path(__file__).parents[1] / "stacks" / "__main__.py"


class Stop(pulumi.runtime.Mocks):
    """Ends the process at the first resource of a provider."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        """End the process if a provider would create the resource."""
        if args.typ.startswith("gcp:"):
            os._exit(0)
        return "", args.inputs

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[Any, Any]:
        """Answer a provider function: the program calls none."""
        return {}


def stack() -> None:
    """What ``pulumi up`` runs."""
    runpy.run_path(str(PROGRAM))


def bare() -> None:
    """One cluster."""
    import pulumi_gcp as gcp

    gcp.container.Cluster("train", name="train", location="us-east5", project="acme-ml")


def main(program: str) -> None:
    """Run one of the programs; it never returns."""
    pulumi.runtime.set_mocks(Stop(), stack="prod", preview=True)
    pulumi.runtime.test({"stack": stack, "bare": bare}[program])()
    raise RuntimeError("the program registered nothing")


if __name__ == "__main__":
    main(sys.argv[1])
