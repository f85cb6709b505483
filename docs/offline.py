"""A hook of mkdocs: refuse a page that would make a reader's browser call another host."""

from __future__ import annotations

import re
from typing import Any

# Resources that a browser loads by itself, and the component of the theme that asks GitHub's API.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=[\"']?(?:https?:)?//[^\"'\s>]+"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect))[^>]*"
    r"\bhref=[\"']?(?:https?:)?//[^\"'\s>]+"
    r"|data-md-component=[\"']?source\b"
)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Raise for the first resource of another host."""
    if found := _LOADED.search(output):
        raise ValueError(f"{page.file.src_path} calls another host: {found[0]}")
    return output
