"""Settings of Sphinx for the documentation site. tools/build_site.py collects the pages and starts the build."""

import ast
import dataclasses
import functools
import importlib
import inspect
import posixpath
import typing
from typing import Any, Generic, TypeVar

import pulumi
from docutils import nodes
from sphinx.addnodes import pending_xref, toctree
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer
from sphinx.search.en import SearchEnglish

import pulumi_gke_tpu

project = "pulumi-gke-tpu"
release = version = pulumi_gke_tpu.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
nitpicky = True
nitpick_ignore_regex = [
    # Other projects document these. Nothing is fetched, so the names stay plain text.
    ("py:.*", r"(pulumi|pulumi_gcp|collections|typing|typing_extensions|pathlib|datetime|decimal)\..*"),
    ("py:class", r"pulumi_gke_tpu\.(core\.)?catalog\.(\w+\.)?Catalog"),  # its attributes may change in every release
    ("py:class", r"pulumi_gke_tpu\..*\.fixes\.\w+"),  # the text of a fix is public, its value is not
]
suppress_warnings = ["myst.header"]  # an example of a comment begins with a heading of the third level

myst_heading_anchors = 6
myst_title_to_header = True  # the pages for the Pulumi Registry have their title in front matter
highlight_language = "none"

autoclass_content = "both"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

PUBLIC = ("pulumi_gke_tpu", "pulumi_gke_tpu.findings", "pulumi_gke_tpu.preview", "pulumi_gke_tpu.catalog")
"""Modules from which people import names."""
_NAVIGATION: dict[tuple[Any, ...], str] = {}
"""Folder and options -> the navigation on its pages that are not in it."""


class Input(Generic[TypeVar("T")]):
    """Replaces ``pulumi.Input``, which would be printed as the union that it abbreviates."""

    __module__ = "pulumi"


pulumi.Input = Input
SearchEnglish.stem = functools.cache(SearchEnglish.stem)  # once for all pages: it took a fifth of the time of a build


def setup(app: Sphinx) -> None:
    """Connect what the settings alone cannot express."""
    app.connect("autodoc-before-process-signature", hide_private_parameters)
    app.connect("autodoc-process-docstring", read_sections)
    app.connect("missing-reference", find_public_name)
    app.connect("html-page-context", navigation_of_titles, priority=400)  # before Furo reads it
    document_inherited_keys(pulumi_gke_tpu.TpuFleetArgs.__module__)
    hide_validators()


def navigation_of_titles(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make the navigation of titles, without the headings of all pages, which Sphinx copies for each page and drops.

    It is made once for all pages of a folder that are not in it. Both took most of the time of a build.
    """
    made, whole = context["toctree"], app.env.tocs
    key = (posixpath.dirname(page),) if "orphan" in app.env.metadata.get(page, {}) else (page, "in the navigation")

    def navigation(**options: Any) -> str:
        place = (*key, *sorted(options.items()))
        if place not in _NAVIGATION:
            app.env.tocs = titles(app.env)
            _NAVIGATION[place] = made(**options)
            app.env.tocs = whole
        return _NAVIGATION[place]

    context["toctree"] = navigation


@functools.cache
def titles(env: BuildEnvironment) -> dict[str, Any]:
    """The contents of each page: its title, and the pages below it."""
    found = {}
    for page, whole in env.tocs.items():
        found[page] = whole.deepcopy()
        for title in found[page]:
            below = [*title.findall(toctree)]
            if len(title) > 1:
                title[1:] = [type(title[1])("", *below)] if below else []
    return found


def hide_validators() -> None:
    """Leave out what annotations of public classes contain besides types: how values are checked and written."""
    for module in map(importlib.import_module, PUBLIC):
        for item in [getattr(module, name) for name in module.__all__]:
            if dataclasses.is_dataclass(item):
                item.__annotations__ = typing.get_type_hints(item)
                for field in dataclasses.fields(item):
                    field.type = item.__annotations__[field.name]
                if "__signature__" not in vars(item):
                    item.__init__.__annotations__ = item.__annotations__


def document_inherited_keys(module: str) -> None:
    """Describe the keys of a typed dictionary that it inherits: at run time typed dictionaries have no ancestors."""
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    for node in ast.parse(analyzer.code).body:
        for base in [base.id for base in getattr(node, "bases", ()) if isinstance(base, ast.Name)]:
            inherited = {key: docs for (owner, key), docs in analyzer.attr_docs.items() if owner == base}
            analyzer.attr_docs.update({(node.name, key): docs for key, docs in inherited.items()})


def hide_private_parameters(app: Sphinx, function: Any, bound: bool) -> None:
    """Leave out parameters that only this library passes."""
    if inspect.isfunction(function):
        signature = inspect.signature(function)
        shown = [parameter for name, parameter in signature.parameters.items() if not name.startswith("_")]
        function.__signature__ = signature.replace(parameters=shown)


def read_sections(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Read sections such as ``Raises:``.

    The extension napoleon does the same, but in the description of an attribute it reads the text before a colon as a
    type.
    """
    if what not in ("attribute", "property"):
        lines[:] = GoogleDocstring(lines, what=what, name=name, obj=obj).lines()


def find_public_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> Any:
    """Link a public class by the name that people import, and not by the module that defines it."""
    module, _, name = node["reftarget"].rpartition(".")
    for public in PUBLIC:
        target = f"{public}.{name}"
        found = env.domains["py"].resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)
        if found is not None and (module.startswith(public) or not module):
            return found
    return None
