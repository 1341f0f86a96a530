"""The SDKs of other languages as ``tools/sdks`` packs them, by the generators of the Pulumi CLI for Node.js and Go.

A CLI that Go built has no generators, so a small program calls them. Those for .NET and Java are in plugins that Go
does not get.
"""

import os
import pathlib
import shutil
import subprocess
import tarfile

from support.documents import ROOT
from support.engine import pulumi_cli
from support.npm_packages import required_packages
from support.tool_installation import CACHE, Tell, UnavailableError, run

TOOL = ROOT / "tools" / "sdks"
SUPPORT = pulumi_cli.HERE
MODULE = "github.com/OWNER/pulumi-gke-tpu/sdk/go"

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


def build_generators(folder: pathlib.Path, tell: Tell) -> pathlib.Path:
    """The program that generates SDKs.

    Raises:
        UnavailableError: Go cannot build it.
    """
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("no generators of SDKs: there is no Go")
    program = folder / "sdks"
    command = [go, "build", "-mod=readonly", "-o", str(program), "./sdks"]
    run(command, 3600, "no generators of SDKs: not built", SUPPORT, {"CGO_ENABLED": "0"})
    return program


def pulumi_packages() -> pathlib.Path:
    """The folder ``node_modules`` with the SDK of Pulumi."""
    return required_packages(SUPPORT / "javascript" / "package.json", CACHE)


def typescript() -> pathlib.Path:
    """The folder ``node_modules`` with TypeScript."""
    return required_packages(SUPPORT / "typescript" / "package.json", CACHE)


def pack_sdks(generators: pathlib.Path, folder: pathlib.Path) -> None:
    """Run ``tools/sdks``: the folders ``npm`` and ``go`` get what a release has."""
    programs = folder.with_name(f"{folder.name} programs")
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
        "PULUMI_PACKAGES": str(pulumi_packages()),
        "TYPESCRIPT": str(typescript()),
        "ENGINE": str(SUPPORT),
        "GOFLAGS": "-mod=mod",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run([TOOL, folder], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def unpack_for_node(sdks: pathlib.Path, modules: pathlib.Path) -> pathlib.Path:
    """Put the package of a release into ``node_modules``, beside those that it needs and TypeScript.

    Of the SDK of the gcp provider there are the classes that the package names.
    """
    (package,) = (sdks / "npm").iterdir()
    with tarfile.open(package) as archive:
        archive.extractall(modules.parent / "unpacked", filter="data")
    modules.mkdir(exist_ok=True)
    (modules.parent / "unpacked" / "package").rename(modules / "pulumi-gke-tpu")
    for place, name in (
        (pulumi_packages(), "@pulumi/pulumi"),
        (pulumi_packages(), "@types"),
        (typescript(), "typescript"),
    ):
        (modules / name).parent.mkdir(exist_ok=True)
        (modules / name).symlink_to(place / name)
    gcp = modules / "@pulumi" / "gcp"
    gcp.mkdir()
    (gcp / "index.js").write_text("exports.container = { Cluster: class {}, NodePool: class {} };\n")
    (gcp / "index.d.ts").write_text(
        'import * as pulumi from "@pulumi/pulumi";\nexport declare namespace container {\n'
        "  class Cluster extends pulumi.CustomResource {}\n  class NodePool extends pulumi.CustomResource {}\n}\n"
    )
    (gcp / "package.json").write_text('{"name": "@pulumi/gcp", "version": "10.2.0", "types": "index.d.ts"}')
    return modules / "pulumi-gke-tpu"


def unpack_for_go(sdks: pathlib.Path, folder: pathlib.Path) -> None:
    """Make a folder a module that requires the module of a release."""
    with tarfile.open(sdks / "go" / "pulumi-gke-tpu-sdk-go.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    shutil.copytree(SUPPORT / "sdks" / "gcp", folder / "gcp")
    gcp = "github.com/pulumi/pulumi-gcp/sdk/v10"
    text = (folder / "go" / "go.mod").read_text(encoding="utf-8")
    requires = text[text.index("require") : text.rindex("replace")]
    (folder / "go.mod").write_text(
        f"module example\n\ngo 1.24\n\nrequire {MODULE} v0.1.0\n{requires}\n"
        f"replace {MODULE} => ./go\n\nreplace {gcp} => ./gcp\n",
        encoding="utf-8",
    )
    shutil.copy(folder / "go" / "go.sum", folder)
