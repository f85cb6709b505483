"""HTML → Page.

bytes → text → size checks → tree → metadata
                               └→ visible blocks → features → scores → selection → text, Markdown
                                              └→ author, date
"""

from __future__ import annotations

from kensaku.extract.charset import decode
from kensaku.extract.html.author import find_author
from kensaku.extract.html.collector import paused_collector
from kensaku.extract.html.headline import missing_headline
from kensaku.extract.html.js_shells import shell_notes
from kensaku.extract.html.markdown import render
from kensaku.extract.html.markup_check import check_size
from kensaku.extract.html.metadata import Metadata, images_of, language_of, links_of, read_metadata
from kensaku.extract.html.published import find_published
from kensaku.extract.html.tree import Element, parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.select import select_blocks
from kensaku.extract.main.signals import page_facts
from kensaku.extract.visible.hidden import PageVisibility
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.text.clean import cut

_SHELL_WORDS = 25
_DISCOURSE_WORDS = 150  # Discourse: its shell lists categories beside the empty topic


def extract_html(html: bytes | str, url: str = "", *, content_type: str = "") -> Page:
    """Extract the main content of a page, without text that is hidden from readers.

    Raise `TooLarge` for markup over the limits and `Unparsable` when there is nothing to parse.
    Pure: nothing is fetched.
    """
    check_size(len(html))
    text = html if isinstance(html, str) else decode(html, content_type)
    with paused_collector():
        return _extract(text, url)


def _extract(text: str, url: str) -> Page:
    root = parse_html(text)
    meta = read_metadata(root, url)
    blocks, notes = visible_blocks(root, meta)
    selected = select_blocks(blocks, page_facts(root, url, meta.title))
    body, marked = render(selected, meta.base, missing_headline(blocks, selected, meta.title))
    notes += shell_notes(root, meta.title, body, sum(b.size for b in blocks))
    return Page(
        url=url,
        title=meta.title or _first_line(body),
        text=body,
        markdown=marked,
        author=find_author(meta, blocks, url),
        published=find_published(root, meta, blocks, url),
        language=meta.language or language_of(body),
        canonical_url=meta.canonical_url,
        content_type="text/html",
        images=images_of(root, meta.base),
        links=links_of(root, meta.base),
        favicon=meta.favicon,
        notes=notes,
        needs_browser=bool(notes),
    )


def visible_blocks(root: Element, meta: Metadata) -> tuple[list[Block], tuple[str, ...]]:
    """Return the visible blocks; if scripts make them, those for readers without, and a note."""
    blocks = blocks_of(root, PageVisibility(root))
    words = sum(b.size for b in blocks)
    if words >= (_DISCOURSE_WORDS if meta.generator.startswith("Discourse") else _SHELL_WORDS):
        return blocks, ()
    plain = blocks_of(root, PageVisibility(root, scripts=False))
    if sum(b.size for b in plain) >= 3 * words + 2 * _SHELL_WORDS:
        return plain, (msg("needs JavaScript: this is the text for readers without it"),)
    return blocks, ()


def _first_line(text: str) -> str:
    return cut(text.strip().partition("\n")[0], 120)
