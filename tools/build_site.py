"""Builds the documentation site with Sphinx, which tools/site has installed. Every warning is an error.

The pages have four origins: the Markdown of the repository, the generated pages (tools/docs.py), the catalog as
``gke-tpu catalog`` shows it, and the docstrings of the public Python names. They are collected in a folder with the
layout of the repository, so that links between them work as they do in a checkout. A README.md becomes index.md there.
Pages of the repository link generated pages by their address on the site; these links become relative, and Sphinx
checks them.
"""

import argparse
import contextlib
import gc
import io
import pathlib
import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable

import docs
from release import site
from sphinx.cmd.build import build_main

import pulumi_gke_tpu
from pulumi_gke_tpu import preview
from pulumi_gke_tpu.cli import main as gke_tpu
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.explain.facts.topics import TOPICS

ROOT = pathlib.Path(__file__).resolve().parents[1]
GUIDE = (
    "index",
    "install",
    "plans",
    "commands",
    "stacks",
    "workloads",
    "operators",
    "queues",
    "share-a-reservation",
    "dynamic-slicing",
    "volumes",
    "pods",
    "pathways",
    "serving",
    "diff",
    "changes",
    "inventory",
    "organization",
    "before-you-ask-for-quota",
    "editors",
    "fix",
    "check",
    "recommend",
    "cost",
    "explain",
    "status",
    "calendar",
    "report",
    "github",
    "policy-pack",
    "adopt",
    "from-xpk",
    "terraform-plans",
    "terraform",
    "library",
    "other-languages",
    "several-plans",
    "something-is-wrong",
    "gke-adds",
    "evidence",
)
CONTENTS = {
    "Guide": tuple(f"docs/{name}" for name in GUIDE),
    "Reference": (
        "docs/plan-keys",
        "docs/inventory-keys",
        "docs/organization-keys",
        "docs/policies",
        "docs/rules/index",
        "docs/rules-by-source",
        "Catalog <docs/catalog/index>",
        "docs/reference/index",
        "docs/schemas/index",
    ),
    "Project": (
        "docs/versioning",
        "docs/decisions/index",
        "CHANGELOG",
        "CONTRIBUTING",
        "docs/contributing/index",
        "SECURITY",
        "CODE_OF_CONDUCT",
    ),
}
"""Heading in the navigation -> its pages."""
OUTSIDE = (
    "docs/rules/TPU*.md",
    "docs/examples/*.md",
    "docs/_index.md",
    "docs/installation-configuration.md",
    "skills/*/*.md",
)
"""Pages outside of the navigation: it is a part of every page and would be too long with every rule, the Pulumi
Registry has its own, and agents read files."""
SCHEMAS = "docs/schemas/*.schema.json"
"""Files that the site has at the addresses in their ``$id``, beside the pages."""
_README = re.compile(r"(\]\((?:[^()\s]*/)?)README\.md(?=[)#])")
_OF_THE_SITE = re.compile(rf"\]\({re.escape(site(ROOT))}([^)#\s]*)")


def main() -> int:
    """Build the site into the folder that the command line names; gives the exit code."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build" / "site")
    folder = parser.parse_args().folder
    if folder.exists() and any(folder.iterdir()) and not (folder / "objects.inv").exists():
        parser.error(f"{folder} contains something other than a site. Name a new folder.")
    with tempfile.TemporaryDirectory() as scratch:
        collect(pathlib.Path(scratch))
        return build(pathlib.Path(scratch), folder)


def build(source: pathlib.Path, folder: pathlib.Path) -> int:
    """Build pages into a folder; its previous content is deleted. Gives the exit code of Sphinx."""
    with tempfile.TemporaryDirectory() as cache:
        gc.set_threshold(100_000, 20, 100)  # looking for garbage in the trees of pages took a fifth of the time
        shutil.rmtree(folder, ignore_errors=True)
        options = ["-b", "html", "-c", ROOT / "docs", "-d", cache, "--fail-on-warning", "--quiet"]
        status = build_main([str(word) for word in (*options, source, folder)])
        gc.freeze()  # nor at the end
    for path in source.glob(SCHEMAS) if status == 0 else ():
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return int(status)


def collect(folder: pathlib.Path) -> None:
    """Write every page of the site as Sphinx reads it."""
    left_out = shutil.ignore_patterns("conf.py", "static", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=left_out)
    shutil.copytree(ROOT / "skills", folder / "skills")
    docs.write(docs.generated(), folder / "docs")
    for path in ROOT.glob("*.md"):
        if path.name != "AGENTS.md":  # it is about files that the site does not have
            shutil.copy(path, folder)
    for path in sorted(folder.rglob("*.md")):
        text = relative_links(path.read_text(encoding="utf-8"), path.parent.relative_to(folder).as_posix())
        text = _README.sub(r"\1index.md", text)
        if path.name == "README.md":
            path.unlink()
        name = path.name.replace("README.md", "index.md")
        path.with_name(name).write_text(text, encoding="utf-8")
    for name, text in {**catalog_pages(), **reference_pages()}.items():
        path = folder / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for caption, pages in CONTENTS.items():
        _append(folder / "index.md", contents(pages, caption=caption))
    for name, pages in (("decisions", "0*"), ("contributing", "*")):
        _append(folder / "docs" / name / "index.md", contents([pages], glob=True))
    for path in [path for pattern in OUTSIDE for path in folder.glob(pattern)]:
        text = path.read_text(encoding="utf-8")
        rest = text.removeprefix("---\n") if text.startswith("---\n") else f"---\n\n{text}"
        path.write_text(f"---\norphan: true\n{rest}", encoding="utf-8")


def relative_links(text: str, folder: str) -> str:
    """The text of a page in a folder with relative links in place of addresses of the site."""

    def relative(match: re.Match[str]) -> str:
        target = re.sub(r"\.html$", ".md", match[1] or "index.html")
        return f"]({posixpath.relpath(target, folder)}"

    return _OF_THE_SITE.sub(relative, text)


def _append(page: pathlib.Path, text: str) -> None:
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{text}", encoding="utf-8")


def contents(pages: Iterable[str], *, caption: str = "", glob: bool = False, hidden: bool = True) -> str:
    """A table of contents: in the navigation, and on the page itself unless it is hidden there."""
    options = [f":caption: {caption}"] * bool(caption) + [":glob:"] * glob + [":hidden:"] * hidden
    return "\n".join(["```{toctree}", ":maxdepth: 1", *options, "", *pages, "```", ""])


def catalog_pages() -> dict[str, str]:
    """Path below docs/ -> page: the overview, each generation, each topic."""
    catalog = read_catalog()
    names = [*catalog.generation_names, *catalog.announced, "prices", *TOPICS]
    pages = {f"catalog/{name}.md": _printed("catalog", name, "--format", "markdown") for name in names}
    overview = _printed("catalog", "--format", "markdown")
    listed = contents([f"{name} <{name}>" for name in names], hidden=False)
    return {"catalog/index.md": f"{overview}\n## Pages\n\n{listed}", **pages}


def _printed(*words: str) -> str:
    """Run a command of gke-tpu and give its output."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            gke_tpu(list(words))
    except SystemExit as stop:
        if stop.code:
            raise
    return printed.getvalue()


def reference_pages() -> dict[str, str]:
    """Path below docs/ -> page: the public Python names, documented by their docstrings."""
    public = {name for name in pulumi_gke_tpu.__all__ if not name.startswith("_")}
    arguments = {name for name in public if name.endswith("Args")}
    plans = {"load_plan", *(name for name in public if name.startswith("Finding")), "Severity", "format_path"}
    previews = {*preview.__all__} - {"preview_plan"}
    pages = {
        "components": ("Components", _documented("pulumi_gke_tpu", public - arguments - plans - previews)),
        "arguments": ("Arguments of components", _documented("pulumi_gke_tpu", arguments)),
        "plans": (
            "Plans and findings",
            f"{_documented('pulumi_gke_tpu', plans)}\n\n"
            f"{_documented('pulumi_gke_tpu.findings', ['Position', 'Related'])}",
        ),
        "preview": (
            "Embedded engine",
            f"{_documented('pulumi_gke_tpu.preview', previews - public)}\n\n"
            f"{_documented('pulumi_gke_tpu', previews & public)}",
        ),
        "catalog": ("Catalog", _documented("pulumi_gke_tpu.catalog", {"read_catalog", "CatalogError"})),
    }
    written = {f"reference/{name}.md": f"# {title}\n\n{body}" for name, (title, body) in pages.items()}
    index = ["# Python reference", _rst(".. automodule:: pulumi_gke_tpu"), contents(pages, hidden=False)]
    return {"reference/index.md": "\n\n".join(index), **written}


def _documented(module: str, names: Iterable[str]) -> str:
    """The directives that document these names of a module."""
    return "\n\n".join(_directive(module, name) for name in sorted(names))


def _directive(module: str, name: str) -> str:
    if name[0].islower():
        return _rst(f".. autofunction:: {module}.{name}")
    options = ["   :members:"]
    if name.endswith("Cluster"):
        options.append("   :inherited-members: ComponentResource, Resource, object")
    return _rst(f".. autoclass:: {module}.{name}", *options)


def _rst(*lines: str) -> str:
    """Directives of Sphinx that are written in its own markup."""
    return "\n".join(["```{eval-rst}", *lines, "```"])


if __name__ == "__main__":
    sys.exit(main())
