"""The status of a fleet for people: problems first, then each slice group."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Column,
    Group,
    Heading,
    Page,
    Prose,
    Table,
)
from pulumi_gke_tpu.core.text.findings import number, printable
from pulumi_gke_tpu.features.status.model import Diagnosed, Fault, FleetStatus, Missing, Waiting


def status_page(status: FleetStatus) -> Page:
    """Problems with cause and fix, then slices, jobs that wait, drift, and what was not read."""
    wrong = number(len(status.problems), "problem")
    title = f"{wrong} · {number(len(status.drift), 'difference')} from the plan"
    if status.not_read:
        title += f" · {number(len(status.not_read), 'answer')} not read"
    return Page(f"{title} · snapshot {status.taken:%Y-%m-%d %H:%M} UTC", [*_blocks(status)], heading="Status")


def doctor_page(found: Diagnosed) -> Page:
    """Missing items first, each with a fix, then the others."""
    wrong = [each for each in found.checks if not each.ok]
    blocks: list[Block] = []
    for each in wrong:
        lines = [Bullets((Prose(each.found),), label="found")]
        lines += [Bullets((Prose(each.fix),), label="fix")] if each.fix else []
        blocks.append(Group((Heading(printable(each.what), 2), *lines)))
    fine = [f"{printable(each.what)}: {each.found}" for each in found.checks if each.ok]
    blocks += [Bullets(fine, title="Passed:")] if fine else []
    blocks += _not_read(found.not_read)
    title = f"{number(len(wrong), 'problem')} · {number(len(fine), 'check')} passed"
    return Page(title, blocks, heading="Before the update")


def _not_read(missing: Sequence[Missing]) -> Iterator[Block]:
    lines = [Prose(f"{printable(each.what)}: {each.reason}") for each in missing]
    if lines:
        yield Bullets(lines, title="Not read, so the state is unknown:", tone="careful")


def _blocks(status: FleetStatus) -> Iterator[Block]:
    for problem in status.problems:
        yield _problem(problem)
    if status.groups:
        yield _slices(status)
    if status.drift:
        lines = [Prose(f"{each.name}: {each.what}. {each.next_up}") for each in status.drift]
        yield Bullets(lines, title="Differs from the plan:", tone="careful")
    if status.waiting:
        yield Bullets([*map(_waiting, status.waiting)], title="Waiting, without a problem:")
    yield from _not_read(status.not_read)


def _problem(problem: Fault) -> Block:
    lines: list[Block] = [Bullets((problem.subject,), label="where")]
    if problem.cause:
        lines.append(Bullets((Prose(problem.cause.rstrip(".") + "."),), label="cause"))
    lines.append(Bullets((Prose(problem.fix),), label="fix"))
    if problem.text:
        lines.append(Bullets((problem.text,), label="text"))
    if problem.since:
        lines.append(Bullets((printable(problem.since),), label="since"))
    if problem.next_up:
        lines.append(Bullets((Prose(f"{problem.next_up}."),), label="next update"))
    if problem.place:
        lines.append(Bullets((problem.place,), label="plan"))
    if problem.page:
        lines.append(Bullets((f"gke-tpu explain {problem.page}",), label="more"))
    return Group((Heading(problem.title, 2), *lines))


def _slices(status: FleetStatus) -> Block:
    columns = (Column("slices"), Column("state"), Column("wanted", right=True), Column("found", right=True))
    rows = [
        (
            each.group,
            each.state,
            str(each.wanted),
            "?" if each.found is None else f"{each.found:,}",
            "?" if each.hosts_ready is None else f"{each.hosts_ready:,} of {each.hosts_wanted}",
        )
        for each in status.groups
    ]
    return Table((*columns, Column("hosts ready", right=True)), rows)


def _waiting(each: Waiting) -> Prose:
    since = f", since {printable(each.since)}" if each.since else ""
    queue = f"{each.place} in queue {printable(each.queue)} of {printable(each.cluster)}"
    text = f": {each.text}" if each.text else ""
    return Prose(f"{each.workload}, {queue}{since}: {each.why}{text}")
