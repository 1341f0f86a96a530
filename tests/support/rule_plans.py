"""Plans and clusters for the tests of rules: the part that a rule checks is given, the rest is valid."""

from pulumi_gke_tpu.core.text.findings import Finding

PLACES = {
    "ct3": ("v3", "2x2", "us-central1-a"),
    "ct3p": ("v3", "4x4", "us-east1-d"),
    "ct4p": ("v4", "2x2x1", "us-central2-b"),
    "ct5lp": ("v5e", "2x2", "us-west4-a"),
    "ct5p": ("v5p", "2x2x1", "us-east5-a"),
    "ct6e": ("v6e", "2x2", "us-east5-b"),
    "tpu7x": ("tpu7x", "2x2x1", "us-central1-c"),
}
"""Machine family -> a generation, a topology and a zone that has it."""
WINDOW = "{start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"


def plan_in(group: str, zone: str, mode: str = "standard") -> str:
    """A slice group with these keys in a zone, on an existing network."""
    return (
        f"mode: {mode}\nlocation: {zone.rsplit('-', 1)[0]}\n"
        f"network: {{network: shared, subnetwork: tpu}}\nslices: {{main: {{{group}, zone: {zone}}}}}"
    )


def about_capacity(findings: tuple[Finding, ...]) -> list[str]:
    """The rules about capacity among those of some findings."""
    return [finding.rule for finding in findings if finding.rule.startswith("TPU3")]


def on_family(keys: str, family: str = "ct6e", mode: str = "standard") -> str:
    """A slice group of a machine family with these further keys."""
    generation, topology, zone = PLACES[family]
    body = f"{{tpu: {generation}, topology: {topology}, zone: {zone}, {keys}}}"
    return f"mode: {mode}\nlocation: {zone.rsplit('-', 1)[0]}\nslices: {{main: {body}}}\n"


def with_groups(groups: str, mode: str = "standard", more: str = "") -> str:
    """A cluster in us-east5 with these slice groups."""
    return f"mode: {mode}\nlocation: us-east5\n{more}slices: {{{groups}}}\n"


def named_group(name: str, keys: str) -> str:
    """A slice group of v6e with these further keys."""
    return f"{name}: {{tpu: v6e, zone: us-east5-b, {keys}}}"


def v6e_group(keys: str, name: str = "main") -> str:
    """The same, with a usual name."""
    return named_group(name, keys)


def with_network(create: str, groups: str = "", mode: str = "standard", more: str = "") -> str:
    """A cluster with a network that gke-tpu creates from these keys."""
    return f"mode: {mode}\nlocation: us-east5\n{more}network:\n  create: {{{create}}}\n" + (
        f"slices: {{{groups}}}\n" if groups else ""
    )


def located(location: str, group: str = "", mode: str = "standard") -> str:
    """A cluster in a location, with a slice group of these keys if there are any."""
    slices = f"slices:\n  main: {{{group}}}\n" if group else ""
    return f"mode: {mode}\nlocation: {location}\n{slices}"


def with_window(keys: str) -> str:
    """A cluster with a maintenance window of these keys."""
    return f"mode: standard\nlocation: us-east5\nmaintenance:\n  window: {{start: 2026-01-03T02:00:00Z, {keys}}}\n"


def with_exclusions(*items: str, window: str = WINDOW, mode: str = "standard") -> str:
    """A cluster with these maintenance exclusions."""
    lines = "".join(f"    {item}\n" for item in items)
    return f"mode: {mode}\nlocation: us-east5\nmaintenance:\n  window: {window}\n  exclusions:\n{lines}"
