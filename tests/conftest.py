"""For the tests of every folder: modules beside this file can be imported, and no example has a time limit."""

import gc

from hypothesis import settings

# The machines that run these tests are shared, and the first example of a run pays for the imports.
settings.register_profile("no time limit", deadline=None)
settings.load_profile("no time limit")


def pytest_collection_finish() -> None:
    """What is loaded by now stays; looking through it again and again for garbage would take a third of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
