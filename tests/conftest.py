"""For the tests of every folder: which helpers can be imported, and how many examples hypothesis draws.

Helpers are imported from this folder: ``from support.edits import EDITS``. A test module has the name of the module
that it tests, so two in different folders can have the same name. Properties are tried with a few examples, so that a
run stays short, with ``--all`` with some, and with ``--hypothesis-profile=deep`` with many.
"""

import gc

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "support.fixtures.selection",
    "support.fixtures.checks",
    "support.fixtures.commands",
    "support.fixtures.not_tested",
    "support.fixtures.order",
    "support.fixtures.terraform",
]
collect_ignore = ["packaging/data"]
"""Projects of users, whose tests run with the installed wheel."""

_FEW, _SOME, _MANY = 10, 25, 1000

# The machines that run these tests are shared, the first example of a run pays for the imports, and every fixture that
# properties use can be used again.
settings.register_profile(
    "few",
    deadline=None,
    max_examples=_FEW,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("some", settings.get_profile("few"), max_examples=_SOME)
settings.register_profile("deep", settings.get_profile("few"), max_examples=_MANY)
settings.load_profile("few")


# What is loaded until all tests are collected stays; looking through it again and again for garbage took nearly half of
# the time that collecting takes, in each process.
gc.disable()


def pytest_collection_finish() -> None:
    """What is loaded by now is not looked at for garbage, which would take a third of all time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 100)
