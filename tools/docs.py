"""Writes the generated pages below docs/, and removes rule pages of rules that are gone; and the catalog's schema."""

import json
import pathlib

from change_table import changes_page

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.catalog.document import json_schema
from pulumi_gke_tpu.render.generated.docs_pages import docs_pages
from pulumi_gke_tpu.render.generated.policy_table import with_policies
from pulumi_gke_tpu.rules import all_rules

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def main() -> None:
    """Bring all of it up to date."""
    pages = {**docs_pages(all_rules(), read_catalog().sources), "changes.md": changes_page()}
    for name, content in pages.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    policies = DOCS / "policy-pack.md"
    policies.write_text(with_policies(policies.read_text(encoding="utf-8")), encoding="utf-8")
    for path in (DOCS / "rules").glob("*.md"):
        if f"rules/{path.name}" not in pages:
            path.unlink()
    schema = json.dumps(json_schema(), indent=2)
    (ROOT / "catalog" / "schema.json").write_text(f"{schema}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
