"""The search form: what is read from an address, and the search that it stands for."""

from __future__ import annotations

import pytest

from kensaku.errors import UsageError
from kensaku.models import Query
from kensaku.server.page.search.form import SearchForm

EVERYTHING = {
    "q": "otters", "route": "brave", "time": "week", "language": "ja", "n": "7",
    "topic": "news", "site": "a.example, b.example", "collection": "notes", "depth": "1",
}  # fmt: skip


def test_fields_are_read_as_text_and_bounded():
    """Spaces around them go; what is no text is not there."""
    long = SearchForm.read({"q": "q" * 2_500, "site": "s" * 500, "time": ["week"], "x": "y"})

    assert SearchForm.read({name: f" {text} " for name, text in EVERYTHING.items()}) == SearchForm(
        **EVERYTHING
    )
    assert (len(long.q), len(long.site), long.time) == (2_001, 300, "")
    with pytest.raises(UsageError):  # one more than a query may have
        long.query(5)


def test_a_form_is_a_query():
    """With the filters that were chosen, and an answer."""
    assert SearchForm(**EVERYTHING).query(5) == Query(
        "otters",
        max_results=7,
        time_range="week",
        language="ja",
        include_domains=("a.example", "b.example"),
        collection="notes",
        include_answer=True,
        topic="news",
        depth="advanced",
    )
    assert SearchForm(q="otters").query(5) == Query("otters", max_results=5, include_answer=True)
    for wrong in ("many", "٣", ""):
        assert SearchForm(q="otters", n=wrong).query(5).max_results == 5


@pytest.mark.parametrize(
    ("fields", "routing"),
    [
        ({}, (None, None)),
        ({"route": "all"}, (None, "all")),
        ({"route": "all", "collection": "notes"}, (None, "all")),
        ({"route": "brave"}, ("brave", None)),
        ({"route": "brave", "collection": "notes"}, ("brave", None)),
        ({"collection": "notes"}, ("local", None)),
    ],
)
def test_a_collection_is_searched_on_this_machine(fields, routing):
    """Unless somebody else is to be asked."""
    assert SearchForm(q="otters", **fields).routing == routing


def test_what_leaves_something_out_is_a_filter():
    """The page then offers to search without it; who is asked, and how deep, is none."""
    for name in ("time", "language", "topic", "site", "collection"):
        assert SearchForm(**{name: EVERYTHING[name]}).filtered
    assert not SearchForm(q="otters", route="all", n="7", depth="1").filtered


def test_a_search_has_an_address():
    """It holds what was filled in, and nothing else."""
    form = SearchForm(q="otters & 川", n="7")

    assert form.address() == "/?q=otters+%26+%E5%B7%9D&n=7"
    assert form.with_(n="", time="day").address("/app") == ("/app/?q=otters+%26+%E5%B7%9D&time=day")
