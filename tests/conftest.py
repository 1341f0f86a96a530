"""For the tests of every folder: modules beside this file can be imported, and no example has a time limit."""

from hypothesis import settings

# The machines that run these tests are shared, and the first example of a run pays for the imports.
settings.register_profile("no time limit", deadline=None)
settings.load_profile("no time limit")
