"""One good list of several: sites behind redirects, what is about the query, hosts in turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from kensaku import Hit, Query
from kensaku.models import Source
from kensaku.search.filters import filter_hits
from kensaku.search.rank import fuse, limit_per_host

GOOGLE = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"


def hit(url: str, content="otters", rank=1, provider="tavily", title="Otters", **more) -> Hit:
    made = Hit(url, title, content, provider=provider, **more)
    return replace(made, sources=(Source(provider, rank, made.score),))


def kept(hits, block=(), **options):
    query, today = Query("otters", **options), date(2026, 11, 15)
    return filter_hits(hits, query, block=block, undated="keep", today=today)


def test_behind_a_redirect_the_site_counts_and_not_the_redirect():
    """A site that nobody names is none of those that were asked for, and none of the others."""
    hits = [hit(GOOGLE + "1", site="en.wikipedia.org"), hit(GOOGLE + "2", site="")]

    assert kept(hits, include_domains=["wikipedia.org"])[0] == hits[:1]
    assert kept(hits, exclude_domains=["wikipedia.org"])[0] == hits[1:]
    assert kept(hits, include_domains=["google.com"])[0] == []
    assert kept(hits, block=("google.com",))[0] == hits


def test_hits_behind_one_redirect_are_not_hits_of_one_host():
    """The second page of a site goes behind the pages of others."""
    sites = ("a.example", "a.example", "b.example", "", "")
    hits = [hit(f"{GOOGLE}{n}", site=site) for n, site in enumerate(sites)]

    assert limit_per_host(hits, 1) == [hits[n] for n in (0, 2, 3, 4, 1)]


def test_what_is_about_something_else_goes_last():
    """The coverage gate: none of the query's words."""
    lists = [
        [hit("https://zebra.example/", "stripes", title="Zebra")],
        [hit("https://otter.example/", "otters", 9, "b")],
    ]

    assert fuse(lists, Query("otters"))[0].url == "https://otter.example/"


def test_limit_per_host_puts_the_rest_of_a_host_behind():
    """Nothing is lost; 0 is no bound; addresses without a host are not one host."""
    hits = [hit(f"https://a.example/{n}") for n in range(3)] + [hit("https://b.example/")]
    local = [hit(f"pydoc:m{n}") for n in range(5)]

    assert [h.url for h in limit_per_host(hits, 1)] == [hits[n].url for n in (0, 3, 1, 2)]
    assert limit_per_host(hits, 0) == hits
    assert limit_per_host(local, 1) == local
