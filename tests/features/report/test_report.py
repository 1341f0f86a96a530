"""``gke-tpu report``: one HTML page, in a real browser."""

import http.server
import importlib.util
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.browser.devtools import Browser, browser
from support.shipped import STACKS

GkeTpu = Callable[..., Any]
DAY = ("--today", "2026-11-20")
INVENTORY = STACKS.parent / "docs" / "examples" / "inventory.yaml"
CLUSTER = (
    "version: 1\nproject: acme-ml\nclusters:\n  c:\n    name: c1\n    mode: standard\n    location: us-east5\n"
    "    network: {create: {subnet: 10.0.0.0/16, pods: 10.64.0.0/10, services: 10.20.0.0/20}}\n"
)
WINDOW = "window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"
RUNS = (
    f"{CLUSTER}    maintenance:\n      {WINDOW}\n      exclusions:\n"
    "        freeze: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: no_upgrades}\n"
    "    slices:\n"
    "      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: pool}}\n"
    "      burst: {tpu: v5p, topology: 4x4x4, zone: us-east5-a, max: 1, capacity: flex_start}\n"
    "    runs:\n"
    "      early: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}\n"
    "      late: {slices: pretrain, start: 2026-12-26T08:00:00Z, duration: 2d}\n"
    "      tune: {slices: burst, start: 2026-12-02T08:00:00Z, duration: 3d}\n"
)
CUBES = (
    f"{CLUSTER}    slices:\n"
    "      huge: {tpu: v5p, topology: 16x16x16, zone: us-east5-a, capacity: spot}\n"
    "      tall: {tpu: v5p, topology: 12x16x28, zone: us-east5-a, capacity: spot}\n"
    "      flat: {tpu: v5e, topology: 16x16, zone: us-east5-a, capacity: spot}\n"
)
POOL = (
    "version: 1\nas_of: 2026-11-20\nreservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, "
    "machine_type: ct6e-standard-4t, vms: 10, in_use: 2, from: 2026-11-25, until: 2027-01-10, "
    "usd_per_chip_hour: 1.5, blocks: [{name: one, vms: 6, sub_blocks: [{name: a, vms: 3}]}]}\n"
)


def thousand_pools() -> str:
    groups = "".join(
        f"      g{index}: {{tpu: v6e, topology: 4x4, count: 20, zone: us-east5-b, capacity: spot}}\n"
        for index in range(50)
    )
    return f"{CLUSTER}    slices:\n{groups}"


def hostile_files(port: int) -> tuple[str, str, str]:
    """A plan, an inventory and an organization file whose names are markup."""
    evil = f'<img src=http://127.0.0.1:{port}/x onerror=alert(1)><script>fetch("http://127.0.0.1:{port}/y")</script>'
    plan = RUNS.replace("late:", f"'{evil}':").replace("freeze:", f"'</title>{evil}':") + (
        f"accept:\n  - {{rule: TPU801, reason: '{evil}', until: 2027-01-01}}\n"
    )
    organization = (
        f"version: 1\nstandards:\n  zones-of-us:\n    owner: '{evil}'\n    message: '{evil}'\n"
        "    zones: [us-central1-a]\n"
    )
    return plan, POOL.replace("{name: pool", f"{{name: '{evil}'"), organization


KINDS = ("shipped", "big", "hostile", "no-inventory", "errors", "runs", "cubes", "empty")


@pytest.fixture
def make(gke_tpu: GkeTpu, tmp_path: Path) -> Callable[[str], Path]:
    """Writes the report of a kind."""

    def written(kind: str) -> Path:
        plan, inventory, organization = tmp_path / "plan.yaml", tmp_path / "inventory.yaml", tmp_path / "org.yaml"
        texts = {
            "big": (thousand_pools(), "", ""),
            "hostile": hostile_files(1),
            "no-inventory": (RUNS, "", ""),
            "errors": (RUNS, POOL.replace("vms: 10, in_use: 2", "vms: 3, in_use: 3").replace("vms: 6", "vms: 3"), ""),
            "runs": (RUNS, POOL, ""),
            "cubes": (CUBES, "", ""),
            "empty": (CLUSTER, "", ""),
        }
        path = tmp_path / "report.html"
        words: list[object] = [STACKS, "--inventory", INVENTORY]
        if kind in texts:
            words = [plan]
            for file, text, option in zip(
                (plan, inventory, organization), texts[kind], ("", "--inventory", "--organization"), strict=True
            ):
                file.write_text(text, encoding="utf-8")
                words += [option, file] if option and text else []
        run = gke_tpu("report", *words, "-o", path, *DAY)
        assert path.exists(), run.err
        assert run.code == (1 if kind in ("errors", "hostile") else 0), run.err
        return path

    return written


@pytest.fixture
def page(make: Callable[[str], Path]) -> Path:
    return make("shipped")


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text without spaces at the ends of elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._parts: list[str] = []
        self.feed(text)
        self.text = " ".join(" ".join(self._parts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self._parts.append(data)


def test_the_page_has_fleet_capacity_plans_slices_findings_and_sources(page: Path) -> None:
    text = Elements(page.read_text(encoding="utf-8")).text
    for part in (
        "Chips 676..868 on 169..209 hosts",
        "USD per hour at least 3,010 .. 3,322 at least 2.20 .. 2.42 M per month",
        "Fullest reservation 90 % v6e-pretrain, at the largest size of the plans; the size of 2 others is unknown",
        "v6e us-east5-b 544..624 136..148 4",
        "v6e-pretrain 90 % 128 16 160 16 us-east5-b acme-ml",
        "preemptible_tpu_v6e 1,650 % ✗ too low 0..528 0 32 496 too few us-east5 acme-ml",
        "pretrain v6e 16x16 2 slices us-east5-b reservation 128 × ct6e-standard-4t 512 1,382 1,009,152 "
        "pretrain-0, pretrain-1",
        "Window from 02:00 UTC for 6 h (SAT, SUN).",
        "v6e 16x16 256 chips on 64 hosts (ct6e-standard-4t) train-east/pretrain: 2 slices",
        "Price of ct6e in us-east5, spot: 1.4033 USD",
        "exclusion frontier-run train-east in",
    ):
        assert part in text


def test_the_calendar_has_runs_windows_exclusions_flex_start_limits_and_reservations(
    make: Callable[[str], Path],
) -> None:
    text = Elements(make("runs").read_text(encoding="utf-8")).text
    for part in (
        "2026-11-20 to 2027-02-18, in UTC.",
        "reservation pool acme-ml/us-east5-b begins 2026-11-25; ends 2027-01-10",
        "run early c/pretrain 2026-12-01 08:00 to 2026-12-11 08:00 ✓ covered by exclusions",
        "run late c/pretrain 2026-12-26 08:00 to 2026-12-28 08:00 ✗ upgrades can interrupt it in 1 window",
        "run tune c/burst 2026-12-02 08:00 to 2026-12-05 08:00 ✓ no automatic upgrades of these nodes; "
        "flex-start nodes of run tune end 2026-12-09 08:00",
        "exclusion freeze c 2026-12-01 00:00 to 2026-12-20 00:00 no_upgrades",
        "26 maintenance windows c first 2026-11-21 02:00, last 2027-02-14 02:00 6 h each Openings 2026-11-21 02:00, ",
        "replace clusters.c.maintenance.exclusions with:",
        "late: {start: 2026-12-26T08:00:00Z, end: 2026-12-28T08:00:00Z",
        "c/early c/pretrain 1 slice 2026-12-01 08:00 10 d 5,760",
    ):
        assert part in text


def test_the_calendar_has_every_event_of_the_command(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    """The page and `gke-tpu calendar` have the same events, exclusions to add, and notes."""
    plans = (STACKS.parent / "docs" / "examples" / "runs.yaml", STACKS / "prod")
    path = tmp_path / "planned.html"
    assert gke_tpu("report", *plans, "--inventory", INVENTORY, "-o", path, *DAY).code == 0
    section = path.read_text(encoding="utf-8").partition('id="calendar"')[2].partition("</section>")[0]
    text = Elements(section).text
    shown = json.loads(gke_tpu("calendar", *plans, "--inventory", INVENTORY, "--format", "json", *DAY).out)
    others = [event for event in shown["events"] if event["kind"] != "window"]
    assert {event["kind"] for event in others} >= {"run", "exclusion", "node_end"}
    for event in others:
        written = event["start"][:10] if event["kind"] == "support_end" else event["start"][:16].replace("T", " ")
        assert written in text
        assert event["name"] in text
        assert event["place"] in text
    windows = [event for event in shown["events"] if event["kind"] == "window"]
    assert f"{len(windows) // 2} maintenance windows" in text, "both clusters have the same window"
    for event in windows:
        assert event["start"][:16].replace("T", " ") in text
        assert event["place"] in text
    for note in shown["notes"]:
        assert note["text"] in text
    assert "replace clusters.train.maintenance.exclusions with:" in text
    for added in shown["additions"]:
        assert " ".join(added["text"].split()) in text


def test_other_days_are_shown_if_asked_for(gke_tpu: GkeTpu, make: Callable[[str], Path], tmp_path: Path) -> None:
    make("runs")
    path = tmp_path / "days.html"
    days = ("--from", "2026-12-24", "--until", "2026-12-31")
    assert gke_tpu("report", tmp_path / "plan.yaml", "-o", path, *days, *DAY).code == 0
    section = path.read_text(encoding="utf-8").partition('id="calendar"')[2].partition("</section>")[0]
    text = Elements(section).text
    assert "2026-12-24 to 2026-12-31, in UTC." in text
    assert "2 maintenance windows c first 2026-12-26 02:00, last 2026-12-27 02:00" in text
    assert "run late" in text
    assert "run early" not in text
    assert "28 Dec" in text, "a short calendar has weeks"


def test_the_bars_of_the_calendar_are_where_their_days_are(make: Callable[[str], Path]) -> None:
    shown = make("runs").read_text(encoding="utf-8")
    rows = dict(re.findall(r"<li><div><strong>(.*?)</strong>(.*?)</svg></li>", shown, re.DOTALL))
    hours = 24 * 11 + 8  # from 20 November to 1 December, 8 o'clock
    assert f'd="M{hours} 5H{hours + 240}v10H{hours}z" class="item covered"' in rows["run early"]
    opening = 24 * 37 + 2  # 27 December, 2 o'clock
    assert f'd="M{opening} 1H{opening + 6}v18H{opening}z" class="opening"' in rows["run late"]
    assert rows["26 maintenance windows"].partition('class="item window"')[0].count("H") == 2 * 26
    assert 'class="end"' in rows["run tune"]
    assert f'd="M{24 * 5} 5H{24 * 52}v10H{24 * 5}z" class="item reservation"' in rows["reservation pool"]


def test_each_chip_and_host_of_a_shape_is_drawn_once(page: Path) -> None:
    counts = drawn(page)
    assert counts["v6e 16x16"] == (64, 256)
    assert counts["v5p 4x4x4"] == (16, 64)
    assert counts["tpu7x 4x4x8"] == (32, 128)
    assert counts["v6e 2x4"] == (1, 8)
    assert counts["tpu7x 2x2x1"] == (1, 4)


def drawn(page: Path) -> dict[str, tuple[int, int]]:
    """The hosts and chips of each drawing; they must not cover each other."""
    found = {}
    for figure in re.findall(r"<figure.*?</figure>", page.read_text(encoding="utf-8"), re.DOTALL):
        title = figure.partition("<strong>")[2].partition("<")[0]
        paths = {name: d for d, name in re.findall(r'<path d="([^"]*)" class="(hosts|chips)[^"]*"', figure)}
        corners = {name: re.findall(r"M([\d. ]+)h", d) for name, d in paths.items()}
        assert all(len(set(each)) == len(each) for each in corners.values())
        found[title] = (len(corners["hosts"]), len(corners.get("chips", ())))
    return found


def test_of_the_largest_cubes_the_hosts_and_the_sides_are_drawn(make: Callable[[str], Path]) -> None:
    page = make("cubes")
    assert drawn(page) == {"v5p 16x16x16": (1024, 0), "v5p 12x16x28": (1344, 0), "v5e 16x16": (64, 256)}
    figures = re.findall(r"<figure.*?</figure>", page.read_text(encoding="utf-8"), re.DOTALL)
    sides = [re.findall(r">(\d+)</text>", figure.partition('class="slice"')[0]) for figure in figures]
    assert sides == [["16", "16", "16"], ["12", "16", "28"], []]


def test_a_price_of_low_confidence_has_its_mark(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    plan, facts, path = tmp_path / "plan.yaml", tmp_path / "facts.yaml", tmp_path / "report.html"
    plan.write_text(RUNS, encoding="utf-8")
    facts.write_text(
        "prices:\n  prices:\n    - {family: ct5p, region: us-east5, model: flex_start, usd: 2.5, source: [x], "
        "as_of: 2026-11-01, confidence: low}\nsources: {x: {title: A page}}\n",
        encoding="utf-8",
    )
    run = gke_tpu("report", plan, "--catalog", facts, "-o", path, *DAY)
    assert run.code == 0, run.err
    assert "0..64 low confidence 0 .. 160.00" in Elements(path.read_text(encoding="utf-8")).text


def test_errors_come_before_warnings_and_accepted_findings(make: Callable[[str], Path]) -> None:
    shown = make("hostile").read_text(encoding="utf-8")
    words = re.findall(r'<li><p><span class="(\w+)">', shown)
    assert words == sorted(words, key=("error", "warning", "note", "accepted").index)
    assert set(words) == {"error", "warning", "accepted"}
    assert re.search(r"✗ 2 errors .*! 2 warnings .*✓ 1 accepted Fleet", Elements(shown).text)


def test_nothing_in_the_page_can_fetch_or_run_anything(make: Callable[[str], Path]) -> None:
    for kind in ("hostile", "shipped", "runs"):
        path = make(kind)
        elements = Elements(path.read_text(encoding="utf-8")).found
        path.unlink()
        assert {"script", "link", "img", "iframe", "object", "form"}.isdisjoint(tag for tag, _ in elements)
        assert not [name for _, attributes in elements for name in attributes if name in ("style", "src", "srcset")]
        assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
        links = [attributes for tag, attributes in elements if tag == "a"]
        for link in links:
            assert (link["href"] or "").startswith(("#", "https://"))
            assert (link["href"] or "").startswith("#") or link["rel"] == "noreferrer"
        assert not [tag for tag, each in elements if tag != "a" and any(name.endswith("href") for name in each)]
        (policy,) = (each["content"] for tag, each in elements if each.get("http-equiv") == "Content-Security-Policy")
        assert policy is not None
        assert re.fullmatch(
            r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; base-uri 'none'; form-action 'none'", policy
        )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_accessible(
    make: Callable[[str], Path], chrome: Browser, kind: str, width: int, dark: bool
) -> None:
    path = make(kind)
    with chrome.open(path, width=width, dark=dark, policy=False) as tab:
        state = tab.evaluate(
            "[innerWidth, document.documentElement.scrollWidth, matchMedia('(prefers-color-scheme: dark)').matches]"
        )
        assert state == [width, width, dark], "the page scrolls sideways"
        assert tab.evaluate("[...document.querySelectorAll('details')].forEach(each => each.open = true)") is None
        assert tab.evaluate("document.documentElement.scrollWidth") == width, "an open part scrolls sideways"
        assert tab.violations() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_shows_the_page_without_a_message_or_request(
    make: Callable[[str], Path], chrome: Browser, kind: str
) -> None:
    with chrome.open(make(kind)) as tab:
        assert "Fleet at a glance" in tab.evaluate("document.body.innerText")
    assert tab.requests == []
    assert tab.console == []


LINES = """
(selector) => [...document.querySelectorAll(selector)].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
})
"""


@pytest.mark.parametrize("width", [1024, 1100, 1400])
def test_short_cells_of_slice_groups_and_names_of_quotas_have_one_line(page: Path, chrome: Browser, width: int) -> None:
    with chrome.open(page, width=width) as tab:
        cells = tab.evaluate(f"({LINES})('#plans tbody td.k')")
        assert len(cells) >= 9 * 4, "shape, slices, capacity and hosts of nine groups"
        assert set(cells) == {1}
        quotas = tab.evaluate("[...document.querySelectorAll('#capacity th.label')].map((cell) => cell.innerText)")
        (place,) = [number for number, name in enumerate(quotas) if name == "preemptible_tpu_v6e"]
        assert tab.evaluate(f"({LINES})('#capacity th.label')")[place] == 1


def test_words_between_backticks_are_code(make: Callable[[str], Path]) -> None:
    text = make("shipped").read_text(encoding="utf-8")
    assert "quota <code>preemptible_tpu_v6e</code> of project acme-ml" in text
    assert re.findall(r".*`.*", text) == []


def test_title_date_budget_and_alternatives(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    words = (STACKS / "prod", "--inventory", INVENTORY, "--title", "TPUs <2027>", "--budget", "1.05M", "-o", path)
    assert gke_tpu("report", *words, *DAY).code == 0
    text = Elements(path.read_text(encoding="utf-8")).text
    for part in (
        "TPUs <2027> 2026-11-20 · plan ",
        "Budget per month, USD 1.05 M ✗ exceeded by at least 24,714, if the slices have their largest size",
        "Alternatives: other capacity modes, zones and commitments",
        "train-east/pretrain calendar mode 967.68 706,406 \N{MINUS SIGN}30 % at most 90 days from a fixed date",
        "train-east/sweep on-demand 0 .. 172.80 0 .. 126,144 +92 %",
        "Alternatives that are not possible",
    ):
        assert part in text
    # No cents on thousands, and none on millions
    assert re.findall(r"\d,\d{3}\.\d\d\b", text) == []


@pytest.mark.parametrize(
    ("budget", "value"),
    [("1500000", "1.50 M"), ("1,500,000/month", "1.50 M"), ("20k/runs", "20,000"), ("0.5M/run", "500,000")],
)
def test_forms_of_a_budget(gke_tpu: GkeTpu, tmp_path: Path, budget: str, value: str) -> None:
    path = tmp_path / "report.html"
    assert gke_tpu("report", STACKS / "prod", "--budget", budget, "-o", path, *DAY).code == 0
    name = "Budget for planned runs, USD" if "run" in budget else "Budget per month, USD"
    assert f"{name} {value} " in Elements(path.read_text(encoding="utf-8")).text


@pytest.mark.parametrize("budget", ["", "much", "-5", "5/day", "1.5MM", "٥", "9" * 40])
def test_a_budget_of_another_form_is_refused(gke_tpu: GkeTpu, tmp_path: Path, budget: str) -> None:
    run = gke_tpu("report", STACKS / "prod", f"--budget={budget}", "-o", tmp_path / "report.html", *DAY)
    assert (run.code, run.out) == (2, "")
    assert "use a form such as 1500000/month or 200000/runs" in " ".join(run.err.split())


def test_the_policy_of_the_page_forbids_every_request(page: Path, chrome: Browser) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(
        text.replace(
            "</body>",
            '<img src="https://example.invalid/a.png" alt=""><script>document.title = "run"</script>'
            '<link rel="stylesheet" href="https://example.invalid/a.css"></body>',
        ),
        encoding="utf-8",
    )
    with chrome.open(page) as tab:
        assert tab.evaluate("document.title").startswith("Cloud TPU on GKE: ")
    # Chromium reports a blocked request as one that it would have sent; none of them reaches the network.
    assert sum("Content Security Policy" in line for line in tab.console) == 3


def test_keyboard_users_can_skip_the_navigation_and_open_details(make: Callable[[str], Path], chrome: Browser) -> None:
    with chrome.open(make("big")) as tab:
        tab.press("Tab")
        assert tab.evaluate("document.activeElement.textContent") == "Skip to the content"
        box = tab.evaluate(
            "(({x, width, height}) => [x, width, height])(document.activeElement.getBoundingClientRect())"
        )
        assert all(actual > least for actual, least in zip(box, (-1, 50, 15), strict=True)), "the link is not visible"
        tab.press("Enter")
        tab.press("Tab")
        assert tab.evaluate("document.activeElement.closest('#fleet') !== null")
        assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        tab.evaluate("document.querySelector('#plans .scroll details summary').focus()")
        assert not tab.evaluate("document.activeElement.parentElement.open")
        tab.press("Enter")
        assert tab.evaluate("document.activeElement.parentElement.open")


@pytest.mark.parametrize("kind", KINDS)
def test_headings_have_no_gap_and_ids_are_unique(make: Callable[[str], Path], kind: str) -> None:
    elements = Elements(make(kind).read_text(encoding="utf-8")).found
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = [each["id"] for _, each in elements if "id" in each]
    assert len(set(ids)) == len(ids)
    assert next(each for tag, each in elements if tag == "html")["lang"] == "en"
    assert [tag for tag, _ in elements if tag in ("main", "header", "nav")] == ["header", "nav", "main"]
    targets = {each["href"] for tag, each in elements if tag == "a" and (each["href"] or "").startswith("#")}
    assert targets <= {f"#{each}" for each in ids}


def test_a_printed_page_shows_what_is_folded(make: Callable[[str], Path], chrome: Browser) -> None:
    with chrome.open(make("big")) as tab:
        folded = "document.querySelector('#plans .scroll details').getBoundingClientRect().height"
        before = tab.evaluate(folded)
        tab.send("Emulation.setEmulatedMedia", media="print")
        assert tab.evaluate(folded) > before
        assert tab.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert tab.pdf().startswith(b"%PDF-")


@pytest.fixture
def requests() -> Iterator[tuple[int, list[str]]]:
    """The port of a server on loopback, and the requests to it."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_hostile_names_stay_text_and_cause_no_request(
    gke_tpu: GkeTpu, tmp_path: Path, requests: tuple[int, list[str]], chrome: Browser
) -> None:
    port, asked = requests
    names = ("plan.yaml", "inventory.yaml", "org.yaml")
    plan, inventory, organization = (tmp_path / name for name in names)
    for file, text in zip((plan, inventory, organization), hostile_files(port), strict=True):
        file.write_text(text, encoding="utf-8")
    path = tmp_path / "report.html"
    run = gke_tpu("report", plan, "--inventory", inventory, "--organization", organization, "-o", path, *DAY)
    assert path.exists(), run.err
    text = path.read_text(encoding="utf-8")
    assert text.count("&lt;script&gt;") > 5
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("</title>") == 1
    shown = Elements(text).text
    for part in ("run <img", "exclusion </title><img", "20 % 0 2 10 8 us-east5-b acme-ml", "Accepted: <img", "TPU922"):
        assert part in shown
    # Without the policy too: escaping alone keeps the names text.
    for policy in (True, False):
        with chrome.open(path, policy=policy) as tab:
            assert "onerror=alert(1)>" in tab.evaluate("document.body.innerText")
        assert (tab.requests, tab.console) == ([], [])
    assert asked == []


def test_the_same_input_gives_the_same_page(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for path in pages:
        assert gke_tpu("report", STACKS, "-o", path, *DAY).code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_an_existing_file_is_kept_unless_forced(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine", encoding="utf-8")
    refused = gke_tpu("report", STACKS, "-o", path, *DAY)
    assert (refused.code, path.read_text(encoding="utf-8")) == (2, "mine")
    assert "already exists; use --force to overwrite" in refused.err
    assert gke_tpu("report", STACKS, "-o", path, "--force", *DAY).code == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_plan_with_errors_has_no_page(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    broken = tmp_path / "plan.yaml"
    broken.write_text((STACKS / "prod" / "plan.yaml").read_text(encoding="utf-8").replace("16x16", "16x17"))
    path = tmp_path / "report.html"
    run = gke_tpu("report", broken, "-o", path)
    assert (run.code, path.exists()) == (1, False)
    assert "TPU112" in run.err


def test_the_order_of_plans_and_the_seed_of_hashes_change_nothing(tmp_path: Path) -> None:
    program = pathlib.Path(sys.executable).with_name("gke-tpu")
    plans = sorted(STACKS.glob("*/plan.yaml"))
    pages = []
    for seed, order in (("1", plans), ("2", plans[::-1])):
        path = tmp_path / f"{seed}.html"
        subprocess.run(
            [program, "report", *order, "--inventory", INVENTORY, "-o", path, *DAY],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        pages.append(path.read_bytes())
    assert pages[0] == pages[1]


def test_one_message_names_all_missing_packages(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name in ("jinja2", "drawsvg") else found(name, *more)
    )
    run = gke_tpu("report", STACKS / "prod" / "plan.yaml", "-o", tmp_path / "report.html")
    assert (run.code, run.out) == (2, "")
    message = "gke-tpu report requires drawsvg and jinja2. Install gke-tpu with the extra `report`, or run:"
    assert message in " ".join(run.err.split())
    assert "python -m pip install drawsvg jinja2" in " ".join(run.err.split())


def test_a_missing_folder_is_created(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    path = tmp_path / "a folder" / "b" / "report.html"
    assert gke_tpu("report", STACKS, "-o", path, *DAY).code == 0
    assert path.is_file()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_link_a_folder_or_a_pipe_is_not_replaced(gke_tpu: GkeTpu, tmp_path: Path, force: tuple[str, ...]) -> None:
    target, link, folder = tmp_path / "target", tmp_path / "link.html", tmp_path / "folder"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    folder.mkdir()
    for path, reason in ((link, "is a symbolic link"), (folder, "is a directory"), (pipe, "is not a regular file")):
        run = gke_tpu("report", STACKS, "-o", path, *force, *DAY)
        assert run.code == 2
        assert reason in run.err
    assert target.read_text(encoding="utf-8") == "mine"
    assert (link.is_symlink(), sorted(each.name for each in tmp_path.iterdir())) == (
        True,
        ["folder", "link.html", "pipe", "target"],
    )


@pytest.mark.parametrize("name", ["", "."])
def test_a_file_without_a_name_is_refused(gke_tpu: GkeTpu, name: str) -> None:
    run = gke_tpu("report", STACKS, "-o", name, *DAY)
    assert run.code == 2
    assert "-o requires the name of a file." in run.err


def test_a_page_that_cannot_be_written_leaves_nothing_behind(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine", encoding="utf-8")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    run = gke_tpu("report", STACKS, "-o", path, "--force", *DAY)
    assert run.code == 2
    assert "No space left on device" in run.err
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text(encoding="utf-8") == "mine"


def test_standard_output_gets_the_page(gke_tpu: GkeTpu, make: Callable[[str], Path]) -> None:
    page = make("shipped")
    run = gke_tpu("report", STACKS, "--inventory", INVENTORY, "-o", "-", *DAY)
    assert (run.code, run.out) == (0, page.read_text(encoding="utf-8"))


def test_a_page_about_plans_that_do_not_fit_together_is_written_with_exit_code_1(make: Callable[[str], Path]) -> None:
    text = Elements(make("errors").read_text(encoding="utf-8")).text
    assert "✗ error TPU804" in text
    assert re.search(r"✗ \d errors? ", text)


def test_a_thousand_node_pools_are_at_most_5_mb(make: Callable[[str], Path]) -> None:
    path = make("big")
    assert path.stat().st_size < 5_000_000
    text = Elements(path.read_text(encoding="utf-8")).text
    assert "20 node pools g49-0, g49-1, " in text
    assert "g49-19" in text
