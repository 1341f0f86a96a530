"""Writes plain data as YAML that every parser reads as the same data."""

from typing import TYPE_CHECKING

import yaml

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_WIDTH = 2**30
"""Texts are never wrapped."""
_PLAIN = lazy_pattern(
    r"[A-Za-z/][A-Za-z0-9._/-]*(?::[A-Za-z0-9._/-]+)*\Z|[1-9]\d*(?:x[1-9]\d*)+\Z|[1-9]\d*(?:m|[KMGT]i?)\Z"
)
"""Texts that are the same text in every version of YAML, unless they are one of the words below."""
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def write_yaml(value: object) -> str:
    """One document, with keys in their order."""
    return _dumped(value, _Dumper)


def _dumped(value: object, dumper: type[yaml.SafeDumper]) -> str:
    text: str = yaml.dump(
        value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=False
    )
    return text


class _Quoting:
    """Quotes every text that any parser of YAML 1.1 or 1.2 could read as something else than text."""

    def ignore_aliases(self, data: object) -> bool:
        """Write values that occur twice twice."""
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    if "\n" in text.rstrip("\n") and text.isascii() and text.replace("\n", "").isprintable():
        style = "|"
    else:
        style = "" if _PLAIN.match(text) and text.lower() not in _WORDS else '"'
    node: yaml.Node = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


class _PythonDumper(_Quoting, yaml.SafeDumper):
    """Written in Python, for installations of PyYAML without its library in C."""


if TYPE_CHECKING or not hasattr(yaml, "CSafeDumper"):
    _Dumper = _PythonDumper
else:

    class _Dumper(_Quoting, yaml.CSafeDumper):
        """Four times as fast as the one in Python; tests compare their texts."""


_PythonDumper.add_representer(str, _write_text)
_Dumper.add_representer(str, _write_text)
