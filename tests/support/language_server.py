"""Asks the language server for YAML, which VS Code and other editors use, what it marks in a file."""

import contextlib
import json
import pathlib
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MANIFEST = pathlib.Path(__file__).parent / "editor" / "package.json"
_SETTINGS = {"yaml": {"validate": True, "schemaStore": {"enable": False}}, "http": {"proxy": ""}}


@dataclass(frozen=True)
class Mark:
    """One problem that an editor shows. ``line`` counts from 1."""

    line: int
    message: str


def marks(packages: pathlib.Path, texts: Mapping[str, str], folder: pathlib.Path) -> dict[str, tuple[Mark, ...]]:
    """The marks in each text, by its name. Schemas are those that the texts name, relative to the folder."""
    names = list(texts)
    found: dict[str, tuple[Mark, ...]] = {}
    with _server(packages) as server:
        for index, text in enumerate(texts.values()):
            document = {"uri": f"{folder.as_uri()}/{index}.yaml", "languageId": "yaml", "version": 1, "text": text}
            server.notify("textDocument/didOpen", {"textDocument": document})
        while len(found) < len(names):
            message = server.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                shown = message["params"]
                index = int(pathlib.PurePosixPath(shown["uri"]).stem)
                found[names[index]] = tuple(
                    Mark(item["range"]["start"]["line"] + 1, item["message"]) for item in shown["diagnostics"]
                )
    return found


class _Server:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def start(self) -> None:
        """Introduce the client, and wait until the server is ready."""
        self._send(
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
        )
        while self.receive().get("id") != 1:
            pass
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": _SETTINGS})

    def receive(self) -> dict[str, Any]:
        """The next message. Requests of the server are answered with nothing."""
        length = 0
        while header := self._line():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._out.read(length))
        if "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})
        return message

    def _line(self) -> bytes:
        line = self._out.readline()
        if not line:
            raise EOFError("the language server has ended")
        return line.strip()

    def _send(self, message: Mapping[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self._in.flush()


@contextlib.contextmanager
def _server(packages: pathlib.Path) -> Iterator[_Server]:
    program = packages / "yaml-language-server" / "bin" / "yaml-language-server"
    process = subprocess.Popen(
        ["node", str(program), "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        server = _Server(process)
        server.start()
        yield server
    finally:
        process.kill()
        process.communicate()
