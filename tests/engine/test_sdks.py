"""SDKs of other languages as a release makes them: for Node.js and Go by the generators of the Pulumi CLI, compiled.

A CLI that Go built has no generators, so a small program calls them. Those for .NET and Java are in plugins that Go
does not get; their parts of ``tools/sdks`` run with stand-ins in ``tests/packaging/test_release.py``.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tarfile

import pytest
from support.engine import pulumi_cli
from support.npm_packages import required_packages
from support.tool_installation import CACHE, UnavailableError, found_or_skipped, run

ROOT = pathlib.Path(__file__).parents[2]
TOOL = ROOT / "tools" / "sdks"
SUPPORT = pulumi_cli.HERE
COMPONENTS = ("TpuFleet", "StandardCluster", "AutopilotCluster", "TpuSlices", "TpuWorkloads")

_PULUMI = """#!/bin/sh
case "$5" in
nodejs | go) exec "$GENERATORS" "$3" "$5" "$7/$5" ;;
*) mkdir "$7/$5" ;;
esac
"""
_NPM = """#!/bin/sh
# Installs the packages of the tests; the SDK of the gcp provider has only the types that are named.
[ "$1" != install ] && exec "$REAL_NPM" "$@"
mkdir -p node_modules/@pulumi/gcp/container node_modules/.bin
ln -s "$PULUMI_PACKAGES/@pulumi/pulumi" node_modules/@pulumi/pulumi
ln -s "$PULUMI_PACKAGES/@types" node_modules/@types
ln -s "$TYPESCRIPT/typescript" node_modules/typescript
ln -s "$TYPESCRIPT/.bin/tsc" node_modules/.bin/tsc
cd node_modules/@pulumi/gcp
echo '{"name": "@pulumi/gcp", "version": "10.0.0", "main": "index.js", "types": "index.d.ts"}' > package.json
echo 'exports.container = { Cluster: class {}, NodePool: class {} };' > index.js
printf 'import * as container from "./container";\\nexport { container };\\n' > index.d.ts
cat > container/index.d.ts <<END
import * as pulumi from "@pulumi/pulumi";
export declare class Cluster extends pulumi.CustomResource {}
export declare class NodePool extends pulumi.CustomResource {}
END
"""
_GO = """#!/bin/sh
# The SDK of the gcp provider has only the types that are named.
if [ "$*" = "mod tidy" ]; then
    name=github.com/pulumi/pulumi-gcp/sdk/v10
    version=$(sed -n 's|.*pulumi/sdk/v3 \\(v[0-9.]*\\).*|\\1|p' "$ENGINE/go.mod")
    cp -r "$ENGINE/sdks/gcp" .. && chmod -R u+w ../gcp
    (cd ../gcp && "$REAL_GO" mod edit -require="github.com/pulumi/pulumi/sdk/v3@$version")
    "$REAL_GO" mod edit -require="github.com/pulumi/pulumi/sdk/v3@$version"
    "$REAL_GO" mod edit -require="$name@v10.0.0" -replace="$name=../gcp"
    "$REAL_GO" mod tidy && "$REAL_GO" build ./...; exit
fi
exec "$REAL_GO" "$@"
"""
_NOTHING = '#!/bin/sh\ncase "$0" in *mvn) mkdir target && touch target/x-sources.jar ;; esac\n'


@pytest.fixture(scope="module")
def generators(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    def build(tell: object) -> pathlib.Path:
        go = shutil.which("go")
        if go is None:
            raise UnavailableError("no generators of SDKs: there is no Go")
        program = tmp_path_factory.mktemp("generators") / "sdks"
        command = [go, "build", "-mod=readonly", "-o", str(program), "./sdks"]
        run(command, 3600, "no generators of SDKs: not built", SUPPORT, {"CGO_ENABLED": "0"})
        return program

    return found_or_skipped(pytestconfig, "engine", build)


def test_a_release_has_a_component_in_each_language(generators: pathlib.Path, tmp_path: pathlib.Path) -> None:
    packages = required_packages(SUPPORT / "javascript" / "package.json", CACHE)
    typescript = required_packages(SUPPORT / "typescript" / "package.json", CACHE)
    programs = tmp_path / "programs"
    programs.mkdir()
    texts = {"pulumi": _PULUMI, "npm": _NPM, "go": _GO, "dotnet": _NOTHING, "mvn": _NOTHING}
    for name, text in texts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    variables = {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "GENERATORS": str(generators),
        "REAL_NPM": str(shutil.which("npm")),
        "REAL_GO": str(shutil.which("go")),
        "PULUMI_PACKAGES": str(packages),
        "TYPESCRIPT": str(typescript),
        "ENGINE": str(SUPPORT),
        "GOFLAGS": "-mod=mod",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    folder = tmp_path / "sdks"
    done = subprocess.run([TOOL, folder], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    (package,) = (folder / "npm").iterdir()
    with tarfile.open(package) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    unpacked = tmp_path / "unpacked" / "package"
    about = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    assert about["pulumi"]["name"] == "gke-tpu"
    assert (unpacked / "LICENSE").is_file()
    # What a program imports: beside the packages that it needs.
    shutil.copytree(unpacked, tmp_path / "user" / "node_modules" / "pulumi-gke-tpu")
    for name in ("@pulumi/pulumi", "@pulumi/gcp"):
        link = tmp_path / "user" / "node_modules" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.mkdir() if name == "@pulumi/gcp" else link.symlink_to(packages / name)
    (tmp_path / "user/node_modules/@pulumi/gcp/index.js").write_text("exports.container = {};\n")
    program = "console.log(Object.keys(require('pulumi-gke-tpu')).sort().join())"
    shown = subprocess.run(
        ["node", "-e", program], cwd=tmp_path / "user", capture_output=True, text=True, check=True
    ).stdout
    assert set(COMPONENTS) <= set(shown.strip().split(","))

    with tarfile.open(folder / "go" / "pulumi-gke-tpu-sdk-go.tar.gz") as archive:
        names = [pathlib.PurePosixPath(name).stem.lower() for name in archive.getnames()]
    assert {name.lower() for name in COMPONENTS} <= set(names)
