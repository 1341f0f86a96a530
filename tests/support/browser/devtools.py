"""Drives a headless Chromium through its DevTools protocol: real widths, color schemes, keys, requests and pictures."""

import base64
import contextlib
import json
import os
import pathlib
import select
import signal
import time
from collections.abc import Iterator
from typing import Any

from support.browser.chromium import CACHE, chromium
from support.npm_packages import required_packages

_SECONDS = 120
_MANIFEST = pathlib.Path(__file__).parent / "package.json"
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--hide-scrollbars", "--remote-debugging-pipe"),
)
_CODES = {"Tab": 9, "Enter": 13}


class Tab:
    """A page in a window of a given width."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self._browser, self._session = browser, session
        self.requests: list[str] = []
        """The URLs that the page requested, without its own and without data URLs."""
        self.console: list[str] = []
        """Errors, warnings and other messages, also those of the content security policy."""

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol and return its result."""
        return self._browser.send(method, self._session, **parameters)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, or of the promise that it gives."""
        done = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise AssertionError(done["exceptionDetails"])
        return done["result"].get("value")

    def violations(self) -> list[Any]:
        """What axe-core finds: rule and elements. It needs a page that is open without its policy."""
        script = required_packages(_MANIFEST, CACHE) / "axe-core" / "axe.min.js"
        self.evaluate(f"{script.read_text(encoding='utf-8')};0")
        found = self.evaluate(
            "axe.run().then(found => ({passes: found.passes.length,"
            " violations: found.violations.map(each => [each.id, each.nodes.map(node => node.html)])}))"
        )
        assert found["passes"] > 20, "axe-core has looked at too little"
        violations: list[Any] = found["violations"]
        return violations

    def press(self, key: str) -> None:
        """Press and release a key: Tab or Enter."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = _CODES[key]
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.send("Page.printToPDF", preferCSSPageSize=True)["data"])

    def take(self, event: dict[str, Any], url: str) -> None:
        """Note what an event of the protocol reports."""
        method, values = event["method"], event["params"]
        if method == "Network.requestWillBeSent" and values["request"]["url"] != url:
            self.requests.append(values["request"]["url"])
        elif method == "Log.entryAdded":
            self.console.append(f"{values['entry']['level']}: {values['entry']['text']}")
        elif method == "Runtime.consoleAPICalled":
            self.console.append(f"{values['type']}: {[each.get('value') for each in values['args']]}")
        elif method == "Runtime.exceptionThrown":
            self.console.append(f"exception: {values['exceptionDetails']['text']}")


class Browser:
    """A running Chromium. Its DevTools commands and events are JSON texts in two pipes, each ended by a NUL byte."""

    def __init__(self, folder: pathlib.Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        program = chromium()
        with (folder / "chromium.log").open("wb") as log:
            dup = os.POSIX_SPAWN_DUP2
            # Through high numbers first: the ends of the pipes can have the numbers 3 and 4 themselves.
            actions = [(dup, ours[0], 63), (dup, theirs[1], 64), (dup, 63, 3), (dup, 64, 4), (dup, log.fileno(), 2)]
            arguments = [program, *_OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
            self._process = os.posix_spawn(program, arguments, os.environ, file_actions=actions, setsid=True)
        os.close(ours[0])
        os.close(theirs[1])
        self._to, self._from = ours[1], theirs[0]
        self._number = 0
        self._rest = b""
        self._events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events that arrive before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        text = json.dumps({**message, "sessionId": session} if session else message).encode() + b"\0"
        while text:
            text = text[os.write(self._to, text) :]
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise AssertionError(f"{method}: {reply['error']}")
                result: dict[str, Any] = reply["result"]
                return result
            self._events.append(reply)

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(end - time.monotonic(), 0))
            part = os.read(self._from, 1 << 20) if ready else b""
            if not part:
                raise AssertionError("Chromium does not answer")
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    @contextlib.contextmanager
    def open(self, page: pathlib.Path, *, width: int = 1400, dark: bool = False, policy: bool = True) -> Iterator[Tab]:
        """A loaded page. Without ``policy``, its content security policy does not hold, so that tests can run scripts
        that are elements of the page."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab, url = Tab(self, session), page.absolute().as_uri()
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.send(f"{domain}.enable")
        tab.send("Page.setBypassCSP", enabled=not policy)
        tab.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab.send("Emulation.setEmulatedMedia", features=[scheme])
        tab.send("Page.navigate", url=url)
        self._wait("Page.loadEventFired", session)
        # A request or a message that loading caused is there at the latest after the next task of the page.
        tab.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        self._deliver(tab, session, url)
        try:
            yield tab
        finally:
            self._deliver(tab, session, url)
            self.send("Target.disposeBrowserContext", browserContextId=context)

    def _wait(self, method: str, session: str) -> None:
        while not any(event.get("method") == method and event.get("sessionId") == session for event in self._events):
            self._events.append(self._read())

    def _deliver(self, tab: Tab, session: str, url: str) -> None:
        events, self._events = self._events, []
        for event in events:
            if event.get("sessionId") == session:
                tab.take(event, url)

    def close(self) -> None:
        """End the browser and its processes."""
        with contextlib.suppress(OSError, AssertionError):
            self.send("Browser.close")
        os.close(self._to)
        os.close(self._from)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


@contextlib.contextmanager
def browser(folder: pathlib.Path) -> Iterator[Browser]:
    """A Chromium with its files in ``folder``."""
    started = Browser(folder)
    try:
        yield started
    finally:
        started.close()
