"""Shell scripts as data: their commands, with the values that the scripts themselves set. Nothing is executed."""

from pulumi_gke_tpu.core.text.shell.model import UNKNOWN_PART, Command, HereDocument, Script, ScriptWord, ShellProblem
from pulumi_gke_tpu.core.text.shell.reading import LARGEST, Host, read_script
