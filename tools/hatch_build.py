"""Build hook: prepares the catalog, so that a wheel contains the files that a checkout writes at the first read."""

import pathlib
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PreparedCatalog(BuildHookInterface[Any]):
    """Makes the prepared form of every catalog file, and removes that of files that are gone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bring the prepared files up to date before a build."""
        root = pathlib.Path(self.root)
        sys.path.insert(0, str(root / "components"))
        from pulumi_gke_tpu.core.text.yamlfile.file import FOLDER, read_prepared

        files = list((root / "catalog").rglob("*.yaml"))
        for path in files:
            read_prepared(path)
        prepared = {path.parent / FOLDER / f"{path.stem}.json" for path in files}
        for path in (root / "catalog").rglob(f"{FOLDER}/*"):
            if path not in prepared:
                path.unlink()
