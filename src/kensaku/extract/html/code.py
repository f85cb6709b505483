"""Code blocks: their lines, their language, and a fence that holds them."""

from __future__ import annotations

import re

from kensaku.extract.main.blocks import Block, Node, StructuredNode

_NAME = r"([a-z][a-z0-9+#.-]{0,19})"
_IN_CLASS = [
    re.compile(rf"(?:^|\s){shape}(?:[;\s]|$)", re.IGNORECASE)
    for shape in (
        rf"(?:language|lang|highlight-source|highlight-text|brush:?|code|src|prism)-?\s?{_NAME}",
        rf"highlight-{_NAME}",
        rf"(?:sourceCode|hljs|prettyprint|shiki|crayon|highlight)\s+{_NAME}",
    )
]
_IN_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "lang")
_NOT_LANGUAGES = frozenset(
    "block box wrapper container copy button toolbar snippet numbers line-numbers none plain "
    "plaintext text default notranslate highlight code hljs example area inline pre body js-toggle "
    "dark light wrap nohighlight undefined linenums".split()
)
_NATURAL = re.compile(r"[a-z]{2}(?:-[A-Z]{2})?$")  # lang="en" is the language of people


def code_of(node: Node) -> Node | None:
    """Return the `pre` that the node is or is in."""
    ancestor: Node | None = node
    while ancestor is not None and ancestor.tag != "pre":
        ancestor = ancestor.parent
    return ancestor


def code_lines(blocks: list[Block]) -> str:
    """Return the text of the blocks of one `pre`, as it was written."""
    texts = []
    for block in blocks:
        if block.node.tag == "pre":
            texts.append(block.text)
        else:  # sites put each line into an element of its own
            raw = "".join([text for text, _, _ in block.pieces])
            texts.append(raw.replace("\x00", "\n").strip("\n").rstrip())
    return "\n".join(texts)


def fenced(text: str, language: str) -> str:
    """Return the text between fences that are longer than any inside."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def language_of_code(block: Block, pre: Node) -> str:
    """Return the language that the code's element or one around it names; "" if none does."""
    node: Node | None = block.inner
    outside = 0
    while node is not None and outside <= 2:
        if language := _named(node):
            return language
        outside += node is pre or outside > 0
        node = node.parent
    return ""


def _named(node: Node) -> str:
    if isinstance(node, StructuredNode):
        for name in _IN_ATTRIBUTES:
            value = node.attributes.get(name, "").strip().lower()
            natural = name == "lang" and _NATURAL.match(value)
            if re.fullmatch(_NAME, value) and value not in _NOT_LANGUAGES and not natural:
                return value
    for pattern in _IN_CLASS:
        match = pattern.search(node.names or "")
        if match and match[1].lower() not in _NOT_LANGUAGES:
            return match[1].lower()
    return ""
