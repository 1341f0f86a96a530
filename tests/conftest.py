"""For the tests of every folder: which helpers can be imported, and how many examples hypothesis draws.

Helpers are imported from this folder: ``from support.edits import EDITS``. A test module has the name of the module
that it tests, so two in different folders can have the same name. Properties are tried with a few examples, so that a
run stays short, with ``--all`` with some, and with ``--hypothesis-profile=deep`` with many.
"""

import gc

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

# What is loaded until all tests are collected stays; looking through it again and again for garbage took nearly half of
# the time that collecting takes, in each process.
gc.disable()


def pytest_collection_finish() -> None:
    """What is loaded by now is not looked at for garbage, which would take a third of all time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 100)
