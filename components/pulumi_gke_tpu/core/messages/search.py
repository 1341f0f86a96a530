"""The messages of the catalog that a text has, the root cause first."""

import functools
from collections.abc import Mapping
from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.messages import Message, MessageStage
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.pasted import PastedText, read_pasted
from pulumi_gke_tpu.core.messages.patterns import Found, find

_STAGES: tuple[MessageStage, ...] = get_args(MessageStage)
_MOST_CAUSES = 3


@frozen
class FoundMessage:
    """A message that is in a text."""

    id: str
    origin: str
    """The program that prints it."""
    message: Message
    places: Found
    hidden: tuple[str, ...]
    """The titles of the causes that can be behind it and that the text does not name."""


@frozen
class Explained:
    """What a text means: its messages that are nearest to the root of the failure."""

    id: str
    """The first message."""
    titles: str
    cause: str
    fix: str
    page: str
    """The page about failures of this kind."""
    look: tuple[str, ...]
    """Commands with parts such as ``{zone}``."""
    hidden: tuple[str, ...]
    waits: bool
    """Whether nothing is wrong: the object waits for others."""
    distance: int
    """How far it is from the root of a failure: 0 for a cause."""

    @property
    def advice(self) -> str:
        """What to do, and the page."""
        return f"{self.fix} See `gke-tpu explain {self.page}`."


class MessageSearch:
    """Searches texts for the messages of a catalog. Each text is searched once."""

    def __init__(self, catalog: Catalog) -> None:
        self.known: Mapping[str, tuple[str, Message]] = {
            id: (origin, message) for origin, group in catalog.messages.items() for id, message in group.items()
        }
        self.explained = functools.cache(self._explained)

    def found(self, text: PastedText) -> tuple[FoundMessage, ...]:
        """The messages that no other one says more precisely, the root cause first, and by their place in the text."""
        places = {id: where for id, (_, message) in self.known.items() if (where := find(message, text)) is not None}
        shown = [id for id in places if not set(self.known[id][1].unless) & set(places)]
        shown.sort(key=lambda id: (_STAGES.index(self.known[id][1].stage), places[id].start))
        titles = {id: message.title for id, (_, message) in self.known.items() if id not in places}
        hidden = {id: tuple(titles[other] for other in self.known[id][1].hides if other in titles) for id in shown}
        return tuple(FoundMessage(id, *self.known[id], places[id], hidden[id]) for id in shown)

    def _explained(self, text: str) -> Explained | None:
        """What the text means; None if no message of the catalog is in it."""
        found = self.found(read_pasted(text))
        if not found:
            return None
        nearest = [each.message for each in found if each.message.stage == found[0].message.stage][:_MOST_CAUSES]
        first = nearest[0]
        return Explained(
            id=found[0].id,
            titles=". ".join(message.title for message in nearest),
            cause=first.cause,
            fix=first.fix,
            page=first.page,
            look=first.look,
            hidden=found[0].hidden,
            waits=any(message.waits for message in nearest),
            distance=_STAGES.index(first.stage),
        )
