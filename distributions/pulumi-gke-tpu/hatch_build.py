"""Metadata hook: this distribution has the version of gke-tpu, which it needs. Its sdist has a copy of the file."""

import pathlib
import re
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    """Reads ``_version.py``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the version, and the requirement of the same version of gke-tpu."""
        here = pathlib.Path(self.root)
        copied = here / "_version.py"
        file = copied if copied.exists() else here.parents[1] / "components" / "pulumi_gke_tpu" / "_version.py"
        version = re.findall(r'^__version__ = "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)[0]
        metadata.update(version=version, dependencies=[f"gke-tpu[pulumi]=={version}"])
