"""The callbacks of a program, called in this process: an engine would call them through a gRPC server of the SDK."""

import asyncio
import contextvars
from typing import Any

from google.protobuf.message import Message
from pulumi.runtime import settings
from pulumi.runtime._callbacks import _CallbackServicer


class Callbacks(_CallbackServicer):
    """The SDK's list of callbacks, without the server: it opens no port, and keeps the type of exceptions.

    The SDK asks its settings for one before it makes one, so the list for the whole program must be set before.
    """

    def __init__(self) -> None:  # not that of the base class, which would make a server
        self._target = "this process"
        self._callbacks = {}
        self._transforms = {}
        self._state_migrations = {}

    def attach(self, monitor: Any) -> None:
        """Take the callbacks of the program whose settings these are; call before it starts."""
        self._monitor = monitor
        settings.SETTINGS.callbacks = self

    def listen(self) -> None:
        """Run callbacks in the current event loop, with the settings of the caller."""
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()

    def call(self, token: str, request: Message) -> Any:
        """The answer of a callback. Not to be called in the event loop itself, since it waits.

        Raises:
            Exception: the exception of the callback.
        """

        async def answer() -> Message:
            return await self._callbacks[token](request.SerializeToString())

        return self._context.copy().run(asyncio.run_coroutine_threadsafe, answer(), self._loop).result()
