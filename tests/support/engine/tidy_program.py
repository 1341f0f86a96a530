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
from pulumi.runtime._callbacks import _CallbackServicer

LONGEST_SECONDS = 10


class TidyProgram:
    """Runs a program and remembers its event loop.

    The SDK abandons a failed program with the loop open. Collected at some later moment, it would print errors and fail
    whatever test runs then.
    """

    def __init__(self, program: Callable[[], None]) -> None:
        self._program = program
        self._loop: Callable[[], asyncio.AbstractEventLoop | None] = lambda: None
        self._forget: list[Callable[[], None]] = []

    def __call__(self) -> None:
        self._loop = weakref.ref(asyncio.get_running_loop())
        self._forget = [settings.SETTINGS.rpc_manager.clear, settings.SETTINGS.outputs.clear]
        self._program()

    def clear_away(self) -> None:
        """Wait until the program's thread has ended, and end and collect what it left."""
        for forget in self._forget:
            forget()
        self._forget = []
        end = time.monotonic() + LONGEST_SECONDS
        with _unheard():
            gc.collect()
            while (loop := self._loop()) is not None and time.monotonic() < end:
                time.sleep(0.05)
                if not loop.is_running():
                    _end(loop)
                    return
                del loop
                gc.collect()


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Do what the SDK leaves out: cancel the tasks, shut down the server for the engine's hooks, close the loop."""
    if loop.is_closed():
        return
    ending = loop.create_task(_ended(loop))
    while not ending.done():
        # Late messages of an abandoned run can stop the loop early.
        with contextlib.suppress(RuntimeError):
            loop.run_until_complete(ending)
    loop.close()
    gc.collect()


async def _ended(loop: asyncio.AbstractEventLoop) -> None:
    for servicer in [servicer for servicer in _CallbackServicer._servicers if servicer._server._loop is loop]:
        _CallbackServicer._servicers.remove(servicer)
        with contextlib.suppress(asyncio.CancelledError):  # the SDK cancels some of the server's own tasks
            await servicer._server.stop(grace=0)
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=LONGEST_SECONDS)


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
