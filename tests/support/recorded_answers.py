"""Answers of the real GKE API about clusters and node pools, some with the request that made them.

``tests/data/recorded_answers.json`` says where they come from. Versions are those of the recordings; identifiers, dates
and addresses are replaced.
"""

import functools
import json
import pathlib
from dataclasses import dataclass
from typing import Any, Literal

FILE = pathlib.Path(__file__).parents[1] / "data" / "recorded_answers.json"
PROJECT = "my-project"

Json = dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """One answer."""

    id: str
    case: str
    request: Json | None
    answer: Json

    @property
    def kind(self) -> Literal["cluster", "pool"]:
        return "cluster" if self.id.startswith("cluster") else "pool"

    @property
    def version(self) -> str:
        """That of the control plane."""
        return str(self.answer["currentMasterVersion" if self.kind == "cluster" else "version"])


@functools.cache
def recorded_answers() -> tuple[Recorded, ...]:
    """All of them, in the order of the file."""
    found, before = [], dict[str, Json]()
    for row in json.loads(FILE.read_text("utf-8"))["answers"]:
        kind = row["id"].partition("-")[0]
        for part in ("request", "answer"):
            if part in row:
                before[kind + part] = patched(before.get(kind + part, {}), row[part])
        request = before[f"{kind}request"] if "request" in row else None
        found.append(Recorded(row["id"], row["case"], request, before[f"{kind}answer"]))
    return tuple(found)


def patched(base: Any, patch: Any) -> Any:
    """JSON with a merge patch of RFC 7396 applied."""
    if not isinstance(patch, dict):
        return patch
    result = dict(base) if isinstance(base, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = patched(result.get(name), value)
    return result
