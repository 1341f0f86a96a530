"""Expands the examples of rules into whole plans.

An example is a whole plan (it has ``version:`` or ``project:``, or no key at all), a cluster body (it has ``mode:``),
or the body of a group: the last two stand in a Standard cluster ``train`` in us-east5, the group is called ``pretrain``
and lives in us-east5-b unless it says otherwise.
"""

import textwrap

_PLAN = "version: 1\nproject: acme-ml\nclusters:\n  train:\n{body}"
_CLUSTER = "mode: standard\nlocation: us-east5\nslices:\n  pretrain:\n{body}"


def whole_plan(example: str) -> str:
    """The YAML text of the plan that an example stands for."""
    keys = {line.split(":")[0] for line in example.splitlines() if line[:1] not in (" ", "#", "")}
    if not keys or "version" in keys or "project" in keys:
        return example
    if "mode" not in keys:
        if "zone" not in keys:
            example += "\nzone: us-east5-b"
        example = _CLUSTER.format(body=textwrap.indent(example, "    "))
    return _PLAN.format(body=textwrap.indent(example, "    "))
