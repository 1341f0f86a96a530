"""Runs pages in a real headless Chromium, and axe-core in them."""

import fcntl
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse
from typing import Any

import pytest
from support.npm_packages import required_packages

MANIFEST = pathlib.Path(__file__).parent / "package.json"
CACHE = pathlib.Path(__file__).parents[3] / ".cache"
_SECONDS = 120
_CSP = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_RESULT = "axe-result"


def chromium() -> str:
    """The program. Without it the test is skipped; in CI it is installed as a Debian package, else the test fails."""
    found = _program()
    if found is None and os.environ.get("CI") == "true":
        CACHE.mkdir(exist_ok=True)
        with (CACHE / "chromium.lock").open("w") as lock:  # of several processes one installs, and the others wait
            fcntl.flock(lock, fcntl.LOCK_EX)
            reason = "" if _program() else _install()
        found = _program()
        if found is None:
            pytest.fail(f"CI must run the tests in a browser, but there is no chromium: {reason}", pytrace=False)
    if found is None:
        pytest.skip("no chromium on PATH")
    return found


def _program() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def _install() -> str:
    """Install the Debian package; why that failed, if it did."""
    apt = [*([] if os.geteuid() == 0 else ["sudo", "-n"]), "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        try:
            done = subprocess.run(
                [*apt, *words],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=900,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        if done.returncode:
            return done.stdout[-500:]
    return ""


def load(page: pathlib.Path, folder: pathlib.Path, *, width: int = 1400, dark: bool = False) -> tuple[str, str]:
    """The elements of a loaded page as HTML, and what the browser wrote to its console."""
    scheme = 0 if dark else 1
    done = subprocess.run(
        [
            *(chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions"),
            *("--disable-background-networking", "--disable-component-update", "--enable-logging=stderr"),
            *(f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900"),
            *(f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=20000", "--dump-dom"),
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    console = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    return done.stdout, console


def axe(page: pathlib.Path, folder: pathlib.Path, *, width: int, dark: bool) -> dict[str, Any]:
    """What axe-core finds in a page of this width: violations, and the state in which it looked.

    A window has a minimum width, so the page is in a frame. A copy without the content security policy runs the script.
    """
    script = (required_packages(MANIFEST, CACHE) / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    run = """
axe.run().then(found => parent.postMessage(JSON.stringify({
  violations: found.violations.map(each => [each.id, each.nodes.map(node => node.html)]),
  passes: found.passes.length,
  width: innerWidth,
  scroll: document.documentElement.scrollWidth,
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
}), '*'))
"""
    copy = _CSP.sub("", page.read_text(encoding="utf-8"))
    scripts = f"<script>{script.replace('</script', '<' + chr(92) + '/script')}</script><script>{run}</script>"
    framed = html.escape(copy.replace("</body>", f"{scripts}</body>"), quote=True)
    frame = folder / "frame.html"
    frame.write_text(
        f"""<!doctype html><meta charset="utf-8"><title>frame</title>
<script>addEventListener('message', event => {{
  const result = document.createElement('pre'); result.id = '{_RESULT}';
  result.textContent = encodeURIComponent(event.data); document.body.append(result);
}})</script><iframe title="page" width="{width}" height="900" style="border:0" srcdoc="{framed}"></iframe>""",
        encoding="utf-8",
    )
    shown, _ = load(frame, folder, dark=dark)
    match = re.search(rf'<pre id="{_RESULT}">([^<]*)</pre>', shown)
    assert match, "axe-core has not finished"
    found: dict[str, Any] = json.loads(urllib.parse.unquote(match[1]))
    return found
