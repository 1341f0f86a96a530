"""The environment in which tests run the CLI: state in a folder, providers attached, no network, and no time wasted."""

import pathlib

from support.engine import key_service


def cli_environment(folder: pathlib.Path, port: int) -> dict[str, str]:
    """For stacks whose state and settings of Pulumi are in ``folder``. ``port`` is that of the stand-in provider.

    The folders ``home`` and ``state`` are made. PATH is left to the caller.
    """
    home, state = folder / "home", folder / "state"
    for part in (home, state):
        part.mkdir(parents=True, exist_ok=True)
    return {
        **key_service.environment(),
        "PULUMI_HOME": str(home),
        "PULUMI_BACKEND_URL": state.as_uri(),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DEBUG_PROVIDERS": f"gcp:{port}",
        # A run takes less than a second: a third of it would go into tidying up memory and waking threads.
        "GOGC": "800",
        "GOMAXPROCS": "1",
    }
