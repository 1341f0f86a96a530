"""The real engine for the tests of this folder: the CLI once per run, and for each test a cloud of its own."""

import functools
import pathlib
from collections.abc import Iterator

import pulumi
import pytest
from support.built_once import built_once
from support.engine import pulumi_cli
from support.engine.engine_cloud import Engine, executable, started
from support.engine.generated_sdks import build_generators, pack_sdks
from support.engine.plan_changes import base
from support.engine.pulumi_cli import PulumiCli, find_pulumi
from support.engine.stack_run import EngineStack
from support.go_tools import YAML_HOST
from support.shipped import Plan, acknowledged, program
from support.tool_installation import CACHE, found_or_skipped

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here carries the marker ``engine``."""
    for item in items:
        if _is_ours(item):
            item.add_marker(pytest.mark.engine)


def _is_ours(item: pytest.Item) -> bool:
    return _is_here(item.path)


@functools.cache
def _is_here(path: pathlib.Path) -> bool:
    return HERE in path.parents


@pytest.fixture(scope="session", autouse=True)
def _no_debug_messages() -> Iterator[None]:
    """The SDK logs hundreds of steps to the engine, which takes a fifth of the time; the tests do not use them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulumi.log, "debug", lambda *args, **options: None)
        yield


@pytest.fixture(scope="session")
def cli(pytestconfig: pytest.Config) -> PulumiCli:
    """The real CLI. If it is not available, its tests are skipped; in CI they fail."""
    return found_or_skipped(pytestconfig, "engine", lambda tell: find_pulumi(pulumi_cli.HERE, CACHE, tell))


@pytest.fixture(scope="session")
def yaml_host(pytestconfig: pytest.Config) -> pathlib.Path:
    """The folder of the real language host for YAML, which a CLI that Go built does not bring."""
    return found_or_skipped(pytestconfig, "engine", YAML_HOST.build).built


@pytest.fixture(scope="session")
def sdks(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The SDKs of other languages as a release has them."""

    def pack(folder: pathlib.Path) -> None:
        program = tmp_path_factory.mktemp("generators")
        found = found_or_skipped(pytestconfig, "engine", lambda tell: build_generators(program, tell))
        pack_sdks(found, folder)

    return built_once(tmp_path_factory, "sdks", pack)


@pytest.fixture
def engine(cli: PulumiCli, tmp_path: pathlib.Path) -> Iterator[Engine]:
    with started(cli, tmp_path) as engine:
        yield engine


@pytest.fixture
def served(tmp_path: pathlib.Path) -> pathlib.Path:
    """The pack as a program that the engine starts itself; no language host is needed."""
    return executable(
        tmp_path / "gke-tpu-policy",
        "-c 'from pulumi_gke_tpu.features.policy_pack.pack import serve; serve()' \"$@\"",
    )


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
