"""The corpus of mistakes: files of every kind that are right but for one slip, as people write them.

A file in ``cases/`` holds the cases of one class. ``base`` names a file in ``bases/`` that is valid. Of each case

- ``id`` is unique in the corpus;
- ``right`` is text of the base, and ``wrong`` what somebody writes in its place;
- ``meant`` is what the fixes should leave there, where that is not ``right`` word for word;
- ``fixed`` tells what the fixes do that ``gke-tpu validate`` offers, applied one after the other:
  ``as meant`` (the file then says what was meant), ``otherwise`` (it is valid and says something else), ``no`` (a
  finding without a fix stays), or ``valid`` (nothing is found);
- ``reading`` is ``several`` if the slip can mean more than one thing, or if a number has to be chosen, so that a
  person has to decide; else only one reading is possible;
- ``because`` says why, unless it is ``as meant``.
"""

import dataclasses
import functools
import pathlib
from dataclasses import dataclass
from typing import Any, Literal

import yaml

HERE = pathlib.Path(__file__).parents[1] / "mistakes"
Fixed = Literal["as meant", "otherwise", "no", "valid"]


@dataclass(frozen=True)
class Mistake:
    """One case. ``base`` is the name of the file that it is a mistake in."""

    id: str
    kind: str
    base: str
    right: str
    wrong: str
    meant: str
    fixed: Fixed
    because: str
    has_one_reading: bool

    @property
    def text(self) -> str:
        """The file with the mistake."""
        return base_text(self.base).replace(self.right, self.wrong, 1)

    @property
    def intended(self) -> Any:
        """What the file was meant to say, as data."""
        return yaml.safe_load(self.meant_text)

    @property
    def meant_text(self) -> str:
        """The file as it was meant."""
        return base_text(self.base).replace(self.right, self.meant, 1)

    def between_braces(self) -> "Mistake | None":
        """The same mistake in the base that is written in flow style; None where it takes lines of a block."""
        right, wrong, meant = self.right.strip(), self.wrong.strip(), self.meant.strip()
        if self.base != "standard" or "\n" in right + wrong + meant or right not in base_text("braces"):
            return None
        return dataclasses.replace(self, base="braces", right=right, wrong=wrong, meant=meant)


@functools.cache
def base_text(name: str) -> str:
    """The text of a base."""
    return (HERE / "bases" / f"{name}.yaml").read_text(encoding="utf-8")


@functools.cache
def mistakes() -> tuple[Mistake, ...]:
    """Every case, in the order of the files."""
    found = []
    for path in sorted((HERE / "cases").glob("*.yaml")):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for case in data["cases"]:
            because, meant = case.get("because", ""), case.get("meant", case["right"])
            entry = (case["id"], data["class"], data["base"], case["right"], case["wrong"], meant)
            found.append(Mistake(*entry, case["fixed"], because, case.get("reading", "one") == "one"))
    return tuple(found)
