"""Sources of one field: what their refusals mean, and what of them is special."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Unreadable,
)
from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.testing.faults import Fault, empty, status, wrong_shape
from kensaku.transport.reply import Reply

ATOM = {"Content-Type": "application/atom+xml; charset=utf-8"}
ERROR_ENTRY = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/api/errors#max_results_must_be_an_integer</id><title>Error</title>
<summary>max_results must be an integer</summary></entry></feed>"""


def throttled(message: str, name: str = "throttle_violation") -> dict[str, object]:
    return {"error_id": 502, "error_message": message, "error_name": name}


def web_iq(code: str, message: str, wait: str | None = None) -> dict[str, object]:
    """A body of its client's `ApiErrorResponse`."""
    return {"errorCode": code, "userMessage": message, "retryAfter": wait, "traceId": "trace-5"}


CASES: list[tuple[str, Fault, type[ProviderError], float | None]] = [
    ("arxiv", Fault(200, ERROR_ENTRY.encode(), ATOM), BadQuery, None),
    ("arxiv", Fault(400, ERROR_ENTRY.encode(), ATOM), BadQuery, None),
    ("github", status(403, {"message": "Bad"}, {"Retry-After": "60"}), RateLimited, 60.0),
    ("github", status(403, {"message": "Bad"}, {"X-RateLimit-Remaining": "0"}), RateLimited, None),
    ("github", status(403, {"message": "No"}, {"X-RateLimit-Remaining": "9"}), KeyRefused, None),
    ("github_issues", status(422, {"message": "Validation Failed"}), BadQuery, None),
    (
        "stackexchange",
        status(400, throttled("too many requests from this IP, more requests available in 81455 seconds")),
        RateLimited,
        81_455.0,
    ),
    ("stackexchange", status(400, throttled("x", "bad_parameter")), BadQuery, None),
    (
        "stackexchange",
        status(400, throttled("`key` doesn't match a known application", "bad_parameter")),
        KeyRefused,
        None,
    ),
    ("webiq", status(429, web_iq("RateLimitExceeded", "Slow down", "30s")), RateLimited, 30.0),
    ("webiq", status(430, web_iq("ConcurrencyLimit", "Too many at once")), RateLimited, None),
    ("webiq", status(403, web_iq("ServiceNotEnabled", "Not enabled")), KeyRefused, None),
    ("webiq", status(504, web_iq("Timeout", "Later", "soon")), Outage, None),
    ("webiq", wrong_shape(web_iq("InternalError", "Sorry")), Unreadable, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fault", "kind", "wait"), CASES)
async def test_a_refusal_means_what_the_service_says(ask, name, fault, kind, wait):
    """Their statuses alone do not tell a limit from a wrong query."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, fault)

    assert type(caught.value) is kind
    assert caught.value.retry_after == wait


async def test_github_says_when_its_window_opens(ask):
    """As a time of day; who asks again earlier is shut out for longer."""
    reset = int(datetime.now(UTC).timestamp()) + 40
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}

    with pytest.raises(RateLimited) as caught:
        await ask("github", status(403, {"message": "rate limit exceeded"}, headers))

    assert 0 <= caught.value.retry_after <= 40


FEED = '<feed xmlns="http://www.w3.org/2005/Atom">{}</feed>'
HOSTILE = {
    "entities": '<!DOCTYPE f [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>' + FEED.format("&c;"),
    "external": '<!DOCTYPE f [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + FEED.format("&a;"),
    "deep": FEED.format("<a>" * 5_000 + "</a>" * 5_000),
    "cut off": FEED.format("<entry>")[:-5],
    "announced": FEED.format("<totalResults>3</totalResults>"),
    "no total": FEED.format(""),
    "another format": "<rss><channel/></rss>",
}


@pytest.mark.parametrize("name", ["arxiv", "pubmed"])
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_xml_is_unreadable(name, body):
    """No entity is expanded, nothing is loaded, and none of it is "nothing found"."""
    reply = Reply(200, {"content-type": "text/xml"}, b"<?xml version='1.0'?>" + body.encode())

    with pytest.raises(Unreadable):
        provider_class(name)().read(reply)


def test_a_page_in_place_of_a_feed_is_a_block():
    """Also when it begins as XML does."""
    page = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>robot?</p></html>'

    with pytest.raises(Blocked):
        provider_class("arxiv")().read(Reply(200, {"content-type": "application/xhtml+xml"}, page))


def test_arxiv_gets_no_operator_that_nobody_meant():
    """A colon names a field of its index, and an unknown field is an error."""
    sent = provider_class("arxiv")().request(Query("attention: is (all) you need"), "")

    assert sent.params["search_query"].split() == "attention is all you need".split()


def test_stack_exchange_asks_the_site_of_the_settings():
    """Stack Overflow, unless somebody says otherwise."""
    cls = provider_class("stackexchange")

    assert cls().request(Query("otter"), "").params["site"] == "stackoverflow"
    assert (
        cls(None, {"site": "superuser"}).request(Query("otter"), "").params["site"] == "superuser"
    )


def test_ollama_is_asked_directly_or_by_a_daemon():
    """A daemon has another path, and needs no key."""
    cls = provider_class("ollama")

    assert cls().request(Query("otter"), "k").url == "https://ollama.com/api/web_search"
    local = cls("http://127.0.0.1:11434").request(Query("otter"), "")
    assert local.url == "http://127.0.0.1:11434/api/experimental/web_search"
    assert "Authorization" not in local.headers


@pytest.mark.parametrize(
    ("parts", "published"),
    [([[2019, 3, 4]], "2019-03-04"), ([[2019]], "2019"), ([[None]], None), ([], None), ("x", None)],
)
def test_crossref_knows_a_day_as_exactly_as_the_publisher_does(parts, published):
    """A year alone is no first of January."""
    row = {"URL": "https://doi.example/1", "title": ["A"], "issued": {"date-parts": parts}}

    (hit,) = provider_class("crossref")().hits({"message": {"items": [row]}})

    assert hit.published == published


async def test_pubmed_fetches_what_its_search_has_found(ask, upstream):
    """Two requests: the query with the first, the numbers with the second, the key with both."""
    found = await ask("pubmed", query=Query("sea otter 🦦", max_results=3), key="k")

    search, fetch = upstream.requests
    assert search.params["term"] == "sea otter 🦦"
    assert (search.params["retmax"], search.params["api_key"]) == ("3", "k")
    assert fetch.params["id"] == "36006759,38799249,38303468"
    assert fetch.params["api_key"] == "k"
    assert len(found.hits) == 3


async def test_pubmed_fetches_nothing_when_there_is_nothing(ask, upstream):
    """An empty list of numbers is an answer."""
    assert (await ask("pubmed", empty())).hits == []
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({}, Unreadable),
        ([], Unreadable),
        ("text", Unreadable),
        ({"error": "API key invalid"}, Unreadable),
        ({"esearchresult": {"ERROR": "Search Backend failed"}}, Unreadable),
        ({"esearchresult": {"count": "2", "idlist": []}}, Unreadable),
        ({"esearchresult": {"count": "2", "idlist": ["1&db=x"]}}, Unreadable),
        ({"esearchresult": {"count": "2", "idlist": "12"}}, Unreadable),
        ({"esearchresult": {"count": "x", "idlist": ["1"]}}, Unreadable),
    ],
    ids=repr,
)
async def test_a_list_of_numbers_that_is_none_is_unreadable(ask, body, kind):
    """And never "nothing found"."""
    with pytest.raises(kind):
        await ask("pubmed", wrong_shape(body))


@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_a_refusal_of_pubmeds_search_is_a_typed_error(ask, upstream, code):
    """The contract refuses the second request; this is the first."""
    with pytest.raises(ProviderError) as caught:
        await ask("pubmed", status(code, {"error": "no"}))

    assert caught.value.status == code
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"code": "invalid_iam_token", "message": "no"}, KeyRefused),
        ({"error": {"code": "invalid_api_key", "message": "no"}}, KeyRefused),
        ({"code": "daily_limit_exceeded", "message": "no"}, QuotaExhausted),
        ({"code": "rpm_rate_limit_exceeded", "message": "no"}, RateLimited),
        ({"code": 216003, "message": "Authentication error"}, KeyRefused),
        ({"requestId": "r", "code": "18", "message": "Open api qps request limit"}, RateLimited),
        ({"code": 500, "message": "no"}, Unreadable),
        ({"references": None}, Unreadable),
    ],
)
async def test_baidu_names_its_errors_also_with_status_200(ask, body, kind):
    """A body with a code is never an empty list."""
    with pytest.raises(ProviderError) as caught:
        await ask("baidu", wrong_shape(body))

    assert type(caught.value) is kind


async def test_web_iq_says_why_it_refuses(ask):
    """In `userMessage`; the id for its support is in a header."""
    fault = status(429, web_iq("RateLimitExceeded", "Slow down"), {"x-traceid": "trace-6"})

    with pytest.raises(RateLimited, match="Slow down") as caught:
        await ask("webiq", fault)

    assert caught.value.request_id == "trace-6"


def test_web_iq_is_asked_in_languages_of_two_letters():
    """Its client refuses others; the pipeline says that the language was not applied."""
    webiq = provider_class("webiq")()

    assert "language" not in webiq.request(Query("otter", language="fil"), "key").json
    assert "language" not in webiq.filters_for(Query("otter", language="fil"))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("QUOTA_USER_DAILY_FREE", QuotaExhausted),
        ("QUOTA_USER_DAILY_REQUEST", QuotaExhausted),
        ("BILLING_INSUFFICIENT_BALANCE", QuotaExhausted),
        ("RATE_LIMIT_QPS", RateLimited),
    ],
)
async def test_baidu_tells_a_spent_quota_from_a_rate(ask, code, kind):
    """Both come with 429, and only one of them passes by waiting."""
    with pytest.raises(ProviderError) as caught:
        await ask("baidu", status(429, {"code": code, "message": "no"}))

    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        ({"start_date": "2026-01-02"}, {"gte": "2026-01-02", "lte": "2099-12-31"}),
        ({"end_date": "2026-01-02"}, {"gte": "2000-01-01", "lte": "2026-01-02"}),
    ],
)
def test_baidu_always_gets_both_ends_of_a_range(query, bounds):
    """It ignores a range with one."""
    sent = provider_class("baidu")().request(Query("otter", **query), "key").json

    assert sent["search_filter"]["range"]["page_time"] == bounds


def test_baidu_counts_a_chinese_character_twice():
    """72 in all; a longer query is cut at a word, or at a character."""
    baidu = provider_class("baidu")()

    assert not baidu.too_long("a" * 72)
    assert baidu.too_long("水" * 37)
    assert baidu.shortened("水" * 50) == "水" * 36
    assert baidu.shortened("otter " * 20).split()[-1] == "otter"


async def test_geminis_hits_are_of_the_sites_that_its_redirects_lead_to(make_client, upstream):
    """Their address is Google's own; filters look at the page's."""
    async with make_client("gemini") as client:
        found = await client.search("otter", include_domains=["wikipedia.org"])
        again = await client.search("otter", exclude_domains=["google.com.example"])

    assert [(h.title, h.site) for h in found.hits] == [("wikipedia.org", "wikipedia.org")]
    assert found.to_dict()["hits"][0]["site"] == "wikipedia.org"
    assert [h.site for h in again.hits] == ["wikipedia.org", "", "noaa.gov"]


def test_an_address_of_its_own_is_no_redirect():
    """Some replies have addresses of pages."""
    chunk = {"web": {"uri": "https://www.google.com/search?q=weather", "title": "weather.example"}}
    body = {"candidates": [{"content": {"parts": [{"text": "Rain."}]},
                            "groundingMetadata": {"groundingChunks": [chunk]}}]}  # fmt: skip

    assert provider_class("gemini")().hits(body)[0].site is None


@pytest.mark.parametrize(
    "body",
    [
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"candidates": []},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"candidates": [{"content": {"role": "model"}}]},
    ],
    ids=repr,
)
async def test_a_blocked_prompt_is_never_an_empty_list(ask, body):
    """Gemini searched nothing."""
    with pytest.raises(Unreadable):
        await ask("gemini", wrong_shape(body))


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (status(400, {"error": {"message": "API key not valid. Please pass a valid API key."}}), KeyRefused),
        (status(429, {"error": {"message": "You exceeded your current quota"}}), QuotaExhausted),
        (status(429, {"error": {"message": "Resource has been exhausted"}}), RateLimited),
    ],
)  # fmt: skip
async def test_gemini_says_a_wrong_key_with_400(ask, fault, kind):
    """And quota and rate with the same status."""
    with pytest.raises(ProviderError) as caught:
        await ask("gemini", fault)

    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("arxiv.org/abs/1706.03762", "1706.03762"),
        ("arXiv:2005.14165v4 and 1810.04805", "2005.14165v4,1810.04805"),
    ],
)
def test_arxiv_is_asked_for_a_paper_by_its_number(query, ids):
    """Its search would look for the digits in titles."""
    assert provider_class("arxiv")().request(Query(query), "").params["id_list"] == ids


def test_other_numbers_are_words_for_arxiv():
    """A DOI and a price have dots, too."""
    for query in ("10.1145/3292500.3330701", "costs 12.50", "python 3.14"):
        assert "id_list" not in provider_class("arxiv")().request(Query(query), "").params
