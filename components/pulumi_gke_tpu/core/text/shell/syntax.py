"""Parses shell scripts.

Only quotes, substitutions and here-documents are parsed strictly. Keywords in a wrong place are skipped, because the
findings are about the resources that a script makes, not about the script.
"""

import re
from collections.abc import Collection

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.model import ShellProblem
from pulumi_gke_tpu.core.text.shell.places import ScriptPlaces
from pulumi_gke_tpu.core.text.shell.tree import (
    Arithmetic,
    Assignment,
    Case,
    Compute,
    Conditional,
    ForEach,
    Function,
    Literal,
    Loop,
    Parameter,
    Part,
    ShellBlock,
    ShellDocument,
    ShellGroup,
    ShellWord,
    Simple,
    Substitution,
    Test,
)

_DEEPEST = 40
_ASSIGNMENT = lazy_pattern(r"(?P<name>[A-Za-z_]\w*)(?:\[(?P<index>[^\]\n]*)\])?(?P<add>\+?)=", re.ASCII)
_FUNCTION = lazy_pattern(
    r"(?:function[ \t]+(?P<a>[\w.:-]+)[ \t]*(?:\([ \t]*\))?|(?P<b>[\w.:-]+)[ \t]*\([ \t]*\))[ \t\r\n]*(?=[{(])",
    re.ASCII,
)
_REDIRECTION = lazy_pattern(
    r"(?P<here>&?\d*<<-?)[ \t]*(?!<)(?P<end>\\?[\w.!-]+|'[^'\n]*'|\"[^\"\n]*\")|<<<|<<-?|[<>]\(|&>>?|[<>][>&|]?[-\d]?",
    re.ASCII,
)
_ANSI_C = lazy_pattern(r"\$'(?P<text>(?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t"}
_DESCRIPTOR = lazy_pattern(r"\d+(?=[<>])", re.ASCII)
_NAME = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_BLANK = " \t\r"
_ENDS = "\n;&|()"
_SPECIAL = frozenset(_BLANK + _ENDS + "<>'\"\\$`")


class MalformedError(Exception):
    """What keeps the rest of a script from being read."""

    def __init__(self, problem: ShellProblem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class Parser:
    """Reads one text into a tree. What was read before a problem of form stays in ``block``."""

    def __init__(self, text: str, places: ScriptPlaces | None = None, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.places = places or ScriptPlaces(text)
        self.depth = depth
        self.block = ShellBlock()
        self._waiting: list[tuple[Simple, str, bool, bool]] = []
        """Here-documents that begin on the next line: command, end, whether variables expand, whether tabs go."""

    def parse(self) -> ShellBlock:
        """The whole text as one block."""
        while self.at < len(self.text):
            self._block(self.block, ())
            if self.at < len(self.text):  # a keyword or parenthesis that closes nothing
                self.at += 1
        return self.block

    def quoted_text(self) -> ShellWord:
        """The text as the inside of double quotes: that of a here-document."""
        parts: list[Part] = []
        self._double_quoted(parts, closed=False)
        return ShellWord(tuple(parts), 0)

    def word_text(self) -> ShellWord:
        """The whole text as one word, in which blanks and operators have no meaning."""
        parts: list[Part] = []
        while self.at < len(self.text):
            self._part(parts, stops=frozenset("'\"\\$`"))
        return ShellWord(tuple(parts), 0)

    # Commands

    def _block(self, block: ShellBlock, ends: Collection[str]) -> str:
        """Read commands up to one of these keywords; the keyword, or nothing at the end of the text."""
        if self.depth > _DEEPEST:
            self._malformed("the commands are nested too deeply")
        self.depth += 1
        connector = ""
        try:
            while True:
                operator = self._separators()
                connector = (
                    operator if operator in ("&&", "||") else connector if operator == "\n" and connector else ""
                )
                if self.at >= len(self.text):
                    return ""
                keyword = self._keyword()
                if keyword in ends:
                    self.at += len(keyword)
                    return keyword
                if keyword in (")", ";;"):
                    if ends:
                        return ""
                    self.at += len(keyword)
                    continue
                self._command(block, connector)
                last = block.steps[-1][1] if block.steps else None
                if operator in ("|", "|&") and isinstance(last, Loop | Simple) and len(block.steps) > 1:
                    last.feeder = block.steps[-2][1]
                connector = ""
        finally:
            self.depth -= 1

    def _separators(self) -> str:
        """Skip blanks, comments and operators between commands; the last operator."""
        last = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK:
                self.at += 1
            elif self.text.startswith(("\\\n", "\\\r\n"), self.at):
                self.at = self.text.index("\n", self.at) + 1
            elif char == "#":
                self._skip_line()
            elif char == "\n":
                self.at += 1
                last = last if last in ("&&", "||") else "\n"
                self._read_documents()
            elif self.text.startswith(("&&", "||", "|&"), self.at):
                last = self.text[self.at : self.at + 2]
                self.at += 2
            elif char in "&|" or (char == ";" and not self.text.startswith(";;", self.at)):
                last = char
                self.at += 1
            else:
                break
        return last

    def _keyword(self) -> str:
        if self.text.startswith(";;", self.at):
            return ";;"
        if self.text[self.at] in ")}":
            return self.text[self.at]
        end = self.at
        while end < len(self.text) and end - self.at < 10 and self.text[end].isalpha():  # noqa: PLR2004
            end += 1
        after = self.text[end : end + 1]
        return self.text[self.at : end] if not after or after in _SPECIAL else ""

    def _command(self, block: ShellBlock, connector: str) -> None:
        start = self.at
        match = _FUNCTION.match(self.text, start)
        if match:
            self.at = match.end()
            function = Function(match["a"] or match["b"], ShellBlock())
            block.steps.append((connector, function))
            self._group(function.body)
            return
        if self.text.startswith("((", start):
            inner = self._enclosed(2, "))")
            block.steps.append((connector, Compute(inner)))
        elif self.text[start] == "(":
            group = ShellGroup(ShellBlock())
            block.steps.append((connector, group))
            self._group(group.body)
        else:
            keyword = self._keyword()
            read = _COMPOUND.get(keyword)
            if read is not None:
                self.at += len(keyword)
                read(self, block, connector)
            elif keyword in ("then", "do", "else", "elif", "fi", "done", "esac", "}"):
                self.at += len(keyword)  # closes nothing here
            elif self.text.startswith("[[", start) and self.text[start + 2 : start + 3] in (" ", "\t"):
                block.steps.append((connector, self._test()))
            elif self.text[start] == "{" and self.text[start + 1 : start + 2] in (" ", "\t", "\n", "\r"):
                group = ShellGroup(ShellBlock())
                block.steps.append((connector, group))
                self._group(group.body)
            elif self.text.startswith("! ", start):
                self.at += 2
            else:
                self._simple(block, connector)

    def _group(self, body: ShellBlock) -> None:
        closing = ")" if self.text[self.at] == "(" else "}"
        start = self.at
        self.at += 1
        if not self._block(body, (closing,)) and self.at >= len(self.text):
            self.at = start
            self._malformed("this parenthesis is not closed" if closing == ")" else "this brace is not closed")

    def _if(self, block: ShellBlock, connector: str) -> None:
        node = Conditional()
        block.steps.append((connector, node))
        keyword = "if"
        while keyword in ("if", "elif"):
            condition, body = ShellBlock(), ShellBlock()
            node.branches.append((condition, body))
            self._block(condition, ("then",))
            keyword = self._block(body, ("elif", "else", "fi"))
        if keyword == "else":
            body = ShellBlock()
            node.branches.append((None, body))
            self._block(body, ("fi",))

    def _while(self, block: ShellBlock, connector: str) -> None:
        node = Loop(ShellBlock(), ShellBlock())
        block.steps.append((connector, node))
        self._block(node.condition, ("do",))
        self._block(node.body, ("done",))
        self._blanks()
        if self.text.startswith("<", self.at):
            holder = ShellBlock()
            self._simple(holder, "")
            node.input = next(each for _, each in holder.steps if isinstance(each, Simple))

    def _for(self, block: ShellBlock, connector: str) -> None:
        self._blanks()
        if self.text.startswith("((", self.at):
            loop = Loop(ShellBlock(), ShellBlock(), self._enclosed(2, "))"))
            block.steps.append((connector, loop))
            self._separators()
            if self._keyword_is("do"):
                self._block(loop.body, ("done",))
            return
        match = _NAME.match(self.text, self.at)
        name = match[0] if match else ""
        self.at = match.end() if match else self.at
        self._separators()
        words: list[ShellWord] | None = None
        if self._keyword_is("in"):
            words = self._words()
        self._separators()
        node = ForEach(name, words, ShellBlock())
        block.steps.append((connector, node))
        if self._keyword_is("do"):
            self._block(node.body, ("done",))

    def _case(self, block: ShellBlock, connector: str) -> None:
        self._blanks()
        node = Case(self._word(), [])
        block.steps.append((connector, node))
        self._separators()
        self._keyword_is("in")
        while True:
            self._separators()
            while self.text.startswith((";;", "(", ")"), self.at):
                self.at += 2 if self.text[self.at] == ";" else 1
                self._separators()
            if self.at >= len(self.text) or self._keyword_is("esac"):
                return
            patterns: list[ShellWord] = []
            while self.at < len(self.text) and self.text[self.at] not in ")\n;":
                if self.text[self.at] in _BLANK + "|&(<>":
                    self.at += 1
                else:
                    patterns.append(self._word())
            self.at += 1
            body = ShellBlock()
            node.branches.append((patterns, body))
            if self._block(body, (";;", "esac")) == "esac":
                return

    def _keyword_is(self, keyword: str) -> bool:
        found = self.at < len(self.text) and self._keyword() == keyword
        self.at += len(keyword) if found else 0
        return found

    def _test(self) -> Test:
        self.at += 2
        words: list[ShellWord] = []
        while self.at < len(self.text):
            self._blanks()
            if self.text.startswith("]]", self.at):
                self.at += 2
                break
            char = self.text[self.at : self.at + 1]
            if char in _ENDS + "<>":
                double = self.text[self.at : self.at + 2] in ("&&", "||")
                words.append(ShellWord((Literal(self.text[self.at : self.at + (2 if double else 1)], False),), self.at))
                self.at += 2 if double else 1
            elif char:
                words.append(self._word())
        return Test(tuple(words))

    def _simple(self, block: ShellBlock, connector: str) -> None:
        node = Simple()
        block.steps.append((connector, node))
        while self.at < len(self.text):
            self._blanks()
            char = self.text[self.at : self.at + 1]
            if not char or char in _ENDS:
                if char == "&" and self.text.startswith("&>", self.at):
                    self._redirection(node)
                    continue
                if char == "(" and self.at:  # not a command of a shell
                    self.at += 1
                    continue
                return
            if char == "#":
                self._skip_line()
                return
            number = _DESCRIPTOR.match(self.text, self.at)
            if char in "<>" or number:
                self.at = number.end() if number else self.at
                self._redirection(node)
                continue
            match = _ASSIGNMENT.match(self.text, self.at)
            declares = bool(node.words) and node.words[0].plain in DECLARING
            if match and (not node.words or declares):
                self.at = match.end()
                node.assignments.append(self._assignment(match))
            else:
                node.words.append(self._word())

    def _assignment(self, match: re.Match[str]) -> Assignment:
        value: ShellWord | tuple[ShellWord, ...]
        if self.text.startswith("(", self.at):
            self.at += 1
            items: list[ShellWord] = []
            while self.at < len(self.text):
                self._separators()
                char = self.text[self.at : self.at + 1]
                if char in (")", ""):
                    self.at += 1
                    break
                if char in "(;<>":
                    self.at += 1
                else:
                    items.append(self._word())
            value = tuple(items)
        else:
            following = self.text[self.at : self.at + 1]
            value = ShellWord((), self.at) if not following or following in _BLANK + _ENDS else self._word()
        return Assignment(match["name"], match["index"], bool(match["add"]), value)

    def _words(self) -> list[ShellWord]:
        """Words up to the end of the command."""
        found: list[ShellWord] = []
        while self.at < len(self.text):
            self._blanks()
            char = self.text[self.at : self.at + 1]
            if not char or char in _ENDS or char == "#":
                break
            if char in "<>":
                self.at += 1
            else:
                found.append(self._word())
        return found

    def _blanks(self) -> None:
        while self.at < len(self.text):
            if self.text[self.at] in _BLANK:
                self.at += 1
            elif self.text.startswith(("\\\n", "\\\r\n"), self.at):
                self.at = self.text.index("\n", self.at) + 1
                self._skip_comments()
            else:
                return

    def _skip_comments(self) -> None:
        """Skip comment lines between continued lines: a shell ends the command there, which is hardly intended."""
        while (match := _COMMENT_LINE.match(self.text, self.at)) is not None:
            self.at = match.end()

    def _redirection(self, node: Simple) -> None:
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            self.at += 1
            return
        if match[0] in {"<(", ">("}:
            start = self.at + 2
            self._skip_substitution(self.at + 1)
            if match[0] == "<(":
                node.produced = Substitution(self.text[start : self.at - 1], quoted=False, at=start)
            return
        self.at = match.end()
        if match["end"]:
            quoted = match["end"][0] in "\\'\""
            self._waiting.append((node, match["end"].strip("\\'\""), not quoted, match["here"].endswith("-")))
        elif match[0] == "<<<":
            self._blanks()
            if self.at < len(self.text) and self.text[self.at] not in _ENDS:
                node.here = self._word()
        elif not match[0].endswith(tuple("-0123456789")):
            self._blanks()
            if self.at < len(self.text) and self.text[self.at] not in _ENDS + "<>":
                word = self._word()
                node.file = word if match[0] == "<" else node.file

    def _read_documents(self) -> None:
        waiting, self._waiting = self._waiting, []
        for node, end, expands, _ in waiting:
            start = self.at
            while True:
                if self.at >= len(self.text):
                    self.at = start
                    self._malformed(f"this here-document does not end: a line {end} is missing")
                line_end = self.text.find("\n", self.at)
                line_end = len(self.text) if line_end < 0 else line_end
                line = self.text[self.at : line_end].strip()
                begins, self.at = self.at, line_end + 1
                if line == end:
                    node.documents.append(ShellDocument(self.text[start:begins], start, expands))
                    break

    # Words

    def _word(self) -> ShellWord:
        start = self.at
        parts: list[Part] = []
        stops = _SPECIAL
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK or char in _ENDS or char in "<>":
                break
            self._part(parts, stops)
        if self.at == start:
            self.at += 1
        return ShellWord(tuple(parts), start)

    def _part(self, parts: list[Part], stops: frozenset[str]) -> None:
        char = self.text[self.at]
        if char == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                self._malformed("this quote is not closed")
            parts.append(Literal(self.text[self.at + 1 : end], True))
            self.at = end + 1
        elif char == '"':
            self._double_quoted(parts)
        elif char in "$`":
            self._expansion(parts, quoted=False)
        elif char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if following == "\r" and self.text[self.at + 2 : self.at + 3] == "\n":
                following = "\n"
                self.at += 1
            if following != "\n":
                parts.append(Literal(following, True))
            self.at += 2
        else:
            end = self.at + 1
            while end < len(self.text) and self.text[end] not in stops:
                end += 1
            parts.append(Literal(self.text[self.at : end], False))
            self.at = end

    def _double_quoted(self, parts: list[Part], *, closed: bool = True) -> None:
        start, text = self.at, list[str]()
        self.at += 1 if closed else 0

        def ended() -> None:
            if text or not parts or closed:
                parts.append(Literal("".join(text), True))
                text.clear()

        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"' and closed:
                self.at += 1
                ended()
                return
            if char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                text.append("" if following == "\n" else following if following in '"\\$`' else "\\" + following)
                self.at += 2
            elif char in "$`":
                ended()
                self._expansion(parts, quoted=True)
            else:
                end = self.at + 1
                while end < len(self.text) and self.text[end] not in '"\\$`':
                    end += 1
                text.append(self.text[self.at : end])
                self.at = end
        if closed:
            self.at = start
            self._malformed("this quote is not closed")
        ended()

    def _expansion(self, parts: list[Part], *, quoted: bool) -> None:
        start = self.at
        if self.text[start] == "`":
            end = self.text.find("`", start + 1)
            if end < 0:
                self._malformed("this backtick is not closed")
            self.at = end + 1
            parts.append(Substitution(self.text[start + 1 : end], quoted, start + 1))
        elif self.text.startswith("$((", start):
            self.at = start + 1
            parts.append(Arithmetic(self._enclosed(2, "))")))
        elif self.text.startswith("$(", start):
            self._skip_substitution(start + 1)
            parts.append(Substitution(self.text[start + 2 : self.at - 1], quoted, start + 2))
        elif self.text.startswith("${", start):
            self._skip_substitution(start + 1)
            parts.append(Parameter(self.text[start + 2 : self.at - 1], quoted))
        elif (match := _ANSI_C.match(self.text, start)) and not quoted:
            self.at = match.end()
            escaped = _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), match["text"])
            parts.append(Literal(escaped, quoted=True))
        elif match := _NAME.match(self.text, start + 1):
            self.at = match.end()
            parts.append(Parameter(match[0], quoted))
        elif (following := self.text[start + 1 : start + 2]) and following in "@*#?$!-0123456789":
            self.at = start + 2
            parts.append(Parameter(following, quoted))
        else:
            self.at = start + 1
            parts.append(Literal("$", quoted))

    def _enclosed(self, opening: int, closing: str) -> str:
        """The text between double parentheses, which may contain others."""
        start = self.at
        self._skip_substitution(start)
        inside = self.text[start + opening : self.at - 1]
        return inside.removesuffix(closing[:1])

    def _skip_substitution(self, start: int) -> None:
        """Skip from an opening parenthesis or brace behind the one that closes it, in one pass over the text."""
        opened = self.text[start]
        stack = [opened]
        self.at = start + 1
        while self.at < len(self.text) and stack:
            char, inside = self.text[self.at], stack[-1]
            self.at += 1
            if char == "\\":
                self.at += 1
            elif inside == '"':
                if char == '"':
                    stack.pop()
                elif char == "$" and self.text[self.at : self.at + 1] in ("(", "{"):
                    stack.append(self.text[self.at])
                    self.at += 1
            elif char == "'" and inside == "(":
                end = self.text.find("'", self.at)
                self.at = len(self.text) if end < 0 else end + 1
            elif char == '"' or self._opens(char, inside):
                stack.append(char)
            elif char == (")" if inside == "(" else "}"):
                stack.pop()
        if stack:
            self.at = start
            self._malformed("this parenthesis is not closed" if opened == "(" else "this brace is not closed")

    def _opens(self, char: str, inside: str) -> bool:
        """Whether the character in front of ``at`` opens another pair."""
        after_dollar = self.text[self.at - 2] == "$"
        return (char == "(" and (inside == "(" or after_dollar)) or (char == "{" and after_dollar)

    def _skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _malformed(self, message: str) -> None:
        raise MalformedError(ShellProblem(message, *self.places.at(self.at)))


DECLARING = frozenset({"export", "readonly", "declare", "local", "typeset"})
_COMMENT_LINE = lazy_pattern(r"[ \t]*#[^\n]*\n")
_COMPOUND = {
    "if": Parser._if,  # noqa: SLF001 - the table of the class above
    "while": Parser._while,  # noqa: SLF001
    "until": Parser._while,  # noqa: SLF001
    "for": Parser._for,  # noqa: SLF001
    "select": Parser._for,  # noqa: SLF001
    "case": Parser._case,  # noqa: SLF001
}
