"""Writes the generated pages in docs/, the schema of the catalog and the rules about each key of a plan.

It deletes the pages of rules that are gone.
"""

import json
import pathlib
import subprocess
import sys

from change_table import changes_page
from key_rules import key_rules_file

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.catalog.document import json_schema
from pulumi_gke_tpu.explain.words.plan_keys import KEY_RULES
from pulumi_gke_tpu.render.generated.docs_pages import docs_pages
from pulumi_gke_tpu.render.generated.policy_table import with_policies
from pulumi_gke_tpu.rules import all_rules

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
COMMENT = ("docs/examples/prod-before.yaml", "stacks/prod/plan.yaml", "--today", "2026-11-20", "--format", "markdown")


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
    command = [sys.executable, "-c", "from pulumi_gke_tpu.cli import main; main()", "diff", *COMMENT]
    comment = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE)  # exits with 1: the change stops
    (DOCS / "examples" / "comment.md").write_bytes(comment.stdout)
    KEY_RULES.write_text(key_rules_file(read_catalog()), encoding="utf-8")
    schema = json.dumps(json_schema(), indent=2)
    (ROOT / "catalog" / "schema.json").write_text(f"{schema}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
