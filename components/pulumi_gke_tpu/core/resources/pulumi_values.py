"""The values of a Pulumi program in YAML: configuration, variables, and functions that only rearrange them."""

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.hcl_evaluation import below
from pulumi_gke_tpu.core.resources.hcl_functions import HclRefusedError, is_unknown, text_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_FILLED = lazy_pattern(r"\$(?P<escaped>\$\{)|\$\{(?P<path>[^{}]{1,300})\}")
_STEP = lazy_pattern(r"\.?(?P<name>[A-Za-z_][\w:-]*)|\[(?P<index>\d{1,4})\]|\[\"(?P<key>[^\"\]]*)\"\]")
_FUNCTION: Final = "fn::"
_DEEPEST: Final = 30
_LONGEST: Final = 10_000
_STEPS: Final = 200_000


class ProgramValues:
    """The values of one program with the configuration of one stack."""

    def __init__(self, program: Mapping[str, Any], config: Mapping[str, Any]) -> None:
        self._resources = mapping(program.get("resources"))
        properties = {name: mapping(mapping(each).get("properties")) for name, each in self._resources.items()}
        self._written = {
            **properties, **_defaults(program), **_without_project(config), **mapping(program.get("variables"))
        }  # fmt: skip
        self.project = config.get("gcp:project")
        """The project of the provider."""
        self._known: dict[str, Any] = {}
        self._steps = _STEPS

    def has(self, resource: str) -> bool:
        """Whether a name is that of a resource."""
        return resource in self._resources

    def value(self, written: Any, depth: int = 0) -> Any:
        """A value of the program, unknown where a resource or another function yields it."""
        self._steps -= 1
        if depth > _DEEPEST or self._steps < 0:
            return UNKNOWN
        if isinstance(written, list):
            return [self.value(item, depth + 1) for item in written]
        if isinstance(written, dict):
            function = next((str(key) for key in written if str(key).lower().startswith(_FUNCTION)), None)
            if function is None:
                return {key: self.value(item, depth + 1) for key, item in written.items()}
            return self._called(function[len(_FUNCTION) :], self.value(written[function], depth + 1))
        return self._filled(written, depth) if isinstance(written, str) else written

    def _filled(self, text: str, depth: int) -> Any:
        """A text with what its expressions refer to."""
        whole = _FILLED.fullmatch(text)
        if whole is not None and whole["path"]:
            return self._referred(whole["path"], depth)
        parts, at = [], 0
        for match in _FILLED.finditer(text):
            part = "${" if match["escaped"] else self._referred(match["path"], depth)
            if not isinstance(part, str | int | float):
                return UNKNOWN
            parts += [text[at : match.start()], text_of(part)]
            at = match.end()
        found = "".join([*parts, text[at:]])
        return UNKNOWN if len(found) > _LONGEST or (is_open(found) and "$${" not in text) else found

    def _referred(self, path: str, depth: int) -> Any:
        name, *steps = _steps(path) or [""]
        if name not in self._written:
            return UNKNOWN
        if name not in self._known:
            self._known[str(name)] = UNKNOWN  # while it is worked out, for names that refer to themselves
            self._known[str(name)] = self.value(self._written[str(name)], depth + 1)
        found = self._known[str(name)]
        try:
            for step in steps:
                found = below(found, step)
        except HclRefusedError:
            return UNKNOWN
        return UNKNOWN if found is None and self.has(str(name)) else found

    def _called(self, name: str, argument: Any) -> Any:
        if name == "secret":
            return argument
        if not isinstance(argument, list) or len(argument) != 2 or is_unknown(argument):  # noqa: PLR2004 - both
            return UNKNOWN
        first, second = argument
        if name == "join" and isinstance(second, list):
            return str(first).join(map(str, second))
        if name == "split":
            return str(second).split(str(first)) if first else UNKNOWN
        if name == "select" and isinstance(second, list) and isinstance(first, int) and 0 <= first < len(second):
            return second[first]
        return UNKNOWN


def _steps(path: str) -> list[str | int]:
    """The steps of a path; empty for another expression."""
    found: list[str | int] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return []
        found.append(int(step["index"]) if step["index"] else step["name"] or step["key"] or "")
        at = step.end()
    return found


def _defaults(program: Mapping[str, Any]) -> dict[str, Any]:
    """What the configuration of a program has without a stack."""
    found = {}
    for name, item in mapping(program.get("config", program.get("configuration"))).items():
        if isinstance(item, dict):
            given = [item[key] for key in ("value", "default") if key in item]
            found[name] = given[0] if given else UNKNOWN
        else:
            found[name] = item
    return _without_project(found)


def _without_project(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration by names without a namespace; a secret is unknown."""
    return {
        str(name).rpartition(":")[2]: UNKNOWN if isinstance(item, dict) and "secure" in item else item
        for name, item in config.items()
    }
