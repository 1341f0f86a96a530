"""The group uses what the fixes for the corpus do, by class: ``python tests/mistakes/figures.py``."""

import pathlib
import sys
from collections import Counter

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from support.fixing import after_fix, files_of, is_as_meant, is_unchanged, outcome  # noqa: E402
from support.mistakes import mistakes  # noqa: E402
from support.printed import offers_of, wrong_about  # noqa: E402

from pulumi_gke_tpu.core.catalog import read_catalog  # noqa: E402

_OUTCOMES = ("as meant", "otherwise", "no", "valid")


def main() -> None:
    """Print a row for each class: mistakes, fixes, those that do what they should, and what all of a case's do."""
    catalog = read_catalog()
    rows: dict[str, Counter[str]] = {}
    reasons: dict[str, list[str]] = {}
    for mistake in mistakes():
        row = rows.setdefault(mistake.kind, Counter())
        files = files_of(mistake, catalog)
        findings = files.checked()
        offers = offers_of(findings)[0]
        row["mistakes"] += 1
        row["fixes"] += len(offers)
        row["good"] += sum(not wrong_about(offer, files, findings) for offer in offers)
        row[outcome(mistake, catalog)] += 1
        if mistake.fixed == "no":
            reasons.setdefault(mistake.because, []).append(mistake.id)
    print(f"{'class':36}{'mistakes':>9}{'fixes':>7}{'good':>6}" + "".join(f"{name:>11}" for name in _OUTCOMES))
    for kind, row in [*rows.items(), ("all", sum(rows.values(), Counter()))]:
        print(
            f"{kind:36}{row['mistakes']:>9}{row['fixes']:>7}{row['good']:>6}"
            + "".join(f"{row[name]:>11}" for name in _OUTCOMES)
        )
    print("\n`gke-tpu validate --fix`:")
    single = [mistake for mistake in mistakes() if mistake.has_one_reading]
    others = [mistake.id for mistake in single if not is_as_meant(after_fix(mistake, catalog), mistake)]
    meant = len(single) - len(others)
    print(f"  one reading: {len(single)} mistakes, {meant} mended as meant ({meant / len(single):.1%})")
    print(f"    not: {', '.join(others)}")
    several = [mistake for mistake in mistakes() if not mistake.has_one_reading]
    written = [mistake.id for mistake in several if not is_unchanged(after_fix(mistake, catalog))]
    print(f"  several readings: {len(several)} mistakes, {len(written)} written {', '.join(written)}".rstrip())
    print("\nwithout a fix, by reason:")
    for reason, ids in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
        print(f"  {len(ids):3}  {reason}: {', '.join(ids)}")


if __name__ == "__main__":
    main()
