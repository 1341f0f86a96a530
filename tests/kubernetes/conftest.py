"""A real control plane for the tests of this folder: once per run, and for each test a namespace of its own."""

import contextlib
import os
import pathlib
import uuid
from collections.abc import Iterator

import pytest
from support.control_plane import binaries
from support.control_plane.activator import DEFINITION
from support.control_plane.binaries import find_control_plane
from support.control_plane.client import Client
from support.control_plane.crds import find_crds, install_crds
from support.control_plane.module_crds import find_module_crds
from support.control_plane.shared import locked, shared_control_plane
from support.control_plane.testbed import Testbed, testbed
from support.tool_installation import CACHE, found_or_skipped


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with the control plane have the marker ``kubernetes``."""
    for item in items:
        if _needs_control_plane(item):
            item.add_marker(pytest.mark.kubernetes)


def _needs_control_plane(item: pytest.Item) -> bool:
    return "programs" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> pathlib.Path:
    """The programs. If they cannot be built, the tests are skipped; in CI they fail."""
    return found_or_skipped(pytestconfig, "kubernetes", lambda tell: find_control_plane(binaries.HERE, CACHE, tell))


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder that all processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "control_plane"


@pytest.fixture(scope="session")
def client(programs: pathlib.Path, run_folder: pathlib.Path) -> Iterator[Client]:
    with shared_control_plane(programs, run_folder) as address, contextlib.closing(address.client()) as client:
        yield client


@pytest.fixture(scope="session")
def crds(pytestconfig: pytest.Config, client: Client, run_folder: pathlib.Path) -> None:
    """The kinds of operators. If their definitions are not here, the tests are skipped; in CI they fail."""
    definitions = found_or_skipped(pytestconfig, "kubernetes", lambda tell: find_crds(tell=tell))
    with locked(run_folder / "crds"):
        if not client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition", ""):
            install_crds(client, [*definitions, DEFINITION])


@pytest.fixture(scope="session")
def gateway_crds(pytestconfig: pytest.Config, client: Client, crds: None, run_folder: pathlib.Path) -> None:
    """The kinds of the Gateway API and of its inference extension, from the modules of these projects."""
    definitions = found_or_skipped(pytestconfig, "kubernetes", find_module_crds)
    name = str(definitions[0]["metadata"]["name"])
    with locked(run_folder / "gateway-crds"):
        every = client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition", "")
        if name not in {item["metadata"]["name"] for item in every}:
            install_crds(client, definitions)


@pytest.fixture
def bed(client: Client) -> Iterator[Testbed]:
    """A namespace, for tests that create no Pod and nothing outside of it; they can run at the same time as others."""
    with testbed(client, f"test-{uuid.uuid4().hex[:12]}", alone=False) as bed:
        yield bed


@pytest.fixture
def scheduling(client: Client, run_folder: pathlib.Path) -> Iterator[Testbed]:
    """A namespace in a cluster without other nodes, Pods and priority classes: one test of the run has it at a time."""
    with locked(run_folder / "scheduling"), testbed(client, f"test-{uuid.uuid4().hex[:12]}", alone=True) as bed:
        yield bed
