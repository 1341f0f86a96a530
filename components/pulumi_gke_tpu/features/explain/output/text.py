"""Explanations as text: each value with its reason and its sources."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.text.document import terminal
from pulumi_gke_tpu.core.text.document.terminal import LineLayout, Word, cells, words
from pulumi_gke_tpu.core.text.findings import listed, one_line, safe
from pulumi_gke_tpu.features.explain.steps import Evidence, Explanation, Remark, Step

_WIDEST_LABEL = 24
_GAP = 2
_BETWEEN = "·"


def explain_text(explanation: Explanation, *, width: int, color: bool, brief: bool = False) -> str:
    """An explanation as text. Its sources and the entries of the user's files are numbered at the end.

    A single value is shown with the notes about its facts, and with the values from which it follows. Where sources
    disagree, both positions are shown. With ``brief``, each value has its reason beside it, and details, notes and
    sources are left out. Lines have at most ``width`` columns, except for longer words and YAML to
    paste. The text has no final line break and no control characters except line breaks and, with ``color``, color
    codes.
    """
    writer = _Writer(LineLayout(width, color), explanation, brief)
    return "\n\n".join("\n".join(block) for block in writer.blocks() if block)


class _Writer:
    """Writes one explanation and numbers its sources on the way."""

    def __init__(self, page: LineLayout, explanation: Explanation, brief: bool) -> None:
        self.page = page
        self.brief = brief
        self.explanation = explanation
        self.numbers: dict[str, int] = {}
        labels = [cells(_said(step.name)) for step in (*explanation.steps, *explanation.chain)]
        self.indent = min(max(labels, default=0), _WIDEST_LABEL) + _GAP
        self.in_full = len(explanation.steps) == 1

    def blocks(self) -> Iterable[list[str]]:
        """The parts of the text, from the head to the sources."""
        yield self._head()
        if self.explanation.problem:
            yield self.page.flow(words(_said(self.explanation.problem), terminal.RED), lead="  ", hang=2)
        yield [line for step in self.explanation.steps for line in self._step(step)]
        yield self._chain()
        yield self._paste()
        yield [] if self.brief else self._remarks(self.explanation.remarks)
        yield self._conflicts()
        yield ["more", *(f"  {_said(command)}" for command in self.explanation.more)] if self.explanation.more else []
        yield self._sources()

    def _head(self) -> list[str]:
        item = Word(f"{_said(self.explanation.item)}:", terminal.BOLD)
        age = words(f"(catalog {_said(self.explanation.catalog)})", terminal.DIM)
        return self.page.flow([item, *words(_said(self.explanation.summary)), *age], hang=2)

    def _step(self, step: Step) -> list[str]:
        left = " " * self.indent
        value = words(_said(step.value), terminal.BOLD)
        if self.brief:
            reason = words(_said(step.because), terminal.DIM) if step.because else []
            dot = [Word(_BETWEEN, terminal.DIM, joined=True)] if reason else []
            return self._labeled(step, [*value, *dot, *reason])
        lines = self._labeled(step, value)
        lines += self.page.flow(self._because(step), lead=left, hang=self.indent)
        for detail in step.details:
            lines += self.page.flow(words(_said(detail)), lead=f"{left}- ", hang=self.indent + 2)
        for fact in step.evidence if self.in_full else ():
            if fact.note:
                lines += self.page.flow(words(_said(fact.note)), lead=f"{left}note: ", hang=self.indent + 2)
        return lines

    def _labeled(self, step: Step, value: list[Word]) -> list[str]:
        """A value beside its label, or below a label that is wider than the column of labels."""
        label = _said(step.name)
        if cells(label) < self.indent:
            return self.page.flow(value, lead=f"{label:<{self.indent}}", hang=self.indent)
        return [label, *self.page.flow(value, lead=" " * self.indent, hang=self.indent)]

    def _because(self, step: Step) -> list[Word]:
        """The reason of a value, with the numbers of its sources and of the entries of files."""
        facts = self._references(step.evidence)
        places = [word for place in step.written for word in self._source(place.text)]
        return [*words(_said(step.because)), *facts, *places]

    def _chain(self) -> list[str]:
        """The values from which the explained one follows, each with its reason."""
        lines = []
        for step in self.explanation.chain:
            lines += self._labeled(step, words(_said(step.value), terminal.BOLD))
            lines += self.page.flow(self._because(step), lead=" " * self.indent, hang=self.indent)
        return ["follows from", *lines] if lines else []

    def _references(self, facts: Iterable[Evidence]) -> list[Word]:
        return [word for text in dict.fromkeys(fact.text for fact in facts) for word in self._source(text)]

    def _paste(self) -> list[str]:
        lines, file = self.explanation.paste.splitlines(), _said(self.explanation.paste_into)
        shown = (self.page.paint(terminal.no_mark(safe(line)), terminal.GREEN) for line in lines)
        return [f"in {'an' if file[:1] in 'aeio' else 'a'} {file}", *(f"  {line}" for line in shown)] if lines else []

    def _remarks(self, remarks: Iterable[Remark]) -> list[str]:
        lines = []
        for remark in remarks:
            said = [*words(_said(remark.text)), *self._references([remark.evidence])]
            lines += self.page.flow(said, lead="- ", hang=2)
        return ["notes", *lines] if lines else []

    def _conflicts(self) -> list[str]:
        """Both positions of every fact about which sources disagree: the value used here, and those of the others."""
        found: dict[tuple[str, str], tuple[Evidence, dict[str, str]]] = {}
        known = ((step.name, step.value, fact) for step in self.explanation.steps for fact in step.evidence)
        notes = (("note", remark.text, remark.evidence) for remark in self.explanation.remarks if not self.brief)
        for name, value, fact in (*known, *notes):
            if fact.conflict:
                found.setdefault((fact.text, fact.conflict), (fact, {}))[1].setdefault(name, value)
        lines = []
        for fact, values in found.values():
            name, value = next(iter(values.items()))
            names = listed([label for label in values if label != "note" or name == "note"])
            if self.brief:  # the value is above, without its sources
                lines += self.page.flow(words(_said(f"{names}: {fact.conflict}")), lead="- ", hang=2)
                continue
            used = [*words(_said(f"{names}: {value}")), *self._source(fact.text)]
            other = [*words(_said(f"others: {fact.conflict}")), *self._source(fact.others)]
            lines += [*self.page.flow(used, lead="- ", hang=2), *self.page.flow(other, lead="  ", hang=2)]
        return ["sources disagree", *lines] if lines else []

    def _source(self, text: str) -> list[Word]:
        return [Word(f"[{self.numbers.setdefault(text, len(self.numbers) + 1)}]", terminal.DIM)] if text else []

    def _sources(self) -> list[str]:
        lines = []
        for text, number in self.numbers.items():
            lead = f"{f'[{number}]':<5}"
            lines += self.page.flow(words(_said(text), terminal.DIM), lead=lead, hang=5)
        return ["sources", *lines] if lines else []


def _said(text: str) -> str:
    return terminal.no_mark(one_line(text))
