"""SDKs of other languages as a release makes them, and the programs of the documentation that use them.

Node.js and Go: packed by ``tools/sdks``, type-checked and compiled. For .NET and Java there are no generators here;
their parts of ``tools/sdks`` run with stand-ins in ``tests/packaging/test_release.py``.
"""

import json
import pathlib
import subprocess
import tarfile

from support.documents import ROOT, blocks
from support.engine.generated_sdks import typescript, unpack_for_go, unpack_for_node

COMPONENTS = ("TpuFleet", "StandardCluster", "AutopilotCluster", "TpuSlices", "TpuWorkloads")
TSCONFIG = ROOT / "templates" / "gke-tpu-typescript" / "tsconfig.json"


def example(language: str) -> str:
    """The program of the page of the registry."""
    (text,) = (block.text for block in blocks(ROOT / "docs" / "_index.md") if block.language == language)
    return text


def test_a_release_has_a_component_in_each_language(sdks: pathlib.Path, tmp_path: pathlib.Path) -> None:
    unpacked = unpack_for_node(sdks, tmp_path / "node_modules")
    about = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    assert about["pulumi"]["name"] == "gke-tpu"
    assert (unpacked / "LICENSE").is_file()
    program = "console.log(Object.keys(require('pulumi-gke-tpu')).sort().join())"
    shown = subprocess.run(["node", "-e", program], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert set(COMPONENTS) <= set(shown.strip().split(","))

    with tarfile.open(sdks / "go" / "pulumi-gke-tpu-sdk-go.tar.gz") as archive:
        names = [pathlib.PurePosixPath(name).stem.lower() for name in archive.getnames()]
    assert {name.lower() for name in COMPONENTS} <= set(names)


def test_the_example_in_typescript_has_the_types_of_the_sdk(sdks: pathlib.Path, tmp_path: pathlib.Path) -> None:
    unpack_for_node(sdks, tmp_path / "node_modules")
    (tmp_path / "tsconfig.json").write_text(TSCONFIG.read_text(encoding="utf-8"), encoding="utf-8")

    def errors(text: str) -> str:
        (tmp_path / "index.ts").write_text(text, encoding="utf-8")
        command = ["node", typescript() / "typescript" / "bin" / "tsc", "--noEmit", "--project", tmp_path]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    text = example("typescript")
    assert errors(text) == ""
    found = errors(text.replace("topology", "topologi").replace("kubeconfigCommand", "kubeconfigComand"))
    assert all(each in found for each in ("'topologi' does not exist", "'kubeconfigComand' does not exist"))


def test_the_example_in_go_is_compiled_with_the_sdk(sdks: pathlib.Path, tmp_path: pathlib.Path) -> None:
    unpack_for_go(sdks, tmp_path)

    def errors(text: str) -> str:
        (tmp_path / "main.go").write_text(text, encoding="utf-8")
        command = ["go", "build", "-mod=mod", "-o", str(tmp_path / "program"), "."]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stderr

    text = example("go")
    assert errors(text) == ""
    assert "unknown field Topologi" in errors(text.replace("Topology: &", "Topologi: &"))
    of_guide = [block.text for block in blocks(ROOT / "docs" / "other-languages.md") if block.language == "go"]
    assert of_guide == [text]
