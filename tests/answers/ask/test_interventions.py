"""The person steps in: proceed, modify, retry, skip and cancel do what they say; silence does not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kensaku import Hit
from kensaku.assistant import Answered, Failed, Journal, Planned, QuestionAsked, Reply
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Model, Web

from .conftest import (
    BOTH,
    GOOD,
    PLAN,
    SLEEP,
    STRICT,
    WEAK,
    WHICH,
    WRITE,
    Person,
    all_events,
    says,
)

# --- a doubtful answer


async def test_cancel_ends_the_run_before_the_answer(client: Any) -> None:
    """Nothing of it is shown."""
    events = await all_events(client(**STRICT).ask_events(SLEEP, person=Person(Reply("cancel"))))

    assert isinstance(events[-1], Failed)
    assert events[-1].message == "The run was cancelled."
    assert events[-1].answer.text is None


async def test_modify_searches_for_the_persons_words_and_asks_again(client: Any, web: Web) -> None:
    """The new answer has what they found."""
    web.finds(
        "zoo",
        Hit(
            "https://zoo.example/", "Zoo", "On their backs, wrapped in kelp, they sleep and drift."
        ),
    )
    person = Person(Reply("modify", "zoo report"), Reply("proceed"))
    answer = await client(**STRICT, assistant_fetches=0).ask(SLEEP, person=person)

    assert "zoo report" in web.queries
    assert "wrapped in kelp" in answer.text
    assert [q.kind for q in person.asked] == ["confirm", "confirm"]
    assert "wrapped in kelp" not in person.asked[0].reason
    assert person.asked[0].id != person.asked[1].id


async def test_modify_reads_the_page_that_the_person_names(client: Any, web: Web) -> None:
    """Its address came from the person."""
    url = web.upstream.serves("/own", "<p>Sea otters sleep in rafts of one hundred animals.</p>")
    person = Person(Reply("modify", f"look at {url}"), Reply("proceed"))
    await client(**STRICT).ask(SLEEP, person=person)

    assert any(r.target == "/own" for r in web.upstream.requests)


@pytest.mark.parametrize(
    ("reply", "last"), [(Reply("retry"), "sea otters sleep"), (Reply("retry", SLEEP), SLEEP)]
)
async def test_retry_searches_once_more_past_the_cache(
    reply: Reply, last: str, client: Any, web: Web
) -> None:
    """Every query of the plan is sent again, or the person's words alone."""
    person = Person(reply, Reply("proceed"))
    answer = await client(**STRICT).ask(SLEEP, person=person)

    assert web.queries.count(SLEEP) == 2
    assert web.queries[-1] == last
    assert set(web.queries) == {SLEEP, "sea otters sleep"}
    assert "hold hands" in answer.text


async def test_the_third_time_it_is_yes_or_no(client: Any) -> None:
    """A run does not go on for ever."""
    person = Person(*[Reply("retry")] * 5)
    answer = await client(**STRICT).ask(SLEEP, person=person)

    assert len(person.asked) == 3
    assert person.asked[-1].choices == ("proceed", "skip", "cancel")
    assert [dict(q.arguments) for q in person.asked] == [{}, {"number": 2}, {"number": 3}]
    assert answer.text is None


# --- nothing answers


async def test_retry_helps_when_nobody_could_search(
    client: Any, web: Web, upstream: FakeUpstream
) -> None:
    """The provider is back."""
    web.upstream.heals("tavily")
    upstream.fails("tavily", faults.status(400), times=2)
    web.has("sleep", "/p/sleep", "How otters sleep", "Sea otters hold hands while they sleep.")
    person = Person(Reply("retry"), Reply("proceed"))
    answer = await client().ask(SLEEP, person=person)

    assert person.asked[0].kind == "help"
    assert "hold hands" in answer.text


@pytest.mark.parametrize("reply", [Reply("skip"), None])
async def test_skip_and_silence_go_on_with_what_is_there(
    reply: Reply | None, client: Any, web: Web
) -> None:
    """Nothing more is searched."""
    events = await all_events(client().ask_events(WEAK, person=Person(reply)))
    asked = next(e.question for e in events if isinstance(e, QuestionAsked))

    assert asked.choices == ("modify", "retry", "skip", "cancel")
    assert isinstance(events[-1], Failed)
    assert set(web.queries) <= {WEAK, "zzyzx thing"}


async def test_help_is_asked_for_what_is_still_open(client: Any) -> None:
    """The question that the sources answer is not in it."""
    person = Person()
    await client().ask(f"{SLEEP} Who painted the zzyzx thing?", person=person)

    assert (person.asked[0].kind, person.asked[0].reason) == (
        "help",
        "Who painted the zzyzx thing?",
    )


# --- a question of the plan


async def test_the_plan_may_ask_the_person_first(client: Any, web: Web) -> None:
    """The words of the reply are in the new plan; an option may be chosen by its number."""
    second = {"questions": [{"question": "How do sea otters sleep", "queries": ["sea sleep"]}]}
    model, prompts = says(json.dumps({**PLAN, "ask_user": [WHICH]}), json.dumps(second), GOOD)
    person = Person(Reply("modify", "1"))
    events = await all_events(client().ask_events(BOTH, model=model, person=person))
    [asked] = [e.question for e in events if isinstance(e, QuestionAsked)][:1]

    assert (asked.text, asked.reason, asked.urgency) == (
        "Which otters?", "there are several", "blocking",
    )  # fmt: skip
    assert (asked.options, asked.tool) == (("sea", "river"), "ask_user")
    assert [e.by for e in events if isinstance(e, Planned)] == [model.model_name] * 2
    assert "ask_user" in prompts[0]
    assert "Task: sea: How do sea otters sleep?" in prompts[1]
    assert "ask_user" not in prompts[1]
    assert web.queries[0] == "sea sleep"


async def test_a_blocking_question_without_a_reply_ends_the_run(client: Any, web: Web) -> None:
    """Nothing is guessed, and nothing searched."""
    model, _ = says(json.dumps({**PLAN, "ask_user": [WHICH]}), GOOD)
    events = await all_events(client().ask_events(BOTH, model=model, person=Person(None)))

    assert isinstance(events[-1], Failed)
    assert "nothing was guessed" in events[-1].message
    assert web.queries == []


async def test_a_timeout_is_no_reply(client: Any, web: Web, clock: Any) -> None:
    """The run ends; the person is not waited for any longer."""

    async def asleep(_: Any) -> Reply | None:
        clock.advance(600)
        await asyncio.Event().wait()
        raise AssertionError

    model, _ = says(json.dumps({**PLAN, "ask_user": [WHICH]}), GOOD)
    answer = await client(assistant_wait=300).ask(BOTH, model=model, person=asleep)

    assert answer.text is None
    assert web.queries == []


@pytest.mark.parametrize("reply", [None, Reply("skip"), Reply("proceed")])
async def test_an_optional_question_may_stay_open(
    reply: Reply | None, client: Any, web: Web
) -> None:
    """The plan stands as it was."""
    asks = [{**WHICH, "urgency": "optional"}]
    model, _ = says(json.dumps({**PLAN, "ask_user": asks}), GOOD)
    events = await all_events(client().ask_events(BOTH, model=model, person=Person(reply)))

    assert isinstance(events[-1], Answered)
    assert web.queries[0] == SLEEP
    assert any("not answered" in n for n in events[-1].answer.notes) == (reply is None)


async def test_cancel_at_the_plan_ends_the_run(client: Any, web: Web) -> None:
    """Before anything is searched."""
    model, _ = says(json.dumps({**PLAN, "ask_user": [WHICH]}), GOOD)
    answer = await client().ask(BOTH, model=model, person=Person(Reply("cancel")))

    assert answer.reason == "The run was cancelled."
    assert web.queries == []


async def test_where_nobody_is_there_the_plan_may_not_ask(
    client: Any, web: Web, model: Model
) -> None:
    """The model is not told of it, and what it asks for all the same is left out."""
    model.says("Plan", {**PLAN, "ask_user": [WHICH]})
    model.says(WRITE, GOOD)
    events = await all_events(client(**model.settings).ask_events(BOTH))

    assert not any(isinstance(e, QuestionAsked) for e in events)
    assert "ask_user" not in model.asked("Plan")[0][0]
    assert web.queries == [SLEEP]


@pytest.mark.parametrize(
    "asks",
    ["?", [], [3], [{"question": ""}], [{"question": 5}], {"question": "x"}, None,
     [{"question": "\u200b"}]],
)  # fmt: skip
async def test_what_is_no_question_is_not_asked(asks: Any, client: Any) -> None:
    """Whatever the model says."""
    model, _ = says(json.dumps({**PLAN, "ask_user": asks}), GOOD)
    person = Person()
    await client().ask(BOTH, model=model, person=person)

    assert not any(q.tool == "ask_user" for q in person.asked)


async def test_questions_of_a_plan_are_bounded(client: Any) -> None:
    """In their number, their length and their choices."""
    long = {"question": "Which?" * 500, "reason": "x" * 5_000, "choices": ["c" * 500, 7] * 50}
    model, _ = says(json.dumps({**PLAN, "ask_user": [long] * 9}), json.dumps(PLAN), GOOD)
    person = Person(Reply("modify", "a"), Reply("modify", "b"), *[Reply("proceed")] * 3)
    await client().ask(BOTH, model=model, person=person)
    asked = [q for q in person.asked if q.tool == "ask_user"]

    assert len(asked) == 2
    assert all(len(q.text) <= 300 and len(q.reason) <= 300 for q in asked)
    assert all(len(q.options) <= 6 and len(q.options[0]) <= 80 for q in asked)


async def test_a_run_that_goes_on_asks_nothing_twice(client: Any, web: Web) -> None:
    """The replies are in the journal, by question."""
    saved: dict[str, Any] = {}

    async def save(name: str, result: Any) -> None:
        saved[name] = json.loads(json.dumps(result))

    first = Person(Reply("retry"), Reply("modify", "zoo report"), Reply("proceed"))
    before = await client(**STRICT).ask(SLEEP, person=first, journal=Journal(save=save))
    made = len(web.queries)
    second = Person()
    k = client(**STRICT, cache_enabled=False)
    after = await k.ask(SLEEP, person=second, journal=Journal(saved))

    assert (len(first.asked), second.asked) == (3, [])
    assert after.text == before.text
    assert len(web.queries) == made


async def test_a_refused_call_stays_refused(client: Any, web: Web) -> None:
    """Also when the plan makes it twice, side by side."""
    plan = {"questions": [{"question": f"{SLEEP} {n}", "queries": [SLEEP]} for n in range(3)]}
    model, _ = says(json.dumps(plan), GOOD)
    person = Person(Reply("skip"), *[None] * 5)
    await client().ask(BOTH, model=model, person=person, approvals={"web_search": "ask"})

    approvals = [q.arguments["query"] for q in person.asked if q.kind == "approve"]
    assert approvals.count(SLEEP) == 1
    assert web.queries == []
