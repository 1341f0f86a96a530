"""The real engine for the tests of this folder: the CLI once per run, and for each test a cloud of its own."""

import contextlib
import importlib.metadata
import logging
import os
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from gcp_standin.cloud import Cloud
from gcp_standin.server import serving
from plan_changes import base
from pulumi_cli import NoCliError, PulumiCli, find_pulumi
from shipped import Plan, acknowledged, program
from stack_run import EngineStack

HERE = pathlib.Path(__file__).parent
SWITCH = "GKE_TPU_ENGINE"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here carries the marker ``engine`` and runs only where it is asked for."""
    off = pytest.mark.skip(reason=f"tests with the real Pulumi engine run with {SWITCH}=1 in the environment")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.engine)
            if os.environ.get(SWITCH) != "1":
                item.add_marker(off)


@pytest.fixture(scope="session")
def cli() -> PulumiCli:
    try:
        return find_pulumi(HERE, HERE.parents[1] / ".cache")
    except NoCliError as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must run the engine tests, but there is {reason}")
        pytest.skip(str(reason))


@dataclass(frozen=True)
class Engine:
    """A cloud, and stacks in it."""

    cloud: Cloud
    stack: Callable[[str], EngineStack]


@contextlib.contextmanager
def started(cli: PulumiCli, folder: pathlib.Path) -> Iterator[Engine]:
    """A cloud with its provider, and stacks that keep their state in a folder."""
    cloud = Cloud()
    with _quiet_grpc(), serving(cloud, importlib.metadata.version("pulumi-gcp")) as port:
        yield Engine(cloud, lambda name: EngineStack(cli, folder / name, name, port))


@pytest.fixture
def engine(cli: PulumiCli, tmp_path: pathlib.Path) -> Iterator[Engine]:
    with started(cli, tmp_path) as engine:
        yield engine


@pytest.fixture(scope="session")
def prod(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineStack]:
    """The changed plan's starting point, brought up once; tests only preview."""
    yield from _up(cli, tmp_path_factory.mktemp("prod"), base())


@pytest.fixture(scope="session")
def lifted(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineStack]:
    """The same after an update with everything acknowledged."""
    yield from _up(cli, tmp_path_factory.mktemp("lifted"), base(), acknowledged(base(), "delete", "train-east"))


def _up(cli: PulumiCli, folder: pathlib.Path, *plans: Plan) -> Iterator[EngineStack]:
    with started(cli, folder) as engine:
        stack = engine.stack("prod")
        for plan in plans:
            assert stack.up(program(plan)).error == ""
        yield stack


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
