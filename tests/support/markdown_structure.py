"""What a Markdown parser makes of a text: its blocks, its inline elements, and the words that readers see."""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_AUTOMATIC = {
    "mention": re.compile(r"@[\w/-]"),
    "issue": re.compile(r"#\d|\bgh-\d", re.IGNORECASE),
    "emoji": re.compile(r":(?!\d\d?:)[\w+-]+:"),
    "link": re.compile(r"\w://|www\.|\w@\w", re.IGNORECASE),
    "commit": re.compile(r"(?<![^\W_])(?<!-gke\.)[0-9a-f]{7,40}(?![^\W_])", re.IGNORECASE),
}
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>|<[!?/A-Za-z]", re.DOTALL)
_CODE_TAGS = ("<code>", "</code>")


@dataclass(frozen=True)
class Structure:
    """Everything but the words: two texts of equal structure look alike."""

    blocks: tuple[str, ...]
    inline: tuple[tuple[str, ...], ...]
    """The elements of every inline text, words and code apart."""
    tags: tuple[str, ...]
    """HTML tags and comments; code apart, as in inline texts."""


def structure(markdown: str) -> Structure:
    """How a text is built."""
    tokens = _PARSER.parse(markdown)
    inline = tuple(
        tuple(child.type for child in token.children or [] if child.type not in ("text", "code_inline"))
        for token in tokens
        if token.type == "inline"
    )
    html = [token.content for token in _all(tokens) if token.type.startswith("html")]
    tags = tuple(tag for content in html for tag in _TAG.findall(content) if tag not in _CODE_TAGS)
    return Structure(tuple(token.type for token in tokens), inline, tags)


def automatic(markdown: str) -> dict[str, list[str]]:
    """What a code host would turn into links and pictures, in the words that are not code."""
    tokens = [token for token in _all(_PARSER.parse(markdown)) if token.type in ("text", "html_block")]
    seen = [re.sub(r"<!--.*?-->|<code>[^<]*</code>", "", token.content) for token in tokens]
    found = {kind: [hit for words in seen for hit in form.findall(words)] for kind, form in _AUTOMATIC.items()}
    return {kind: hits for kind, hits in found.items() if hits}


def words(markdown: str) -> str:
    """Everything that readers see, a line for each block."""
    blocks = [token.children or [] for token in _PARSER.parse(markdown) if token.type == "inline"]
    return "\n".join("".join(token.content for token in block) for block in blocks)


def links(markdown: str) -> list[str]:
    """Where the links and pictures lead."""
    tokens = _all(_PARSER.parse(markdown))
    return [
        str(token.attrGet("href") or token.attrGet("src")) for token in tokens if token.type in ("link_open", "image")
    ]


def _all(tokens: list[Token]) -> list[Token]:
    return [item for token in tokens for item in (token.children or [] if token.type == "inline" else [token])]
