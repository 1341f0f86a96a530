"""The command ``gke-tpu``. Each command is a module of its own, loaded when it is called."""

import gc
import importlib
import os
import sys
from typing import Any

import click

from pulumi_gke_tpu._version import __version__

COMMANDS = ("catalog", "comment", "diff", "explain", "init", "preview", "rule", "schema", "validate")

_NEW_OBJECTS = 10_000
"""Python looks for garbage each time that so many objects are new; without being told, some hundreds are enough."""

EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_MISTAKE_OF_OURS = 3

_EPILOG = (
    "Exit codes: 0 fine (also with warnings, unless --strict), 1 errors in a plan, 2 the command was wrong, "
    "3 a mistake of gke-tpu."
)


class _LazyGroup(click.Group):
    """Knows the commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"pulumi_gke_tpu.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from pulumi_gke_tpu.findings import did_you_mean, printable

            near = did_you_mean(args[0], COMMANDS)
            hint = f" Did you mean {near}?" if near else f" There are: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No command {printable(args[0], 40)}.{hint}", ctx) from error


@click.group(cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gke-tpu")
def cli() -> None:
    """Plan Cloud TPU slices on GKE: proven against a sourced catalog, before anything is created."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit. Never shows a traceback for what a user gave it."""
    if arguments is None:
        # The process is ours and short: looking for garbage takes half of the time of a large preview and finds none.
        gc.set_threshold(_NEW_OBJECTS, 100, 100)
    from pulumi_gke_tpu.catalog import CatalogError
    from pulumi_gke_tpu.findings import printable

    try:
        code: Any = cli.main(args=arguments, prog_name="gke-tpu", standalone_mode=False)
        if sys.stdout is not None:  # the caller may have closed it
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(EXIT_USAGE)
    except CatalogError as error:
        for line in str(error).splitlines():
            click.echo(f"gke-tpu: {printable(line, 400)}", err=True)
        sys.exit(EXIT_USAGE)
    except BrokenPipeError:
        # The reader of a pipe has gone; nobody is left to be told, and closing stdout must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        click.echo(f"gke-tpu: {printable(error)}", err=True)
        sys.exit(EXIT_USAGE)
    except Exception as error:
        if os.environ.get("GKE_TPU_TRACEBACK"):
            raise
        click.echo(f"gke-tpu: internal error: {type(error).__name__}: {printable(error)}", err=True)
        click.echo("This is a mistake in gke-tpu. GKE_TPU_TRACEBACK=1 shows where; please report it.", err=True)
        sys.exit(EXIT_MISTAKE_OF_OURS)
