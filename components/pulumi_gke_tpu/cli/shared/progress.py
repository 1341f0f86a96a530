"""A progress line for commands that take long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds before the line appears."""


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Write the activity to stderr, if that is a terminal and the activity takes longer than two seconds."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    shown = threading.Event()

    def show() -> None:
        shown.set()
        sys.stderr.write(f"{doing} ...")
        sys.stderr.flush()

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
