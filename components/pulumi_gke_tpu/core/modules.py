"""Finds modules by the names of their files, so that nothing has to list them."""

import contextlib
import functools
import importlib
import os
from collections.abc import Iterator

FEATURES = "pulumi_gke_tpu.features"


@functools.cache
def names_in(package: str, *, only_packages: bool = False) -> tuple[str, ...]:
    """The names of the modules and packages in a package, sorted; none if it does not exist.

    The package is not imported.
    """
    return tuple(sorted(_names(package, only_packages=only_packages)))


def _names(package: str, *, only_packages: bool) -> Iterator[str]:
    """``pkgutil`` takes three times as long, and every command looks through all features."""
    root, *steps = package.split(".")
    (folder,) = importlib.import_module(root).__path__
    with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(folder, *steps)) as entries:
        for entry in entries:
            name, extension = os.path.splitext(entry.name)
            module = extension == ".py" and name != "__init__" and not only_packages
            if module or (not extension and os.path.isfile(os.path.join(entry.path, "__init__.py"))):
                yield name


def in_features(name: str) -> tuple[str, ...]:
    """The modules or packages of this name of all features that have one: ``pulumi_gke_tpu.features.diff.rules``."""
    features = (f"{FEATURES}.{feature}" for feature in names_in(FEATURES))
    return tuple(f"{feature}.{name}" for feature in features if name in names_in(feature))
