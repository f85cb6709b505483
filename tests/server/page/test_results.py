"""What a response looks like on the page: hits, citations, who was asked."""

from __future__ import annotations

import pytest

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
    host_of,
    mark_terms,
    response_values,
    safe_link,
    said_of,
)

EN = translator("en")


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://a.example/x?y=1#z", True),
        ("http://a.example", True),
        ("javascript:alert(1)", False),
        ("ftp://a.example/", False),
        ("https://", False),
        ("https://a.example/ x", False),
        ("https://a.example/\n", False),
        ('https://a.example/"', False),
        ("https://a.example/'", False),
        ("https://a.example/<", False),
        ("x https://a.example/", False),
    ],
)
def test_only_addresses_of_the_web_are_links(url, link):
    """A browser opens nothing else."""
    assert safe_link(url) == (url if link else "")


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Otters swim", "otter", "<mark>Otters</mark> swim"),
        ("otterish", "otter", "<mark>otterish</mark>"),  # three letters more
        ("ottering and potter", "otter", "<mark>ottering</mark> and potter"),
        ("otterishly", "otter", "otterishly"),
        ("an ox", "an ox", "an <mark>ox</mark>"),  # common words are left alone
        ("the <b> & c", "the", "the &lt;b&gt; &amp; c"),
        ("a <otter>", "otter", "a &lt;<mark>otter</mark>&gt;"),
        ("python3 _x python", "python3", "<mark>python3</mark> _x python"),
        ("検索エンジンの川", "検索 エンジン", "<mark>検索</mark><mark>エンジン</mark>の川"),
        ("Łódź und Größen", "łódź größe", "<mark>Łódź</mark> und <mark>Größen</mark>"),
        ("в поиске", "поиск", "в <mark>поиске</mark>"),
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
        ("Swim [1].", 'Swim<a class="cite" href="#h4">4</a>.'),
        (
            "a[1, 12] <b>",
            'a<a class="cite" href="#h4">4</a><a class="cite" href="#h9">9</a> &lt;b&gt;',
        ),
        ("Unknown [7] & [1,7]", "Unknown [7] &amp; [1,7]"),
        ("One [1] two [7] three", 'One<a class="cite" href="#h4">4</a> two [7] three'),
        ("[1234] [x]", "[1234] [x]"),
    ],
)
def test_citations_are_links_to_the_hits(text, html):
    """Those to nothing stay text."""
    assert str(cite(text, {1: 4, 12: 9})) == html


def test_a_hit_is_shown_with_where_it_is_from_and_why():
    """Each reason in a sentence."""
    hit = Hit(
        "https://www.a.example/one/two%20%26/" + "x" * 50,
        " Otters ",
        "Otters <swim>",
        score=0.456,
        published="1999-02-03",
        provider="tavily",
        sources=(Source("tavily", 2, 0.5), Source("brave", 1)),
        explain=Explain(
            coverage=0.894,
            agreement=2,
            fused=0.03226,
            read=True,
            copies=("https://b.example/", "https://c.example/"),
            local=LocalMatch("notes", bm25=1.26, cosine=0.555),
        ),
    )

    shown = hit_view(3, hit, "otters", EN)

    assert (shown.n, shown.title, shown.link) == (3, "Otters", hit.url)
    assert (shown.host, shown.crumbs) == ("a.example", ["two &", "x" * 40])
    assert (shown.age, shown.found_by) == ("1999-02-03", "tavily #2 · brave #1")
    assert str(shown.snippet) == "<mark>Otters</mark> &lt;swim&gt;"
    assert shown.why == [
        "tavily ranks it #2",
        "brave ranks it #1",
        "the provider's own score 0.46",
        "found by 2 independent indexes",
        "89 % of the query's words are in it",
        "fused score 0.0323",
        "the page itself was read",
        "2 near copies were folded into it",
        "words match by 1.3 (BM25)",
        "meaning matches by 0.56 (cosine)",
        "in the collection notes",
    ]


def test_a_hit_of_which_little_is_known_is_shown_with_that():
    """Nothing is made up; a redirect is shown by the site behind it."""
    bare = hit_view(1, Hit("javascript:x", " ", "", provider="brave"), "otters", EN)
    alone = Hit("https://b.example/", "", explain=Explain(local=LocalMatch()))
    redirect = hit_view(1, Hit("https://r.example/a", "", site="b.example"), "otters", EN)
    nobody = hit_view(1, Hit("https://r.example/a", "", site=""), "otters", EN)

    assert (bare.title, bare.link, bare.crumbs) == ("javascript", "", ["x"])
    assert (bare.found_by, bare.published, bare.age, bare.why) == ("brave", "", "", [])
    assert hit_view(1, alone, "otters", EN).why == []
    assert (redirect.title, redirect.host, redirect.crumbs) == ("b.example", "b.example", [])
    assert (nobody.title, nobody.host) == ("https://r.example/a", "")
    assert host_of("http://[broken") == ""


def test_a_snippet_is_cut_and_the_text_is_not():
    """At 420 characters."""
    fits, longer = (
        hit_view(1, Hit("https://a.example/", "A", "y" * n), "", EN) for n in (420, 421)
    )

    assert str(fits.snippet) == "y" * 420
    assert str(longer.snippet) == "y" * 419 + "…"
    assert longer.text == "y" * 421


REFUSED = KeyRefused("brave", "no", status=401, remedy="check the key")


def test_attempts_are_bars_on_one_scale():
    """Of the whole time: those that ended, were not asked, or are still waiting."""
    attempts = [
        (Attempt("tavily", Outcome.FOUND, elapsed_ms=1500, hits=1), 0.0),
        (Attempt("brave", Outcome.UNAVAILABLE, REFUSED, elapsed_ms=500), 1500.0),
        (Attempt("exa", Outcome.UNAVAILABLE, NotConfigured("exa", "none"), sent=False), 0.0),
        (Attempt("serper", Outcome.EMPTY, elapsed_ms=1), 1999.0),
    ]

    rows = attempt_views(attempts, {"jina": 500.0}, 1000.0, EN)

    assert [(r.name, r.state, r.x, r.width, r.time, r.said) for r in rows] == [
        ("tavily", "ok", 0.0, 75.0, "1,500 ms", "1 result"),
        ("brave", "bad", 75.0, 25.0, "500 ms", "it does not take this key (401)"),
        ("exa", "off", 0.0, 0.0, "—", "it is not configured"),
        ("serper", "ok", 98.0, 2.0, "1 ms", "nothing found"),
        ("jina", "wait", 25.0, 25.0, "…", "waiting"),
    ]
    assert [r.remedy for r in rows if r.remedy] == ["check the key"]
    (began,) = attempt_views([], {"jina": 1000.0}, 1000.0, EN)
    assert (began.x, began.width) == (100.0, 2.0)
    (at_once,) = attempt_views([(Attempt("a", Outcome.EMPTY, elapsed_ms=0.5), 0.0)], {}, 0.0, EN)
    assert at_once.width == 50.0  # of a millisecond


def test_attempts_begin_one_after_the_other_or_together():
    """As the mode says."""
    first, second = (Attempt(n, Outcome.EMPTY, elapsed_ms=30) for n in ("tavily", "brave"))
    response = Response(Query("otters"), Outcome.EMPTY, attempts=(first, second))

    assert begun(response, "first") == [(first, 0.0), (second, 30.0)]
    assert begun(response, "all") == [(first, 0.0), (second, 0.0)]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "2 results"),
        (REFUSED, "it does not take this key (401)"),
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


def test_a_response_is_shown_with_who_found_it_and_who_could_not():
    """A provider that was not asked has refused, and has not failed."""
    unasked = NotConfigured("exa", "none")
    attempts = (
        Attempt("tavily", Outcome.FOUND, hits=1),
        Attempt("brave", Outcome.UNAVAILABLE, REFUSED),
        Attempt("exa", Outcome.UNAVAILABLE, unasked, sent=False),
        Attempt("serper", Outcome.EMPTY),
    )
    hit = Hit("https://a.example/", "A", sources=(Source("tavily", 1), Source("tavily", 2)))
    response = Response(Query("x"), Outcome.FOUND, (hit,), "So it is [1].", attempts=attempts)
    shown = response_values(response, EN)

    assert [(view.n, view.title) for view in shown["hits"]] == [(1, "A")]
    assert (shown["who"], shown["searched"]) == ("tavily", "tavily and serper")
    assert [failure.who for failure in shown["failed"]] == ["brave"]
    assert [failure.who for failure in shown["refused"]] == ["brave", "exa"]
    assert shown["answer"] == 'So it is<a class="cite" href="#h1">1</a>.'
    told = response_values(response, EN, "Told [5].", {5: 1})
    assert told["answer"] == 'Told<a class="cite" href="#h1">1</a>.'
    empty = response_values(Response(Query("x"), Outcome.EMPTY, attempts=attempts), EN)
    assert (empty["who"], empty["answer"]) == ("tavily and serper", None)
