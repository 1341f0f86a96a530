"""Gateways of GKE, and the endpoint picker behind them."""

from pulumi_gke_tpu.core.catalog.records.facts import Fact, Record, record
from pulumi_gke_tpu.core.catalog.records.operators import Chart


@record
class GatewayClasses(Fact):
    """The classes of GKE for one cluster, and the modes of clusters that have the Gateway API without a setting."""

    classes: tuple[str, ...]
    enabled_on: tuple[str, ...]


@record
class BackendPolicies(Fact):
    """What the load balancer does with its backends if no policy says otherwise."""

    health_path: str
    """The path of health checks."""


@record
class InferencePools(Fact):
    """The chart of the endpoint picker, which also creates the InferencePool of the same name."""

    title: str
    version: str
    chart: Chart
    group: str
    """The API group of the InferencePool."""
    suffix: str
    """What the chart appends to the name of the pool for the names of the picker."""
    longest_name: int
    """How many characters of the name of the pool are in the names of the picker, some of which are cluster-wide."""
    health_path: str
    """The path of the health checks that the chart configures."""


@record
class InferencePoolSupport(Fact):
    """The Gateway classes of GKE that can send requests to an InferencePool."""

    classes: tuple[str, ...]


@record
class Gateways(Record):
    """How requests from outside reach the servers of a cluster."""

    classes: GatewayClasses
    backends: BackendPolicies
    pools: InferencePools
    pool_support: InferencePoolSupport
