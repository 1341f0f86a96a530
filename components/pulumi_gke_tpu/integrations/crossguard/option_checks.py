"""The rules about resource options of a TPU pool, as far as the engine tells policies of them."""

import re
from collections.abc import Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.provider import replace_paths
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.integrations.crossguard.pool_checks import PoolCheck, ignored_paths
from pulumi_gke_tpu.integrations.crossguard.pools import TpuPool
from pulumi_gke_tpu.integrations.crossguard.verdict import Broken
from pulumi_gke_tpu.rules.files.extra import NODE_POOL

_AUTONAMED = re.compile(r"-[0-9a-f]{7}\Z", re.ASCII)


def _ignored(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.place:
        return
    fixed = [path for path in replace_paths(catalog.provider, NODE_POOL) if '"' not in path and pool.values.has(path)]
    for ignored in sorted(set(ignored_paths(pool))):
        hidden = [path for path in fixed if ignored in ("*", path) or path.startswith(f"{ignored}.")]
        if hidden:
            yield Broken("ignoreChanges", f"{printable(ignored)} hides changes of {', '.join(hidden)}")


def _stuck(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.place or not pool.multi_host or pool.resource.options.flag("deleteBeforeReplace"):
        return
    name = pool.values.text("name")
    generated = name.startswith(f"{pool.resource.name}-") and _AUTONAMED.search(name)
    if name and not generated:
        yield Broken("deleteBeforeReplace", "a slice with a name of its own is not deleted before it is replaced")


CHECKS: dict[str, PoolCheck] = {"TPU166": _ignored, "TPU167": _stuck}
