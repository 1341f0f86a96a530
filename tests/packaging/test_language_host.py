"""Which plugins Pulumi's language host for Python asks for, where the wheel or the checkout is installed.

The host asks the environment of the program for its distributions. One whose name begins with ``pulumi-``, or whose
package contains a ``pulumi-plugin.json``, needs the plugin of that name, unless the file says ``"resource": false``.
Only pulumi-policy and pulumi-esc-sdk need none without such a file.
"""

import json
import pathlib
import sys

import pytest
from support.installed_wheel import Installed, built_for_pulumi, built_wheel, environment, run

LIST = """
import importlib.metadata, importlib.util, json, pathlib, re
found = {}
for distribution in importlib.metadata.distributions():
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
    module = distribution.metadata["Name"].replace("-", "_")
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    places = list(spec.submodule_search_locations or []) if spec else []
    files = [pathlib.Path(place, "pulumi-plugin.json") for place in places]
    texts = [file.read_text("utf-8") for file in files if file.is_file()]
    if texts or name.startswith("pulumi-"):
        found[name] = texts[0] if texts else None
print(json.dumps(found))
"""
WITHOUT_PLUGIN = {"pulumi-policy", "pulumi-esc-sdk"}
OF_AN_EXTRA = "pulumi-kubernetes"
"""Installed for the tests of the extra ``kubernetes``; only users of the extra have it, and need its plugin."""


def required_plugins(python: object, folder: pathlib.Path) -> set[str]:
    """The names of the plugins that the host asks the engine for, when a program runs with this interpreter."""
    found: dict[str, str | None] = json.loads(run(python, "-c", LIST, cwd=folder))
    assert "pulumi-gcp" in found
    described = {name: json.loads(text or '{"resource": true}') for name, text in found.items()}
    return {
        about.get("name", name.removeprefix("pulumi-"))
        for name, about in described.items()
        if about.get("resource", False) and name not in WITHOUT_PLUGIN and name != OF_AN_EXTRA
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    wheels = built_wheel(tmp_path_factory), built_for_pulumi(tmp_path_factory)
    return environment(tmp_path_factory.mktemp("host"), *wheels)


def test_the_wheel_needs_no_plugin_but_that_of_google_cloud(installed: Installed) -> None:
    """Before, the engine tried five times to download a plugin `gke-tpu`, which exists nowhere."""
    assert required_plugins(installed.python, installed.folder) == {"gcp"}


def test_a_checkout_needs_no_plugin_but_that_of_google_cloud(tmp_path: pathlib.Path) -> None:
    assert required_plugins(sys.executable, tmp_path) == {"gcp"}


def test_without_the_file_the_host_looks_for_a_plugin_of_ours(installed: Installed) -> None:
    """The rule of the host as it is written above can fail."""
    file = installed.site / "pulumi_gke_tpu" / "pulumi-plugin.json"
    text = file.read_bytes()
    file.unlink()
    try:
        assert required_plugins(installed.python, installed.folder) == {"gcp", "gke-tpu"}
    finally:
        file.write_bytes(text)
