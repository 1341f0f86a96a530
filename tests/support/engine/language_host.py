"""Small language hosts for Python and Node.js: the engine starts one, and it runs a program in a process of its own.

The real ones come with releases of Pulumi only. This one answers what a preview or an update asks, in the same way; for
Node.js, the SDK has the program that runs programs.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import runpy
import subprocess
import sys
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc
import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

_RUN = "--run"


def put_on_path(folder: pathlib.Path) -> None:
    """Write the executables into a folder that is on the engine's PATH."""
    for language in ("python", "nodejs"):
        program = folder / f"pulumi-language-{language}"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" {language} "$@"\n')
        program.chmod(0o755)


class Host(language_pb2_grpc.LanguageRuntimeServicer):
    """What the engine asks about a program; the program contains everything it needs."""

    def __init__(self, command: Callable[[Any], list[str]]) -> None:
        self._command = command
        self._programs: list[subprocess.Popen[bytes]] = []

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - names of gRPC methods
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version="0.0.0")

    def GetRequiredPackages(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        return language_pb2.GetRequiredPackagesResponse()

    def GetRequiredPlugins(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        return language_pb2.GetRequiredPluginsResponse()

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        for program in self._programs:
            program.terminate()
        return empty_pb2.Empty()

    def Run(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        variables = {"PULUMI_CONFIG": json.dumps(dict(request.config)), "PULUMI_CONFIG_SECRET_KEYS": "[]"}
        command, environment = self._command(request), {**os.environ, **variables}
        with subprocess.Popen(command, cwd=request.pwd, env=environment) as program:
            self._programs.append(program)
        # The program has told its error to the engine itself.
        return language_pb2.RunResponse(bail=program.returncode != 0)


def python_command(request: Any) -> list[str]:
    """The command that runs a Python program."""
    run = {
        "program": os.path.join(request.info.program_directory, request.info.entry_point),
        "config": dict(request.config),
        "settings": {
            "monitor": request.monitor_address,
            "engine": sys.argv[-1],
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "parallel": request.parallel,
            "dry_run": request.dryRun,
        },
    }
    return [sys.executable, __file__, _RUN, json.dumps(run)]


def node_command(request: Any) -> list[str]:
    """The command that runs a program in JavaScript or TypeScript, as the real language host does."""
    options = {
        "monitor": request.monitor_address,
        "engine": sys.argv[-1],
        "organization": request.organization,
        "project": request.project,
        "stack": request.stack,
        "root-directory": request.info.root_directory,
        "pwd": request.info.program_directory,
        "parallel": request.parallel,
    }
    runner = os.path.join(request.info.program_directory, "node_modules", "@pulumi", "pulumi", "cmd", "run")
    words = [f"--{name}={value}" for name, value in options.items()]
    return ["node", runner, *words, *(["--dry-run"] if request.dryRun else []), request.info.entry_point]


def serve(command: Callable[[Any], list[str]]) -> None:
    """Serve until the engine ends this process."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(Host(command), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    with contextlib.suppress(KeyboardInterrupt):  # that is how it is ended
        server.wait_for_termination()


def run_program(program: str, config: dict[str, str], settings: dict[str, Any]) -> int:
    """Run a program, a file or a folder, as ``pulumi up`` does; gives the exit status."""
    pulumi.runtime.set_all_config(config)
    pulumi.runtime.configure(pulumi.runtime.Settings(**settings))
    try:
        asyncio.run(pulumi.runtime.run_in_stack(lambda: runpy.run_path(program, run_name="__main__") and None))
    except Exception as failure:
        pulumi.log.error(str(failure))
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == _RUN:
        sys.exit(run_program(**json.loads(sys.argv[2])))
    serve({"python": python_command, "nodejs": node_command}[sys.argv[1]])
