"""The plain dialect."""

from __future__ import annotations

from dataclasses import replace

from kensaku.dialects import write
from kensaku.dialects.plain import Style

from .examples import EMPTY, FOUND, UNAVAILABLE


def test_notes_follow_the_results() -> None:
    """What was cut, filtered or ignored is the last paragraph, in both languages."""
    noted = replace(FOUND, notes=("brave cannot filter by topic; that was not applied",))

    assert (
        write(noted, "plain").split("\n\n")[-1]
        == "Note: brave cannot filter by topic; that was not applied"
    )
    assert "注：brave" in write(noted, "plain:ja")


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
