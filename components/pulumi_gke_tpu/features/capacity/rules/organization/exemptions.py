"""Which exemption covers which place of a plan, by look-up, so that many exemptions cost as little as one."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.plan.organization.model import Exemption
from pulumi_gke_tpu.features.capacity.rules.organization.uses import PlanPlace


class Exemptions:
    """Exemptions by standard, project and item. ``entries`` are their indices in the file and the exemptions."""

    def __init__(self, entries: Iterable[tuple[int, Exemption]]) -> None:
        self._indices: dict[tuple[str, str | None, str | None], list[int]] = {}
        self._standards: set[str] = set()
        for index, entry in entries:
            self._indices.setdefault((entry.standard, entry.project, entry.of), []).append(index)
            self._standards.add(entry.standard)

    def any_from(self, standard: str) -> bool:
        """Whether any exemption is from a standard."""
        return standard in self._standards

    def covering(self, standard: str, place: PlanPlace) -> Iterator[int]:
        """The indices of the exemptions from a standard that cover a place."""
        for project in (None, place.member.plan.project):
            for item in (None, *dict.fromkeys((place.item.partition("/")[0], place.item))):
                yield from self._indices.get((standard, project, item), ())

    def covers(self, standard: str, place: PlanPlace) -> bool:
        """Whether any exemption from a standard covers a place."""
        return next(self.covering(standard, place), None) is not None
