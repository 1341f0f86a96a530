"""Effective values come from ``fleet/settings``: nothing else decides what holds where a plan sets no key.

A second default agrees with the first one only by luck. Rules may read keys, because their findings name keys.
"""

import ast
import re
from collections.abc import Iterator

from support.source_files import Module, dotted, modules

from pulumi_gke_tpu.core.plan.cluster import ControlPlane, Security
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import BootDisk
from pulumi_gke_tpu.core.plan.upgrades import BlueGreen, Maintenance, Upgrade

HOME = ("core/fleet/settings.py", "core/plan/")
DEFAULTS = {model.__name__ for model in (BlueGreen, BootDisk, ControlPlane, Maintenance, Security, SystemPool, Upgrade)}
"""Models whose instance without arguments is a set of defaults."""
KEYS = {
    "boot_disk": "boot_disk, node_settings",
    "max_pods_per_node": "node_settings",
    "private_nodes": "ClusterSettings",
    "release_channel": "ClusterSettings",
    "security": "security_settings",
    "system_pool": "system_pool",
    "upgrade": "upgrade_settings",
}
"""Keys of which an effective value exists, and what has it."""
OF_ADOPTED = {
    "limits": "autoscaler_settings",
    "location_policy": "autoscaler_settings",
    "oauth_scopes": "oauth_scopes",
}
"""The same for the keys of ``adopted``."""
READS_KEYS = re.compile(r"core/(plan/|fleet/settings\.py)|(core|features/[a-z_]+)/rules/")
"""The findings of rules name keys."""
ALLOWED = {
    ("core/fleet/model.py", "system_pool"): "whether an adopted cluster has such a node pool at all",
    ("core/graph/registered.py", "private_nodes"): "a note about plans that have neither of two keys",
    ("features/plan/preview/texts.py", "boot_disk"): "gives the written disk to the settings",
    ("features/plan/preview/texts.py", "private_nodes"): "shows the keys that the plan sets",
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
    """The keys that are read of something called ``plan`` or ``adopted``."""
    for node in module.nodes(ast.Attribute):
        assert isinstance(node, ast.Attribute)
        owner = dotted(node.value).rpartition(".")[2]
        if node.attr in (KEYS if owner == "plan" else OF_ADOPTED if owner == "adopted" else ()):
            yield node.attr


def test_no_key_gets_a_literal_default_outside_the_settings() -> None:
    found = [
        f"{module.name}: {ast.unparse(node)}"
        for module in modules()
        if not module.name.startswith(HOME)
        for node in _literal_defaults(module)
    ]
    assert found == [], "derive the value in pulumi_gke_tpu.core.fleet.settings"


def _literal_defaults(module: Module) -> Iterator[ast.AST]:
    """Expressions that give a key of a plan a value of their own: ``plan.KEY or 5``, ``5 if plan.KEY is None else x``.

    Also the names of local variables that are assigned from a key of a plan, in the same module.
    """
    keys = {target.id for target, value in _assigned(module) if _key(value)}

    def key(node: ast.AST) -> bool:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return key(node.values[-1])  # written and written.key
        return _key(node) or (isinstance(node, ast.Name | ast.Attribute) and dotted(node).split(".")[0] in keys)

    for node in module.nodes(ast.BoolOp):
        assert isinstance(node, ast.BoolOp)
        if isinstance(node.op, ast.Or) and key(node.values[0]) and _is_literal(node.values[-1]):
            yield node
    for node in module.nodes(ast.IfExp):
        assert isinstance(node, ast.IfExp)
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)) and key(test.left):
            other = node.body if isinstance(test.ops[0], ast.Is) else node.orelse
            same = node.orelse if isinstance(test.ops[0], ast.Is) else node.body
            if _is_literal(other) and ast.unparse(same) == ast.unparse(test.left):
                yield node


def _assigned(module: Module) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The variables that are assigned, each with its value, also in ``a, b = x, y``."""
    for node in module.nodes(ast.Assign):
        assert isinstance(node, ast.Assign)
        for target in node.targets:
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]
            yield from ((name, value) for name, value in pairs if isinstance(name, ast.Name))


def _key(node: ast.AST) -> bool:
    """Whether an expression is a key of something called ``plan``: ``group.plan.zone``, ``plan.upgrade.max_surge``."""
    return isinstance(node, ast.Attribute) and "plan" in dotted(node).split(".")[:-1]


def _is_literal(node: ast.AST) -> bool:
    """Whether an expression is a value of its own. Empty values say that there is none; they are not defaults."""
    if isinstance(node, ast.Constant):
        return node.value not in (None, "")
    return isinstance(node, (ast.List, ast.Tuple)) and bool(node.elts)


def test_the_short_lived_modes_are_listed_once() -> None:
    found = [
        f"{module.name}: {ast.unparse(node)}"
        for module in modules()
        if not module.name.startswith(HOME)
        for node in _short_lived_modes(module)
    ]
    assert found == [], "use SHORT_LIVED of core.plan.capacity, or is_short_lived of core.fleet.settings"


def _short_lived_modes(module: Module) -> Iterator[ast.AST]:
    """Collections of exactly the two capacity modes with short-lived nodes."""
    for kind in (ast.Tuple, ast.List, ast.Set):
        for node in module.nodes(kind):
            assert isinstance(node, (ast.Tuple, ast.List, ast.Set))
            values = [item.value for item in node.elts if isinstance(item, ast.Constant)]
            if len(values) == len(node.elts) and sorted(map(str, values)) == ["flex_start", "queued"]:
                yield node


def test_a_second_literal_default_is_found() -> None:
    text = """
count = 1 if group.plan.count is None else group.plan.count
written = cluster.plan.mtu
mtu = written if written is not None else 1460
size = plan.boot_disk.size_gib or 100
adopted, zones = group.plan.adopted, 1
policy = (adopted and adopted.location_policy) or "any"
fine = plan.name or ""
shown = "none" if plan.zone is None else "some"
short = mode in ("queued", "flex_start")
all_modes = ("spot", "queued", "flex_start")
"""
    module = Module("change/example.py", text, ast.parse(text))
    assert [ast.unparse(node) for node in _literal_defaults(module)] == [
        "plan.boot_disk.size_gib or 100",
        "adopted and adopted.location_policy or 'any'",
        "1 if group.plan.count is None else group.plan.count",
        "written if written is not None else 1460",
    ]
    assert [ast.unparse(node) for node in _short_lived_modes(module)] == ["('queued', 'flex_start')"]


def test_a_second_default_is_found() -> None:
    text = """
upgrade = group.plan.upgrade or Upgrade()
plan.system_pool or cluster.SystemPool()
Upgrade(max_surge=1)
adopted.limits
"""
    module = Module("change/example.py", text, ast.parse(text))
    assert [ast.unparse(call) for call in _defaults(module)] == ["Upgrade()", "cluster.SystemPool()"]
    assert sorted(_keys_read(module)) == ["limits", "system_pool", "upgrade"]
