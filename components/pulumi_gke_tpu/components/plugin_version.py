"""The version of a provider's plugin, as the engine takes it."""

import functools
import importlib.metadata

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_VERSION = lazy_pattern(r"(\d+\.\d+\.\d+)(?:(a|b|rc)(\d+))?(?:\.dev(\d+))?(?:\+(.+))?")
_PRERELEASES = {"a": "alpha", "b": "beta", "rc": "rc"}


@functools.cache
def plugin_version(provider: str) -> str:
    """The version that belongs to the installed package of a provider, such as pulumi-gcp for gcp.

    Its typed classes send it with every resource, so that the engine loads that plugin. Importing them, or only the
    package, would take time that a program can do without.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    package = f"pulumi-{provider}"
    try:
        return semantic_version(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        hint = f"install gke-tpu[{'pulumi' if provider == 'gcp' else provider}]"
        raise ModuleNotFoundError(f"{package} is not installed; {hint}", name=package.replace("-", "_")) from None


def semantic_version(version: str) -> str:
    """A version of a Python package in the form of semantic versioning: 1.2.0-alpha.3 for 1.2.0a3."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return version
    release, kind, number, dev, local = match.groups()
    if kind:
        return f"{release}-{_PRERELEASES[kind]}.{number}"
    if dev:
        return f"{release}-dev.{dev}"
    return f"{release}-{local}" if local else str(release)
