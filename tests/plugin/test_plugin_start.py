"""The plugin starts: from the console script of a wheel, and from a checkout as Pulumi's Python host starts it."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
LOADED = """
import sys
from pulumi_gke_tpu.plugin.provider import TpuProvider
import pulumi_gke_tpu.plugin.serve
TpuProvider()
print(sorted({"pulumi_gcp", "pulumi_gke_tpu.resources", "pulumi.provider.experimental"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "from pulumi_gke_tpu.plugin import main; main()"),
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
        [sys.executable, "-c", "from pulumi_gke_tpu.plugin import main; main()", "--help"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "the Pulumi engine starts it by itself" in done.stdout
