"""Write a thread of posts as an HTML document for the parsing workers. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

MAX_POSTS = 1_000


@dataclass(frozen=True, slots=True)
class Post:
    """One post: who wrote it and when, and its text as the service's HTML."""

    by: str
    html: str


def thread(title: str, posts: Iterable[Post]) -> bytes:
    """Return the document. Posts are hostile: the workers take out what is hidden in them."""
    name = escape(title)
    parts = [
        f'<!doctype html><html><head><meta charset="utf-8"><title>{name}</title></head>'
        f"<body><main><article><h1>{name}</h1>"
    ]
    for n, post in enumerate(posts):
        if n == MAX_POSTS:
            break
        parts.append(f"<h2>{escape(post.by)}</h2>\n<div>{post.html}</div>")
    parts.append("</article></main></body></html>")
    return "\n".join(parts).encode("utf-8", "replace")


def by(*said: object) -> str:
    """Join who, when and how many, as far as they are known."""
    return ", ".join(str(s) for s in said if s not in (None, ""))
