"""DaemonSet: one Pod on each node."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.templates import replicated

KIND = Kind("apps", "DaemonSet", replicated("daemonset", counted=False), whole=(("spec", "selector"),))
