"""Twice as many fixes in a file take at most about twice the work."""

import datetime
import functools
from collections.abc import Callable

import pytest
from support.work import steps

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.plan import read_plan_content
from pulumi_gke_tpu.rules import check_plan
from pulumi_gke_tpu.workflows.fixing import FixableFile, Fixer, replacements

FIXER = Fixer(read_catalog(), datetime.date(2026, 11, 20))
MANY = 40
_SLACK = 2.2
HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
GROUP = "      g#:\n        tpu: v6e\n        topology: 2x2\n        zone: us-east5-b\n"


def groups(old: str, new: str) -> Callable[[int], str]:
    return lambda count: HEAD + "".join(GROUP.replace(old, new).replace("#", str(index)) for index in range(count))


def one_group(text: str, start: str) -> Callable[[int], str]:
    return lambda count: (
        HEAD + GROUP + f"        {start}:\n" + "".join(f"          {text}\n".replace("#", str(i)) for i in range(count))
    )


FILES: dict[str, Callable[[int], str]] = {
    "renamed keys": groups("topology", "topologi"),
    "values": groups("v6e", "V6E"),
    "two entries for one": groups("topology: 2x2", "chips: v6e-8"),
    "keys one level deeper": groups("zone:", "max_duration: 3d\n        zone:"),
    "items of a list": one_group('- "k#=v:NoSchedule"', "taints"),
    "labels": one_group("k#: 1", "node_labels"),
    "braces": lambda count: HEAD + "".join(f"      g{i}: {{tpu: v6e, topologi: 2x2}}\n" for i in range(count)),
    "one bad fix among good ones": lambda count: (
        groups("topology", "topologi")(count) + "      x: {tpu: v6e, topology: 2x2, topologi: 2x2, zone: us-east5-x}\n"
    ),
}


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_the_work_of_fixes_grows_with_their_number(make: Callable[[int], str]) -> None:
    def fix(text: str) -> None:
        FIXER.fix([FixableFile("plan.yaml", text.encode())])

    texts = [make(count) for count in (MANY, 2 * MANY, 4 * MANY)]
    fix(texts[0])  # imports and caches are not measured
    works = [steps(functools.partial(fix, text)) for text in texts]
    assert works[2] - works[1] <= _SLACK * (works[1] - works[0])


def test_a_thousand_fixes_are_applied() -> None:
    text = groups("topology", "topologi")(1000)
    report = FIXER.fix([FixableFile("plan.yaml", text.encode())])
    assert report.applied == 1000
    assert report.after[0].content.decode() == groups("", "")(1000)


def test_more_syntax_errors_than_are_read_past_at_once_are_fixed() -> None:
    text = groups("topology: 2x2", "topology 2x2")(50)
    report = FIXER.fix([FixableFile("plan.yaml", text.encode())])
    assert report.after[0].content.decode() == groups("", "")(50)


def test_the_work_of_changes_in_sarif_grows_with_their_number() -> None:
    def changes(count: int) -> int:
        text = groups("topology", "topologi")(count)
        findings = check_plan(read_plan_content(text.encode(), "plan.yaml"), FIXER.catalog, FIXER.today).findings
        found = []
        work = steps(lambda: found.append(replacements(text, findings)))
        assert len(found[0]) == count
        return work

    changes(MANY)
    works = [changes(count) for count in (MANY, 2 * MANY, 4 * MANY)]
    assert works[2] - works[1] <= _SLACK * (works[1] - works[0])
