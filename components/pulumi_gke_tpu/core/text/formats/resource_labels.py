"""Labels of Google Cloud resources, as Google Cloud accepts them."""

GOOGLES_PREFIX = "goog-"
"""Google reserves keys with this prefix."""
_LONGEST = 63


def fits_resource_label(text: str) -> bool:
    """Whether Google Cloud accepts the characters: letters that are not upper case, digits, ``_`` and ``-``."""
    if len(text) > _LONGEST:
        return False
    return all(char in "_-" or (char.isalnum() and char.lower() == char) for char in text)


def is_resource_label_key(text: str) -> bool:
    """Whether Google Cloud accepts this as the key of a label of a user."""
    return bool(text) and text[0].isalpha() and fits_resource_label(text) and not text.startswith(GOOGLES_PREFIX)
