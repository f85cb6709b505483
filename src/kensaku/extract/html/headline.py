"""Locate the page's headline among its blocks: dates and authors are near it."""

from __future__ import annotations

import re

from kensaku.extract.main.blocks import Block, in_context

_CHARS = 300  # of a headline
_LETTERS = re.compile(r"\W+")


def headline_index(blocks: list[Block], title: str) -> int | None:
    """Return the index of the block with the headline: the `h1` that is the title, or the first."""
    wanted = _LETTERS.sub("", title.lower())
    first = None
    for n, block in enumerate(blocks):
        if not in_context(block.node, "h1"):
            continue
        text = _LETTERS.sub("", block.text.lower())
        if text and wanted and (text in wanted or wanted in text):
            return n
        if first is None:
            first = n
    return first


def missing_headline(blocks: list[Block], selected: list[Block], title: str) -> Block | None:
    """Return the block of the headline, if no selected block says the same."""
    at = headline_index(blocks, title)
    if at is None or not selected or len(blocks[at].text) > _CHARS:
        return None
    text = blocks[at].text.lower()
    known = any(text in b.text.lower() for b in selected if len(b.text) <= 2 * _CHARS)
    return None if known else blocks[at]


def class_names(block: Block, levels: int) -> list[str]:
    """Return the class names of the block's innermost element and of those around it."""
    names, node = [], block.inner
    for _ in range(levels):
        names.append(node.names or "")
        if node.parent is None:
            break
        node = node.parent
    return names
