"""The command ``gke-tpu``. Each subcommand is a module of a feature, which is imported when the subcommand runs."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from pulumi_gke_tpu._version import __version__
from pulumi_gke_tpu.cli.commands import HelpContext, american, command_modules, commands_by_section, load_command

_ELSEWHERE = {
    "apply": "`pulumi up` creates and changes the resources of a plan.",
    "destroy": "`pulumi destroy` deletes the resources of a plan.",
    "lint": "Did you mean validate?",
    "plan": "Did you mean preview? To see the effect of a change, use diff.",
    "up": "`pulumi up` creates and changes the resources of a plan.",
}
"""Commands of other tools -> what does the same here."""

_NEW_OBJECTS = 1_000_000
"""The number of new objects that starts a garbage collection; Python's default is a few hundred.

The preview of a small plan makes 90,000 and that of 1,000 slice groups 104,000, but that of what exists makes more than
200,000 for 1,000 node pools, and a collection takes 50 ms.
"""

EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_INTERRUPTED = 128 + 2
"""The exit code that a shell reports after SIGINT."""
EXIT_PIPE = 128 + 13
"""The exit code that a shell reports after SIGPIPE."""

_LONGEST_MESSAGE = 10_000

_EPILOG = (
    "Exit codes: 0 no errors, 1 errors in a plan (with --strict also warnings), 2 invalid command, 3 a bug in gke-tpu."
)


@contextlib.contextmanager
def _pipe() -> Iterator[None]:
    """Exit with ``EXIT_PIPE`` if the reader of the output has ended; click exits with 1, which means findings."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(EXIT_PIPE) from None


class _LazyGroup(click.Group):
    """A group that imports only the module of the subcommand that runs."""

    context_class = HelpContext

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _pipe():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> object:
        with _pipe():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(command_modules())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, command_modules()))
        for section, names in commands_by_section().items():
            with formatter.section(section):
                formatter.write_dl(
                    [(name, load_command(name).get_short_help_str(formatter.width - 6 - longest)) for name in names],
                    col_max=longest + 2,
                )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in command_modules() else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from pulumi_gke_tpu.core.text.findings import did_you_mean, printable

            near = did_you_mean(args[0], command_modules())
            hint = _ELSEWHERE.get(args[0]) or (
                f"Did you mean {near}?" if near else f"Use one of: {', '.join(command_modules())}."
            )
            raise click.UsageError(f"Unknown command {printable(args[0], 40)}. {hint}", ctx) from error


_SETTINGS = {"help_option_names": ["-h", "--help"], "token_normalize_func": american}


@click.group(cls=_LazyGroup, epilog=_EPILOG, context_settings=_SETTINGS, invoke_without_command=True)
@click.version_option(__version__, prog_name="gke-tpu")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Check and preview plans of Cloud TPU slices on GKE before you create them with Pulumi."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit. User input never causes a traceback."""
    if arguments is None:
        # Garbage collection takes half of the time of a large preview and frees nothing in this short process.
        gc.set_threshold(_NEW_OBJECTS, 100, 100)
        # A plugin for pydantic of another package would run in every command and see the content of plans. The search
        # for plugins reads the metadata of every installed package.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        code = _stopped()
    if arguments is None:
        gc.freeze()  # otherwise Python searches all objects for garbage before the process ends, which takes 10 ms
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Run the command, write errors to stderr, and return the exit code."""
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
    except (click.ClickException, OSError, _catalog_error()) as error:
        _show(error)
        return EXIT_USAGE
    except Exception as error:
        from pulumi_gke_tpu.core.text.findings import printable

        if os.environ.get("GKE_TPU_TRACEBACK"):
            raise
        _complain(f"gke-tpu: internal error: {type(error).__name__}: {printable(error)}")
        _complain("This is a bug in gke-tpu. Please report it with the traceback (GKE_TPU_TRACEBACK=1 shows it).")
        return EXIT_BUG


def _catalog_error() -> type[Exception]:
    """The error of an invalid catalog. It is imported when a command fails: help does not load the catalog."""
    from pulumi_gke_tpu.core.catalog import CatalogError

    return CatalogError


def _show(error: click.ClickException | Exception) -> None:
    """Write the error of a command, the catalog or the system to stderr."""
    from pulumi_gke_tpu.core.text.findings import printable, printable_path

    if isinstance(error, click.ClickException):
        # Click's messages contain the unescaped arguments.
        safe = click.UsageError(printable(error.format_message(), _LONGEST_MESSAGE), getattr(error, "ctx", None))
        with _stderr():
            safe.show()
    elif isinstance(error, OSError):
        file = f"{printable_path(error.filename)}: " if error.filename else ""
        _complain(f"gke-tpu: {file}{printable(error.strerror or error)}")
        _drop_output()
    else:
        for line in str(error).splitlines():
            _complain(f"gke-tpu: {printable(line, _LONGEST_MESSAGE)}")


def _check(arguments: list[str]) -> None:
    """Reject arguments that cannot be file names, so that the code that opens files need not check for them."""
    for word in arguments:
        try:
            possible = b"\0" not in os.fsencode(word)
        except ValueError:
            possible = False
        if not possible:
            raise click.UsageError(f"Invalid character in the argument {word}.")


def _complain(text: str) -> None:
    with _stderr():
        click.echo(text, err=True)


def _stderr() -> contextlib.AbstractContextManager[None]:
    """Ignore errors while writing to stderr: it may be closed or full, and nothing can report that."""
    return contextlib.suppress(OSError, ValueError)


def _stopped() -> int:
    _complain("Stopped.")
    return EXIT_INTERRUPTED


def _drop_output() -> None:
    """Discard output that stdout cannot take; otherwise Python writes it again at exit and prints an error."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
