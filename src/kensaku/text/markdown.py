"""Pages of strangers, as HTML that can do nothing: Markdown → markdown-it → nh3."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_CHARS = 200_000
# No image: the page loads nothing from elsewhere.
TAGS = set(
    "a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong "
    "sub sup table tbody td th thead tr ul".split()
)


def to_html(markdown: str, *, links: bool = True) -> str:
    """Return Markdown as HTML with a handful of tags, links to the web, and no other attribute."""
    import nh3

    html = _parser().render(markdown[:MAX_CHARS])
    return nh3.clean(
        html,
        tags=TAGS if links else TAGS - {"a"},
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel="noreferrer noopener nofollow",
    )


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
