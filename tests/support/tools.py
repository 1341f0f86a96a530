"""The modules of tools/, which is not a package."""

import importlib.util
import pathlib
import sys
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
TOOLS = ROOT / "tools"


def tool(name: str) -> Any:
    """A module of tools/ by its name; as for a script there, modules beside it can be imported."""
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for the module of their class
    spec.loader.exec_module(module)
    return module
