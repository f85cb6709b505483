"""Pages of strangers, as HTML that can do nothing: Markdown → markdown-it → nh3."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kensaku.text.links import shows_another_address

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_CHARS = 200_000
# No image: the page loads nothing from elsewhere.
TAGS = set(
    "a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong "
    "sub sup table tbody td th thead tr ul".split()
)


def to_html(markdown: str, *, links: bool = True) -> str:
    """Return Markdown as HTML with a handful of tags, links to the web, and no other attribute.

    A link whose text shows another address than its own is text.
    """
    import nh3

    parser = _parser()
    tokens = parser.parse(markdown[:MAX_CHARS])
    for token in tokens:
        if token.children:
            token.children = _without_lies(token.children)
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=TAGS if links else TAGS - {"a"},
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel="noreferrer noopener nofollow",
    )


def _without_lies(tokens: list[Token]) -> list[Token]:
    """Return inline tokens without the links whose text shows another address."""
    kept: list[Token] = []
    opened = -1
    for token in tokens:
        kept.append(token)
        if token.type == "link_open":
            opened = len(kept) - 1
        elif token.type == "link_close" and opened >= 0:
            shown = "".join(t.content for t in kept[opened:])
            if shows_another_address(shown, str(kept[opened].attrs["href"])):
                del kept[opened], kept[-1]
            opened = -1
    return kept


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
