"""Finds the words of gcloud in a command that may run it through another program."""

from typing import Final

from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART, Command, ScriptWord

_LAUNCHERS: Final = frozenset({"echo", "printf", "which", "type", "grep", "man", "alias", "cat", "log", "hash"})
"""Commands that have gcloud as a word and do not run it."""
_MOST_WORDS_BEFORE = 12


def words_of_gcloud(command: Command) -> tuple[ScriptWord, ...]:
    """The words of a command of gcloud, from its name on; empty for any other command."""
    words = command.words
    first = words[0].text.rpartition("/")[2]
    if first in _LAUNCHERS:
        return ()
    for index, word in enumerate(words[:_MOST_WORDS_BEFORE]):
        if word.text.rpartition("/")[2] != "gcloud" or word.problem:
            continue
        rest = words[index:]
        if first in ("xargs", "parallel"):
            unknown = ScriptWord(UNKNOWN_PART, word.line, word.column, "it comes from the input", several=True)
            reason = "it comes from the input"
            rest = (
                *(
                    ScriptWord(item.text.replace("{}", UNKNOWN_PART), item.line, item.column, reason)
                    if "{}" in item.text
                    else item
                    for item in rest
                ),
                *(() if any("{}" in item.text for item in rest) else (unknown,)),
            )
        return tuple(rest)
    return ()
