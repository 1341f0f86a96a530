"""Values that GKE may add, as fields of the answers from which the provider of Terraform reads them."""

import fnmatch
import functools
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from support.gcp_standin.echoes import echoes, zero
from support.gcp_standin.flattened import NAMES
from support.gcp_standin.knowledge import CLUSTER, POOL, Kind

FILE = pathlib.Path(__file__).parents[2] / "data" / "terraform" / "echo_differences.yaml"
_API_NAMES: Mapping[str, Mapping[str, str]] = {
    token: {provider: api for api, provider in names.items() if provider} for token, names in NAMES.items()
}
_NAMES_OF_POOL = {name: api for name, api in _API_NAMES[POOL].items() if name.startswith("nodeConfig.")}
_MORE: Mapping[str, Mapping[str, str]] = {
    POOL: {},
    CLUSTER: {
        **{name: f"nodeConfig.{api.removeprefix('config.')}" for name, api in _NAMES_OF_POOL.items()},
        "maintenancePolicy.dailyMaintenanceWindow": "maintenancePolicy.window.dailyMaintenanceWindow",
        "maintenancePolicy.maintenanceExclusions": "maintenancePolicy.window.maintenanceExclusions",
        "maintenancePolicy.maintenanceExclusions.exclusionOptions": (
            "maintenancePolicy.window.maintenanceExclusions.any.maintenanceExclusionOptions"
        ),
        "maintenancePolicy.recurringMaintenanceWindow": "maintenancePolicy.window.recurringMaintenanceWindow",
        "maintenancePolicy.recurringWindow": "maintenancePolicy.window.recurringWindow",
        "maintenancePolicy.recurringWindow.endTime": "maintenancePolicy.window.recurringWindow.window.endTime",
        "maintenancePolicy.recurringWindow.startTime": "maintenancePolicy.window.recurringWindow.window.startTime",
    },
}
_TEXTS = (
    "acceleratorCount",
    "diskCount",
    "gcsGeneration",
    "intValue",
    "maxPodsPerNode",
    "maxSharedClientsPerGpu",
    "maximum",
    "minimum",
    "podPidsLimit",
    "provisionedIops",
    "provisionedThroughput",
    "sizeGb",
    "swapSizeGib",
    "threadsPerCore",
)
"""Numbers of 64 bits, which the API answers as texts."""
_BY_NAME = "maintenancePolicy.maintenanceExclusions"
"""What the API answers as a map, by the names of its items."""
_ALWAYS: Mapping[str, str] = {
    "recurringMaintenanceWindow": "windowStartTime",
    "recurringWindow": "window",
}
"""What the provider reads in these blocks without asking whether it is there."""

Fields = list[tuple[str, Any]]


@functools.cache
def differences(token: str) -> dict[str, dict[str, str]]:
    """What ``tests/data/terraform/echo_differences.yaml`` says of a type."""
    data = yaml.safe_load(FILE.read_text("utf-8"))
    return dict(data[token])


def tried(kind: Kind) -> Iterator[str]:
    """The paths of the values that the provider can read."""
    left_out = differences(kind.token)["crashes"]
    for path, _ in echoes(kind.token):
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in left_out):
            yield path


def fields(kind: Kind, path: str) -> Fields:
    """The zero or empty value of a property, and of the members of a block, as fields of an answer."""
    value = zero(kind, path)
    window = path.removeprefix("maintenancePolicy.").partition(".")[0]
    always: Fields = [(f"maintenancePolicy.window.{window}.{_ALWAYS[window]}", {})] if window in _ALWAYS else []
    return always + _own(kind, path, value)


def _own(kind: Kind, path: str, value: Any) -> Fields:
    if kind.properties[path].type not in ("block", "blocks"):
        return [(_field(kind, path), _answered(path, value))]
    (members,) = value if isinstance(value, list) else [value]
    inside = [(_field(kind, f"{path}.{name}"), _answered(name, member)) for name, member in members.items()]
    return [(_field(kind, path), {}), *inside]


def _answered(path: str, value: Any) -> Any:
    return "0" if value == 0 and value is not False and path.rpartition(".")[2] in _TEXTS else value


def _field(kind: Kind, path: str) -> str:
    """The path in an answer, with ``[]`` behind lists of blocks."""
    names = {**_API_NAMES[kind.token], **_MORE[kind.token]}
    steps, field = path.split("."), ""
    for number, step in enumerate(steps, 1):
        so_far = ".".join(steps[:number])
        field = names.get(so_far, f"{field}.{step}".lstrip("."))
        known = kind.properties.get(so_far)
        if known is not None and known.type == "blocks":
            field += ".any" if so_far == _BY_NAME else "[]"
    return field
