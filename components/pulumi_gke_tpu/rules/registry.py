"""Every rule, in the order of its id."""

from pulumi_gke_tpu.rules import addons, autoprovisioning, cluster, identities, place, slices, versions, zones
from pulumi_gke_tpu.rules.rule import Rule

_MODULES = (addons, autoprovisioning, cluster, identities, place, slices, versions, zones)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for module in _MODULES for rule in module.RULES), key=lambda rule: rule.id)
)
