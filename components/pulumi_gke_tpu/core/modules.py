"""Finds modules by the names of their files, so that nothing has to list them."""

import functools
import importlib
import pkgutil

FEATURES = "pulumi_gke_tpu.features"


@functools.cache
def names_in(package: str, *, only_packages: bool = False) -> tuple[str, ...]:
    """The names of the modules and packages in a package, sorted; none if it does not exist.

    The package is not imported.
    """
    root, *steps = package.split(".")
    (folder,) = importlib.import_module(root).__path__
    found = pkgutil.iter_modules(["/".join((folder, *steps))])
    return tuple(item.name for item in found if item.ispkg or not only_packages)


def in_features(name: str) -> tuple[str, ...]:
    """The modules or packages of this name of all features that have one: ``pulumi_gke_tpu.features.diff.rules``."""
    features = (f"{FEATURES}.{feature}" for feature in names_in(FEATURES))
    return tuple(f"{feature}.{name}" for feature in features if name in names_in(feature))
