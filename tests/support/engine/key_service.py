"""A service that keeps keys, as Vault does, for the state of the tests' stacks.

The CLI would derive the key from a passphrase instead, which takes a third of the time of every run. The stored values
are not secret.
"""

import functools
import http.server
import json
import threading

URL = "hashivault://tests"


@functools.cache
def environment() -> dict[str, str]:
    """Where the CLI finds the service, which runs on loopback until this process ends."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"VAULT_ADDR": f"http://127.0.0.1:{server.server_port}", "VAULT_TOKEN": "tests"}


class _Transit(http.server.BaseHTTPRequestHandler):
    """Encrypts by giving back what it got, in Vault's words."""

    def do_PUT(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answers = {"encrypt": ("ciphertext", "plaintext"), "decrypt": ("plaintext", "ciphertext")}
        to, of = answers[self.path.split("/")[3]]
        self._answer({"data": {to: given[of]}})

    def _answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests read the output of the CLI, not this log."""
