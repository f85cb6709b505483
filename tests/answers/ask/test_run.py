"""The loop: collections, then the web, then the person; every sentence cited."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from kensaku import Hit, Outcome
from kensaku.assistant import Answered, Journal, Planned, Reply, TextDelta, ToolEnded
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web

from .conftest import ABBEY, BOTH, SLEEP, STRICT, WEAK, Person, all_events


async def test_a_simple_question_is_one_step_and_cited(client: Any, web: Web) -> None:
    """Without a model: sentences of the sources, and it says so."""
    answer = await client().ask(SLEEP)

    assert answer.outcome is Outcome.FOUND
    assert answer.text.startswith("Sea otters hold hands while they sleep. [1]")
    assert answer.written_by == "extract"
    assert answer.citations[0].title == "How otters sleep"
    assert "hold hands" in answer.citations[0].passage
    assert web.queries == [SLEEP]
    assert {s.tool for s in answer.steps} <= {"web_search", "web_extract"}


async def test_the_json_has_the_promised_keys(client: Any) -> None:
    """And no other."""
    told = json.loads(json.dumps((await client().ask(SLEEP)).to_dict()))

    assert list(told) == [
        "question", "answer", "citations", "outcome", "confidence", "steps", "written_by", "usage",
        "elapsed_ms",
    ]  # fmt: skip
    assert list(told["citations"][0]) == ["n", "url", "title", "passage"]
    assert list(told["confidence"]) == ["score", "level", "action", "factors"]
    assert list(told["steps"][0]) == ["tool", "arguments", "outcome", "elapsed_ms"]


async def test_the_events_tell_the_run(client: Any) -> None:
    """The parts of the text joined are the answer; every event is JSON."""
    events = await all_events(client().ask_events(SLEEP))

    assert isinstance(events[0], Planned)
    assert isinstance(events[-1], Answered)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == events[-1].answer.text
    assert json.dumps([e.to_dict() for e in events])


async def test_independent_questions_are_both_answered(client: Any, web: Web) -> None:
    """Each has its searches; a source has one number."""
    answer = await client().ask(BOTH)

    assert answer.confidence.factors.questions == 2
    assert "hold hands" in answer.text
    assert "25 %" in answer.text
    assert {int(n) for n in re.findall(r"\[(\d+)\]", answer.text)} == {
        c.n for c in answer.citations
    }


async def test_what_a_collection_knows_is_not_searched_on_the_web(client: Any, web: Web) -> None:
    """RAG hit → answer."""
    k = client(assistant_notify=0.3, assistant_confirm=0.2)
    await k.index.add([ABBEY], collection="docs")
    answer = await k.ask("Who founded Fontenay Abbey?")

    assert "Bernard of Clairvaux" in answer.text
    assert [s.tool for s in answer.steps] == ["rag_search"]
    assert answer.citations[0].origin == "collection"
    assert web.queries == []


async def test_a_weak_collection_is_followed_by_the_web(client: Any, web: Web) -> None:
    """RAG weak → web."""
    k = client()
    await k.index.add([ABBEY], collection="docs")
    answer = await k.ask(SLEEP)

    assert [s.tool for s in answer.steps][:2] == ["rag_search", "web_search"]
    assert "hold hands" in answer.text
    assert "collection" not in {c.origin for c in answer.citations}


async def test_weak_results_ask_the_person_whose_words_are_searched(client: Any, web: Web) -> None:
    """Web weak → ask; the reply may name what no result named."""
    person = Person(Reply("modify", SLEEP), Reply("proceed"))
    answer = await client().ask(WEAK, person=person)

    assert person.asked[0].kind == "help"
    assert SLEEP in web.queries
    assert answer.outcome is Outcome.FOUND


async def test_contradicting_sources_stand_side_by_side_and_cap_the_score(
    client: Any, web: Web
) -> None:
    """Figures that differ between two hosts."""
    one, other = (f"A grown sea otter weighs {n} kg on average." for n in (30, 45))
    web.finds(
        "weigh",
        Hit("https://a.example/", "Weight", one, score=0.9),
        Hit("https://b.example/", "Zoo", other, score=0.9),
    )
    k = client(assistant_fetches=0)
    answer = await k.ask("How much does a grown sea otter weigh on average?")

    assert answer.confidence.factors.contradictions == 1
    assert answer.confidence.score < 0.7
    assert answer.confidence.action in ("confirm", "escalate")
    assert "Sources differ:" in answer.text
    assert "30 kg on average. [1]" in answer.text
    assert "45 kg on average. [2]" in answer.text


async def test_nobody_could_search_is_not_nothing_found(
    client: Any, web: Web, upstream: FakeUpstream
) -> None:
    """Two outcomes, two reasons."""
    nothing = await client().ask("Who painted the Mona Lisa?")
    upstream.fails("tavily", faults.status(400))
    unavailable = await client(cache_enabled=False).ask("Who painted the Mona Lisa?")

    assert (nothing.outcome, nothing.text) == (Outcome.EMPTY, None)
    assert (unavailable.outcome, unavailable.text) == (Outcome.UNAVAILABLE, None)
    assert nothing.reason != unavailable.reason
    assert unavailable.attempts[0].error is not None


async def test_empty_collections_do_not_make_an_unavailable_web_empty(
    client: Any, upstream: FakeUpstream
) -> None:
    """The web was not searched."""
    k = client()
    await k.index.add([ABBEY], collection="docs")
    upstream.fails("tavily", faults.status(400))
    answer = await k.ask("Who painted the abbey of Mona Lisa?", collection="docs")

    assert (answer.outcome, answer.text) == (Outcome.UNAVAILABLE, None)
    assert "could search" in answer.reason
    assert [s.tool for s in answer.steps][:2] == ["rag_search", "web_search"]


async def test_japanese_is_answered_in_japanese(client: Any) -> None:
    """The sources' own words, and ours."""
    answer = await client().ask("ラッコは何を食べますか？")

    assert "ラッコは貝やウニを食べます。 [1]" in answer.text
    assert not answer.doubt or re.search("[\u3041-\u30ff]", answer.doubt)


async def test_a_page_that_the_person_names_is_read(client: Any, web: Web) -> None:
    """Its address came from the person."""
    url = web.upstream.serves("/own", "<p>The zorgle museum opens at nine on every Monday.</p>")
    answer = await client().ask(f"When does the zorgle museum open? {url}")

    assert answer.steps[0].tool == "web_extract"
    assert "opens at nine" in answer.text
    assert answer.citations[0].origin == "page"


async def test_the_budget_bounds_the_run(client: Any, web: Web) -> None:
    """One search, no page: what it gives is answered from."""
    answer = await client(assistant_searches=1, assistant_fetches=0).ask(BOTH)

    assert len(web.queries) == 1
    assert answer.usage.searches == 1
    assert answer.usage.fetches == 0
    assert any("budget" in str(a.error) for a in answer.attempts)


async def test_a_run_goes_on_with_its_journal(client: Any, web: Web) -> None:
    """No search is paid twice, and the person is asked once."""
    saved: dict[str, Any] = {}

    async def save(name: str, result: Any) -> None:
        saved[name] = json.loads(json.dumps(result))

    first, second = Person(Reply("proceed")), Person()
    before = await client(**STRICT).ask(SLEEP, person=first, journal=Journal(save=save))
    made = len(web.queries)
    after = await client(**STRICT, cache_enabled=False).ask(
        SLEEP, person=second, journal=Journal(saved)
    )

    assert after.text == before.text
    assert len(web.queries) == made
    assert second.asked == []


async def test_a_run_that_is_left_ends(client: Any) -> None:
    """Closing the stream cancels the work."""
    events = client().ask_events(SLEEP)
    assert isinstance(await anext(events), Planned)
    await events.aclose()


async def test_tool_lines_say_who_answered(client: Any) -> None:
    """Provider, hits and milliseconds."""
    events = await all_events(client().ask_events(SLEEP))
    ended = next(e for e in events if isinstance(e, ToolEnded))

    assert (ended.tool, ended.providers, ended.outcome, ended.hits) == (
        "web_search", ("tavily",), "found", 1,
    )  # fmt: skip


async def test_a_run_that_was_cut_short_does_only_the_rest(client: Any, web: Web) -> None:
    """Ended after each of its steps in turn: no search is sent twice."""
    saved: dict[str, Any] = {}

    async def save(name: str, result: Any) -> None:
        saved[name] = result
        if not name.startswith("begun:"):
            raise ConnectionError

    runs, answer = 0, None
    while answer is None:
        runs += 1
        k = client(cache_enabled=False, assistant_notify=1.0, assistant_silent=1.0)
        with suppress(ConnectionError):
            answer = await k.ask(SLEEP, journal=Journal(saved, save))

    assert runs == sum(not name.startswith("begun:") for name in saved) + 1 > 2
    assert "hold hands" in (answer.text or "")
    assert len(web.queries) == len(set(web.queries))


async def test_a_search_that_was_in_flight_goes_to_who_charges_nothing(
    client: Any, web: Web, upstream: Any
) -> None:
    """The one that charges may have counted it; that it was not asked again is said."""
    upstream.answers("wikipedia", [Hit("https://otters.example/", "Otters", SLEEP)])
    begun = {f"begun:web_search:{SLEEP.casefold()}": True}

    answer = await client("tavily", "wikipedia").ask(SLEEP, journal=Journal(begun))

    assert web.queries == []
    assert [a.provider for a in answer.attempts if a.sent] == ["wikipedia"]
    assert any("not asked again" in str(a.error) for a in answer.attempts)
    assert any("not asked again" in note for note in answer.notes)


async def test_a_search_that_was_in_flight_is_made_in_other_words(client: Any, web: Web) -> None:
    """Nobody else can search: the run searches on, as after a search that failed."""
    begun = {f"begun:web_search:{SLEEP.casefold()}": True}

    answer = await client().ask(SLEEP, journal=Journal(begun))

    assert web.queries == ["sea otters sleep"]
    assert "hold hands" in (answer.text or "")


async def test_a_query_with_something_private_is_sent_only_with_consent(
    client: Any, web: Web
) -> None:
    """Without it, the search is not made, and that is said."""
    asked = "How do sea otters sleep, ann@example.com?"
    k = client(scrub_kinds=("emails",), scrub_action="ask")
    refused = await k.ask(asked, person=Person(Reply("skip")))
    assert web.queries == []
    assert refused.text is None
    assert any("an e-mail address" in note for note in refused.notes)

    person = Person(Reply("proceed"), Reply("proceed"), Reply("proceed"))
    await k.ask(asked, person=person)
    assert "an e-mail address" in person.asked[0].reason
    assert web.queries
    assert not any("@" in query for query in web.queries)


async def test_a_page_that_is_a_copy_but_for_a_figure_is_shown_beside_it(
    client: Any, web: Web
) -> None:
    """One of two hosts is wrong, and the reader decides which."""
    said = (
        "The harbour of Otterton was built in 1893 by Anna Hartley, who had studied in the capital "
        "and drew its two piers, its lighthouse and the market behind them."
    )
    pages = [said, said.replace("1893", "1901")]
    hits = [Hit(f"https://{n}.example/", "Otterton", text) for n, text in enumerate(pages)]
    web.finds("harbour", *hits)

    answer = await client().ask("When was the harbour of Otterton built?")

    assert answer.confidence.factors.contradictions == 1
    assert "in 1893" in answer.text
    assert "in 1901" in answer.text
