"""The two spellings of property names: camelCase for the engine, snake_case for Python."""

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_HUMP = lazy_pattern(r"(?<=[a-z0-9])([A-Z])")


def camel_case(name: str) -> str:
    """Give nodeConfig for node_config; other names do not change."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def snake_case(name: str) -> str:
    """node_config for nodeConfig; other names stay as they are."""
    return _HUMP.sub(lambda match: f"_{match[1].lower()}", name)
