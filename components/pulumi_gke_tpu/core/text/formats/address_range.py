"""IPv4 address ranges in CIDR notation."""

import ipaddress

Range = ipaddress.IPv4Network


def address_range(text: str) -> Range | None:
    """The range that a text describes; None if it is malformed, or not in its canonical form."""
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError:
        return None
    return network if str(network) == text else None
