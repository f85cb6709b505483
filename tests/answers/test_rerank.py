"""A reranker orders the passages; one that fails leaves our order, and a note."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku import Document, Hit, Passage
from kensaku.answers.evidence import Evidence
from kensaku.answers.gather import not_searched
from kensaku.answers.questions import Subquestion
from kensaku.answers.report.replay import replay_run
from kensaku.answers.research import begin, run_research
from kensaku.search.rerank import MAX_PASSAGES, digest, read_scores, reorder
from tests.answers.conftest import Web
from tests.answers.reranker import StandIn
from tests.search.support import until

QUERY = "how do sea otters rest"
SHAPES = ("jina", "cohere", "vllm", "tei")
A, B, C = (f"https://{name}.example/" for name in "abc")
HITS = [
    Hit(A, "Otters", "Sea otters rest, and how sea otters rest is what otters know."),
    Hit(B, "Kelp", "Strands of kelp hold them in place at night."),
    Hit(C, "Rivers", "How river otters rest: in dens."),
]
NOT_RERANKED = "the passages were not reranked"


@pytest.fixture
async def reranker() -> AsyncIterator[StandIn]:
    """One that likes kelp."""
    made = StandIn(lambda text: 0.9 if "kelp" in text else 0.1 if "dens" in text else -3.5)
    await made.server.start_server()
    yield made
    await made.server.close()


@pytest.fixture
def found(web: Web) -> Web:
    web.finds("how do sea otters", *HITS)
    return web


def order(context: Any) -> list[str]:
    return [c.url for c in context.citations]


def said(made: Any) -> list[str]:
    return [note for note in made.notes if note.startswith(NOT_RERANKED)]


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("shape", SHAPES)
async def test_each_shape_orders_the_passages(shape: str, client: Any, reranker: StandIn) -> None:
    """The key goes along, and each passage keeps its place in its page."""
    plain = await client().context(QUERY)
    k = client(**reranker.settings(shape, rerank_api_key="rr-0123456789"))
    made = await k.context(QUERY)

    assert order(plain)[0] == A
    assert order(made) == [B, C, A]
    assert [c.n for c in made.citations] == [1, 2, 3]
    assert made.text.startswith("[1] Kelp")
    assert _spans(made) == _spans(plain)
    assert reranker.keys == ["Bearer rr-0123456789"]
    assert not said(made)


def _spans(context: Any) -> set[Any]:
    return {(p.url, p.start, p.end, p.text) for c in context.citations for p in c.passages}


@pytest.mark.usefixtures("found")
async def test_a_passage_is_scored_once_for_a_query(client: Any, reranker: StandIn) -> None:
    """Also when a cursor asks for the rest: its [n] are those of the first part."""
    k = client(**reranker.settings("jina"))
    first = await k.context(QUERY, max_tokens=30)
    rest = await k.context(QUERY, cursor=first.cursor)

    assert order(first) + order(rest) == [B, C, A]
    assert [c.n for c in (*first.citations, *rest.citations)] == [1, 2, 3]
    assert len(reranker.asked) == 1


NONSENSE = {
    "no JSON object": "otters",
    "no list": {"results": 5},
    "an error with 200": {"detail": "out of memory"},
    "one score short": {"results": [{"index": 0, "relevance_score": 1}]},
    "one text twice": [{"index": 0, "score": 1}] * 3,
    "out of range": [{"index": n, "score": 1} for n in (1, 2, 3)],
    "scores are text": [{"index": n, "score": "1"} for n in range(3)],
    "not a number": [{"index": n, "score": float("nan")} for n in range(3)],
}


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("reply", NONSENSE.values(), ids=NONSENSE)
async def test_nonsense_leaves_our_order(reply: Any, client: Any, reranker: StandIn) -> None:
    """A note says so in one sentence."""
    plain = await client().context(QUERY)
    reranker.reply = reply
    made = await client(**reranker.settings("vllm")).context(QUERY)

    assert (made.text, made.citations) == (plain.text, plain.citations)
    assert len(said(made)) == 1


@pytest.mark.usefixtures("found")
async def test_a_failing_reranker_is_left_alone_for_a_while(client: Any, reranker: StandIn) -> None:
    """Each of the calls has its note."""
    reranker.status = 401
    k = client(**reranker.settings("tei"))
    made = [await k.context(QUERY), await k.context(QUERY), await k.answer(QUERY)]

    assert all("401" in note for m in made for note in said(m))
    assert [len(said(m)) for m in made] == [1, 1, 1]
    assert len(reranker.asked) == 1


@pytest.mark.usefixtures("found")
async def test_a_reranker_that_hangs_costs_the_time_of_the_call_at_most(
    client: Any, reranker: StandIn, clock: Any
) -> None:
    """What was found is returned."""
    reranker.hangs = True
    k = client(**reranker.settings("jina"))
    asking = asyncio.ensure_future(k.context(QUERY, timeout=60))
    await until(lambda: reranker.asked)
    clock.advance(60)
    made = await asking

    assert order(made)[0] == A
    assert "took longer" in said(made)[0]


@pytest.mark.usefixtures("found")
async def test_nobody_listens_there(client: Any) -> None:
    """A wrong address is no reason to answer nothing."""
    made = await client(rerank_url="http://127.0.0.1:9/rerank").context(QUERY)

    assert order(made)[0] == A
    assert len(said(made)) == 1


@pytest.mark.parametrize("shape", ["jina", "tei"])
async def test_long_results_are_sent_within_bounds(
    shape: str, client: Any, reranker: StandIn, web: Web
) -> None:
    """TEI takes 32 texts in a request; nothing is lost of what is not sent."""
    hits = [Hit(f"https://h{n}.example/", "", f"Sea otters doze well, {n}.") for n in range(99)]
    web.finds("otters doze", *hits[:-1], Hit(A, "", "Far kelp of sea otters."))
    k = client(**reranker.settings(shape))
    made = await k.context("otters doze", max_tokens=100_000, max_results=50)

    sent = [text for body in reranker.asked for text in body.get("documents") or body["texts"]]
    assert len(sent) == len(set(sent)) <= MAX_PASSAGES
    assert len(order(made)) == 50
    assert not said(made)


async def test_passages_of_a_collection_are_ordered(client: Any, reranker: StandIn) -> None:
    """They leave for the reranker that the operator named, and only for it."""
    k = client(**reranker.settings("tei"))
    await k.index.add(Document(hit.url, hit.title, hit.content) for hit in HITS)
    made = await k.context("sea otters at night", route="local")

    assert order(made)[0] == B


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("call", ["ask", "research"])
async def test_runs_ask_the_reranker_and_go_on_without_it(
    call: str, client: Any, reranker: StandIn
) -> None:
    """One note, however often it would have been asked."""
    made = await getattr(client(**reranker.settings("cohere")), call)(QUERY)
    asked = len(reranker.asked)
    reranker.reply = "nothing"
    failed = await getattr(client(**reranker.settings("cohere")), call)(QUERY)

    assert asked > 0
    assert not said(made)
    assert len(said(failed)) == 1
    assert failed.text is not None


def test_the_sources_of_a_question_follow_the_scores() -> None:
    """Each keeps its number; without scores, our own order stands again."""
    evidence = Evidence([Subquestion(QUERY, (QUERY,))], "estimate")
    evidence.add(0, {**not_searched(), "outcome": "found", "hits": [h.to_dict() for h in HITS]})
    ours = evidence.citations(QUERY, 0)
    first = {digest(p): float("Kelp" in p.title) for p in evidence.passages(QUERY, 0)}
    evidence.set_scores(QUERY, first)
    reranked = evidence.citations(QUERY, 0)
    evidence.set_scores(QUERY, {})

    assert (ours[0].url, reranked[0].url) == (A, B)
    assert {c.url: (c.n, c.passages) for c in reranked} == {c.url: (c.n, c.passages) for c in ours}
    assert evidence.citations(QUERY, 0) == ours


@pytest.mark.usefixtures("found")
async def test_a_report_is_replayed_without_the_reranker(client: Any, reranker: StandIn) -> None:
    """Its scores are kept with the run."""
    states: list[Any] = []
    state, means = begin(QUERY, {})
    report = await run_research(
        state, client(**reranker.settings("jina")), **means, save=states.append
    )
    asked = len(reranker.asked)
    replayed, again = await replay_run(states[-1])

    assert asked == len(reranker.asked) > 0
    assert (again.text, again.sources) == (report.text, report.sources)
    assert replayed.results["write"]["scores"] == states[-1].results["write"]["scores"] != {}


texts = st.text(max_size=8)
passages = st.lists(st.builds(Passage, texts, texts, st.just(0), st.just(9), texts), max_size=20)


@given(passages, st.data())
def test_reranking_is_a_permutation(found: list[Passage], data: st.DataObject) -> None:
    """Nothing is lost; the scores fall; who has none stays behind, in the order it had."""
    names = list(dict.fromkeys(map(digest, found)))
    known = data.draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    scores = {name: data.draw(numbers) for name in known}
    ranked = reorder(found, scores)

    assert sorted(map(id, ranked)) == sorted(map(id, found))
    scored = [scores[digest(p)] for p in ranked if digest(p) in scores]
    assert scored == sorted(scored, reverse=True)
    assert [p for p in ranked if digest(p) not in scores] == [
        p for p in found if digest(p) not in scores
    ]
    assert all(digest(p) in scores for p in ranked[: len(scored)])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20), st.randoms())
def test_either_reply_gives_the_scores_in_the_order_of_the_texts(
    scores: list[float], random: Any
) -> None:
    """Endpoints send the best first."""
    rows = list(enumerate(scores))
    random.shuffle(rows)

    assert read_scores([{"index": n, "score": s} for n, s in rows], len(scores)) == scores
    named = {"results": [{"index": n, "relevance_score": s} for n, s in rows]}
    assert read_scores(named, len(scores)) == scores
