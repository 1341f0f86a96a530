"""``gke-tpu report``: one HTML page, in a real browser."""

import collections
import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.browser.chromium import axe, load
from support.shipped import STACKS

GkeTpu = Callable[..., Any]
DAY = ("--today", "2026-11-20")
INVENTORY = STACKS.parent / "docs" / "examples" / "inventory.yaml"


@pytest.fixture
def page(gke_tpu: GkeTpu, tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    run = gke_tpu("report", STACKS, "--inventory", INVENTORY, "-o", path, *DAY)
    assert (run.code, run.err) == (0, "")
    return path


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


def test_the_page_has_fleet_capacity_plans_slices_and_sources(page: Path) -> None:
    text = Elements(page.read_text(encoding="utf-8")).text
    for part in (
        "v6e us-east5-b 544..624 136..148",
        "v6e-pretrain acme-ml us-east5-b 128 160 16 16",
        "pretrain v6e 16x16 2 slices us-east5-b reservation 128 × ct6e-standard-4t 512 1,382.40 pretrain-0, pretrain-1",
        "Window from 02:00 UTC for 6 h (SAT, SUN).",
        "v6e 16x16 256 chips on 64 hosts of ct6e-standard-4t",
        "price of ct6e in us-east5, spot: 1.4033 USD",
    ):
        assert part in text


@pytest.fixture
def planned(gke_tpu: GkeTpu, tmp_path: Path) -> str:
    path = tmp_path / "planned.html"
    runs = STACKS.parent / "docs" / "examples" / "runs.yaml"
    assert gke_tpu("report", runs, STACKS / "prod", "--inventory", INVENTORY, "-o", path, *DAY).code == 0
    return path.read_text(encoding="utf-8")


def test_the_calendar_has_every_event_of_the_command(gke_tpu: GkeTpu, planned: str) -> None:
    """The page and `gke-tpu calendar` have the same events, exclusions to add, and notes."""
    runs = STACKS.parent / "docs" / "examples" / "runs.yaml"
    run = gke_tpu("calendar", runs, STACKS / "prod", "--inventory", INVENTORY, "--format", "json", *DAY)
    shown = json.loads(run.out)
    text = Elements(planned.partition('id="calendar"')[2].partition("</section>")[0]).text
    windows = collections.Counter(each["place"] for each in shown["events"] if each["kind"] == "window")
    assert sorted(windows.values()) == [26, 26]
    assert text.count("26 maintenance windows") == len(windows)
    others = [each for each in shown["events"] if each["kind"] != "window"]
    assert {each["kind"] for each in others} >= {"run", "exclusion", "node_end"}
    for each in others:
        assert each["name"] in text
        assert each["place"] in text
    for words in (
        "run gemma",
        "2026-12-12 00:00 to 2026-12-13 00:00 upgrades can interrupt it in 1 window; 4,147.20 USD",
        "covered by exclusions; 41,472.00 USD",
        "train: maintenance: {exclusions: {gemma: {start: 2026-12-12T00:00:00Z",
        "GKE announces such maintenance 28 days in advance",
    ):
        assert words in text


def test_each_event_has_a_bar_at_its_place_on_the_time_line(planned: str) -> None:
    lanes = re.findall(r"<tr><th scope=\"row\">([^<]*)</th>.*?(<svg.*?</svg>)", planned, re.DOTALL)
    bars = {
        name: re.findall(r'<rect x="([0-9.]+)" y="3" width="([0-9.]+)" height="10" rx="1" class="bar (\w+)"', svg)
        for name, svg in lanes
        if 'class="line"' in svg
    }
    # 91 days on 400 units: the run begins after 11 days and 8 hours, and takes 10 days.
    assert bars["run llama"] == [("49.82", "43.95", "run")]
    ((_, width, style),) = bars["run gemma"]
    assert (float(width), style) == (pytest.approx(400 / 91, abs=0.01), "cut")
    assert len(bars["26 maintenance windows"]) == 26


def test_a_full_limit_and_an_exceeded_one_differ_in_words(planned: str) -> None:
    rows = re.findall(r"<tr><td>([^<]*)</td>.*?</meter> <span class=\"(\w*)\">(\d+)", planned)
    shares = {name: (style, int(share)) for name, style, share in rows}
    assert shares["v6e-pretrain"] == ("", 100)
    style, share = next(value for name, value in shares.items() if "preemptible_tpu_v6e" in name)
    assert (style, share > 100) == ("error", True)


def test_each_chip_and_host_of_a_shape_is_drawn_once(page: Path) -> None:
    drawn = re.findall(r"<figure.*?</figure>", page.read_text(encoding="utf-8"), re.DOTALL)
    counts = {
        figure.partition("<strong>")[2].partition("<")[0]: (figure.count('"host"'), figure.count('"chip"'))
        for figure in drawn
    }
    assert counts["v6e 16x16"] == (64, 256)
    assert counts["v5p 4x4x4"] == (16, 64)
    assert counts["tpu7x 4x4x8"] == (32, 128)
    assert counts["v6e 2x4"] == (1, 8)
    assert counts["tpu7x 2x2x1"] == (1, 4)


def test_nothing_in_the_page_can_fetch_or_run_anything(page: Path) -> None:
    elements = Elements(page.read_text(encoding="utf-8")).found
    assert {"script", "link", "img", "iframe", "object", "form"}.isdisjoint(tag for tag, _ in elements)
    assert not [name for _, attributes in elements for name in attributes if name in ("style", "src", "srcset")]
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
    links = {value for tag, attributes in elements for name, value in attributes.items() if name.endswith("href")}
    assert all(link and link.startswith(("#", "https://")) for link in links)
    (policy,) = (each["content"] for tag, each in elements if each.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; base-uri 'none'; form-action 'none'", policy
    )


def test_a_browser_shows_the_page_without_an_error(page: Path, tmp_path: Path) -> None:
    shown, console = load(page, tmp_path)
    assert "Fleet at a glance" in shown
    assert console == ""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_the_page_is_accessible(planned: str, tmp_path: Path, width: int, dark: bool) -> None:
    found = axe(tmp_path / "planned.html", tmp_path, width=width, dark=dark)
    assert found["violations"] == []
    assert found["passes"] > 20
    assert (found["width"], found["dark"]) == (width, dark)
    assert found["scroll"] <= width, "the page scrolls sideways"


@pytest.fixture
def requests() -> Iterator[tuple[int, list[str]]]:
    """The port of a server on loopback, and what it was asked for."""
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
    gke_tpu: GkeTpu, tmp_path: Path, requests: tuple[int, list[str]]
) -> None:
    port, asked = requests
    hostile = f'<img src=http://127.0.0.1:{port}/x onerror=alert(1)><script>fetch("http://127.0.0.1:{port}/y")</script>'
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
        f"      g: {{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {{reservation: pool}}}}\n"
        "accept:\n"
        f"  - {{rule: TPU801, reason: '{hostile}', until: 2027-01-01}}\n",
        encoding="utf-8",
    )
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(
        "version: 1\nas_of: 2026-11-20\nreservations:\n"
        f"  - {{name: '{hostile}', project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}}\n",
        encoding="utf-8",
    )
    path = tmp_path / "report.html"
    assert gke_tpu("report", plan, "--inventory", inventory, "-o", path, *DAY).code == 0
    text = path.read_text(encoding="utf-8")
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    load(path, tmp_path)
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


def test_a_thousand_node_pools_are_at_most_5_mb(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    groups = "".join(
        f"      g{index}: {{tpu: v6e, topology: 4x4, count: 20, zone: us-east5-b, capacity: spot}}\n"
        for index in range(50)
    )
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n"
        "    network: {create: {subnet: 10.0.0.0/16, pods: 10.64.0.0/10, services: 10.20.0.0/20}}\n"
        f"    slices:\n{groups}",
        encoding="utf-8",
    )
    path = tmp_path / "report.html"
    run = gke_tpu("report", plan, "-o", path, *DAY)
    assert run.code == 0, run.err
    assert path.stat().st_size < 5_000_000
