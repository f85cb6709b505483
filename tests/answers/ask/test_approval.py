"""Tiers, overrides, and replies: what nobody agreed to is not done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku.answers.person import MAY_RUN, Approvals, asks_for_consent
from kensaku.assistant import ApprovalNeeded, Failed, Question, Reply
from kensaku.errors import InvalidQuery
from kensaku.locale import languages, translator
from tests.answers.conftest import Web

from .conftest import SLEEP, Person, all_events


def test_search_runs_at_once_and_unknown_tools_are_asked_about() -> None:
    """What a person chose counts over the settings, which count over the defaults."""
    plain = Approvals()
    chosen = Approvals.from_words(["web_search=ask", " shell = never "], {"web_search": "auto"})

    ours = ("rag_search", "web_search", "search_web", "web_extract")
    assert [plain.tier(t) for t in (*ours, "shell")] == ["auto"] * 4 + ["ask"]
    assert [chosen.tier(t) for t in ("web_search", "shell", "mail")] == ["auto", "never", "ask"]


@pytest.mark.parametrize("word", ["web_search", "web_search=maybe", "web_search="])
def test_a_tier_that_does_not_exist_is_refused(word: str) -> None:
    """It names the tool and the tiers."""
    with pytest.raises(InvalidQuery, match="auto, ask, never"):
        Approvals.from_words([word])


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        (Reply("proceed"), [SLEEP]),
        (Reply("modify", "otters sleep at sea"), ["otters sleep at sea"]),
    ],
)
async def test_a_tool_waits_for_consent(
    reply: Reply | None, queries: list[str], client: Any, web: Web
) -> None:
    """The person sees the arguments, and may change the query."""
    person = Person(reply)
    k = client(assistant_notify=0.0, assistant_confirm=0.0, assistant_silent=0.0)
    events = await all_events(
        k.ask_events(SLEEP, person=person, approvals={"web_search": "ask", "web_extract": "never"})
    )

    assert [e.question for e in events if isinstance(e, ApprovalNeeded)][:1] == person.asked[:1]
    assert person.asked[0].arguments == {"query": SLEEP}
    assert web.queries[:1] == queries


async def test_a_tool_that_never_runs_is_not_asked_about(client: Any, web: Web) -> None:
    """And nobody could search is said."""
    person = Person()
    events = await all_events(
        client().ask_events(SLEEP, approvals={"web_search": "never"}, person=person)
    )

    assert isinstance(events[-1], Failed)
    assert events[-1].answer.outcome == "unavailable"
    assert web.queries == []
    assert all(q.kind != "approve" for q in person.asked)


async def test_where_nobody_is_there_nobody_agrees(client: Any, web: Web) -> None:
    """A program that did not say who may be asked has not agreed to anything."""
    answer = await client().ask(SLEEP, approvals={"web_search": "ask"})

    assert answer.outcome == "unavailable"
    assert web.queries == []


async def test_cancel_ends_the_run(client: Any, web: Web) -> None:
    """Also while another question is being looked into."""
    person = Person(Reply("cancel"), Reply("cancel"))
    two = "How do sea otters sleep? What do sea otters eat each day?"
    answer = await client().ask(two, approvals={"web_search": "ask"}, person=person)

    assert answer.text is None
    assert answer.reason == "The run was cancelled."
    assert web.queries == []


QUESTION = Question(
    "help", "Which?", reason="several", urgency="optional", choices=("modify", "skip"),
    tool="ask_user", arguments={"number": 2}, options=("sea", "river"),
)  # fmt: skip


def test_a_question_is_json_and_back() -> None:
    """All of it, with its id."""
    told = json.loads(json.dumps(QUESTION.to_dict()))

    assert " ".join(told) == "id kind text reason urgency choices tool arguments options"
    assert Question.from_dict(told) == QUESTION
    assert Question("approve", "?").choices == ("proceed", "cancel")


def test_the_id_of_a_question_is_what_it_is_about() -> None:
    """The same after a restart; another tool, other arguments or another kind make another one."""
    same = Question("help", "Other words", tool="ask_user", arguments={"number": 2})
    others = [
        Question("confirm", "?", tool="ask_user", arguments={"number": 2}),
        Question("help", "?", tool="other", arguments={"number": 2}),
        Question("help", "?", tool="ask_user", arguments={"number": 3}),
    ]
    assert same.id == QUESTION.id
    assert len({QUESTION.id, *(q.id for q in others)}) == 4
    two = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    assert len({Question("help", "?", arguments=a).id for a in two}) == 1


def test_the_longest_reply_is_taken() -> None:
    """And what is wrong with another is said."""
    with pytest.raises(InvalidQuery):
        Reply("whatever")  # type: ignore[arg-type]
    assert len(Reply("modify", "x" * 10_000).text) == 10_000
    with pytest.raises(InvalidQuery, match="10,001 characters; at most 10,000"):
        Reply("modify", "x" * 10_001)
    with pytest.raises(InvalidQuery, match=f"of '{'t' * 60}' is 'sometimes'; it must be one of"):
        Approvals({"t" * 99: "sometimes"})


@pytest.mark.parametrize("language", languages())
def test_a_question_for_consent_is_known_in_every_language(language):
    """Whatever tool it is about; no other question is taken for it."""
    t = translator(language)
    asked = t(MAY_RUN, tool="web_search")

    assert asks_for_consent(asked)
    assert asks_for_consent(asked + " otters")
    assert not asks_for_consent(t("Shall the query be sent without it?"))
    assert not asks_for_consent("> " + asked)
    assert not asks_for_consent("How old are otters? カワウソの寿命は？")
