"""The dates that readers see: how each is scored by where it stands and what is around it."""

from __future__ import annotations

import pytest

from kensaku.extract.html.published import _DatesSeen
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of

DATE = "May 3, 2024"
P = f"<p>{DATE}</p>"
H1 = "<h1>Otters</h1>"
X = "<p>x</p>"


def scores(body: str) -> list[tuple[str, float]]:
    """The dates of a page, with the score of each."""
    blocks = blocks_of(parse_html(f"<body>{body}</body>"))
    seen = _DatesSeen(blocks, "Otters", day_first=False)
    return [(found.date, round(found.score, 2)) for found in seen._find()]


@pytest.mark.parametrize(
    ("body", "score"),
    [
        (f"<h1>Otters, {DATE}</h1>", 4.00),
        (H1 + P, 3.99),
        (H1 + X * 4 + P, 3.95),
        (H1 + X * 5 + P, 2.44),
        (H1 + X * 14 + P, 2.35),
        (H1 + X * 15 + P, 1.34),
        (H1 + X * 39 + P, 1.10),
        (H1 + X * 40 + P, 1.00),
        (P + H1, 3.50),
        (P + X * 4 + H1, 3.50),
        (P + X * 5 + H1, 1.00),
        (P, 2.50),
        (X * 39 + P, 2.50),
        (X * 40 + P, 1.00),
    ],
)
def test_a_date_counts_more_the_nearer_it_is_to_the_headline(body: str, score: float) -> None:
    """Without a headline, at the top of the page."""
    assert scores(body) == [("2024-05-03", score)]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (f"{DATE} {'x' * 33}", 3.99),
        (f"{DATE} {'x' * 34}", 2.99),
        (f"{DATE} {'x' * 138}", 2.99),
        (f"{DATE} {'x' * 139}", 1.99),
        (f"{'x' * 99} {DATE}", 2.99),
        (f"{'x' * 100} {DATE}", 1.49),
        (f"Posted {DATE}", 5.99),
        (f"posted{'x' * 33} {DATE}", 4.99),
        (f"posted{'x' * 34} {DATE}", 2.99),
        (f"Updated {DATE}", 3.49),
        (f"Published, updated {DATE}", 3.49),
        (f"Member since {DATE}", -0.01),
        (f"Posted; joined {DATE}", -0.01),
        (f"<a href=/>{DATE}</a>", 3.29),
        (f"<a href=/>{DATE}</a> {'x' * 33}", 3.99),
        (f"<span class=date>{DATE}</span>", 5.49),
        (f"<b class=comment>{DATE}</b>", 2.49),
        (f"<b class=comment-date>{DATE}</b>", 3.99),
    ],
)
def test_a_date_counts_by_the_words_around_it(text: str, score: float) -> None:
    """A short line, a label, the name of a class; a date deep in a text or in a link counts less."""
    assert scores(f"{H1}<p>{text}</p>") == [("2024-05-03", score)]


@pytest.mark.parametrize(
    ("body", "score"),
    [
        (f"<div class=byline><p>{DATE}</p></div>", 4.69),
        (f"<div class=byline><div><div><p>{DATE}</p></div></div></div>", 4.69),
        (f"<div class=byline><div><div><div><p>{DATE}</p></div></div></div></div>", 3.99),
        (f"<div class=related><div><div><p>{DATE}</p></div></div></div>", 2.49),
        (f"<div class=meta><p class=date>{DATE}</p></div>", 5.49),
    ],
)
def test_the_classes_of_three_elements_around_a_date_count(body: str, score: float) -> None:
    """What is further out names a region of the page."""
    assert scores(H1 + body) == [("2024-05-03", score)]


def test_a_label_belongs_to_the_date_behind_it() -> None:
    """ "Posted" says nothing about the second date."""
    found = scores(f"{H1}<p>Posted {DATE}, 4 May 2024, updated 2024-05-05</p>")

    assert found == [("2024-05-03", 4.99), ("2024-05-04", 2.99), ("2024-05-05", 2.49)]


def long(chars: int) -> str:
    """A paragraph of so many characters with a date at its beginning."""
    return f"<p>{DATE} {'x' * (chars - 12)}</p>"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (H1 + X * 9 + long(250), True),
        (H1 + X * 9 + long(251), False),
        (H1 + X * 4 + long(251), True),
        (H1 + X * 5 + long(251), False),
        (long(251) + H1, False),
        (long(251).replace("<p>", "<h1>Otters ").replace("</p>", "</h1>"), True),
        (long(250), True),
        (long(251), False),
        (f"{H1}<p>{'x' * 388} {DATE}</p>", True),
        (f"{H1}<p>{'x' * 389} {DATE}</p>", False),
    ],
)
def test_a_long_paragraph_tells_of_other_dates(body: str, found: bool) -> None:
    """Unless it is the first one, which may begin with the date."""
    assert bool(scores(body)) is found


@pytest.mark.parametrize(
    ("body", "enough", "date"),
    [
        (f"{X * 40}<p>Posted {DATE} {'x' * 40}</p>", 2.0, "2024-05-03"),
        (f"{H1}{long(151)}", 2.0, None),
        (f"{H1}{X * 40}<p>Updated {DATE}</p>", 0.5, "2024-05-03"),
        (f"{H1}{P}<p>2024-05-04</p>", 0.5, "2024-05-03"),
        (X, 0.5, None),
    ],
)
def test_the_best_date_is_taken_if_it_is_good_enough(
    body: str, enough: float, date: str | None
) -> None:
    """A score that is just enough is."""
    blocks = blocks_of(parse_html(f"<body>{body}</body>"))

    assert _DatesSeen(blocks, "Otters", day_first=False).best(enough) == date
