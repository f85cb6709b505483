"""A run as a whole: questions, searches, pages, a cited report, and what could not be done."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from kensaku import Budget, Document, Hit, Outcome, Report
from kensaku.answers.verify import verify
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.research import Completed, Failed, Planned, SearchEnded, SourcesFound, TextDelta
from kensaku.sync import Kensaku as SyncKensaku
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import FOOD_TOO, SLEEP, Web

TASK = "How do sea otters sleep? What do sea otters eat each day?"


def body_of(report: Report) -> str:
    """The report without its list of sources."""
    return re.split(r"\n\n## (?:Sources|出典)\n", report.text or "")[0]


def assert_every_sentence_is_cited(report: Report) -> None:
    passages = {s.n: [p.text for p in s.passages] for s in report.sources}
    paragraphs = [p for p in body_of(report).split("\n\n") if not p.startswith(("#", "-", "*"))]
    said = [m for p in paragraphs for m in re.findall(r"(.+?) \[(\d+)\](?: |$)", p)]
    assert said
    for sentence, n in said:
        assert any(verify(sentence, text).found for text in passages[int(n)])


async def test_each_question_has_a_section_of_cited_sentences(client: Any, web: Web) -> None:
    """Word for word out of pages that were read; every search stands in the plan."""
    report = await client().research(TASK)

    assert report.outcome is Outcome.FOUND
    assert "## How do sea otters sleep?" in report.text
    assert "Sea otters hold hands while they sleep. [" in report.text
    assert "Sea otters eat up to 25 % of their weight each day. [" in report.text
    assert_every_sentence_is_cited(report)
    assert report.written_by == "extract"
    assert [s.n for s in report.sources] == [1, 2]
    assert {s.published[:10] for s in report.sources} == {"2024-03-02", "2025-01-15"}
    assert set(web.queries) == {"How do sea otters sleep?", "What do sea otters eat each day?"}
    assert report.content == report.text
    assert 0 < report.confidence <= 1


async def test_the_report_is_in_the_language_of_the_input(client: Any) -> None:
    """Headings, too; a compound question is two."""
    report = await client().research("ラッコは何を食べ、どこに住んでいますか。")

    assert "貝やウニを食べます。 [1]" in report.text
    assert "## 出典" in report.text
    assert "Sources" not in report.text


async def test_what_was_not_found_is_said(client: Any) -> None:
    """Somebody searched, and there is nothing: not the same as nobody could."""
    report = await client().research("How do otters sleep? Who painted the Mona Lisa in 1503?")

    assert "## Not found\n\n- Who painted the Mona Lisa in 1503?" in report.text
    assert report.missing == ("Who painted the Mona Lisa in 1503?",)
    assert report.outcome is Outcome.FOUND


async def test_nothing_found_is_a_report_that_says_so(client: Any) -> None:
    """The outcome is `empty`."""
    report = await client().research("Who painted the Mona Lisa?")

    assert report.outcome is Outcome.EMPTY
    assert report.text == "The sources that were found say nothing about this."
    assert report.sources == ()


@pytest.mark.parametrize("schema", [None, {"properties": {"habit": {"type": "string"}}}])
async def test_nobody_could_search_is_a_failure_with_its_attempts(
    schema: Any, client: Any, upstream: FakeUpstream
) -> None:
    """Never an empty report, nor values of which nothing was found."""
    upstream.heals()
    upstream.fails("tavily", faults.status(503))
    options = {"output_schema": schema} if schema else {}
    *_, last = [e async for e in client().research_events(TASK, timeout=20, **options)]

    assert isinstance(last, Failed)
    assert last.report.outcome is Outcome.UNAVAILABLE
    assert last.message == "no provider could search"
    assert (last.report.content, last.report.confidence) == (None, None)
    assert not any("nothing was found" in note for note in last.report.notes)
    assert {a.provider for a in last.attempts} == {"tavily"}
    assert all(a.error is not None for a in last.attempts)


async def test_a_search_that_could_not_be_made_is_told_from_one_without_hits(
    client: Any, upstream: FakeUpstream
) -> None:
    """Its question is listed apart."""
    upstream.fails("tavily", faults.status(400), when=lambda r: "Mona" in r.json["query"])
    report = await client().research("How do otters sleep? Who painted the Mona Lisa?")

    assert "## Could not be searched\n\n- Who painted the Mona Lisa?" in report.text
    assert "Not found" not in report.text
    assert any("searches could not be made" in note for note in report.notes)


async def test_sources_that_differ_are_shown_with_their_dates(client: Any, web: Web) -> None:
    """Both sides, instead of the first that comes."""
    url = web.upstream.serves("/p/zoo", "<p>" + FOOD_TOO)
    other = url.replace("127.0.0.1", "localhost")
    web.upstream.heals("tavily")
    food = web.upstream.url + "/p/food"
    web.finds(
        "eat",
        Hit(food, "What otters eat", "Sea otters eat up to 25 % of their weight each day."),
        Hit(other, "Zoo", FOOD_TOO, published="2019-05-04"),
    )
    report = await client().research("How much do sea otters eat each day?")

    assert "**Sources differ:**" in report.text
    assert re.search(r"- .*25 %.* \[\d\] \(2025-01-15\)", report.text)
    assert re.search(r"- .*30 %.* \[\d\] \(2019-05-04\)", report.text)


async def test_a_question_without_an_answer_is_searched_for_once_more(
    client: Any, web: Web
) -> None:
    """With the other query of the plan."""
    web.has("holds paws", "/p/paws", "Paws", "The sea otter Rosa holds paws with Lutris.")
    await client().research("With whom is it said that Rosa holds her paws, does anyone know?")

    assert len(web.queries) == 2
    assert "does" not in web.queries[1]


async def test_the_events_are_in_order_and_their_parts_make_the_text(client: Any) -> None:
    """What a stream shows is what the report says."""
    events = [e async for e in client().research_events(TASK)]
    names = [type(e).__name__ for e in events]

    assert isinstance(events[0], Planned)
    assert isinstance(events[-1], Completed)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == events[-1].report.text
    assert names.index("SearchEnded") < names.index("Reading") < names.index("PagesRead")
    assert names.index("Weighed") < names.index("Writing") < names.index("TextDelta")
    [found] = [e for e in events if isinstance(e, SourcesFound)]
    assert found.sources == events[-1].report.sources
    assert json.loads(json.dumps([e.to_dict() for e in events]))


async def test_searches_are_made_side_by_side(client: Any, upstream: FakeUpstream) -> None:
    """Both have begun before either has ended."""
    names = [type(e).__name__ async for e in client().research_events(TASK)]

    assert names.index("SearchEnded") > names.index("SearchStarted") + 1


# --- bounds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"input": ""}, "empty"),
        ({"output_schema": {}}, "needs properties"),
        ({"files": "a.txt"}, "must be a list"),
    ],
)
async def test_values_out_of_bounds_are_refused_before_anything_is_sent(
    options: dict[str, Any], words: str, client: Any, upstream: FakeUpstream
) -> None:
    """One sentence that names the value and the bound."""
    text = options.pop("input", "otters")
    with pytest.raises(InvalidQuery, match=re.escape(words)):
        await client().research(text, **options)
    assert upstream.requests == []


async def test_an_unknown_option_is_named(client: Any) -> None:
    """With the nearest that there is."""
    with pytest.raises(UnknownName, match="output_length"):
        await client().research("otters", output_lenght="long")


async def test_a_budget_bounds_searches_and_pages(client: Any, web: Web) -> None:
    """What it does not allow is not done, and said."""
    report = await client().research(TASK, budget=Budget(searches=1, fetches=0))

    assert len(web.queries) == 1
    assert report.outcome is Outcome.FOUND
    assert "Could not be searched" in report.text
    assert any("budget allows 0 of 1 pages" in note for note in report.notes)
    assert web.upstream.asked("p") == []


async def test_when_the_time_is_over_the_report_is_made_of_what_is_there(
    client: Any, web: Web, clock: Any
) -> None:
    """No further round, and no call hangs."""
    web.upstream.heals("tavily")
    web.upstream.fails("tavily", faults.hang(), when=lambda r: "painted" in r.json["query"])
    web.has("sleep", "/p/sleep", "How otters sleep", SLEEP)
    events = client().research_events("How do otters sleep? Who painted it?", timeout=100)
    async for event in events:
        if isinstance(event, SearchEnded):
            clock.advance(200)  # the other search is under way
        last = event

    assert isinstance(last, Completed)
    assert "hold hands" in last.report.text
    assert not any(step["step"].startswith("search-2") for step in last.report.steps)
    assert "the time of the run was over" in last.report.notes


# --- domains, files, collections


async def test_excluded_domains_are_neither_cited_nor_read(client: Any, web: Web) -> None:
    """Hard, whatever the upstream returns."""
    report = await client().research(TASK, exclude_domains=["127.0.0.1"])

    assert report.sources == ()
    assert web.upstream.asked("p") == []


async def test_preferred_domains_are_searched_first_and_others_still_count(
    client: Any, web: Web
) -> None:
    """Soft: one more search that is restricted to them."""
    report = await client().research(TASK, include_domains=["otters.example"])
    asked = [r.json.get("include_domains") for r in web.upstream.asked("tavily")]

    assert asked.count(["otters.example"]) == 1
    assert len(asked) == 3
    assert len(report.sources) == 2


async def test_a_file_is_a_source(client: Any, web: Web) -> None:
    """Cited by its name; also when nobody can search."""
    web.upstream.heals()
    web.upstream.fails("tavily", faults.status(503))
    file = {"name": "notes.md", "text": "The otter Toto was born in the aquarium of Toba in 1984."}
    report = await client().research("When was the otter Toto born?", files=[file], timeout=20)

    assert "The otter Toto was born in the aquarium of Toba in 1984. [1]" in report.text
    assert report.sources[0].url == "file:notes.md"
    assert any("could not be made" in note for note in report.notes)


async def test_a_collection_answers_offline(client: Any) -> None:
    """No key, no network: the local index, and no page is fetched."""
    k = client("local")
    text = "The harbour was built in 1893. Its lighthouse is 31 metres high."
    await k.index.add([Document(url="doc:1", title="Harbour", text=text)], collection="town")
    report = await k.research(
        "When was the harbour built and how high is its lighthouse?", collection="town"
    )

    assert "built in 1893. [1]" in report.text
    assert "31 metres high. [1]" in report.text


def test_the_sync_client_has_both(tmp_path: Any) -> None:
    """The same calls without await."""
    with SyncKensaku(home=tmp_path, route="local", state_url="memory:") as k:
        k.index.add([Document(url="doc:1", title="Otters", text="Otters hold hands.")])
        report = k.research("Do otters hold hands?")
        events = list(k.research_events("Do otters hold hands?"))

    assert "Otters hold hands. [1]" in report.text
    assert isinstance(events[-1], Completed)


async def test_a_part_of_which_only_the_subject_was_found_is_missing(client: Any) -> None:
    """A sentence about otters says nothing about the price of their fur."""
    report = await client().research("How do sea otters sleep, and how much does their fur cost?")

    assert "Sea otters hold hands while they sleep. [" in report.text
    assert report.missing == ("how much does their fur cost?",)
