"""What upstreams say besides hits: answers, costs, pages, and hits that are none."""

from __future__ import annotations

import json

import pytest

from kensaku.models import MAX_RESULTS, Hit, Query
from kensaku.providers import provider_class
from kensaku.testing import load_sample
from kensaku.testing.sample import built_in_samples
from kensaku.text.dates import parse_date
from kensaku.transport.reply import Reply


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("tavily", {"answer": "Since 1979."}),
        ("serpapi", {"answer_box": {"type": "organic_result", "snippet": "Since 1979."}}),
        ("serpapi", {"answer_box": {"type": "calculator_result", "answer": "Since 1979."}}),
    ],
)
async def test_an_answer_beside_recorded_rows_is_kept(ask, upstream, name, member):
    """The searches that were recorded had none."""
    upstream.answers(name, body={**load_sample(name).body, **member})

    assert (await ask(name)).answer == "Since 1979."


@pytest.mark.parametrize("answers", [["42"], [{"answer": "42"}], [{"x": 1}, "42"]])
def test_searxng_answers_are_texts_or_objects(answers):
    """The form changed between versions."""
    assert provider_class("searxng")().answer({"answers": answers}) == "42"


async def test_a_search_without_a_key_costs_nothing(ask):
    """Firecrawl counts credits there, too, but nobody pays for them."""
    assert (await ask("firecrawl", key="")).cost == 0.0


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("you", {"metadata": {"search_uuid": "x"}}),
        ("you", {"results": None, "metadata": {}}),
        ("you", {"results": {}}),
        ("kagi", {"meta": {"id": "x"}}),
        ("kagi", {"meta": {"id": "x"}, "data": None}),
        ("firecrawl", {"success": True, "data": None}),
        ("firecrawl", {"success": True}),
        ("bocha", {"code": 200, "data": {"webPages": None}}),
    ],
)
def test_a_member_that_is_optional_may_be_missing(name, body):
    """Their SDKs say so; nothing was found."""
    assert provider_class(name)().read(Reply(200, {}, json.dumps(body).encode())).hits == []


SUM = {"meta": {}, "data": {"direct_answer": [{"title": "6 * 7", "snippet": "42"}]}}
INFOBOX = {"meta": {}, "data": {"infobox": [{"title": "Otter", "snippet": "A mammal"}]}}
GRAPH = {"knowledge_graph": {"description": "A drink"}, "organic_results": []}


@pytest.mark.parametrize(
    ("name", "body", "answer"),
    [
        ("kagi", SUM, "42"),
        ("kagi", INFOBOX, "A mammal"),
        ("serpapi", GRAPH, "A drink"),
        ("serpapi", {**GRAPH, "answer_box": {"snippet": "x"}}, "x"),
        ("serper", {"organic": [], "knowledgeGraph": {"description": "A drink"}}, "A drink"),
    ],
)
def test_a_box_beside_the_results_is_an_answer(name, body, answer):
    """Facts and sums have no page of their own."""
    assert provider_class(name)().read(Reply(200, {}, json.dumps(body).encode())).answer == answer


def test_kagis_own_news_are_hits():
    """They stand in a section of their own."""
    row = {"url": "https://a.example/", "title": "A"}

    (hit,) = provider_class("kagi")().hits({"meta": {}, "data": {"interesting_news": [row]}})

    assert hit.title == "A"


async def test_you_lists_the_web_before_the_news(ask, upstream):
    """Both sections come in one reply."""
    web, news = load_sample("you"), load_sample("you").also[0]
    upstream.answers("you", body={"results": {**web.body["results"], **news.body["results"]}})

    titles = [hit.title for hit in (await ask("you")).hits]

    assert titles == [e["title"] for e in (*web.expect, *news.expect)]


def test_a_recorded_row_of_mojeek_has_its_day_in_seconds():
    """`pdate` is a number (tests/fixtures.py of openculinary/pymojeek)."""
    row = {
        "url": "https://github.com/openculinary/pymojeek.git/",
        "title": "pymojeek - Python library for the Mojeek API",
        "desc": "pymojeek - Python library for the Mojeek API",
        "date": "Mon Sep 18 11:45:00 2023",
        "pdate": 1695037500,
    }
    body = {"response": {"status": "OK", "head": {"query": "pymojeek"}, "results": [row]}}

    (hit,) = provider_class("mojeek")().read(Reply(200, {}, json.dumps(body).encode())).hits

    assert parse_date(hit.published) == "2023-09-18T11:45:00Z"


async def test_you_lists_the_news_first_when_they_are_wanted(ask, upstream):
    """Its API has no topic, but a section of news."""
    web, news = load_sample("you"), load_sample("you").also[0]
    upstream.answers("you", body={"results": {**web.body["results"], **news.body["results"]}})

    titles = [hit.title for hit in (await ask("you", query=Query("otter", topic="news"))).hits]

    assert titles == [e["title"] for e in (*news.expect, *web.expect)]


async def test_you_reads_whole_pages_when_they_are_wanted(ask, upstream):
    """By `extraction`; its `livecrawl` is deprecated (SDK 3.6.0)."""
    await ask("you", query=Query("otter", include_raw_content=True))
    await ask("you", query=Query("otter", include_raw_content=True), key="")
    whole, keyless = upstream.requests

    assert whole.json["extraction"] == {
        "extraction_mode": "full_page",
        "full_page": {"extraction_formats": ["markdown"]},
    }
    assert "extraction" not in keyless.params  # an object does not fit into an address


@pytest.mark.parametrize(
    ("row", "published"),
    [
        ({"snippet": "May 12, 2020 ... Open full screen"}, "May 12, 2020"),
        ({"snippet": "3 days ago ... Otters"}, "3 days ago"),
        ({"snippet": "Related products ... Otters"}, None),
        ({"snippet": "No day at all"}, None),
        ({"pagemap": {"newsarticle": [{"datepublished": "2024-05-06"}]}}, "2024-05-06"),
        ({"pagemap": {"metatags": [{"date": "2024-05-06"}]}}, "2024-05-06"),
        ({"pagemap": {"metatags": [{"og:updated_time": "2024-05-06"}]}}, "2024-05-06"),
        (
            {"pagemap": {"metatags": [{"date": "soon"}]}, "snippet": "May 1, 2020 ... x"},
            "May 1, 2020",
        ),
        ({"pagemap": {"metatags": "x"}, "snippet": 5}, None),
    ],
)
def test_google_writes_the_day_into_the_metadata_or_the_snippet(row, published):
    """Two recorded replies have it in the snippet alone (google-yt, Portfolio)."""
    (hit,) = provider_class("google")().hits({"items": [{"link": "https://a.example/", **row}]})

    assert hit.published == published


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("brave", {"type": "search", "web": {"results": [{"meta_url": {"favicon": "F"}}]}}),
        ("linkup", {"results": [{"favicon": "F"}]}),
        ("jina", {"data": [{"favicon": "F"}]}),
        ("you", {"results": {"web": [{"favicon_url": "F"}]}}),
    ],
)
def test_favicons_are_kept(name, body):
    """Each recorded row of Brave has one, and each result of Linkup's SDK."""
    assert provider_class(name)().hits(body)[0].favicon == "F"


def test_a_score_without_a_bound_is_brought_into_one():
    """SearXNG adds up the engines; a hit's score is at most 1."""
    rows = [{"url": f"https://a.example/{n}", "score": n} for n in (8, 4, 1)]

    scores = [hit.score for hit in provider_class("searxng")().hits({"results": rows})]

    assert scores == [1.0, 0.5, 0.125]


def test_not_a_number_is_not_a_score():
    """JSON from Python servers may hold NaN."""
    body = b'{"results": [{"url": "https://a.example/", "title": "A", "score": NaN}]}'

    (hit,) = provider_class("tavily")().read(Reply(200, {}, body)).hits

    assert hit.score is None


def test_a_very_deep_body_is_unreadable():
    """A bomb of brackets must not end the process."""
    from kensaku.errors import Unreadable

    with pytest.raises(Unreadable):
        provider_class("tavily")().read(Reply(200, {}, b"[" * 200_000))


@pytest.mark.parametrize("name", built_in_samples())
def test_no_more_hits_are_built_than_anybody_asks_for(name):
    """A reply of 16 MiB has room for 150,000 rows: to build them held the event loop a second."""
    cls, sample = provider_class(name), load_sample(name)
    hits = [Hit(f"https://a.example/{n}", f"Title {n}", "Words.") for n in range(3_000)]
    body = sample.with_hits(hits)
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    provider = cls(options=dict.fromkeys(cls.needs, "x"))

    found = provider.read(Reply(200, {"content-type": sample.content_type}, raw), Query("otter"))

    assert MAX_RESULTS <= len(found.hits) <= 4 * MAX_RESULTS


def test_every_documented_field_of_tavilys_rows_is_read():
    """The searches that were recorded asked for no pages and no icons."""
    row = {
        "url": "https://a.example/",
        "title": "Otters",
        "content": "They swim.",
        "score": 0.75,
        "published_date": "Mon, 02 Mar 2026 10:00:00 GMT",
        "favicon": "https://a.example/icon.png",
        "raw_content": "# Otters\n\nThey swim. They sleep.",
    }
    (hit,) = provider_class("tavily")().hits({"results": [row]})

    assert {name: getattr(hit, name) for name in row if name != "published_date"} == {
        name: value for name, value in row.items() if name != "published_date"
    }
    assert parse_date(hit.published) == "2026-03-02T10:00:00Z"
    assert hit.provider == "tavily"
