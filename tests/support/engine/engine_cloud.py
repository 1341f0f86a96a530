"""A cloud that only exists in this process, and stacks of the real engine in it."""

import contextlib
import importlib.metadata
import logging
import pathlib
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.provider import Provider
from support.provider_protocol.service import serving


@dataclass(frozen=True)
class Engine:
    """A cloud, and stacks in it."""

    cloud: Cloud
    cli: PulumiCli
    folder: pathlib.Path
    port: int
    """Where the stand-in provider listens."""

    def stack(self, name: str) -> EngineStack:
        """A stack with a backend of its own."""
        return EngineStack(self.cli, self.folder / name, name, self.port)

    def stack_of(self, project: str, name: str) -> EngineStack:
        """A stack of some project. All of these share one backend, so that they can refer to each other."""
        return EngineStack(self.cli, self.folder / "shared", name, self.port, project)


@contextlib.contextmanager
def started(cli: PulumiCli, folder: pathlib.Path) -> Iterator[Engine]:
    """A cloud with its provider, and stacks that keep their state in a folder."""
    cloud = Cloud()
    with _quiet_grpc(), serving(Provider(cloud, importlib.metadata.version("pulumi-gcp"))) as port:
        try:
            yield Engine(cloud, cli, folder, port)
        finally:
            cloud.ended.set()


def executable(path: pathlib.Path, program: str) -> pathlib.Path:
    """Make a program of words for this Python."""
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -u {program}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@contextlib.contextmanager
def _quiet_grpc() -> Iterator[None]:
    """gRPC logs a program that the engine gave up on, and the record would keep all of the program alive."""
    logger = logging.getLogger("grpc._server")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
