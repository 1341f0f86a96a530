"""A line that tells a waiting person what takes so long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds before anything is said."""


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Write what is being done to stderr when it takes longer than two seconds on a terminal; wipe it afterwards."""
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
