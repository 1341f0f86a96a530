"""Names inside of objects, as the API server requires them: of containers, volumes, Jobs and ports."""

import re
from typing import Literal

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

NameForm = Literal["label", "port"]
"""The forms of names: of most entries, and of ports of containers, which Services and probes refer to."""
_LONGEST: dict[NameForm, int] = {"label": 63, "port": 15}
_FORMS: dict[NameForm, re.Pattern[str]] = {
    "label": lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII),
    "port": lazy_pattern(r"(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*\Z", re.ASCII),
}


def is_valid_name(name: str, form: NameForm) -> bool:
    """Whether the API server accepts a name."""
    return len(name) <= _LONGEST[form] and bool(_FORMS[form].match(name))


def reason_of_name(name: str, form: NameForm) -> str:
    """Why the API server rejects a name."""
    if len(name) > _LONGEST[form]:
        return f"it has {len(name)} characters, and {_LONGEST[form]} are allowed"
    if form == "port" and not re.search(r"[a-z]", name, re.ASCII):
        return "use at least one lower-case letter"
    return "use lower-case letters, digits and hyphens, with a letter or a digit at both ends"


def valid_name_like(name: str, form: NameForm) -> str:
    """A valid name with the letters and digits of another; empty if there is none."""
    near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return near if near and is_valid_name(near, form) else ""
