"""The loop: collections, then the web, then the person; every sentence cited."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from kensaku import Hit, Outcome
from kensaku.assistant import Answered, Journal, Planned, Reply, TextDelta
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web

from .conftest import ABBEY, BOTH, SLEEP, Person, all_events


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


async def test_the_budget_bounds_the_run(client: Any, web: Web) -> None:
    """One search, no page: what it gives is answered from."""
    answer = await client(assistant_searches=1, assistant_fetches=0).ask(BOTH)

    assert len(web.queries) == 1
    assert answer.usage.searches == 1
    assert answer.usage.fetches == 0
    assert any("budget" in str(a.error) for a in answer.attempts)


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
