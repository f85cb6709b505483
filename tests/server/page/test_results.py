"""What a response looks like on the page: hits, citations, who was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.errors import Cooling, KensakuError, KeyRefused, NoNetwork, NotConfigured, Outage
from kensaku.locale import translator
from kensaku.models import Attempt, Explain, Hit, LocalMatch, Outcome, Query, Response, Source
from kensaku.server.page.results import (
    Failure,
    attempt_views,
    begun,
    cite,
    fold_failures,
    hit_view,
    mark_terms,
    response_values,
    safe_link,
    said_of,
)

EN = translator("en")


def test_only_addresses_of_the_web_are_links():
    """A browser opens nothing else."""
    for url in ("https://a.example/x?y=1#z", "http://a.example"):
        assert safe_link(url) == url
    wrong = ["javascript:alert(1)", "ftp://a.example/", "https://", "x https://a.example/"]
    for url in (*wrong, *(f"https://a.example/{odd}" for odd in (" x", "\n", '"', "'", "<"))):
        assert safe_link(url) == ""


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("ottering and potter", "otter", "<mark>ottering</mark> and potter"),
        ("an ox", "an ox", "an <mark>ox</mark>"),  # common words are left alone
        ("the <b> & c", "the", "the &lt;b&gt; &amp; c"),
        ("python3 _x python", "python3", "<mark>python3</mark> _x python"),
        ("検索エンジンの川", "検索 エンジン", "<mark>検索</mark><mark>エンジン</mark>の川"),
        ("Łódź und Größen", "łódź größe", "<mark>Łódź</mark> und <mark>Größen</mark>"),
        ("otter2 Pythonの", "otter python", "otter2 <mark>Python</mark>の"),
        ("new newer", "newer new", "<mark>new</mark> <mark>newer</mark>"),  # the longest first
    ],
)
def test_the_words_of_the_query_are_marked(text, query, marked):
    """With their endings; everything else is escaped."""
    assert str(mark_terms(text, query)) == marked


def test_at_most_thirty_words_are_marked():
    """The longest ones, however long the query."""
    words = [f"word{n:02}" for n in range(30)]

    marked = str(mark_terms(" ".join([*words, "ox"]), " ".join(["ox", *words])))

    assert marked.count("<mark>") == 30
    assert marked.endswith(" ox")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "a[1, 12] <b>",
            'a<a class="cite" href="#h4">4</a><a class="cite" href="#h9">9</a> &lt;b&gt;',
        ),
        ("One [1] two [7] three", 'One<a class="cite" href="#h4">4</a> two [7] three'),
        ("[1234] [x]", "[1234] [x]"),
    ],
)
def test_citations_are_links_to_the_hits(text, html):
    """Those to nothing stay text."""
    assert str(cite(text, {1: 4, 12: 9})) == html


def test_a_hit_is_shown_with_where_it_is_from_and_why():
    """Its site and the end of its path, who found it, and each reason in a sentence."""
    explain = Explain(
        coverage=0.894,
        agreement=2,
        read=True,
        copies=("https://b.example/", "https://c.example/"),
        local=LocalMatch("notes", bm25=1.26),
    )
    sources = (Source("tavily", 2, 0.5), Source("brave", 1))
    url = "https://www.a.example/one/two%20%26/" + "x" * 50
    shown = hit_view(3, Hit(url, " Otters ", score=0.456, sources=sources, explain=explain), "", EN)

    assert (shown.title, shown.host, shown.crumbs) == ("Otters", "a.example", ["two &", "x" * 40])
    assert shown.found_by == "tavily #2 · brave #1"
    for reason in (
        "tavily ranks it #2",
        "the provider's own score 0.46",
        "found by 2 independent indexes",
        "89 % of the query's words are in it",
        "the page itself was read",
        "2 near copies were folded into it",
        "words match by 1.3 (BM25)",
        "in the collection notes",
    ):
        assert reason in shown.why


def test_a_hit_of_which_little_is_known_is_shown_with_that():
    """Nothing is made up; a redirect is shown by the site behind it."""
    bare = hit_view(1, Hit("javascript:x", " ", "", provider="brave"), "otters", EN)
    redirect = hit_view(1, Hit("https://r.example/a", "", site="b.example"), "otters", EN)
    broken = hit_view(1, Hit("http://[broken", ""), "otters", EN)

    assert (bare.title, bare.link, bare.found_by, bare.why) == ("javascript", "", "brave", [])
    assert (redirect.title, redirect.host, redirect.crumbs) == ("b.example", "b.example", [])
    assert (broken.title, broken.host) == ("http://[broken", "")


def test_a_snippet_is_cut_and_the_text_is_not():
    """At 420 characters."""
    fits, longer = (
        hit_view(1, Hit("https://a.example/", "A", "y" * n), "", EN) for n in (420, 421)
    )

    assert str(fits.snippet) == "y" * 420
    assert str(longer.snippet) == "y" * 419 + "…"
    assert longer.text == "y" * 421


REFUSED = KeyRefused("brave", "no", status=401, remedy="check the key")


TIMES = st.floats(0, 1e6)


@given(st.lists(TIMES, max_size=5), st.sampled_from(["first", "all"]), TIMES)
def test_attempts_are_bars_on_one_scale(times, mode, now):
    """Each that was sent is seen, in the chart; one after the other, or all from its start."""
    attempts = [Attempt(f"p{n}", Outcome.EMPTY, elapsed_ms=ms) for n, ms in enumerate(times)]
    response = Response(Query("otters"), Outcome.EMPTY, attempts=tuple(attempts))

    rows = attempt_views(begun(response, mode), {}, now, EN)

    assert len(rows) == len(times)
    for row in rows:
        assert row.x >= 0
        assert row.width >= 2
        assert row.x + row.width <= 100.001
    begins = [row.x for row in rows]
    assert begins == (sorted(begins) if mode == "first" else [0.0] * len(rows))


def test_an_attempt_is_told_by_its_time_and_its_end():
    """One that was not asked took none; one that is under way waits."""
    unasked = NotConfigured("exa", "none")
    attempts = [
        Attempt("tavily", Outcome.FOUND, elapsed_ms=1500, hits=1),
        Attempt("brave", Outcome.UNAVAILABLE, REFUSED, elapsed_ms=500),
        Attempt("exa", Outcome.UNAVAILABLE, unasked, sent=False),
    ]

    rows = attempt_views([(a, 0.0) for a in attempts], {"jina": 500.0}, 1000.0, EN)

    assert [(r.name, r.state, r.time, r.said) for r in rows] == [
        ("tavily", "ok", "1,500 ms", "1 result"),
        ("brave", "bad", "500 ms", "it does not take this key (401)"),
        ("exa", "off", "—", "it is not configured"),
        ("jina", "wait", "…", "waiting"),
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Outage("brave", "x"), "it is out of order"),
        (Cooling("brave", "x", cause="KeyRefused"), "it does not take this key"),
        (Cooling("brave", "x"), "it is on cooldown after a refusal"),
        (KensakuError("something rare"), "something rare"),
    ],
)
def test_a_failure_is_told_in_a_few_words(error, said):
    """Those of its cause, when somebody is left alone for a while."""
    assert said_of(Attempt("brave", Outcome.FOUND, error, hits=2), EN) == said


def test_equal_reasons_are_one_row():
    """Fourteen providers without a network say one thing; so do keys that are refused."""
    names = ("tavily", "brave", "exa", "you")
    offline = [Attempt(n, Outcome.UNAVAILABLE, NoNetwork(n), sent=n < "c") for n in names]
    refused = [
        Attempt(n, Outcome.UNAVAILABLE, KeyRefused(n, "no", remedy=f"check {n.upper()}_KEY"))
        for n in ("serper", "jina")
    ]
    remedy = "connect this machine, or ask the local index"

    assert fold_failures([*offline, *refused], EN) == [
        Failure("tavily, brave, exa and you", "there is no network", remedy),
        Failure("serper and jina", "it does not take this key", "check SERPER_KEY; check JINA_KEY"),
    ]
    found = Attempt("local", Outcome.FOUND, hits=2)
    response = Response(Query("x"), Outcome.FOUND, attempts=(*offline, found))
    (shown,) = response_values(response, EN)["failed"]
    assert shown.who == "tavily, brave, exa and you"  # also who was not asked for that reason
    rows = attempt_views([(a, 0.0) for a in (*offline, found, found)], {}, 10.0, EN)
    assert [(row.name, row.names) for row in rows] == [
        ("4 providers", names), ("local", ()), ("local", ()),
    ]  # fmt: skip


def test_a_site_has_a_letter_and_always_the_same_colour():
    """Its icon would have to be fetched from the site, which would learn of the search."""
    urls = ("https://www.otter.example/a", "https://otter.example/b", "file:///notes/x.md")
    one, other, file = (hit_view(1, Hit(url, "T"), "q", EN) for url in urls)

    assert (one.letter, one.tone) == (other.letter, other.tone)
    assert (one.letter, file.letter) == ("O", "F")
