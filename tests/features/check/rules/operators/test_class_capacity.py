"""Rules about capacity, versions and collections of ComputeClasses with TPUs."""

from support.manifests import broken

from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class


def test_active_migration_is_reported_for_slices_of_two_hosts_and_not_for_single_hosts() -> None:
    migration = compute_class(spec="activeMigration: {optimizeRulePriority: true}")
    assert broken(migration.replace("topology: 4x4", "topology: 2x4")) == ["TPU785"]
    assert broken(migration.replace("topology: 4x4", "topology: 2x2")) == []


def test_priorities_with_scores_have_no_order() -> None:
    assert broken(compute_class("spot: true\npriorityScore: 10", "priorityScore: 10")) == []


def test_a_specific_reservation_must_be_named_unless_a_template_does() -> None:
    assert broken(compute_class("reservations: {affinity: Specific}")) == ["TPU783"]
    assert broken(compute_class("reservations: {affinity: Specific, specific: '{{ .Values.reservations }}'}")) == []
    assert broken(compute_class("reservations: {specific: [{name: a}]}")) == ["TPU783"]
    assert broken(compute_class("reservations: {affinity: None}")) == []
