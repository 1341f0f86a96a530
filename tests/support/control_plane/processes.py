"""A Kubernetes control plane as processes on loopback: etcd, API server, scheduler, controllers of core kinds.

There is no kubelet: bound Pods stay Pending. The server drops nearly all events and has no priority and fairness of
requests. The scheduler and the controllers do everything else as in a real cluster.
"""

import base64
import contextlib
import ctypes
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from support.control_plane.client import Client, Refused
from support.tool_installation import UnavailableError

_READY_SECONDS = 120
_ATTEMPTS = 3
_KILL_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""
_CONTROLLERS = (
    "job-controller",
    "serviceaccount-controller",
    "namespace-controller",
    "statefulset-controller",
    "replicaset-controller",
    "deployment-controller",
    "garbage-collector-controller",
    "disruption-controller",
    "resourceclaim-controller",
)


_RUNTIME = {"GOGC": "200", "GOMAXPROCS": "1"}
"""Of Go: tidy up memory more seldom, and wake no threads."""
_ADMISSION = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {
            "name": "EventRateLimit",
            "configuration": {
                "apiVersion": "eventratelimit.admission.k8s.io/v1alpha1",
                "kind": "Configuration",
                "limits": [{"type": "Server", "qps": 1, "burst": 1}],
            },
        }
    ],
}


@dataclass(frozen=True)
class Address:
    """Where the API server is and how a client becomes its administrator."""

    port: int
    certificate: str
    """A file: the server signed its certificate itself."""
    token: str

    def client(self) -> Client:
        return Client(self.port, pathlib.Path(self.certificate), self.token)

    def written(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> "Address":
        return cls(**json.loads(text))


@contextlib.contextmanager
def control_plane(programs: pathlib.Path, folder: pathlib.Path) -> Iterator[Address]:
    """Start the programs, wait until all of them work, and kill them at the end.

    Ports are free when they are chosen; if another process takes one first, everything starts again.

    Raises:
        UnavailableError: a program ends or is not ready in time. The message has the end of its log.
    """
    for attempt in range(_ATTEMPTS):
        started = _Started(programs, folder / str(attempt))
        try:
            address = started.start()
        except UnavailableError:
            started.kill()
            if attempt + 1 == _ATTEMPTS:
                raise
            continue
        try:
            yield address
        finally:
            started.kill()
        return


class _Started:
    """The processes of one attempt."""

    def __init__(self, programs: pathlib.Path, folder: pathlib.Path) -> None:
        self._programs = programs
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> Address:
        folder = self._folder
        folder.mkdir(parents=True)
        token, port = secrets.token_hex(16), _free_port()
        (folder / "tokens").write_text(f"{token},admin,admin,system:masters\n", encoding="utf-8")
        (folder / "account.key").write_text(_signing_key(), encoding="utf-8")
        (folder / "admission.json").write_text(json.dumps(_ADMISSION), encoding="utf-8")
        etcd = f"http://127.0.0.1:{_free_port()}"
        peers = f"http://127.0.0.1:{_free_port()}"
        self._run(
            "etcd",
            f"--data-dir={folder / 'data'}",
            f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",
        )
        self._run(
            "kube-apiserver",
            f"--etcd-servers={etcd}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={folder / 'certificates'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'account.key'}",
            f"--service-account-signing-key-file={folder / 'account.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            f"--token-auth-file={folder / 'tokens'}",
            "--authorization-mode=RBAC",
            # It gives new nodes a taint until their kubelet reports, and there is no kubelet.
            "--disable-admission-plugins=TaintNodesByCondition",
            # No test reads events, and the scheduler and the controllers write several for each Pod.
            "--enable-admission-plugins=EventRateLimit",
            "--enable-priority-and-fairness=false",
            f"--admission-control-config-file={folder / 'admission.json'}",
        )
        address = Address(port, str(folder / "certificates" / "apiserver.crt"), token)
        self._wait_until_ready(address)
        settings = folder / "kubeconfig"
        settings.write_text(_kubeconfig(address), encoding="utf-8")
        fast = ("--kube-api-qps=1000", "--kube-api-burst=1000")
        common = (f"--kubeconfig={settings}", "--leader-elect=false", "--secure-port=0", *fast)
        self._run("kube-scheduler", *common)
        self._run("kube-controller-manager", *common, f"--controllers={','.join(_CONTROLLERS)}")
        self._wait_for_default_account(address)
        return address

    def kill(self) -> None:
        """End all processes at once; they keep nothing that is needed afterwards."""
        for process in reversed(self._processes.values()):
            process.kill()
        for process in self._processes.values():
            process.wait()

    def _run(self, name: str, *arguments: str) -> None:
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [str(self._programs / name), *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **_RUNTIME},
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
            )

    def _wait_until_ready(self, address: Address) -> None:
        certificate = pathlib.Path(address.certificate)
        for _ in self._attempts("kube-apiserver"):
            if certificate.is_file():
                with contextlib.suppress(OSError, Refused), contextlib.closing(address.client()) as client:
                    client.request("GET", "/readyz")
                    return

    def _wait_for_default_account(self, address: Address) -> None:
        """Until then, no Pod can be created: the controllers make it when they run."""
        with contextlib.closing(address.client()) as client:
            for _ in self._attempts("kube-controller-manager"):
                with contextlib.suppress(Refused):
                    client.request("GET", "/api/v1/namespaces/default/serviceaccounts/default")
                    return

    def _attempts(self, waited_for: str) -> Iterator[None]:
        """One per tenth of a second.

        Raises:
            UnavailableError: a process has ended, or the time is over.
        """
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end:
            for name, process in self._processes.items():
                if process.poll() is not None:
                    raise UnavailableError(f"{name} ended with status {process.returncode}: {self._last_words(name)}")
            yield
            time.sleep(0.1)
        problem = f"{waited_for} is not ready after {_READY_SECONDS} s"
        raise UnavailableError(f"{problem}: {self._last_words(waited_for)}")

    def _last_words(self, name: str) -> str:
        lines = (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace").splitlines()
        return " | ".join(lines[-3:])


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_KILL_WITH_PARENT, signal.SIGKILL)


def _signing_key() -> str:
    """A new P-256 key in SEC 1 form (RFC 5915), for the tokens of service accounts."""
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    der = bytes.fromhex("30310201010420") + secrets.token_bytes(32) + curve
    body = base64.b64encode(der).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n"


def _kubeconfig(address: Address) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "here",
                    "cluster": {
                        "server": f"https://127.0.0.1:{address.port}",
                        "certificate-authority": address.certificate,
                    },
                }
            ],
            "users": [{"name": "admin", "user": {"token": address.token}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin"}}],
            "current-context": "here",
        }
    )
