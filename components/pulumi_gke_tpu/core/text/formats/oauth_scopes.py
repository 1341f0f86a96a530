"""OAuth scopes: ``logging.write`` is short for ``https://www.googleapis.com/auth/logging.write``."""

_SHARED = "https://www.googleapis.com/auth/"


def full_scope(written: str) -> str:
    """The address of a scope, from the address or its last part."""
    return written if "/" in written else f"{_SHARED}{written}"


def short_scope(address: str) -> str:
    """The last part of the address of a scope of Google; other addresses as they are."""
    return address.removeprefix(_SHARED)
