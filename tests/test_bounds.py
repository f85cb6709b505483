"""Every bound on what may be asked or is kept: taken at the bound, refused or cut one beyond it.

The numbers stand here in full: a bound that somebody relies on is not moved by accident.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from kensaku import Query
from kensaku.answers.context import check_budget
from kensaku.answers.report.attachments import Attachment
from kensaku.answers.report.request import ResearchRequest, check_schema
from kensaku.answers.verify import verify
from kensaku.errors import InvalidQuery
from kensaku.extract import extract_html
from kensaku.fetch import Plan
from kensaku.fetch.crawl.patterns import Patterns
from kensaku.server.http import params_of


def hosts(count: int) -> list[str]:
    return [f"a{n}.example" for n in range(count)]


def nested(depth: int) -> dict[str, Any]:
    """A schema of so many levels."""
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(depth - 1):
        inner = {"type": "object", "properties": {"a": inner}}
    return inner


def schema(chars: int) -> dict[str, Any]:
    """A schema that is so long as JSON."""
    empty = '{"properties": {"a": {"description": ""}}}'
    return {"properties": {"a": {"description": "x" * (chars - len(empty))}}}


def note(text: str, name: str = "a.txt") -> Attachment:
    return Attachment(name, text)


Check = Callable[[Any], object]
# What is checked, the least that is taken (None: there is no such bound), the most, the step.
NUMBERS: list[tuple[str, Check, float | None, float, float]] = [
    ("results", lambda n: Query("x", max_results=n), 1, 50, 1),
    ("least score", lambda n: Query("x", min_score=n), 0, 1, 1e-9),
    ("depth of a crawl", lambda n: Plan("a.example", max_depth=n), 1, 5, 1),
    ("breadth of a crawl", lambda n: Plan("a.example", max_breadth=n), 1, 500, 1),
    ("pages of a crawl", lambda n: Plan("a.example", limit=n), 1, 10_000, 1),
    ("seconds of a crawl", lambda n: Plan("a.example", timeout=n), 1, 3_600, 0.001),
    ("seconds of a research", lambda n: ResearchRequest("x", timeout=n), 1e-9, 3_600, 1e-6),
    ("tokens of a context", check_budget, 1, 1_000_000, 1),
]  # fmt: skip
# What is made of so many characters or entries, and how many are taken.
SIZES: list[tuple[str, Check, int]] = [
    ("characters of a query", lambda n: Query("x" * n), 2_000),
    ("included sites", lambda n: Query("x", include_domains=hosts(n)), 300),
    ("excluded sites", lambda n: Query("x", exclude_domains=hosts(n)), 300),
    ("characters of a task", lambda n: ResearchRequest("x" * n), 10_000),
    ("preferred sites", lambda n: ResearchRequest("x", include_domains=hosts(n)), 20),
    ("unwanted sites", lambda n: ResearchRequest("x", exclude_domains=hosts(n)), 20),
    ("files", lambda n: ResearchRequest("x", files=[note("a")] * n), 5),
    ("words of files", lambda n: ResearchRequest("x", files=[note("a " * n)]), 80_000),
    ("characters of files", lambda n: ResearchRequest("x", files=[note("a" * n)]), 1_000_000),
    ("characters of a file's name", lambda n: ResearchRequest("x", files=[note("a", "a" * (n - 3) + ".md")]), 200),
    ("characters of a schema", lambda n: check_schema(schema(n)), 20_000),
    ("levels of a schema", lambda n: check_schema(nested(n)), 5),
    ("characters of a quote", lambda n: verify("x" * n, "y"), 10_000),
    ("characters of a pattern", lambda n: Patterns(["a" * n], "select_paths"), 500),
    ("patterns", lambda n: Patterns(["a"] * n, "select_paths"), 100),
    ("fields of a request", lambda n: params_of({"query_string": b"&".join([b"a=1"] * n)}), 500),
]  # fmt: skip


@pytest.mark.parametrize(
    ("check", "low", "high", "step"), [n[1:] for n in NUMBERS], ids=[n[0] for n in NUMBERS]
)
def test_a_number_is_taken_within_its_bounds_alone(check, low, high, step):
    """Just inside passes, just outside is refused before anything is sent."""
    check(high)
    check(low)
    for beyond in (high + step, low - max(step, 1e-9), float("nan")):
        with pytest.raises(InvalidQuery):
            check(beyond)


@pytest.mark.parametrize(("make", "most"), [s[1:] for s in SIZES], ids=[s[0] for s in SIZES])
def test_a_size_is_taken_up_to_its_bound(make, most):
    """The last one is taken, and one more is refused."""
    make(most)
    with pytest.raises(InvalidQuery):
        make(most + 1)


def test_a_file_is_decoded_up_to_eight_million_characters_of_base64():
    """What is longer is refused before it is decoded."""
    data = base64.b64encode(b"a" * 6_000_000).decode()

    with pytest.raises(InvalidQuery, match="words"):
        ResearchRequest("x", files=[{"name": "a.txt", "data": data}])
    with pytest.raises(InvalidQuery, match="longer"):
        ResearchRequest("x", files=[{"name": "a.txt", "data": data + "A"}])


def test_the_links_and_images_of_a_page_are_counted():
    """In reading order, each once."""
    links = "".join(f'<a href="/l{n}">link {n}</a> ' for n in range(2_100))
    images = "".join(f'<img src="/i{n}.png" width=300 height=300>' for n in range(300))
    page = extract_html(f"<p>{links}</p><p>{images}</p>", url="https://a.example/")

    assert len(page.links) == 2_000
    assert len(page.images) == 200
    assert page.links[-1] == "https://a.example/l1999"


def test_a_title_is_cut_at_a_word():
    """Three hundred characters are more than a title."""
    title = "word " * 100

    page = extract_html(f"<title>{title}</title><p>text</p>", url="https://a.example/")

    assert 290 < len(page.title) <= 300
