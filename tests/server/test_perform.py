"""What of a page a client gets: the whole of it, or its best pieces for a query."""

from __future__ import annotations

import pytest

from kensaku.models import Page
from kensaku.server.perform import JOIN, _content

FILLER = "Nothing of note is said here, and it goes on for a while. " * 8
TEXT = "\n\n".join(
    [
        f"Otters sleep. {FILLER}",
        f"Herons stand in the reeds. {FILLER}",
        f"Otters sleep while otters hold hands, and sleeping otters float. {FILLER}",
    ]
)
PAGE = Page("https://a.example/", "Animals", TEXT, f"# Animals\n\n{TEXT}")


@pytest.mark.parametrize(("form", "expected"), [("markdown", PAGE.markdown), ("text", PAGE.text)])
def test_without_a_query_it_is_the_whole_page(form, expected):
    """In the format that was asked for."""
    assert _content(PAGE, None, 3, form) == expected
    assert _content(PAGE, "", 3, form) == expected


def test_the_best_pieces_stand_in_the_order_of_the_page():
    """However well each of them fits."""
    pieces = _content(PAGE, "otters sleep", 2, "text").split(JOIN)

    assert len(pieces) == 2
    assert pieces[0].startswith("Otters sleep. ")
    assert "hold hands" in pieces[1]
    assert "Herons" not in "".join(pieces)


def test_one_piece_is_the_best_one():
    """A piece has five hundred characters at the most, on one line."""
    (piece,) = _content(PAGE, "otters sleep", 1, "text").split(JOIN)

    assert "hold hands" in piece
    assert len(piece) <= 500
    assert "\n" not in piece
