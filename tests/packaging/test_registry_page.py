"""The page of the Pulumi Registry: an example in each language, with the names of the package schema.

``tests/engine`` compiles or runs those in TypeScript, Go and YAML. For Java and C# there are no generators of SDKs
here: javac compiles the example with classes that are made from the schema, and of that in C# the names are compared.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any

import pytest
from support.documents import ROOT, blocks

from pulumi_gke_tpu.features.plugin.schema import SCHEMA_FILE

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
EXAMPLES = {block.language: block.text for block in blocks(ROOT / "docs" / "_index.md")}
CLUSTER = SCHEMA["resources"]["gke-tpu:index:AutopilotCluster"]
GROUP = SCHEMA["types"]["gke-tpu:index:SliceGroup"]
VALUES = {"my-project", "us-central1", "v5e", "2x2", "dev", "notebook", "kubeconfig"}


def test_there_is_an_example_in_each_language_of_the_schema() -> None:
    named = {{"nodejs": "typescript"}.get(language, language) for language in SCHEMA["language"]}
    assert {*named, "yaml"} == EXAMPLES.keys() - {"text"}


@pytest.mark.parametrize("language", sorted(EXAMPLES.keys() - {"text"}))
def test_every_example_makes_the_same_cluster(language: str) -> None:
    words = set(re.findall(r"[\w-]+", EXAMPLES[language]))
    assert words >= VALUES
    assert "AutopilotCluster" in EXAMPLES[language]


def test_the_example_in_python_makes_this_cluster() -> None:
    from pulumi_gke_tpu.preview import run_program

    names: dict[str, Any] = {}
    found = run_program(lambda: exec(compile(EXAMPLES["python"], "_index.md", "exec"), names))
    (cluster,) = [each for each in found.resources if each.type == "gcp:container/cluster:Cluster"]
    assert (cluster.inputs["name"], cluster.inputs["location"]) == ("dev", "us-central1")


def test_the_names_of_the_example_in_csharp_are_in_the_schema() -> None:
    text = EXAMPLES["csharp"]
    assigned = {name[0].lower() + name[1:] for name in re.findall(r"\b([A-Z]\w+)\s*=\s", text)}
    assert len(assigned) == 5
    assert assigned <= CLUSTER["inputProperties"].keys() | GROUP["properties"].keys()
    (output,) = re.findall(r"cluster\.([A-Z]\w+)", text)
    assert output[0].lower() + output[1:] in CLUSTER["properties"]
    assert "new SliceGroupArgs" in text


_PULUMI = {
    "com/pulumi/Pulumi.java": """package com.pulumi;
public class Pulumi { public static void run(java.util.function.Consumer<Context> stack) {} }""",
    "com/pulumi/Context.java": """package com.pulumi;
public class Context { public Context export(String name, com.pulumi.core.Output<?> value) { return this; } }""",
    "com/pulumi/core/Output.java": "package com.pulumi.core;\npublic class Output<T> {}",
}


def java_type(about: dict[str, Any]) -> str:
    if "$ref" in about:
        name = about["$ref"].rpartition(":")[2]
        return f"com.pulumi.gketpu.inputs.{name}Args" if name == "SliceGroup" else "Object"
    if about["type"] == "object" and "additionalProperties" in about:
        return f"java.util.Map<String, {java_type(about['additionalProperties'])}>"
    return {"string": "String", "integer": "Integer", "boolean": "Boolean"}.get(about["type"], "Object")


def java_arguments(package: str, name: str, properties: dict[str, Any]) -> str:
    """A class with a builder, as the generator of Pulumi for Java makes it."""
    setters = "".join(
        f"public Builder {key}({java_type(about)} value) {{ return this; }}\n" for key, about in properties.items()
    )
    inner = f"public static class Builder {{ {setters} public {name} build() {{ return new {name}(); }} }}"
    start = "public static Builder builder() { return new Builder(); }"
    return f"package {package};\npublic class {name} {{ {start} {inner} }}"


@pytest.mark.skipif(shutil.which("javac") is None and os.environ.get("CI") != "true", reason="there is no javac")
def test_the_example_in_java_is_compiled_with_the_names_of_the_schema(tmp_path: pathlib.Path) -> None:
    outputs = "".join(
        f"public com.pulumi.core.Output<String> {name}() {{ return null; }}\n" for name in CLUSTER["properties"]
    )
    sdk = {
        "AutopilotCluster.java": "package com.pulumi.gketpu;\npublic class AutopilotCluster { "
        f"public AutopilotCluster(String name, AutopilotClusterArgs args) {{}} {outputs} }}",
        "AutopilotClusterArgs.java": java_arguments(
            "com.pulumi.gketpu", "AutopilotClusterArgs", CLUSTER["inputProperties"]
        ),
        "inputs/SliceGroupArgs.java": java_arguments("com.pulumi.gketpu.inputs", "SliceGroupArgs", GROUP["properties"]),
    }
    for name, text in {**_PULUMI, **{f"com/pulumi/gketpu/{name}": text for name, text in sdk.items()}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def errors(text: str) -> str:
        (tmp_path / "App.java").write_text(text)
        command = ["javac", "-d", tmp_path / "out", "-sourcepath", tmp_path, tmp_path / "App.java"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stderr

    assert errors(EXAMPLES["java"]) == ""
    assert "method topologi(" in errors(EXAMPLES["java"].replace(".topology(", ".topologi("))
    assert "method kubeconfigComand()" in errors(EXAMPLES["java"].replace("kubeconfigCommand", "kubeconfigComand"))
