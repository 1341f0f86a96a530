"""Changes as Markdown: what a reviewer must see, never too long, and nothing in a plan breaks out of its place."""

import dataclasses
import functools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.change_samples import CHANGED, EMPTY, FIX, PLAN, REPLACED, REPORT, page_of, with_items, with_text
from support.markdown_structure import automatic, structure, words
from support.work import function_calls

from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity, Verbatim
from pulumi_gke_tpu.features.diff.model import Fix, PlanList
from pulumi_gke_tpu.features.diff.output.comment import LIMIT, MARKER, change_markdown

OTHER_FIX = Fix("head", "acknowledge", ("{change: replace, of: b}",), "acknowledge: [{change: replace, of: b}]")
HOSTILE = [
    "a|b",
    "`a|b`",
    "``` `` `",
    "\\|",
    "\\`x\\`",
    "<img src=x onerror=alert(1)>",
    "</details><h1>x</h1>",
    "<!-- gke-tpu diff -->",
    "-->",
    "@maintainers and @org/team",
    "someone@example.com",
    "[a](https://example.com)",
    "![a](https://example.com)",
    "https://example.com www.example.com ftp://x",
    "<https://example.com>",
    "two\nlines\n\n# heading\n- item\n1. item\n> quote\n---\n===\n",
    "\r\n\r\n| a | b |\r\n| --- | --- |\r\n| 1 | 2 |",
    "```\ncode\n```\n~~~\n",
    "    indented",
    "\u202eright to left\u202c\u200f",
    "\u2028\u2029\x85\x0b\x0c\x00\x1b[31m",
    "#123 GH-123 octo/cat#1 \\#1",
    "c0ffee1 c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ff octo/cat@c0ffee1",
    ":x: :tada: :+1:",
    "$x$ $$y$$",
    "*a* **a** _a_ __a__ ___ *** --- ~~a~~ a__b__c",
    "&lt;b&gt; &#35; &amp;",
    "[^1] [x]: https://example.com",
    "- [ ] task",
    "\ud800",
    "{{7*7}} ${{ github.token }}",
    "::error::x ##[error]x",
    "\\",
    "`",
]
PLAIN = page_of(
    with_text("plain"), [Finding("TPU112", Severity.ERROR, ("plain",), "plain", change=Verbatim("x plain"))], ["plain"]
)
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(alphabet="`|\\<>&@#:/-_*~[]()!$ \n\tab1.x=+", min_size=1),
    st.text(min_size=1),
)


def page_with(text: str) -> str:
    """A page in which everything is this text."""
    finding = Finding(
        "TPU112", Severity.ERROR, (text,), f"x {text}", change=Verbatim(f"x {text}"), given=text, why=text, source=text
    )
    return change_markdown(page_of(with_text(text), [finding], [f"x {text}"]))


@given(texts)
def test_text_of_a_plan_does_not_change_the_markup_around_it(text: str) -> None:
    assert structure(page_with(f"x{text}")) == structure(change_markdown(PLAIN))


@pytest.mark.parametrize("text", HOSTILE)
def test_the_worst_texts_alone_do_not_change_the_markup(text: str) -> None:
    assert structure(page_with(text)) == structure(change_markdown(PLAIN))


@given(texts)
@example("x@y #1 :x: https://x www.x c0ffee1")
@example(":-1")
@example(":x")
def test_nothing_becomes_a_link_a_mention_or_a_picture(text: str) -> None:
    assert automatic(page_with(text)) == {}


def test_the_search_for_links_finds_them() -> None:
    assert automatic("@someone #1 :x: https://x c0ffee1").keys() == {"mention", "issue", "emoji", "link", "commit"}


@given(texts)
def test_no_control_or_invisible_character_gets_through(text: str) -> None:
    assert page_with(text).replace("\n", "").isprintable() or not text.isprintable()
    assert not set(page_with(text)) & set("\r\x0b\x0c\x1b\x85\u2028\u2029\u202e\u200f")


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.isprintable() and len(text.split()) == 1])
def test_readers_see_the_text_itself(text: str) -> None:
    assert words(page_with(text)).count(text) >= 5


def test_the_most_important_blocks_are_first() -> None:
    lines = change_markdown(page_of(REPORT)).splitlines()
    assert lines[:4] == [
        MARKER,
        "### TPU plan: `pulumi up` will fail; 1 slice group replaced and 1 cluster changed in place; "
        "+504,576 USD/month",
        "",
        "> [!CAUTION]",
    ]
    start = lines.index("**Changes:**")
    assert lines[start + 2 : start + 6] == [
        "- **REPLACE** train-east/pretrain: topology: 8x16 → 16x16 · chips 256 → 512 · USD per hour 691.20 → 1,382.40",
        "- IN PLACE train-east: maintenance.exclusions.frontier-run.end: 15 Dec 2026 → 20 Dec 2026 · no known restart",
        "",
        "**All slices:**",
    ]


@pytest.mark.parametrize(
    "expected",
    [
        "deleted (64 hosts), then created with 128 hosts",
        "`pulumi up` will fail: the group is protected (reserved capacity).",
        "acknowledge:\n  - {change: replace, of: train-east/pretrain",
        "| chips | 256 | 512 | +256 |",
        "| reservation v6e-pretrain (us-east5-b), VMs | 64 of 128 | 128 of 128 | +64 |",
        "- replace train-east/sweep until 2026-12-01: matches this change, new in this change (larger slices)",
        "Unchanged: 2 items, 14 resources.",
        "- What the autoscaler has done since is not known.",
        "<details><summary>What happens to each item once the change can be applied</summary>",
        "**REPLACE train-east/pretrain**\n\n| resource |",
        "<details><summary>acknowledge entry to add to stacks/prod/plan.yaml</summary>",
        "confidence medium",
    ],
)
def test_the_comment_contains_everything(expected: str) -> None:
    assert expected in change_markdown(page_of(REPORT))


def test_details_of_small_changes_are_not_made_up() -> None:
    shown = change_markdown(page_of(dataclasses.replace(REPORT, items=(CHANGED,))))
    assert "<summary>Reasons" not in shown
    assert "<summary>Resources" not in shown


def test_the_headline_reports_that_there_are_no_changes() -> None:
    assert "### TPU plan: no changes" in change_markdown(page_of(EMPTY))


def test_several_plans_are_told_apart() -> None:
    both = dataclasses.replace(REPORT, plans=(PLAN, "stacks/dev/plan.yaml"))
    assert "- **REPLACE** stacks/prod · train-east/pretrain: topology" in change_markdown(page_of(both))


def test_entries_for_one_plan_are_in_one_block() -> None:
    other = dataclasses.replace(REPLACED, item="train-east/other", fixes=(OTHER_FIX,))
    shown = change_markdown(page_of(dataclasses.replace(REPORT, items=(REPLACED, other))))
    assert shown.count("acknowledge:\n") == 1
    assert shown.count("  - {change: replace") == 2


def test_an_entry_for_a_plan_that_has_the_key_is_called_one() -> None:
    fix = Fix("head", "acknowledge", ("{change: replace}",), "- {change: replace}")
    report = dataclasses.replace(REPORT, items=(dataclasses.replace(REPLACED, fixes=(fix,)),))
    shown = change_markdown(page_of(report))
    assert "under `acknowledge`:\n\n```yaml\n- {change: replace}\n```" in shown


def test_entries_that_the_plan_has_stay_in_the_block_that_replaces_them() -> None:
    fix = Fix("base", "moved", ("{from: a, to: b}",), "- {from: a, to: b}")
    listed = PlanList(PLAN, "base", "moved", ("{from: x, to: y}",))
    other = dataclasses.replace(listed, side="head", entries=("{from: no, to: no}",))
    items = (dataclasses.replace(REPLACED, fixes=(fix,)),)
    shown = change_markdown(page_of(dataclasses.replace(REPORT, items=items, lists=(other, listed))))
    assert "(this block replaces the existing `moved`)" in shown
    assert "```yaml\nmoved:\n  - {from: x, to: y}\n  - {from: a, to: b}\n```" in shown
    assert "{from: no" not in shown


def test_candidates_of_a_rename_have_a_block_each() -> None:
    fixes = tuple(
        Fix("head", "moved", (f"{{from: a, to: {name}}}",), f"moved: [{{from: a, to: {name}}}]", alone=True)
        for name in "bc"
    )
    shown = change_markdown(page_of(dataclasses.replace(REPORT, items=(dataclasses.replace(REPLACED, fixes=fixes),))))
    assert shown.count("```yaml\nmoved:\n  - {from: a, to: ") == 2
    assert shown.count("If this is a rename") == 2


@pytest.mark.parametrize(
    ("gone", "words"),
    [(True, "remove the entries of the deleted items"), (False, "keep these entries in the plan")],
)
def test_entries_for_an_earlier_change_name_the_base_branch(gone: bool, words: str) -> None:
    fix = dataclasses.replace(FIX, side="base")
    item = dataclasses.replace(REPLACED, fixes=(fix,), gone=gone)
    shown = change_markdown(page_of(dataclasses.replace(REPORT, items=(item,))))
    assert (
        "first apply a separate change on the base branch that adds only these lines to `stacks/prod/plan.yaml`:"
        in shown
    )
    assert words in shown


def test_findings_have_their_location() -> None:
    place = Position("stacks/prod/plan.yaml", 3, 7, 9)
    finding = Finding(
        "TPU112", Severity.ERROR, ("clusters",), "no such topology", change=Verbatim("topology: 4x4"), position=place
    )
    shown = change_markdown(page_of(REPORT, [finding]))
    assert "- **error TPU112** stacks/prod/plan.yaml:3:7: no such topology. Try: `topology: 4x4`\n" in shown


def test_a_fix_in_a_block_is_not_repeated() -> None:
    finding = Finding("TPU964", Severity.WARNING, ("clusters",), "it stops", change=Verbatim(FIX.text))
    shown = change_markdown(page_of(REPORT, [finding]))
    assert "- **warning TPU964** clusters: it stops\n" in shown
    assert shown.count("{change: replace, of: train-east/pretrain") == 1


@pytest.mark.parametrize("count", [3, 100, 3000])
@pytest.mark.parametrize("limit", [LIMIT, 8000, 3000])
def test_it_is_never_too_long_and_says_what_is_left_out(count: int, limit: int) -> None:
    page = page_of(with_items(count))
    shown = change_markdown(page, limit=limit)
    assert len(shown.encode()) <= limit
    rows = shown.count("\n- **REPLACE** ")
    assert rows >= 1
    if rows < count:
        left = count - rows
        assert f"{left:,} of {count:,} changes ({left:,} REPLACE)" in shown
    assert shown.count("<details>") == shown.count("</details>")
    assert f"`pulumi up` will fail; {count:,} slice groups replaced; +504,576 USD/month" in shown


def test_work_grows_with_the_items() -> None:
    first, second = (
        function_calls(functools.partial(change_markdown, page_of(with_items(count)))) for count in (1000, 2000)
    )
    assert second < 2.5 * first


@given(st.integers(1, 60), st.text(alphabet="a|@€𝄞`", min_size=1, max_size=300), st.integers(3500, 20_000))
def test_bytes_are_counted_not_characters(count: int, text: str, limit: int) -> None:
    report = with_items(count)
    items = tuple(
        dataclasses.replace(item, consequence=text, fixes=(Fix("head", "moved", (text,), text),))
        for item in report.items
    )
    shown = change_markdown(page_of(dataclasses.replace(report, items=items)), limit=limit)
    assert len(shown.encode()) <= limit


def test_equal_pages_give_equal_bytes() -> None:
    assert change_markdown(page_of(REPORT)) == change_markdown(page_of(REPORT))
