"""Any arguments: every command ends with a documented exit code, and writes only text."""

import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sampling import sample
from support.small_plans import BASE, REPLACING, TODAY

from pulumi_gke_tpu import cli
from pulumi_gke_tpu.cli.commands import command_modules

OPTIONS: dict[str, tuple[str, ...]] = {
    "adopt": ("-o", "--stack", "--check", "--from", "--project", "--zone", "--catalog", "--format"),
    "snapshot": ("-o", "--catalog"),
    "status": ("--snapshot", "--catalog", "--format"),
    "doctor": ("--snapshot", "--catalog", "--format"),
    "evidence": ("--snapshot", "--engine-events", "-o", "--catalog"),
    "inventory": ("--snapshot", "-o", "--catalog"),
    "calendar": (
        "--inventory",
        "--organization",
        "--catalog",
        "--from",
        "--until",
        "--format",
        "--today",
        "--snapshot",
    ),
    "catalog": ("--generation", "--catalog", "--format"),
    "check": ("--plan", "--inventory", "--cluster", "--mode", "--catalog", "--format", "--max-findings", "--today"),
    "comment": ("--author", "--pull-request"),
    "cost": ("--for", "--why-not", "--inventory", "--organization", "--catalog", "--format", "--today"),
    "diff": (
        *("--base-rev", "--head-rev", "--inventory", "--catalog", "--format", "--ack-from", "--engine-events"),
        *("--organization", "--fail-on", "--most-hosts", "--terraform", "--today"),
    ),
    "explain": ("--inventory", "--with", "--project", "--catalog", "--format", "--today"),
    "export": ("-o", "--existing", "--project", "--inventory", "--organization", "--catalog", "--today"),
    "init": ("--project", "--mode", "--location", "--tpu", "--topology", "--stack", "--catalog"),
    "manifests": ("-o", "--check", "--cluster", "--inventory", "--catalog", "--format", "--today"),
    "preview": ("--project", "--inventory", "--organization", "--catalog", "--format", "--today"),
    "quota": ("--inventory", "--organization", "--catalog", "--format", "--today"),
    "recommend": (
        *("--chips", "--hbm", "--tflops", "--precision", "--use", "--near", "--zones", "--mode", "--tpu", "--capacity"),
        *("--interruptible", "--run", "--by", "--budget", "--project", "--gke-version", "--limit"),
        *("--why-not", "--emit", "--with", "--advice"),
        *("--inventory", "--organization", "--catalog", "--format", "--today"),
    ),
    "report": (
        "-o",
        "--title",
        "--budget",
        "--inventory",
        "--organization",
        "--catalog",
        "--from",
        "--until",
        "--today",
    ),
    "rule": ("--format",),
    "schema": ("--catalog",),
    "validate": ("--inventory", "--organization", "--catalog", "--format", "--max-findings", "--today"),
}
"""Every option that takes a value."""
FLAGS = {
    "adopt": ("--force", "--slices-only", "--with-commands"),
    "check": ("--strict",),
    "comment": ("--print",),
    "diff": ("--merge-base", "--resources", "--strict", "--exit-code"),
    "explain": ("--prices", "--sources"),
    "export": ("--json", "--module", "--standalone", "--data-sources", "--import", "--force", "--strict"),
    "init": ("--force", "--with-workload"),
    "manifests": ("--force", "--strict"),
    "preview": ("--nodes", "--prices", "--resources", "--strict"),
    "validate": ("--strict",),
}
USUAL = {
    "adopt": ("plan.yaml", "-o", "out"),
    "snapshot": ("plan.yaml", "-o", "out"),
    "status": ("plan.yaml", "--snapshot", "."),
    "doctor": ("plan.yaml", "--snapshot", "."),
    "evidence": ("plan.yaml", "--snapshot", "."),
    "inventory": ("--snapshot", ".", "-o", "inventory.yaml"),
    "calendar": ("plan.yaml",),
    "catalog": ("prices",),
    "check": ("plan.yaml",),
    "comment": ("diff.json", "--print"),
    "cost": ("plan.yaml",),
    "diff": ("plan.yaml", "other.yaml"),
    "explain": ("plan.yaml", "train"),
    "export": ("terraform", "plan.yaml", "-o", "out"),
    "init": ("new",),
    "manifests": ("plan.yaml",),
    "preview": ("plan.yaml",),
    "quota": ("plan.yaml",),
    "recommend": ("--chips", "64", "--near", "us-east5"),
    "report": ("plan.yaml",),
    "rule": ("TPU112",),
    "schema": (),
    "validate": ("plan.yaml",),
}
FILES = (
    *("plan.yaml", "other.yaml", "diff.json", "stored.json", "bytes.yaml", "nul.yaml", "empty.yaml", "deep.yaml"),
    *("list.json", "deep.json", "number.json", "not-a-number.json", "half.json", "folder", "pipe.yaml", "loop"),
    *("dangling.yaml", "zero.yaml", "a\nb.yaml", "a\x1b[31m.yaml", "\u202e.yaml", os.fsdecode(b"\xff.yaml")),
)
WORDS = (
    *FILES,
    *("", "-", "--", ".", "/dev/null", "/proc/self/environ", "nope", "x" * 300, f"{'x' * 5000}/y", "loop/x"),
    *("plan.yaml/x", "\ud800", "a\0b", os.fsdecode(b"\xff"), "\x1b[31m", "\u2028", "\u200b", " ", "\n", "~"),
    *("v6e", "v5p-128", "4x4", "TPU112", "TPU999", "train", "train/pretrain/topology", "\N{ARABIC-INDIC DIGIT THREE}"),
    *("v5p-99999999999999999999999999", "99999999999x99999999999x9999999999", "0x0", "-1", "\N{SUPERSCRIPT TWO}"),
    *("a:b", ":", ":a", "main...HEAD", "HEAD:x", "%s", "{}", "$(x)", "a" * 100_000, "0001-01-01", "9999-12-31"),
)
WAITING = {"comment", "--engine-events"}
"""What reads pipes, such as those of ``<(pulumi preview --json)``, and so waits for a writer."""
ENVIRONMENTS: dict[str, tuple[str, ...]] = {
    "COLUMNS": ("0", "1", "-5", "x", "100000"),
    "LINES": ("0", "x"),
    "NO_COLOR": ("", "1"),
    "TERM": ("dumb", ""),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with files of every kind."""
    folder = tmp_path_factory.mktemp("hostile")
    texts = {
        "plan.yaml": BASE,
        "other.yaml": REPLACING,
        "empty.yaml": "",
        "deep.yaml": "[" * 100_000,
        "list.json": "[]",
        "deep.json": "[" * 100_000,
        "number.json": f'{{"a": {"9" * 10_000}, "b": 1e99999}}',
        "not-a-number.json": "NaN",
        "half.json": '"\\ud800"',
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("a\nb.yaml", "a\x1b[31m.yaml", "\u202e.yaml", os.fsdecode(b"\xff.yaml")):
        (folder / name).write_text(f"{BASE}unknown: 1\n", encoding="utf-8")
    (folder / "bytes.yaml").write_bytes(b"\xff\xfe\x00\xd8")
    (folder / "nul.yaml").write_bytes(bytes(100))
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    for name, target in {"loop": "loop", "dangling.yaml": "nowhere", "zero.yaml": "/dev/zero"}.items():
        (folder / name).symlink_to(target)
    here = pathlib.Path.cwd()
    os.chdir(folder)
    try:
        (folder / "diff.json").write_text(_called("diff", "plan.yaml", "other.yaml", "--format", "json", *TODAY)[1])
        (folder / "stored.json").write_text(_called("preview", "plan.yaml", "--format", "json", "--resources")[1])
    finally:
        os.chdir(here)
    assert json.loads((folder / "stored.json").read_text())["plan"]
    return folder


@pytest.fixture(autouse=True)
def inside(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
    monkeypatch.setenv("GKE_TPU_TRACEBACK", "1")  # an internal error is not caught then, and shows itself
    yield
    shutil.rmtree(folder / "new", ignore_errors=True)


def _called(*arguments: str, stdin: bytes = b"") -> tuple[Any, str, str]:
    """Exit code, stdout and stderr of a call in this process; both have to be UTF-8, as on a strict terminal."""
    before = sys.stdin, sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict") for _ in range(2)]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout, sys.stderr = streams
    try:
        with pytest.raises(SystemExit) as stop:
            cli.main(list(arguments))
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode("utf-8") for stream in streams)  # type: ignore[attr-defined]
    return stop.value.code, out, err


def check(*arguments: str, stdin: bytes = b"") -> None:
    if "pipe.yaml" in arguments and WAITING & set(arguments):
        return
    code, out, err = _called(*arguments, stdin=stdin)
    assert code in (0, 1, 2, 4, 5, 6), (arguments, code)
    odd = {char for char in out + err if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")} - {"\n"}
    assert not odd, (arguments, odd)
    if code == 2:
        assert err, arguments


@pytest.mark.parametrize("command", command_modules())
def test_every_odd_word_in_every_place_of_a_command(command: str) -> None:
    """As an argument, as the one after it, and as the value of each option."""
    flags = ("--print",) if command == "comment" else ()
    for word in sample(WORDS, 8, of=command):
        if command != "init":  # which writes to the folder that it is given
            check(command, word, *flags)
            check(command, *USUAL[command][:1], word, *flags)
            check(command, word, *USUAL[command][:1], *flags)
    for option in OPTIONS[command]:
        for word in sample(WORDS if command not in ("diff", "init") else WORDS[::3], 4, of=f"{command} {option}"):
            check(command, *USUAL[command], option, word)


@given(data=st.data())
def test_odd_words_side_by_side(data: st.DataObject) -> None:
    command = data.draw(st.sampled_from([name for name in command_modules() if name != "init"]))
    words = st.sampled_from(WORDS) | st.text(max_size=20)
    arguments = data.draw(st.lists(words, max_size=3))
    for option in data.draw(
        st.lists(st.sampled_from([*OPTIONS[command], *FLAGS.get(command, ()), "--help"]), max_size=4)
    ):
        arguments += [option, data.draw(words)] if option in OPTIONS[command] else [option]
    if command == "comment":
        arguments.append("--print")
    with pytest.MonkeyPatch.context() as patch:
        for name, values in ENVIRONMENTS.items():
            patch.setenv(name, data.draw(st.sampled_from(values)))
        check(command, *arguments, stdin=data.draw(st.sampled_from([b"", b"\xff", b"{}", b"[]"])))


def test_every_option_is_tried() -> None:
    """A new option of a command has to be entered above."""
    for name in command_modules():
        command = cli.cli.get_command(cli.click.Context(cli.cli), name)
        assert command is not None
        options = [param for param in command.params if isinstance(param, cli.click.Option)]
        taking = {param.opts[0] for param in options if not param.is_flag}
        assert taking == set(OPTIONS[name]), name
        assert set(FLAGS.get(name, ())) <= {param.opts[0] for param in options if param.is_flag}, name


def test_an_interrupt_by_the_user_causes_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    for place in ((cli.cli, "invoke"), (cli, "_check")):
        with monkeypatch.context() as patch:
            patch.setattr(*place, stop)
            code, out, err = _called("catalog")
        assert (code, out, err.strip()) == (130, "", "Stopped.")


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line of bash in which ``$G`` is the command, as a user's shell does."""
    script = "from pulumi_gke_tpu.cli import main; main()"
    return subprocess.run(
        ["bash", "-c", f'G() {{ "{sys.executable}" -c "{script}" "$@"; }}\n{command}'],
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        pytest.param("G validate plan.yaml", 0, b"", id="nothing in the environment"),
        pytest.param("G catalog prices | true; exit ${PIPESTATUS[0]}", 141, b"", id="the reader has gone"),
        pytest.param("G diff --help | true; exit ${PIPESTATUS[0]}", 141, b"", id="the reader of the help has gone"),
        pytest.param("G explain nope 2>&1 >&- | true; exit ${PIPESTATUS[0]}", None, b"", id="stderr is closed"),
        pytest.param("G catalog > /dev/full", 2, b"gke-tpu: No space left on device", id="a full disk"),
        pytest.param("G comment --print - <&-", 2, b"standard input is closed", id="stdin is closed"),
        pytest.param(
            "G diff plan.yaml other.yaml --engine-events - <&-", 2, b"standard input is closed", id="no events on stdin"
        ),
        pytest.param("G diff plan.yaml other.yaml >&- 2>&-", 0, b"", id="nothing is open"),
        pytest.param("G explain 'v6\u00e9'", 2, b"Did you mean", id="a word beyond ASCII"),
        pytest.param("mkdir gone; cd gone; rmdir ../gone; G diff main...HEAD", 2, b"Error: ", id="no current folder"),
        pytest.param("G init plan.yaml", 2, b"plan.yaml: ", id="a file in the place of a folder"),
        pytest.param("ulimit -f 0; G init new", 2, b"File too large", id="no file may be written"),
    ],
)
def test_a_failing_environment_is_not_an_internal_error(command: str, code: int | None, said: bytes) -> None:
    done = shell(command)
    assert code is None or done.returncode == code, done
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_text_beyond_ascii_does_not_stop_an_ascii_terminal() -> None:
    done = shell(
        "G diff plan.yaml other.yaml", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"pretrain" in done.stdout


def test_messages_of_the_command_line_itself_are_safe_to_print() -> None:
    """The parser of options repeats what it was given."""
    for arguments in (("schema", "plan", "\x1b[31m"), ("validate",), ("rule", "--\u202eformat"), ("\x1b[2J",)):
        check(*arguments)
    assert "\\x1b[31m" in _called("schema", "plan", "\x1b[31m")[2]
