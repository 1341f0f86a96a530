"""Single edits of plans, each with its expected effect: checked as graphs, and in the real engine."""

from support.edits_of_accounts import ACCOUNTS
from support.edits_of_clusters import CLUSTER, DEV, EXISTING, IRONWOOD, NETWORK, UNCHANGED
from support.edits_of_cpu_pools import CPU_POOLS
from support.edits_of_fallback import FALLBACK
from support.edits_of_names import NAMES
from support.edits_of_networks import INTERFACES
from support.edits_of_policies import POLICIES
from support.edits_of_runs import RUNS
from support.edits_of_slices import GROUPS, NODES, PLACE, SHAPE

EDITS = (
    *SHAPE,
    *PLACE,
    *NODES,
    *GROUPS,
    *FALLBACK,
    *CLUSTER,
    *NETWORK,
    *CPU_POOLS,
    *ACCOUNTS,
    *INTERFACES,
    *DEV,
    *IRONWOOD,
    *POLICIES,
    *EXISTING,
    *RUNS,
    *NAMES,
    *UNCHANGED,
)
