"""Which branches of a script one command can depend on together: those whose conditions have nothing in common."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import tree

_NAMES = lazy_pattern(r"\$\{?[!#]?(\w+)", re.ASCII)
_BRACKETS = frozenset({"[", "]", "test"})


@frozen
class ScriptBranch:
    """A branch of which only a shell knows the way."""

    inside: tuple[int, ...]
    """The branches that it is inside of."""
    about: frozenset[str]
    """The variables in its conditions; a condition without variables is one of its own."""
    optional: bool
    """Whether there is a way on which none of its blocks runs."""


def condition_text(nodes: Iterable[tree.Node | tree.ShellWord | None]) -> str:
    """Conditions in one spelling, so that the same one is recognized in another place."""
    return " ".join(word for node in nodes for word in _words(node) if word not in _BRACKETS)


def names_in(condition: str) -> frozenset[str]:
    """The variables in a condition, or the condition itself if it has none."""
    return frozenset(_NAMES.findall(condition) or [condition])


def _words(node: tree.Node | tree.ShellWord | None) -> Iterator[str]:
    if isinstance(node, tree.ShellWord):
        text = "".join(_text(part) for part in node.parts)
        yield "=" if text == "==" else text
    elif isinstance(node, tree.Simple | tree.Test):
        for word in node.words:
            yield from _words(word)
    elif isinstance(node, tree.ShellBlock):
        for connector, step in node.steps:
            yield from (connector, *_words(step))
    elif node is not None:
        yield f"$any {id(node)}"


def _text(part: tree.Part) -> str:
    if isinstance(part, tree.Parameter):
        return f"${{{part.inside}}}"
    return f"$({part.text})" if isinstance(part, tree.Substitution) else part.text


def excludes(one: ScriptBranch, other: ScriptBranch) -> bool:
    """Whether ways through two branches beside each other may not be possible together.

    Each of two choices without a way on which nothing changes is likely to be made with the other one in mind.
    """
    return not (one.optional or other.optional) or not one.about.isdisjoint(other.about)
