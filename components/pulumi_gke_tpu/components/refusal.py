"""How a wrong plan ends a Pulumi program."""

import pulumi

from pulumi_gke_tpu.findings import FindingsError


class RefusedError(FindingsError, pulumi.RunError):
    """A plan with errors. Of a ``RunError`` Pulumi shows the message and no traceback: the program is not at fault."""
