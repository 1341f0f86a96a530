"""Effective values come from ``fleet/settings``: nothing else decides what holds where a plan sets no key.

A second default agrees with the first one only by luck. Rules may read keys, because their findings name keys.
"""

import ast
import re
from collections.abc import Iterator

from support.source_files import Module, dotted, modules

from pulumi_gke_tpu.core.plan.cluster import ControlPlane
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import BootDisk
from pulumi_gke_tpu.core.plan.upgrades import BlueGreen, Maintenance, Upgrade

HOME = ("core/fleet/settings/", "core/plan/")
DEFAULTS = {model.__name__ for model in (BlueGreen, BootDisk, ControlPlane, Maintenance, SystemPool, Upgrade)}
"""Models whose instance without arguments is a set of defaults."""
KEYS = {
    "boot_disk": "boot_disk, node_settings",
    "max_pods_per_node": "node_settings",
    "private_nodes": "cluster_settings",
    "release_channel": "cluster_settings",
    "system_pool": "system_pool",
    "upgrade": "upgrade_settings",
}
"""Keys of which an effective value exists, and what has it."""
READS_KEYS = re.compile(r"core/(plan|fleet/settings)/|(core|features/[a-z_]+)/rules/")
"""The findings of rules name keys."""
ALLOWED = {
    ("core/graph/result.py", "private_nodes"): "a note about plans that have neither of two keys",
    ("features/plan/preview/settings.py", "boot_disk"): "gives the written disk to the settings",
    ("features/plan/preview/settings.py", "private_nodes"): "shows the keys that the plan sets",
}


def test_no_default_is_computed_outside_the_settings() -> None:
    found = [
        f"{module.name}: {ast.unparse(call)}"
        for module in modules()
        if not module.name.startswith(HOME)
        for call in _defaults(module)
    ]
    assert found == []


def _defaults(module: Module) -> Iterator[ast.Call]:
    """Calls of a plan model without arguments."""
    for node in module.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if dotted(node.func).rpartition(".")[2] in DEFAULTS and not node.args and not node.keywords:
            yield node


def test_effective_values_are_not_read_from_the_plan() -> None:
    found = {
        (module.name, key) for module in modules() if not READS_KEYS.match(module.name) for key in _keys_read(module)
    }
    assert found == ALLOWED.keys(), "take the value from pulumi_gke_tpu.core.fleet.settings"


def _keys_read(module: Module) -> Iterator[str]:
    """The keys that are read of something called ``plan``."""
    for node in module.nodes(ast.Attribute):
        assert isinstance(node, ast.Attribute)
        if node.attr in KEYS and dotted(node.value).rpartition(".")[2] == "plan":
            yield node.attr


def test_a_second_default_is_found() -> None:
    text = "upgrade = group.plan.upgrade or Upgrade()\nplan.system_pool or cluster.SystemPool()\nUpgrade(max_surge=1)"
    module = Module("change/example.py", text, ast.parse(text))
    assert [ast.unparse(call) for call in _defaults(module)] == ["Upgrade()", "cluster.SystemPool()"]
    assert sorted(_keys_read(module)) == ["system_pool", "upgrade"]
