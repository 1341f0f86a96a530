"""The plugin starts: from the console script of a wheel, and from a checkout as Pulumi's Python host starts it."""

import pathlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

ROOT = pathlib.Path(__file__).parents[3]
LOADED = """
import sys
from pulumi_gke_tpu.features.plugin.provider import TpuProvider
import pulumi_gke_tpu.features.plugin.provider
TpuProvider()
print(sorted({"pulumi_gcp", "pulumi_gke_tpu.components", "pulumi.provider.experimental"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "from pulumi_gke_tpu.features.plugin import main; main()"),
        (str(ROOT / "components"),),
    ],
    ids=["installed", "checkout"],
)
def test_it_tells_its_port(command: tuple[str, ...]) -> None:
    started = subprocess.Popen([sys.executable, "-u", *command, "127.0.0.1:1"], stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout is not None
        with started.stdout:
            assert 0 < int(started.stdout.readline()) < 65536
    finally:
        started.kill()
        started.wait()


def test_what_components_need_is_loaded_with_the_first_one() -> None:
    """The engine waits until the plugin has started."""
    done = subprocess.run([sys.executable, "-c", LOADED], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_started_by_a_person_it_says_what_it_is() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from pulumi_gke_tpu.features.plugin import main; main()", "--help"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "the Pulumi engine starts it" in done.stdout


class SilentEngine(grpc.GenericRpcHandler):
    """It is asked and never answers, as after a failed run."""

    def __init__(self) -> None:
        self.asked, self.ended = threading.Event(), threading.Event()

    def service(self, details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(self._silence)

    def _silence(self, request: bytes, context: Any) -> bytes:
        self.asked.set()
        self.ended.wait()
        return b""


@pytest.fixture
def silent() -> Iterator[tuple[SilentEngine, str]]:
    """The engine and its address."""
    engine = SilentEngine()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), handlers=[engine])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield engine, f"127.0.0.1:{port}"
    engine.ended.set()
    server.stop(None).wait()


def test_interrupted_it_does_not_wait_for_the_engine(silent: tuple[SilentEngine, str]) -> None:
    engine, address = silent
    command = [sys.executable, "-c", "from pulumi_gke_tpu.features.plugin import main; main()", address]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout is not None
        with started.stdout, grpc.insecure_channel(f"127.0.0.1:{int(started.stdout.readline())}") as channel:
            wanted = provider_pb2.ConstructRequest(
                name="east", type="gke-tpu:index:StandardCluster", monitorEndpoint=address
            )
            answer = provider_pb2_grpc.ResourceProviderStub(channel).Construct.future(wanted)
            assert engine.asked.wait(60)
            assert not answer.done()
            started.send_signal(signal.SIGINT)
            assert started.wait(60) == 0
    finally:
        started.kill()
        started.wait()
