"""Plans: reads the file of a user, checks its form and returns typed models."""

from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.plan.capacity import Capacity
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.cpu_pools import CpuPoolSpec
from pulumi_gke_tpu.core.plan.model import Plan
from pulumi_gke_tpu.core.plan.reading.read import (
    Document,
    parse_plan,
    read_inventory,
    read_inventory_content,
    read_organization,
    read_organization_content,
    read_plan,
    read_plan_content,
    unreadable_plan,
)
from pulumi_gke_tpu.core.plan.slices import SliceGroupSpec
