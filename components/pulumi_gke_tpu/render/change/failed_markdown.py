"""What stands in the place of a comparison that failed: otherwise the comment would still show an older one."""

import re

from pulumi_gke_tpu.document.markdown_escape import code, text
from pulumi_gke_tpu.render.change.markdown import MARKER

_LINK = re.compile(r"https?://[A-Za-z0-9./:_-]{1,300}\Z", re.ASCII)


def failed_markdown(base: str, head: str, log: str) -> str:
    """The failure as Markdown, with the marker of a comparison, so that it takes its place.

    ``base`` and ``head`` are commits, ``log`` is where the error can be read; each is empty where it is not known.
    """
    commits = f"{code(base)} with {code(head)}" if base and head else "the two sides"
    log = f"[the log of the workflow run]({log})" if _LINK.match(log) else "the log of the command"
    return (
        f"{MARKER}\n### {text('TPU plan: the comparison failed')}\n\n"
        f"`gke-tpu diff` could not compare {commits}. **The effect of this change on TPU slices is unknown.** "
        "Results of earlier comparisons are no longer shown.\n\n"
        f"See {log} for the error.\n"
    )
