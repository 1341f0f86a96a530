"""Registers components under another type, as a later release might."""

import dataclasses
from typing import Any

import pytest

from pulumi_gke_tpu.components import cluster_component
from pulumi_gke_tpu.core.graph.builders import slices, standard
from pulumi_gke_tpu.core.graph.declared import Alias, Declared

_MODULES: dict[str, tuple[Any, ...]] = {"TPU_SLICES": (slices, cluster_component), "TPU_FLEET": (standard,)}
"""The name of a type -> the modules that use it; the first declares the component."""


def retype(patch: pytest.MonkeyPatch, name: str, new: str, aliases: tuple[Alias, ...] = ()) -> None:
    """Another type for a component, with or without aliases."""

    def declared(resource_type: str, *values: Any, **more: Any) -> Declared:
        made = Declared(resource_type, *values, **more)
        if resource_type != new:
            return made
        options = dataclasses.replace(made.options, aliases=(*made.options.aliases, *aliases))
        return dataclasses.replace(made, options=options)

    for module in _MODULES[name]:
        patch.setattr(module, name, new)
    patch.setattr(_MODULES[name][0], "Declared", declared)
