"""Other spellings of the names of options and schemas."""

_SPELLINGS = {"organisation": "organization"}


def american(word: str) -> str:
    """The name that a word spells in another way; other words are returned unchanged."""
    return _SPELLINGS.get(word, word)
