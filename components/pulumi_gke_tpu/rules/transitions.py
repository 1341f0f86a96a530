"""Every rule about a change of a plan: TPU951 to TPU979."""

from pulumi_gke_tpu.rules import (
    transition_hosts,
    transition_policies,
    transition_protection,
    transition_stops,
    transition_versions,
)
from pulumi_gke_tpu.rules.rule import Rule
from pulumi_gke_tpu.rules.transition import TransitionRule

CHECKS: tuple[TransitionRule, ...] = (
    *transition_protection.CHECKS,
    *transition_stops.CHECKS,
    *transition_versions.CHECKS,
    *transition_hosts.CHECKS,
    *transition_policies.CHECKS,
)
RULES: tuple[Rule, ...] = tuple(check.rule for check in CHECKS)
