"""How filters are written for each upstream: dates, domains, countries, languages, topics."""

from __future__ import annotations

from base64 import b64decode
from datetime import date, timedelta
from urllib.parse import urlsplit

import pytest

from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.providers._filters import site_query, tbs, time_range, today

JANUARY = {"start_date": date(2026, 1, 2), "end_date": date(2026, 1, 31)}


def sent(name, *, key="k", options=None, **query):
    """The members of the request: parameters, or the JSON body."""
    request = provider_class(name)(None, options).request(Query("otter", **query), key)
    return request.json if request.json is not None else dict(request.params)


@pytest.mark.parametrize(
    ("name", "query", "member", "value"),
    [
        ("brave", {"time_range": "day"}, "freshness", "pd"),
        ("brave", {"time_range": "year"}, "freshness", "py"),
        ("brave", {"end_date": date(2026, 1, 2)}, "freshness", "1990-01-01to2026-01-02"),
        ("stackexchange", {"end_date": date(1970, 1, 1)}, "todate", "86399"),
        ("brave", {"language": "ja"}, "search_lang", "jp"),
        ("brave", {"language": "zh"}, "search_lang", "zh-hans"),
        ("brave", {"language": "pt"}, "search_lang", "pt-br"),
        ("brave", {"language": "el"}, "search_lang", "el"),
        ("brave", {"language": "zh", "country": "tw"}, "search_lang", "zh-hant"),
        ("brave", {"language": "zh", "country": "de"}, "search_lang", "zh-hans"),
        ("brave", {"language": "pt", "country": "pt"}, "search_lang", "pt-pt"),
        ("you", {"language": "zh"}, "language", "ZH-HANS"),
        ("you", {"language": "zh", "country": "tw"}, "language", "ZH-HANT"),
        ("you", {"language": "pt"}, "language", "PT-BR"),
        ("jina", {"language": "zh"}, "hl", "zh-cn"),
        ("jina", {"language": "he"}, "hl", "iw"),
        ("jina", {"language": "nb"}, "hl", "no"),
        ("jina", {"language": "zh", "country": "tw"}, "hl", "zh-tw"),
        ("serpapi", {"language": "nb"}, "hl", "no"),
        ("google", {"language": "zh"}, "lr", "lang_zh-CN"),
        ("google", {"language": "zh", "country": "tw"}, "lr", "lang_zh-TW"),
        ("google", {"language": "nb"}, "lr", "lang_no"),
        ("serper", {"country": "de", "language": "zh"}, "hl", "zh-cn"),
        ("exa", {"depth": "ultra-fast"}, "type", "lite"),
        ("searxng", {"time_range": "month"}, "time_range", "month"),
        ("searxng", {"language": "de", "country": "at"}, "language", "de-AT"),
        ("you", {"include_domains": ("a.example",)}, "include_domains", ["a.example"]),
        ("linkup", {"include_answer": True}, "outputType", "sourcedAnswer"),
        ("kagi", {"start_date": date(2026, 1, 2)}, "filters", {"after": "2026-01-01"}),
        ("mojeek", {"include_domains": ("a.example",)}, "site", "a.example"),
        ("mojeek", {"include_domains": ("*.a.example",)}, "site", "a.example"),
        ("mojeek", {"include_domains": ("a.example", "b.example")}, "fi", "a.example,b.example"),
        ("mojeek", {"exclude_domains": ("a.example", "b.example")}, "fe", "a.example,b.example"),
        ("marginalia", {"language": "de"}, "lang", "de"),
        ("marginalia", {"include_domains": ("a.example",)}, "query", "site:a.example otter"),
        ("keenable", {"depth": "fast"}, "mode", "realtime"),
        ("firecrawl", {"time_range": "day"}, "tbs", "qdr:d"),
        ("bocha", {"time_range": "month"}, "freshness", "oneMonth"),
        ("duckduckgo", {"time_range": "week"}, "df", "w"),
        ("duckduckgo", JANUARY, "df", "2026-01-02..2026-01-31"),
        ("duckduckgo", {"country": "jp"}, "l", "jp-jp"),
        ("duckduckgo", {"country": "gb"}, "l", "uk-en"),
        ("duckduckgo", {"country": "ca", "language": "fr"}, "l", "ca-fr"),
        ("duckduckgo", {"language": "ko"}, "l", "kr-kr"),
        ("duckduckgo", {"language": "en"}, "l", "us-en"),
        ("duckduckgo", {}, "l", "wt-wt"),
    ],
)  # fmt: skip
def test_a_filter_is_written_as_the_upstream_wants_it(name, query, member, value):
    """A value in the wrong form is refused, or worse, ignored."""
    assert sent(name, **query)[member] == value


@pytest.mark.parametrize(
    ("name", "query", "member"),
    [
        ("brave", {}, "search_lang"),
        ("brave", {"country": "np"}, "country"),
        ("brave", {"language": "sw"}, "search_lang"),
        ("you", {"country": "gr"}, "country"),
        ("you", {"language": "fa"}, "language"),
        ("jina", {"language": "kl"}, "hl"),
        ("jina", {"country": "ss"}, "gl"),
        ("google", {"language": "sw"}, "lr"),
        ("serper", {}, "hl"),
        ("searxng", {}, "language"),
        ("tavily", {"country": "jp", "topic": "news"}, "country"),
        ("mojeek", {"include_domains": ("a.example", "b.example")}, "site"),
        ("mojeek", {"include_domains": ("a.example",)}, "fi"),
        ("marginalia", {"language": "ja"}, "lang"),
        ("serpapi", {}, "num"),
        ("firecrawl", {"include_domains": ("a.example",), "exclude_domains": ("b.example",)},
         "excludeDomains"),
    ],
)  # fmt: skip
def test_what_the_upstream_would_refuse_is_not_sent(name, query, member):
    """No default language and country, and no value outside its list (hermes #12517)."""
    assert member not in sent(name, **query)


@pytest.mark.parametrize(
    ("name", "query", "lost"),
    [
        ("you", {"country": "gr", "language": "de"}, {"country"}),
        ("you", {"language": "fa"}, {"language"}),
        ("brave", {"country": "np", "language": "sw"}, {"country", "language"}),
        ("brave", {"country": "jp", "language": "ja"}, set()),
        ("tavily", {"country": "jp", "topic": "news"}, {"country"}),
        ("tavily", {"country": "jp"}, set()),
        ("duckduckgo", {"country": "np"}, {"country"}),
        ("duckduckgo", {"country": "de", "language": "fr"}, {"language"}),
        ("duckduckgo", {"country": "tw", "language": "zh"}, set()),
        ("duckduckgo", {"country": "gb", "language": "en"}, set()),
        ("searxng", {"language": "sw"}, set()),
        ("marginalia", {"include_domains": ("a.example",)}, set()),
        ("marginalia", {"include_domains": ("a.example", "b.example")}, {"domains"}),
        ("marginalia", {"language": "ja", "include_domains": ("a.example",)}, {"language"}),
        ("keenable", {"include_domains": ("a.example", "b.example")}, {"domains"}),
    ],
)  # fmt: skip
def test_a_filter_with_a_value_that_is_not_known_is_not_applied(name, query, lost):
    """The pipeline reads this, and says so in a note."""
    provider = provider_class(name)()
    used = {name.removeprefix("include_").removeprefix("exclude_") for name in query}

    assert (provider.filters & used) - provider.filters_for(Query("otter", **query)) == lost


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("brave", "https://api.search.brave.com/res/v1/news/search"),
        ("serper", "https://google.serper.dev/news"),
    ],
)
def test_news_have_an_endpoint_of_their_own(name, url):
    """The web endpoint does not know the topic."""
    assert provider_class(name)().request(Query("otter", topic="news"), "k").url == url


@pytest.mark.parametrize(
    ("text", "language", "host"),
    [
        ("otter", None, "en"),
        ("カワウソ", None, "ja"),
        ("東京の天気", None, "ja"),
        ("東京駅", None, "ja"),
        ("北京天气", None, "zh"),
        ("수달", None, "ko"),
        ("выдра", None, "ru"),
        ("βίδρα", None, "el"),
        ("לוטרה", None, "he"),
        ("قضاعة", None, "ar"),
        ("ऊदबिलाव", None, "hi"),
        ("นาก", None, "th"),
        ("カワウソ", "de", "de"),
        ("otter", "nb", "no"),
    ],
)
def test_wikipedia_is_asked_in_the_language_of_the_query(text, language, host):
    """The English edition answers a Japanese question with nothing."""
    request = provider_class("wikipedia")().request(Query(text, language=language), "")

    assert request.url == f"https://{host}.wikipedia.org/w/api.php"


def test_a_wiki_of_ones_own_is_used_as_it_is():
    """A base URL is where somebody's wiki lives, in whatever language."""
    provider = provider_class("wikipedia")("https://wiki.example/")

    assert provider.request(Query("カワウソ"), "").url == "https://wiki.example/w/api.php"


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("Bearer abc", ("Authorization", "Bearer abc")),
        ("X-Token: abc", ("X-Token", "abc")),
        ("Basic dTpw", ("Authorization", "Basic dTpw")),
    ],
)
def test_searxng_behind_a_login_takes_a_header(value, header):
    """Instances behind a proxy want one of three things (LibreChat #15775)."""
    provider = provider_class("searxng")("https://s.example", {"authorization": value})

    assert dict([header]) == provider.request(Query("otter"), "").headers


def test_searxng_takes_a_user_and_a_password():
    """Basic authentication, without encoding it by hand."""
    provider = provider_class("searxng")("https://s.example", {"authorization": "ann:p:w"})
    header = provider.request(Query("otter"), "").headers["Authorization"]

    assert b64decode(header.removeprefix("Basic ")) == b"ann:p:w"


def test_chosen_engines_keep_the_category_out():
    """With both, SearXNG adds the engines of the category."""
    members = sent("searxng", options={"engines": "brave,mojeek"}, topic="news")

    assert members["engines"] == "brave,mojeek"
    assert "categories" not in members


def test_you_has_another_host_without_a_key():
    """The keyless endpoint refuses a key, and the other one wants it."""
    you = provider_class("you")()

    assert you.request(Query("otter"), "").url == "https://api.you.com/v1/agents/search"
    assert you.request(Query("otter"), "k").url == "https://ydc-index.io/v1/search"


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("tavily", "api.tavily.com"),
        ("you", "api.you.com"),
        ("firecrawl", "api.firecrawl.dev"),
        ("keenable", "api.keenable.ai"),
        ("duckduckgo", "html.duckduckgo.com"),
        ("wikipedia", "*.wikipedia.org"),
        ("marginalia", "api2.marginalia-search.com"),
    ],
)
def test_the_host_that_sees_a_keyless_query_is_known(name, host):
    """The privacy notice names it; a notice that names another host is worse than none."""
    provider = provider_class(name)()
    asked = urlsplit(provider.request(Query("otter"), "").url).hostname

    assert provider.keyless_host == host
    assert asked == host or asked.endswith(host.removeprefix("*"))
    assert provider_class(name)("https://own.example/x").keyless_host == "own.example"


def test_keenable_has_another_path_without_a_key():
    """The public path wants to know who asks."""
    request = provider_class("keenable")().request(Query("otter"), "")

    assert request.url == "https://api.keenable.ai/v1/search/public"
    assert request.headers == {"X-Keenable-Title": "Kensaku"}


def test_keenable_is_asked_in_real_time_with_a_key_only():
    """Without one, the mode is refused (crewAIInc/crewAI#6279)."""
    assert "mode" not in sent("keenable", key="", depth="fast")


def test_parallel_gets_the_whole_query_as_its_objective():
    """Its keywords are short, its objective is not."""
    members = provider_class("parallel")().request(Query("word " * 100), "k").json

    assert members["objective"] == ("word " * 100).strip()
    assert len(members["search_queries"][0]) <= 200


def test_site_operators_stay_within_the_bounds():
    """Three hundred domains would make every query too long."""
    many = Query("otter", include_domains=tuple(f"domain{n}.example" for n in range(300)))
    text = site_query(many, 400, 50)

    assert text.startswith("otter (site:domain0.example OR ")
    assert len(text) <= 400
    assert len(text.split()) <= 50


def test_domains_that_are_wanted_outlast_those_that_are_not():
    """Leaving out an unwanted domain is mended afterwards; leaving out a wanted one is not."""
    both = Query("otter", include_domains=("a.example",), exclude_domains=("b.example",))

    assert site_query(both) == "otter site:a.example -site:b.example"
    assert site_query(both, 25) == "otter site:a.example"
    assert site_query(both, 8) == "otter"


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (0, "day"), (1, "day"), (2, "week"), (7, "week"), (8, "month"), (30, "month"),
        (31, "year"), (365, "year"), (366, None),
    ],
)  # fmt: skip
def test_a_first_day_becomes_the_shortest_range_that_reaches_it(age, expected):
    """What cannot be said exactly is said too widely, never too narrowly."""
    query = Query("otter", start_date=today() - timedelta(days=age))

    assert time_range(query) == expected


def test_one_open_end_is_enough():
    """A query may have a first or a last day alone."""
    assert tbs(Query("otter", start_date=date(2026, 1, 2))) == "cdr:1,cd_min:01/02/2026"
    assert tbs(Query("otter", end_date=date(2026, 1, 2))) == "cdr:1,cd_max:01/02/2026"
    assert tbs(Query("otter")) is None
