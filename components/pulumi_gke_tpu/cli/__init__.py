"""The command ``gke-tpu``. Each command is a module of its own, loaded when it is called."""

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from pulumi_gke_tpu._version import __version__

COMMANDS = ("catalog", "comment", "diff", "explain", "init", "preview", "rule", "schema", "validate")

_NEW_OBJECTS = 10_000
"""Python looks for garbage each time that so many objects are new; without being told, some hundreds are enough."""

EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_MISTAKE_OF_OURS = 3
EXIT_INTERRUPTED = 128 + 2
"""As a shell reports a process that SIGINT has ended."""
EXIT_PIPE = 128 + 13
"""As a shell reports a process that SIGPIPE has ended."""

_LONGEST_MESSAGE = 10_000

_EPILOG = (
    "Exit codes: 0 fine (also with warnings, unless --strict), 1 errors in a plan, 2 the command was wrong, "
    "3 a bug in gke-tpu."
)


@contextlib.contextmanager
def _pipe() -> Iterator[None]:
    """Ends the command where the reader of its output has gone; click by itself exits with 1, which means findings."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(EXIT_PIPE) from None


class _LazyGroup(click.Group):
    """Knows the commands by name and imports the one that is called."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _pipe():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _pipe():
            return super().invoke(ctx)

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
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        code = _stopped()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """The exit code of the command. What goes wrong is written to stderr."""
    from pulumi_gke_tpu.catalog import CatalogError
    from pulumi_gke_tpu.findings import printable

    try:
        _check(arguments)
        code: Any = cli.main(args=arguments, prog_name="gke-tpu", standalone_mode=False)
        if sys.stdout is not None:  # the caller may have closed it
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return _stopped()
    except BrokenPipeError:
        _drop_output()
        return EXIT_PIPE
    except (click.ClickException, CatalogError, OSError) as error:
        _show(error)
        return EXIT_USAGE
    except Exception as error:
        if os.environ.get("GKE_TPU_TRACEBACK"):
            raise
        _complain(f"gke-tpu: internal error: {type(error).__name__}: {printable(error)}")
        _complain("This is a bug in gke-tpu. GKE_TPU_TRACEBACK=1 shows where; please report it.")
        return EXIT_MISTAKE_OF_OURS


def _show(error: click.ClickException | Exception) -> None:
    """Show what a command, the catalog or the system says about what it was given."""
    from pulumi_gke_tpu.findings import printable

    if isinstance(error, click.ClickException):
        # Click puts arguments into its messages as they are.
        safe = click.UsageError(printable(error.format_message(), _LONGEST_MESSAGE), getattr(error, "ctx", None))
        with _stderr():
            safe.show()
    elif isinstance(error, OSError):
        file = f"{printable(error.filename)}: " if error.filename else ""
        _complain(f"gke-tpu: {file}{printable(error.strerror or error)}")
        _drop_output()
    else:
        for line in str(error).splitlines():
            _complain(f"gke-tpu: {printable(line, 400)}")


def _check(arguments: list[str]) -> None:
    """Refuse arguments that no system can pass: nothing that looks at files has to expect them."""
    for word in arguments:
        try:
            possible = b"\0" not in os.fsencode(word)
        except ValueError:
            possible = False
        if not possible:
            raise click.UsageError(f"{word}: a character in it cannot be part of an argument.")


def _complain(text: str) -> None:
    with _stderr():
        click.echo(text, err=True)


def _stderr() -> contextlib.AbstractContextManager[None]:
    """For writing to stderr, which may be closed or full. Such an error cannot be reported."""
    return contextlib.suppress(OSError, ValueError)


def _stopped() -> int:
    _complain("Stopped.")
    return EXIT_INTERRUPTED


def _drop_output() -> None:
    """Forget what cannot be written to stdout, so that Python does not try again, and complain, when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
