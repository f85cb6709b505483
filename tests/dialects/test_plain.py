"""The plain dialect."""

from __future__ import annotations

from dataclasses import replace

from kensaku.dialects import write
from kensaku.dialects.plain import Style

from .examples import EMPTY, FOUND, UNAVAILABLE


class _Marked(Style):
    def head(self, text: str) -> str:
        return f"<h>{text}</h>"

    def title(self, text: str, url: str) -> str:
        return f"<a {url}>{text}</a>"

    def url(self, text: str) -> str:
        return f"<u>{text}</u>"

    def faint(self, text: str) -> str:
        return f"<f>{text}</f>"


def test_a_style_changes_how_the_parts_look_and_nothing_else() -> None:
    """A terminal shows the same text in colour."""
    noted = replace(FOUND, notes=("one note",))
    for response in (noted, EMPTY, UNAVAILABLE):
        marked = write(response, "plain", style=_Marked())
        plain = marked
        for tag in ("<h>", "</h>", "</a>", "<u>", "</u>", "<f>", "</f>"):
            plain = plain.replace(tag, "")
        for hit in response.hits:
            plain = plain.replace(f"<a {hit.url}>", "")

        assert plain == write(response, "plain")
        assert marked.startswith("<h>")
