"""The version of a plugin is the one that the typed classes of its package send."""

import importlib.metadata

import pytest
from pulumi_gcp import _utilities

from pulumi_gke_tpu.components.plugin_version import plugin_version, semantic_version

VERSIONS = ["9.35.0", "10.2.0", "10.3.0a1736", "10.3.0b2", "11.0.0rc1", "10.3.0.dev5", "10.3.0+abc.1", "10.3.0a7.dev5"]


def test_the_installed_version_is_that_of_the_classes() -> None:
    assert plugin_version("gcp") == _utilities.get_version()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_form_of_a_version_is_that_of_the_classes(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    assert semantic_version(version) == str(_utilities._get_semver_version())  # type: ignore[no-untyped-call]


def test_another_form_is_sent_as_it_is() -> None:
    assert semantic_version("main") == "main"


def test_a_missing_package_is_named_with_the_extra_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    for provider, extra in (("kubernetes", "kubernetes"), ("gcp", "pulumi")):
        with pytest.raises(ModuleNotFoundError, match=rf"pulumi-{provider} is not installed; .*gke-tpu\[{extra}\]"):
            plugin_version.__wrapped__(provider)
