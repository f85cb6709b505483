"""How runs end: whole answers, exact reasons, and the questions that a person gets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku import Hit, Outcome
from kensaku.answers.cited import Usage
from kensaku.assistant import Answered, Failed, Reply, TextDelta, ToolEnded
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web

from .conftest import (
    ABBEY,
    BOTH,
    GOOD,
    PLAN,
    SLEEP,
    STRICT,
    WEAK,
    WHICH,
    Person,
    all_events,
    says,
)

HANDS = "Sea otters hold hands while they sleep."
FULL = Hit("https://a.example/", "How otters sleep", HANDS, published="2024-03-02")


@pytest.fixture
def sure(client: Any, web: Web) -> Any:
    """A client whose first search answers, whatever the score."""
    web.upstream.heals("tavily")
    web.finds("sleep", FULL)
    return client(assistant_silent=0.1, assistant_notify=0.1, assistant_confirm=0.1)


async def test_a_whole_answer(sure: Any) -> None:
    """What tests/cli/test_ask.py has the names of."""
    answer = await sure.ask(SLEEP)
    said = answer.to_dict()
    (step,) = said["steps"]

    assert (said["answer"], said["outcome"]) == (f"{HANDS} [1]", "found")
    assert said["citations"] == [
        {"n": 1, "url": "https://a.example/", "title": "How otters sleep", "passage": HANDS}
    ]
    assert (step["tool"], step["arguments"]) == ("web_search", {"query": SLEEP})
    assert said["usage"] == {
        "searches": 1, "fetches": 0, "model_calls": 0, "tokens": 0, "money": 0.008,
    }  # fmt: skip
    factors = said["confidence"]["factors"]
    assert (factors["questions"], factors["answered"], factors["sources"]) == (1, 1, 1)
    assert factors["weakest"] == said["confidence"]["score"]
    assert (answer.doubt, answer.reason, answer.notes) == ("", "", ())
    assert said["elapsed_ms"] == answer.elapsed_ms >= step["elapsed_ms"] > 0
    assert [(a.provider, a.sent) for a in answer.attempts] == [("tavily", True)]
    assert answer.citations[0].published == "2024-03-02"


@pytest.mark.parametrize(
    ("thresholds", "action", "doubt"),
    [
        ((0.1, 0.1, 0.1), "silent", ""),
        ((1.0, 0.1, 0.1), "notify", "This is likely, not certain."),
        ((1.0, 1.0, 0.1), "confirm", "This is uncertain: check it before you rely on it."),
        (
            (1.0, 1.0, 1.0),
            "escalate",
            "This is very uncertain: the sources hardly answer the question.",
        ),
    ],
)
async def test_the_doubt_of_an_answer(
    thresholds: tuple[float, ...], action: str, doubt: str, client: Any, web: Web
) -> None:
    """Said where nobody can be asked."""
    names = ("assistant_silent", "assistant_notify", "assistant_confirm")
    answer = await client(**dict(zip(names, thresholds, strict=True))).ask(SLEEP)

    assert (answer.confidence.action, answer.doubt) == (action, doubt)
    assert answer.text


async def test_reasons_why_there_is_no_answer(
    client: Any, web: Web, upstream: FakeUpstream
) -> None:
    """Nothing found, found but no answer, could not search: three sentences, three outcomes."""
    web.finds("beside", Hit("https://b.example/", "Cheese", "Cheese is made of milk."))
    k = client(assistant_fetches=0)
    empty = await k.ask("Who painted the Mona Lisa?")
    beside = await k.ask("Which beside the point zzyzx?")
    upstream.heals("tavily")
    upstream.fails("tavily", faults.status(400))
    down = await k.ask("Who painted the Night Watch?")

    assert [(a.outcome, a.reason, a.text, a.citations, a.doubt) for a in (empty, beside, down)] == [
        (Outcome.EMPTY, "Nothing was found.", None, (), ""),
        (Outcome.FOUND, "None of the sources that were found answers this.", None, (), ""),
        (Outcome.UNAVAILABLE, "Nobody could search. That does not mean that nothing exists.",
         None, (), ""),
    ]  # fmt: skip
    assert down.attempts[0].error is not None


async def test_an_answer_that_is_withheld(client: Any) -> None:
    """Neither its text nor its sources nor its doubt is given; what was asked is whole."""
    person = Person(None)
    events = await all_events(client(**STRICT).ask_events(SLEEP, person=person))
    answer, why = events[-1].answer, "Nobody confirmed the answer; it was withheld."

    assert events[-1] == Failed(why, answer)
    assert (answer.text, answer.citations, answer.doubt, answer.reason) == (None, (), "", why)
    assert answer.outcome is Outcome.FOUND
    assert not any(isinstance(e, TextDelta) for e in events)
    [asked] = person.asked
    assert asked.text == "The answer is uncertain. Shall it be given as it is?"
    assert asked.choices == ("proceed", "modify", "retry", "skip", "cancel")
    assert HANDS in asked.reason


@pytest.mark.parametrize("reply", [Reply("modify", "  "), Reply("modify"), Reply("skip", "x")])
async def test_a_proposal_without_words_is_none(reply: Reply, client: Any, web: Web) -> None:
    """The answer is withheld; nothing more is searched."""
    person = Person(reply, Reply("proceed"))
    answer = await client(**STRICT).ask(SLEEP, person=person)

    assert answer.text is None
    assert len(person.asked) == 1
    assert web.queries.count(SLEEP) == 1


async def test_help_is_asked_for_once_and_its_words_are_searched(client: Any, web: Web) -> None:
    """Of the words, 300 characters."""
    person = Person(Reply("modify", f"  sleep {'x' * 400}"), Reply("proceed"))
    answer = await client().ask(WEAK, person=person)

    assert (person.asked[0].kind, person.asked[0].reason) == ("help", WEAK)
    assert "other words, a page?" in person.asked[0].text
    assert web.queries[-1] == f"sleep {'x' * 294}"
    assert [q.kind for q in person.asked].count("help") == 1
    assert answer.outcome is Outcome.FOUND


@pytest.mark.parametrize(
    ("said", "chosen"), [(" 2 ", "river"), ("0", "0"), ("3", "3"), ("x" * 301, "x" * 300)]
)
async def test_a_number_stands_for_an_option(said: str, chosen: str, client: Any) -> None:
    """One that is none is taken as it is; words are bounded."""
    model, prompts = says(json.dumps({**PLAN, "ask_user": [WHICH]}), json.dumps(PLAN), GOOD)
    await client().ask(BOTH, model=model, person=Person(Reply("modify", said)))

    assert f"Task: {chosen}: {BOTH[:20]}" in prompts[1]


async def test_several_replies_stand_in_one_plan(client: Any) -> None:
    """In their order; one that stays open is noted by its words."""
    asks = [{**WHICH, "urgency": "optional"}, {"question": "Where?", "urgency": "optional"}]
    model, prompts = says(json.dumps({**PLAN, "ask_user": asks}), json.dumps(PLAN), GOOD)
    await client().ask(
        BOTH, model=model, person=Person(Reply("modify", "1"), Reply("modify", "US"))
    )
    assert f"Task: sea; US: {BOTH[:20]}" in prompts[1]

    model, _ = says(json.dumps({**PLAN, "ask_user": asks}), GOOD)
    answer = await client().ask(BOTH, model=model, person=Person(Reply("skip")))
    assert "a question to the person was not answered: Where?" in answer.notes
    assert len(answer.notes) == len(set(answer.notes))


async def test_a_page_that_the_person_names_is_read_for_every_question(
    client: Any, web: Web
) -> None:
    """From the question, and from a reply to the plan."""
    url = web.upstream.serves("/own", f"<p>{HANDS} They eat 25 % of their weight each day.</p>")
    model, _ = says(json.dumps({**PLAN, "ask_user": [WHICH]}), json.dumps(PLAN), GOOD)
    events = await all_events(
        client().ask_events(BOTH, model=model, person=Person(Reply("modify", f"see {url}")))
    )
    ended = next(e for e in events if isinstance(e, ToolEnded))

    assert (ended.tool, ended.arguments) == ("web_extract", {"urls": [url]})
    assert isinstance(events[-1], Answered)


async def test_what_a_run_has_spent(client: Any, web: Web) -> None:
    """Searches that were sent, pages that were asked for, the model's calls, and the price."""
    model, _ = says(json.dumps({"questions": [{"question": SLEEP, "queries": [SLEEP]}]}), GOOD)
    answer = await client(assistant_silent=1.0, assistant_notify=1.0).ask(BOTH, model=model)

    assert answer.usage == Usage(1, 1, 2, answer.usage.tokens, 0.008)
    assert answer.usage.tokens > 100


async def test_each_round_makes_one_query_of_the_plan(client: Any, web: Web) -> None:
    """At most three, with three pages each, until something answers."""
    hits = [
        Hit(web.upstream.serves(f"/x/{n}", "<p>Cheese.</p>"), f"C{n}", "Cheese.") for n in range(9)
    ]
    web.finds("zzyzx", *hits)
    queries = [f"zzyzx {n}" for n in range(5)]
    plan = {"questions": [{"question": WEAK, "queries": queries}]}
    model, _ = says(json.dumps(plan), "No idea.")
    answer = await client(assistant_fetches=20, assistant_searches=20).ask(BOTH, model=model)

    assert web.queries == queries[:3]
    read = [s.arguments["urls"] for s in answer.steps if s.tool == "web_extract"]
    assert [len(urls) for urls in read] == [3, 3, 2]


async def test_one_whose_route_is_local_searches_collections_alone(client: Any, web: Web) -> None:
    """Nothing goes out, whether it answers or not."""
    k = client("local")
    await k.index.add([ABBEY], collection="docs")
    answer = await k.ask("Who painted the Mona Lisa?")

    assert [s.tool for s in answer.steps] == ["rag_search"]
    assert (answer.outcome, web.queries) == (Outcome.EMPTY, [])
