"""The shape of a slice, such as 4x4 or 2x2x2."""

import math
import re

from pulumi_gke_tpu.core.frozen import frozen

_SHAPE = re.compile(r"[1-9]\d{0,4}(?:x[1-9]\d{0,4}){1,2}\Z", re.ASCII)


@frozen
class Topology:
    """Dimensions of a slice, in chips. ``str()`` gives the spelling that GKE uses: ``4x4x8``."""

    dimensions: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> "Topology":
        """Read ``AxB`` or ``AxBxC``.

        Raises:
            ValueError: the text has another form, a zero or a leading zero.
        """
        if not _SHAPE.match(text):
            raise ValueError(f"{text!r} is not of the form AxB or AxBxC")
        return cls(tuple(int(part) for part in text.split("x")))

    @property
    def chips(self) -> int:
        """The number of chips: the product of the dimensions."""
        return math.prod(self.dimensions)

    def __str__(self) -> str:
        return "x".join(map(str, self.dimensions))
