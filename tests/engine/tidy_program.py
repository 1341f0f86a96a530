"""An inline program that leaves nothing behind in this process when the engine gives up on it."""

import asyncio
import contextlib
import gc
import sys
import time
import warnings
import weakref
from collections.abc import Callable, Iterator

from pulumi.runtime import settings

LONGEST_SECONDS = 10


class TidyProgram:
    """Runs a program and remembers its event loop.

    The SDK abandons a failed program with the loop open. Collected at some later moment, it would print errors and fail
    whatever test runs then.
    """

    def __init__(self, program: Callable[[], None]) -> None:
        self._program = program
        self._loop: Callable[[], object | None] = lambda: None
        self._forget: list[Callable[[], None]] = []

    def __call__(self) -> None:
        self._loop = weakref.ref(asyncio.get_running_loop())
        self._forget = [settings.SETTINGS.rpc_manager.clear, settings.SETTINGS.outputs.clear]
        self._program()

    def clear_away(self) -> None:
        """Wait until the program's thread has ended, and collect what it left."""
        for forget in self._forget:
            forget()
        self._forget = []
        end = time.monotonic() + LONGEST_SECONDS
        with _unheard():
            gc.collect()
            while self._loop() is not None and time.monotonic() < end:
                time.sleep(0.05)
                gc.collect()


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    hook = sys.unraisablehook
    sys.unraisablehook = lambda unraisable: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        sys.unraisablehook = hook
