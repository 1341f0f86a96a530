"""twine and pre-commit, which look at what is published, in an environment of their own in ``.cache``."""

import pathlib
import sys

from support.tool_installation import CACHE, Tell, made_once, run

VERSIONS = ("pre-commit==4.6.2", "twine==7.0.0")
_FOLDER = CACHE / "publishing"


def find_publishing(tell: Tell) -> pathlib.Path:
    """The interpreter that runs ``-m twine`` and ``-m pre_commit``; pip installs them once per checkout.

    Raises:
        UnavailableError: pip cannot install them.
    """
    name = "-".join((f"python{sys.version_info[0]}.{sys.version_info[1]}", *VERSIONS)).replace("==", "-")
    place = _FOLDER / name

    def make(partial: pathlib.Path) -> None:
        tell(f"Installing {' and '.join(VERSIONS)}: half a minute.")
        problem = f"no {' and '.join(VERSIONS)}"
        run([sys.executable, "-m", "venv", str(partial)], 120, problem)
        pip = [str(partial / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, *VERSIONS], 600, problem)
        (partial / "complete").touch()

    made_once(place, (place / "complete").exists, make, _FOLDER / "python.lock", "twine and pre-commit", tell)
    return place / "bin" / "python"
