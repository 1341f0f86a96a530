"""What keeps a plan from being created: what the project, the zones and the accounts have, before ``pulumi up``."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.plan.reading.read import read_inventory_content
from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path, listed, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import service_account_email
from pulumi_gke_tpu.core.workflows.check import findings_across
from pulumi_gke_tpu.features.status.block_checks import Users, block_checks, leave_own, needed_files
from pulumi_gke_tpu.features.status.capacity import (
    hosts_that_exist,
    inventory_data,
    reservation_of,
    sharing_projects,
)
from pulumi_gke_tpu.features.status.folder import Snapshot, referred
from pulumi_gke_tpu.features.status.model import Check, Diagnosed, Missing
from pulumi_gke_tpu.features.status.names import name_checks
from pulumi_gke_tpu.features.status.networks import address_checks
from pulumi_gke_tpu.features.status.requests import BLOCKS, SUB_BLOCKS

_APIS = ("compute.googleapis.com", "container.googleapis.com")


def diagnosed(checked: CheckedPlan, snapshot: Snapshot) -> Diagnosed:
    """Judge a valid plan by a snapshot: with the rules about inventories, and with what only a project shows."""
    assert checked.fleet is not None
    checks: list[Check] = []
    for cluster in checked.fleet.clusters:
        checks += _apis(cluster, snapshot)
        checks += _machines(cluster, snapshot)
        checks += _roles(cluster, snapshot, checked)
    checks += name_checks(checked, snapshot)
    checks += address_checks(checked.fleet.clusters, snapshot, checked.catalog)
    users = _users(checked)
    checks += _reservations(users, snapshot)
    checks += block_checks(users, snapshot)
    data = {name: value for name, value in inventory_data(snapshot).items() if name != "workload_policies"}
    for each in data.get("reservations", ()):
        each["in_use"] = _of_others(users, snapshot, each)
        leave_own(users.get((each["project"], each["name"]), ()), snapshot, each)
    content = yaml.safe_dump(data, sort_keys=False).encode()
    inventory, day = read_inventory_content(content, "snapshot"), snapshot.taken.date()
    found = (*inventory.findings, *findings_across((checked,), inventory, checked.catalog, day, None))
    checks += (_of_finding(each) for each in found if each.severity is not Severity.NOTE)
    absent = {"operations", "upgrades", "errors", *checked.catalog.reads.kubectl}
    needed = needed_files(users)
    unread = (each for each in snapshot.not_read if each.name not in (BLOCKS, SUB_BLOCKS) or each.file in needed)
    unread = (each for each in unread if each.name not in absent and each.of not in snapshot.gone)
    missing = tuple(Missing(each.title, each.reason) for each in unread)
    ordered = sorted(dict.fromkeys(checks), key=lambda each: each.ok)
    return Diagnosed(checked.catalog.about.version, tuple(ordered), missing)


def _of_finding(finding: Finding) -> Check:
    """A finding of the rules about inventories: sums, reservations and their limits, versions."""
    fix = finding.fix or finding.advice
    return Check(f"{finding.rule} {format_path(finding.path)}", ok=False, found=finding.message, fix=fix)


def _apis(cluster: Cluster, snapshot: Snapshot) -> list[Check]:
    if not snapshot.has("services", cluster.project):
        return []
    on = {text(mapping(each.get("config")).get("name")) for each in snapshot.entries("services", cluster.project)}
    off = [name for name in _APIS if name not in on]
    fix = f"gcloud services enable {' '.join(off)} --project={cluster.project}" if off else ""
    return [
        Check(f"APIs of project {cluster.project}", not off, f"{listed(off)} not enabled" if off else "enabled", fix)
    ]


def _machines(cluster: Cluster, snapshot: Snapshot) -> list[Check]:
    if not snapshot.has("machine-types", cluster.project):
        return []
    entries = snapshot.entries("machine-types", cluster.project)
    offered = {(text(each.get("name")), referred(each, "zone")) for each in entries}
    found = []
    for group in cluster.groups:
        machine = group.shape.machine_type
        zones = [zone for zone in group.zones if (machine, zone) not in offered]
        has = [zone for name, zone in sorted(offered) if name == machine]
        fix = f"Use {listed(has, 'or')}." if has else "Ask Google for access to this machine type."
        told = f"not in {listed(zones)}" if zones else "available"
        if group.zones:
            found.append(Check(f"machine type {machine} of {group.key}", not zones, told, fix if zones else ""))
    return found


def _roles(cluster: Cluster, snapshot: Snapshot, checked: CheckedPlan) -> list[Check]:
    """The roles of the account of nodes, if it exists already: the plan grants those of an account that it creates."""
    if not snapshot.has("roles", cluster.project):
        return []
    found: dict[str, set[str]] = {}
    for each in snapshot.entries("roles", cluster.project):
        binding = mapping(each.get("bindings"))
        member = str(binding.get("members")).removeprefix("serviceAccount:")
        found.setdefault(member, set()).add(text(binding.get("role")))
    wanted = checked.catalog.platform.hardening.node_roles
    own = service_account_email(cluster.account_id, cluster.project)
    named = (group.plan.node_service_account or cluster.plan.node_service_account for group in cluster.groups)
    emails = {each for each in named if isinstance(each, str) and "@" in each and each != own}
    checks = []
    for email in sorted(emails):
        has = found.get(email, set())
        lacks = [] if "roles/editor" in has else [role for role in wanted if role not in has]
        told = f"lacks {listed(lacks)}" if lacks else "has its roles"
        checks.append(Check(f"account of nodes {email}", not lacks, told, f"Grant {listed(lacks)}." if lacks else ""))
    return checks


def _users(checked: CheckedPlan) -> Users:
    assert checked.fleet is not None
    found: Users = {}
    for cluster, group in checked.fleet.groups():
        reservation = group.plan.capacity.reservation
        if reservation is not None:
            found.setdefault((reservation.project or cluster.project, reservation.name), []).append((cluster, group))
    return found


def _reservations(users: Users, snapshot: Snapshot) -> Iterator[Check]:
    """What others use of the reservations of the plan; the rules about inventories judge the rest.

    Unlike an inventory, a list without reservations is known to be whole.
    """
    for (project, name), groups in users.items():
        owned = reservation_of(snapshot, project, name)
        if snapshot.has("reservations", project) and not any(True for _ in snapshot.entries("reservations", project)):
            told = f"project {project} has no reservation, but the plan needs {quoted(name)}"
            fix = "Correct the name or the `project` of the reservation, or use another capacity mode."
            for _, group in groups:
                path = format_path((*group.path, "capacity", "reservation"))
                yield Check(f"TPU801 {path}", ok=False, found=told, fix=fix)
        if owned is not None:
            unit = "chips" if "chips" in owned else "vms"
            others, size = _of_others(users, snapshot, owned), owned.get(unit) or 0
            shared = sharing_projects(snapshot, project, name)
            with_whom = f", shared with {listed([*map(printable, shared)], most=5)}" if shared else ""
            used = f"{others:,} of {size:,} {unit} in use outside the plan{with_whom}"
            yield Check(f"reservation {name}", True, used)


def _of_others(users: Users, snapshot: Snapshot, owned: Mapping[str, Any]) -> int:
    """The chips or VMs of a reservation that are in use, without those of hosts of the plan."""
    own = 0
    for cluster, group in users.get((owned["project"], owned["name"]), ()):
        each = group.shape.chips_per_host if "chips" in owned else 1
        own += each * hosts_that_exist(cluster, group, snapshot)
    return max(int(owned.get("in_use") or 0) - own, 0)
