"""Reads what ``pulumi preview --json`` writes: streamed engine events, a line each, or the digest, one document.

Of a resource only its URN, its operation and the paths of its properties are kept, never a value.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.engine.json import (
    SECRET_KEY,
    WRITE_AGAIN,
    EventsError,
    Redactor,
    config_texts,
    decoded,
    filled_lines,
    object_at,
    parsed,
    secrets_in,
    text_at,
)
from pulumi_gke_tpu.features.diff.engine.model import EngineDiagnostic, EnginePolicy, EngineResult
from pulumi_gke_tpu.features.diff.engine.steps import (
    EngineStep,
    PlannedStep,
    folded,
    parse_urn,
    planned_step,
    refused_urns,
)

LARGEST = 200_000_000
"""Bytes of the largest file that is read."""

MOST_SAID = 100
"""Diagnostics, and policy results, that are kept of one run."""

_LONGEST_MESSAGE = 500
_LONGEST_NAME = 200
_QUOTED_URN = lazy_pattern(r'"urn:pulumi:[^"\n]*::([^"\n]+)"')
_LAST_ERROR = "preview failed"
"""The message of the engine at the end of every preview with an error."""

_LEVELS = {"advisory": "advisory", "warning": "advisory", "mandatory": "mandatory", "remediate": "remediate"}
_RESULTS: tuple[EngineResult, ...] = ("succeeded", "failed", "canceled")
_DIGEST_KEYS = frozenset({"config", "steps", "diagnostics", "duration", "changeSummary", "maybeCorrupt"})


@frozen
class EngineRun:
    """One preview by the engine."""

    stack: str
    """Empty where no resource was named."""
    form: Literal["stream", "digest"]
    """A digest leaves out resources that stay the same, in which order resources are replaced, and all policies."""
    result: EngineResult
    steps: tuple[EngineStep, ...]
    """One for each resource that the preview came to, in that order."""
    refused: frozenset[str]
    """URNs of what the engine refuses to delete or to replace, because it is protected."""
    replacing: frozenset[str]
    """URNs of what the engine would replace, and may not since something in it is protected."""
    failed_at: frozenset[str]
    """URNs of the resources with any other error."""
    errs: bool
    """Whether there is any error besides what is refused because it is protected."""
    diagnostics: tuple[EngineDiagnostic, ...]
    policies: tuple[EnginePolicy, ...]
    left_out: int
    """Diagnostics and policy results beyond those."""
    packs: tuple[str, ...]


def read_engine_events(content: bytes) -> EngineRun:
    """Read one preview.

    Raises:
        EventsError: the content is anything else, such as the output of ``pulumi up``, or two previews in one file.
    """
    if len(content) > LARGEST:
        raise EventsError(f"it is larger than {LARGEST // 1_000_000} MB")
    text = decoded(content)
    lines = filled_lines(text)
    first = next(lines, None)
    if first is None:
        raise EventsError(f"it is empty; {WRITE_AGAIN}")
    try:
        event = parsed(first[1])
    except json.JSONDecodeError:
        return _digest(text)
    except EventsError as error:
        raise EventsError(f"line {first[0]}: {error}") from None
    if not isinstance(event, dict) or not _is_event(event):
        return _digest(text)
    return _stream(text)


def _is_event(data: Mapping[str, Any]) -> bool:
    return "sequence" in data or any(key.endswith("Event") for key in data)


# Events


@dataclass(slots=True)
class _Reading:
    """What is gathered of one run. Texts are kept as they came until all secrets are known."""

    steps: list[PlannedStep] = field(default_factory=list)
    said: list[tuple[str, str, str]] = field(default_factory=list)
    """Severity, URN, message."""
    policies: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """Pack, policy, level, URN, message."""
    left_out: int = 0
    secrets: set[str] = field(default_factory=set)
    config: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    replacing: set[str] = field(default_factory=set)
    failed_at: set[str] = field(default_factory=set)
    errors: bool = False
    errs: bool = False
    packs: tuple[str, ...] = ()
    result: EngineResult | None = None
    begun: bool = False
    ended: bool = False

    def diagnostic(self, data: Mapping[str, Any], prefixed: bool) -> None:
        """Note a warning or an error; others are passed over."""
        severity, urn, message = text_at(data, "severity"), _urn(data, "urn"), text_at(data, "message")
        if severity not in ("warning", "error"):
            return
        if prefixed:
            message = message.removeprefix(f"{severity}: ")
        if severity == "error":
            self.errors = True
            refused, replaced = refused_urns(message)
            self.refused.add(refused)
            self.replacing.add(replaced)
            if not refused:
                self.failed_at.add(urn)
                if not urn and message.strip() == _LAST_ERROR:
                    return
                self.errs = True
        self._keep(self.said, (severity, urn, message))

    def policy(self, data: Mapping[str, Any], message: str) -> None:
        """Record the message of a policy."""
        version = text_at(data, "policyPackVersionTag") or text_at(data, "policyPackVersion")
        pack = f"{text_at(data, 'policyPackName')} {_version(version)}".strip()
        level = text_at(data, "enforcementLevel") or "remediate"
        if level not in _LEVELS:
            raise EventsError(f"enforcementLevel: unknown level {printable(level, 40)}")
        entry = (pack, text_at(data, "policyName"), _LEVELS[level], _urn(data, "resourceUrn"), message)
        self._keep(self.policies, entry)

    def _keep(self, texts: list[Any], entry: tuple[str, ...]) -> None:
        if entry in texts:
            return
        if len(texts) < MOST_SAID:
            texts.append(entry)
        else:
            self.left_out += 1

    def run(self, form: Literal["stream", "digest"], result: EngineResult) -> EngineRun:
        """The run as a whole."""
        steps = folded(self.steps, Redactor(self.secrets))
        redactor = Redactor(self.secrets | self.config)
        stacks = {step.stack: None for step in self.steps}
        if len(stacks) > 1:
            raise EventsError(
                f"it contains more than one stack: {printable(', '.join(stacks), 200)}; one file for each"
            )
        return EngineRun(
            stack=next(iter(stacks), ""),
            form=form,
            result=result,
            steps=steps,
            refused=frozenset(self.refused - {""}),
            replacing=frozenset(self.replacing - {""}),
            failed_at=frozenset(self.failed_at - {""}),
            errs=self.errs,
            diagnostics=tuple(_shown_diagnostic(entry, redactor) for entry in self.said),
            policies=tuple(_shown_policy(entry, redactor) for entry in self.policies),
            left_out=self.left_out,
            packs=tuple(redactor.text(pack, _LONGEST_NAME) for pack in self.packs),
        )


def _stream(text: str) -> EngineRun:
    """Events line by line. A last line that stops in the middle is that of a run that was killed."""
    reading = _Reading()
    for number, line in filled_lines(text):
        try:
            data = parsed(line)
        except json.JSONDecodeError:
            if text.endswith("\n") or text[text.rfind("\n") + 1 :] != line:
                raise EventsError(
                    f"line {number}: it is not JSON; the file must contain only the standard output of "
                    "`pulumi preview --json`"
                ) from None
            reading.ended = False
            reading.result = None
            break
        except EventsError as error:
            raise EventsError(f"line {number}: {error}") from None
        try:
            _event(data, reading, marked=SECRET_KEY in line)
        except EventsError as error:
            raise EventsError(f"line {number}: {error}") from None
    return reading.run("stream", reading.result or "cut off")


def _event(data: object, reading: _Reading, *, marked: bool) -> None:
    if not isinstance(data, dict) or not _is_event(data):
        raise EventsError("it is not an event of the engine")
    if reading.ended:
        raise EventsError("a second run starts; use one file for each preview")
    # Kinds of events that a later version of the engine may add are passed over.
    for name, read in _EVENTS.items():
        if name in data:
            read(object_at(data, name), reading)
    if marked:
        reading.secrets.update(secrets_in(data))


def _read_prelude(data: Mapping[str, Any], reading: _Reading) -> None:
    if reading.begun:
        raise EventsError("a second run starts; use one file for each preview")
    reading.begun = True
    reading.config.update(config_texts(data.get("config")))


def _read_step(data: Mapping[str, Any], reading: _Reading) -> None:
    if data.get("planning") is not True:
        raise EventsError("it is a step of `pulumi up`, not of a preview")
    reading.steps.append(planned_step(object_at(data, "metadata"), "diffs", "diffKind"))


def _read_summary(data: Mapping[str, Any], reading: _Reading) -> None:
    if data.get("isPreview") is not True:
        raise EventsError("it is the end of `pulumi up`, not of a preview")
    result = next((result for result in _RESULTS if result == text_at(data, "result")), None)
    if result is None:
        raise EventsError(f"result: unknown result {printable(data.get('result'), 40)}")
    packs = object_at(data, "PolicyPacks") if data.get("PolicyPacks") else {}
    reading.packs = tuple(f"{name} {_version(text_at(packs, name))}".strip() for name in sorted(packs)[:MOST_SAID])
    reading.result = result


def _read_cancel(data: Mapping[str, Any], reading: _Reading) -> None:
    """The last event of every run."""
    reading.ended = True


_EVENTS: dict[str, Callable[[Mapping[str, Any], _Reading], None]] = {
    "preludeEvent": _read_prelude,
    "resourcePreEvent": _read_step,
    "diagnosticEvent": lambda data, reading: reading.diagnostic(data, prefixed=False),
    "policyEvent": lambda data, reading: reading.policy(data, text_at(data, "message")),
    "policyRemediationEvent": lambda data, reading: reading.policy(data, "It changes the resource of the program."),
    "errorEvent": lambda data, reading: reading.diagnostic(
        {"severity": "error", "message": text_at(data, "error")}, prefixed=False
    ),
    "summaryEvent": _read_summary,
    "cancelEvent": _read_cancel,
}


# Digest


_IN_DIGEST: dict[str, Callable[[Mapping[str, Any], _Reading], None]] = {
    "steps": lambda entry, reading: reading.steps.append(planned_step(entry, "diffReasons", "kind")),
    "diagnostics": lambda entry, reading: reading.diagnostic(entry, prefixed=True),
}


def _digest(text: str) -> EngineRun:
    """One document. It does not contain the result of the preview, but every failure leaves an error in it."""
    try:
        data = parsed(text)
    except json.JSONDecodeError as error:
        raise EventsError(f"line {error.lineno}: {_broken(text, error)}; {WRITE_AGAIN}") from None
    if not isinstance(data, dict) or not data.keys() & _DIGEST_KEYS:
        raise EventsError(
            f"line 1: it is neither an event of the engine nor a preview in one JSON document; {WRITE_AGAIN}"
        )
    reading = _Reading()
    reading.config.update(config_texts(data.get("config")))
    if SECRET_KEY in text:
        reading.secrets.update(secrets_in(data))
    for key, read in _IN_DIGEST.items():
        entries = [] if data.get(key) is None else data[key]
        if not isinstance(entries, list):
            raise EventsError(f"{key}: it must be a list")
        for number, entry in enumerate(entries):
            try:
                if not isinstance(entry, dict):
                    raise EventsError("it must be an object")
                read(entry, reading)
            except EventsError as error:
                raise EventsError(f"{key}[{number}]: {error}") from None
    reading.steps = _without_refresh(reading.steps)
    return reading.run("digest", "failed" if reading.errors else "succeeded")


def _broken(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return "a second document starts; use one file for each preview"
    cut = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
    return "it is cut off in the middle" if cut else "it is not JSON"


def _without_refresh(steps: list[PlannedStep]) -> list[PlannedStep]:
    """With ``--refresh`` the first step of all that exists is that of the refresh, under the name of what it found."""
    if not any(step.operation == "refresh" for step in steps):
        return steps
    found, seen = [], set[str]()
    for step in steps:
        if step.urn in seen or step.operation not in ("refresh", "update", "delete"):
            found.append(step)
        seen.add(step.urn)
    return found


# Values


def _urn(data: Mapping[str, Any], key: str) -> str:
    found = text_at(data, key)
    if found:
        parse_urn(found)
    return found


def _version(text: str) -> str:
    return f"v{text}" if text[:1].isdigit() else text


def _named(urn: str) -> str:
    """The name of a resource; empty where there is none."""
    return parse_urn(urn).name if urn else ""


def _shown_diagnostic(entry: tuple[str, str, str], redactor: Redactor) -> EngineDiagnostic:
    severity, urn, message = entry
    shown: Literal["warning", "error"] = "error" if severity == "error" else "warning"
    name = redactor.text(_named(urn), _LONGEST_NAME)
    return EngineDiagnostic(shown, name, redactor.text(_QUOTED_URN.sub(r'"\1"', message), _LONGEST_MESSAGE))


def _shown_policy(entry: tuple[str, str, str, str, str], redactor: Redactor) -> EnginePolicy:
    pack, policy, level, urn, message = entry
    return EnginePolicy(
        pack=redactor.text(pack, _LONGEST_NAME),
        policy=redactor.text(policy, _LONGEST_NAME),
        level=level,
        resource=redactor.text(_named(urn), _LONGEST_NAME),
        message=redactor.text(message, _LONGEST_MESSAGE),
    )
