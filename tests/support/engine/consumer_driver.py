"""Runs a project in the real engine, as the project's own Python would: one update, two previews; prints the result.

usage: consumer_driver.py PROJECT CLI_ROOT FOLDER PORT
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack


def main(project: str, root: str, folder: str, port: str) -> None:
    sys.path.insert(0, project)
    import training

    import pulumi_gke_tpu

    stack = EngineStack(PulumiCli(pathlib.Path(root), "given"), pathlib.Path(folder), "prod", int(port))
    first, made, again = stack.preview(training.main), stack.up(training.main), stack.preview(training.main)
    outcome = {
        "package": pulumi_gke_tpu.__file__,
        "errors": [run.error for run in (first, made, again)],
        "first": first.ops(),
        "made": made.ops(),
        "again": again.ops(),
        "state": stack.state(),
    }
    print(json.dumps(outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
