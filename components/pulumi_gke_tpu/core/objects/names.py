"""Names of objects and inside of objects, as the API server and webhooks require them."""

import re
from typing import Literal

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

NameForm = Literal["subdomain", "label", "service", "port"]
"""The forms of names.

subdomain: of most objects. label: of most entries, and of objects whose Pods have their name as host name. service: of
objects whose Pods get a Service or a domain with their name. port: of ports of containers, which Services and probes
refer to.
"""
_LONGEST: dict[NameForm, int] = {"subdomain": 253, "label": 63, "service": 63, "port": 15}
_FORMS: dict[NameForm, re.Pattern[str]] = {
    "subdomain": lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\Z", re.ASCII),
    "label": lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII),
    "service": lazy_pattern(r"[a-z](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII),
    "port": lazy_pattern(r"(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*\Z", re.ASCII),
}
_REASONS: dict[NameForm, str] = {
    "subdomain": "use lower-case letters, digits, hyphens and dots",
    "label": "use lower-case letters, digits and hyphens, with a letter or a digit at both ends",
    "service": "use lower-case letters, digits and hyphens, with a letter first and no hyphen last",
    "port": "use lower-case letters, digits and hyphens, with a letter or a digit at both ends",
}


def is_valid_name(name: str, form: NameForm) -> bool:
    """Whether the API server accepts a name."""
    return len(name) <= _LONGEST[form] and has_form(name, form)


def has_form(name: str, form: NameForm) -> bool:
    """Whether a name has the characters of a form; it can be too long."""
    return bool(_FORMS[form].match(name))


def reason_of_name(name: str, form: NameForm) -> str:
    """Why the API server rejects a name."""
    if len(name) > _LONGEST[form]:
        return f"it has {len(name)} characters, and {_LONGEST[form]} are allowed"
    if form == "port" and not re.search(r"[a-z]", name, re.ASCII):
        return "use at least one lower-case letter"
    return _REASONS[form]


def valid_name_like(name: str, form: NameForm) -> str:
    """A valid name with the letters and digits of another; empty if there is none."""
    near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return near if near and is_valid_name(near, form) else ""
