"""Regions and zones, by the form of their names."""

import re

_REGION = re.compile(r"[a-z]+-[a-z]+\d+\Z", re.ASCII)
_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-(?:ai\d+)?[a-z]\Z", re.ASCII)
_AI_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-ai\d+[a-z]\Z", re.ASCII)


def is_region(location: str) -> bool:
    """Whether this is written like a region: us-east5."""
    return bool(_REGION.match(location))


def is_zone(location: str) -> bool:
    """Whether this is written like a zone: us-east5-b, or an AI zone such as us-south1-ai1b."""
    return bool(_ZONE.match(location))


def is_ai_zone(location: str) -> bool:
    """Whether this is written like an AI zone: us-south1-ai1b."""
    return bool(_AI_ZONE.match(location))


def is_location(location: str) -> bool:
    """Whether the text has the form of a region or a zone."""
    return is_region(location) or is_zone(location)


def region_of(location: str) -> str:
    """The region of a zone; a region, or text of another form, is returned unchanged."""
    match = _ZONE.match(location)
    return match[1] if match else location
