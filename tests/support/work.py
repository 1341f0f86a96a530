"""Work instead of time: counted, so that it is the same on every machine, and bounded, so that no test hangs."""

import contextlib
import gc
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_CPU_SECONDS = 60
"""Far more than anything here takes; only what would never end reaches it."""


@contextlib.contextmanager
def _without_garbage() -> Iterator[None]:
    """Collect no garbage, of which the finalizers would count: what other tests left differs from run to run."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def function_calls(run: Callable[[], object]) -> int:
    """How many functions are called while something runs, those written in C as well."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with _without_garbage():
            run()
    finally:
        sys.setprofile(before)
    return calls


def calls_of(functions: Mapping[str, Callable[..., object]], run: Callable[[], object]) -> dict[str, int]:
    """How often each of some Python functions is called while something runs, in whatever thread, by whatever name."""
    names = {function.__code__: name for name, function in functions.items()}
    calls = dict.fromkeys(functions, 0)

    def count(frame: types.FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in names:
            calls[names[frame.f_code]] += 1

    before = sys.getprofile()
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return calls


def lines_executed(run: Callable[[], object]) -> int:
    """How many lines are executed while something runs: loops count that call no function."""
    lines = 0

    def count(frame: object, event: str, argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with _without_garbage():
            run()
    finally:
        sys.settrace(before)
    return lines


@contextlib.contextmanager
def no_hang() -> Iterator[None]:
    """Ends what uses the processor without end.

    Raises:
        TimeoutError: a minute of processor time was not enough.
    """

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"not done after {_CPU_SECONDS} seconds of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
