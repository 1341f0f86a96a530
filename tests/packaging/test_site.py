"""The documentation site: it builds without a warning, is complete, has no broken link, and fetches nothing."""

import functools
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

import pytest
from support.built_once import built_once
from support.tools import tool

import pulumi_gke_tpu
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.rules import all_rules

ROOT = pathlib.Path(__file__).parents[2]
TOOLS = ROOT / "tools"
ADDRESS = tool("release").site(ROOT)
LOADING = {
    "link": "href",
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "object": "data",
    "form": "action",
}
"""Element -> the attribute whose address a browser fetches."""
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", "http://www.w3.org/XML/1998/namespace")
"""Names that look like addresses. Nothing fetches them."""

pytestmark = pytest.mark.site


@pytest.fixture(scope="module", autouse=True)
def _sphinx() -> None:
    if importlib.util.find_spec("sphinx") is None:
        assert os.environ.get("CI") != "true" or sys.version_info < (3, 11), "CI must build the site"
        pytest.skip("Sphinx is not installed (tools/environment docs)")


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, cwd=TOOLS, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The whole site."""

    def build(folder: pathlib.Path) -> None:
        done = run("build_site.py", folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return built_once(tmp_path_factory, "site", build)


class Page(HTMLParser):
    """What a page links and fetches, and the places in it that links can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if LOADING.get(tag) in given:
            self.fetched.add(given[LOADING[tag]])
        self.fetched |= {given[name] for name in ("srcset", "poster", "background") if name in given}
        self.fetched |= set(re.findall(r"url\(([^)]*)\)", given.get("style", "")))


@functools.cache
def pages(site: pathlib.Path) -> Mapping[pathlib.Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def target(page: pathlib.Path, address: str) -> tuple[pathlib.Path, str]:
    """The file and the place in it that an address means."""
    path, _, place = address.partition("#")
    name = urllib.parse.unquote(path.partition("?")[0])
    return ((page.parent / name).resolve() if name else page), urllib.parse.unquote(place)


def external(address: str) -> bool:
    return re.match(r"[a-zA-Z][a-zA-Z+.-]*:|//", address) is not None


def broken(site: pathlib.Path) -> Iterator[str]:
    for page, content in pages(site).items():
        for address in sorted(content.links | content.fetched):
            if external(address):
                continue
            file, place = target(page, address)
            if not file.is_file() or (place and file.suffix == ".html" and place not in pages(site)[file].places):
                yield f"{page.relative_to(site)}: {address}"


def test_every_internal_link_leads_to_a_page_and_a_place_in_it(whole_site: pathlib.Path) -> None:
    assert list(broken(whole_site)) == []
    assert sum(len(page.links) for page in pages(whole_site).values()) > 5000, "links are found"


def test_pages_fetch_nothing_from_elsewhere(whole_site: pathlib.Path) -> None:
    fetched = {address for page in pages(whole_site).values() for address in page.fetched}
    assert [address for address in sorted(fetched) if external(address) and not address.startswith("data:")] == []
    assert any(address.endswith(".css") or ".css?" in address for address in fetched), "addresses are found"


def test_scripts_and_styles_name_no_address_elsewhere(whole_site: pathlib.Path) -> None:
    found = set()
    for path in [path for path in whole_site.rglob("*") if path.suffix in (".js", ".css")]:
        if path.name == "searchindex.js":  # the words of the pages, as data
            continue
        found |= addresses(path.read_text(encoding="utf-8"))
    assert found - set(NAMESPACES) == set()


def addresses(code: str) -> set[str]:
    """Addresses of other hosts in a script or style sheet, outside of comments."""
    text = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", code, flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"(?:https?:|(?<=[\"'(`]))//[\w.-]+[^\s\"')`]*", text))


@pytest.mark.parametrize(
    "element",
    [
        '<link rel="stylesheet" href="https://cdn.example/a.css">',
        '<script src="//cdn.example/a.js"></script>',
        '<p style="background: url(https://cdn.example/a.png)">',
        '<img srcset="https://cdn.example/a.png 2x">',
    ],
)
def test_an_element_that_fetches_is_found(element: str) -> None:
    assert any(external(address) for address in Page(element).fetched)


@pytest.mark.parametrize(
    "code", ['@import "//cdn.example/a.css";', "a { src: url(https://cdn.example/a.woff) }", "fetch(`//cdn.example/a`)"]
)
def test_an_address_in_a_script_or_style_sheet_is_found(code: str) -> None:
    assert len(addresses(code)) == 1
    assert addresses(f"/* {code} */") == set()


def test_every_rule_generation_and_topic_has_a_page(whole_site: pathlib.Path) -> None:
    rules = {path.stem for path in (whole_site / "docs" / "rules").glob("TPU*.html")}
    assert rules == {rule.id for rule in all_rules()}
    catalog = read_catalog()
    names = {path.stem for path in (whole_site / "docs" / "catalog").glob("*.html")}
    assert {*catalog.generation_names, *catalog.announced, "zones", "prices", "versions", "sources", "index"} <= names
    text = (whole_site / "docs" / "catalog" / "v6e.html").read_text(encoding="utf-8")
    assert "16x16" in text
    assert "ct6e-standard-4t" in text


def test_every_public_python_name_is_documented(whole_site: pathlib.Path) -> None:
    reference = [page for path, page in pages(whole_site).items() if path.parent.name == "reference"]
    documented = {place for page in reference for place in page.places}
    public = {f"pulumi_gke_tpu.{name}" for name in pulumi_gke_tpu.__all__ if not name.startswith("_")}
    public |= {"pulumi_gke_tpu.preview.run_program", "pulumi_gke_tpu.catalog.read_catalog"}
    assert public - documented == set()
    assert "pulumi_gke_tpu.AutopilotClusterArgs.release_channel" in documented, "keys that a class inherits"


@pytest.mark.parametrize("name", all_schemas())
def test_a_schema_is_at_its_address(name: str, whole_site: pathlib.Path) -> None:
    """Editors fetch what ``$id`` or a comment in a plan names."""
    schema = json.loads((whole_site / "docs" / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    assert schema == all_schemas()[name]()
    if "$id" in schema:
        assert schema["$id"] == f"{ADDRESS}docs/schemas/{name}.schema.json"


def test_links_to_the_site_are_relative(whole_site: pathlib.Path) -> None:
    """So that the build checks them, and a copy of the site has no links to another version."""
    absolute = [f"{path}: {link}" for path, page in pages(whole_site).items() for link in page.links if ADDRESS in link]
    assert absolute == []
    assert "docs/rules/index.html" in pages(whole_site)[whole_site / "index.html"].links
    assert "rules/TPU921.html" in pages(whole_site)[whole_site / "docs" / "organization.html"].links


def test_an_address_of_the_site_becomes_a_relative_link() -> None:
    links = [
        (".", "", "index.md"),
        (".", "docs/rules/index.html", "docs/rules/index.md"),
        ("docs", "docs/rules/TPU112.html", "rules/TPU112.md"),
        ("docs/decisions", "docs/plan-keys.html#clusters", "../plan-keys.md#clusters"),
        ("docs/schemas", "docs/schemas/plan.schema.json", "plan.schema.json"),
    ]
    rest = f"`{ADDRESS}` [b](https://example.com/x.html) [c](c.html)"
    program = (
        "import json, sys, build_site; [print(build_site.relative_links(*each)) for each in json.loads(sys.argv[1])]"
    )
    done = run("-c", program, json.dumps([(f"[a]({ADDRESS}{address}) {rest}", folder) for folder, address, _ in links]))
    assert done.stdout.splitlines() == [f"[a]({expected}) {rest}" for _, _, expected in links]


def test_every_page_of_the_repository_is_on_the_site(whole_site: pathlib.Path) -> None:
    written = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "AGENTS.md"}  # about files of a checkout
    names = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in written}
    shown = {
        path.with_name("README.html" if path.name == "index.html" else path.name).relative_to(whole_site).as_posix()
        for path in whole_site.rglob("*.html")
    }
    assert names - shown == set()


def test_no_page_contains_a_path_of_the_machine_that_built_it(whole_site: pathlib.Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in whole_site.rglob("*.html")]
    assert not any(str(ROOT) in text or str(whole_site) in text for text in texts)


# What the build refuses


def build(source: pathlib.Path, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """Build other pages with the settings of the site."""
    program = "import pathlib, sys, build_site; sys.exit(build_site.build(*map(pathlib.Path, sys.argv[1:])))"
    return run("-c", program, source, folder)


def test_each_broken_link_fails_the_build(tmp_path: pathlib.Path) -> None:
    missing = "missing.md", "other.md#nothing"
    links = [f"[link]({name})" for name in missing] + ["```{eval-rst}\n:class:`NoSuchClass`\n```"]
    for name, more in (("correct", []), ("broken", links)):
        source = tmp_path / name
        source.mkdir()
        text = "\n\n".join(["# Page", "[other](other.md)", *more])
        (source / "index.md").write_text(f"{text}\n", encoding="utf-8")
        (source / "other.md").write_text("---\norphan: true\n---\n\n# Other\n", encoding="utf-8")
        done = build(source, tmp_path / f"{name} out")
        assert (done.returncode == 0) == (not more), done.stderr
        assert [word for word in ("missing.md", "nothing", "NoSuchClass") if word in done.stderr] == (
            ["missing.md", "nothing", "NoSuchClass"] if more else []
        )


def test_pages_that_only_the_site_has_are_the_same_in_every_run() -> None:
    """``tests/tools/test_docs.py`` tests the same of the generated pages of the repository."""
    program = "import build_site, json; print(json.dumps([build_site.catalog_pages(), build_site.reference_pages()]))"
    one, two = (run("-c", program, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert one.stdout == two.stdout
    assert "reference/arguments.md" in json.loads(one.stdout)[1]


def test_a_folder_with_other_files_is_not_overwritten(tmp_path: pathlib.Path) -> None:
    (tmp_path / "thesis.txt").write_text("important")
    done = run("build_site.py", tmp_path)
    assert done.returncode == 2
    assert "contains something other than a site" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_the_script_installs_what_the_build_needs_and_hands_over_the_folder(tmp_path: pathlib.Path) -> None:
    for name in ("tools", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(TOOLS / "site", tmp_path / "tools")
    stand_ins = {"tools/environment": 'echo "installs $*"', ".venv/bin/python": '[ "$1" = -c ] || echo "$@"'}
    for name, text in stand_ins.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([tmp_path / "tools" / "site", "a folder"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["installs docs", f"{tmp_path}/tools/build_site.py a folder"]
