"""Every rule about a change of a plan: TPU951 to TPU979."""

from pulumi_gke_tpu.change.rules import (
    hosts as transition_hosts,
)
from pulumi_gke_tpu.change.rules import (
    policies as transition_policies,
)
from pulumi_gke_tpu.change.rules import (
    protection as transition_protection,
)
from pulumi_gke_tpu.change.rules import (
    stops as transition_stops,
)
from pulumi_gke_tpu.change.rules import (
    versions as transition_versions,
)
from pulumi_gke_tpu.change.rules.transition import TransitionRule
from pulumi_gke_tpu.rules.engine.rule import Rule

CHECKS: tuple[TransitionRule, ...] = (
    *transition_protection.CHECKS,
    *transition_stops.CHECKS,
    *transition_versions.CHECKS,
    *transition_hosts.CHECKS,
    *transition_policies.CHECKS,
)
RULES: tuple[Rule, ...] = tuple(check.rule for check in CHECKS)
