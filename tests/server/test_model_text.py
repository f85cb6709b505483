"""What a model wrote, at every exit: nothing is loaded, no link but to a source, no rule repeated.

The page is poisoned, and the model obeys: it carries the question off by an image, links to a
stranger by every means, names a source by another's address, and prints its own instructions.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kensaku.answers.report.html import to_html
from kensaku.tools.reasoning import ReasoningTool
from tests.answers.ask.poison import FACT, assert_harmless, assert_harmless_html
from tests.answers.conftest import Web
from tests.answers.obedient import ORDER, QUESTION, Obedient, evil_lines

from .conftest import READS, MakeServer, Running
from .page_client import browsing
from .talk import to_end

SCHEMA = {"type": "object", "properties": {"why": {"type": "string", "description": "hold hands"}}}


@pytest.fixture
async def model() -> AsyncIterator[Obedient]:
    made = Obedient()
    async with made.server:
        yield made


@pytest.fixture
def page(web: Web) -> str:
    """The address of the poisoned page, which every search finds."""
    return web.has("otters|hands", "/p/evil", "How otters sleep", f"{FACT} {ORDER}")


@pytest.fixture
async def server(make_server: MakeServer, model: Obedient, page: str) -> Running:
    made: Running = await make_server(**READS, **model.settings)
    return made


def check(text: str | None, model: Obedient, page: str) -> None:
    """The answer is there; what the page wanted is not."""
    assert text
    assert "hold hands while they sleep" in text
    assert_harmless(text, page)
    assert_no_rules(text, model)


def assert_no_rules(text: str, model: Obedient) -> None:
    assert model.rules
    for rules in model.rules:
        for sentence in filter(lambda s: len(s) > 60, rules.split(". ")):
            assert sentence not in text


async def test_answers_of_the_client(server: Running, model: Obedient, page: str) -> None:
    """`kensaku answer` and `kensaku ask` print them."""
    k = server.client
    check((await k.answer(QUESTION)).text, model, page)
    check((await k.ask(QUESTION)).text, model, page)


async def test_reports(server: Running, model: Obedient, page: str) -> None:
    """As Markdown, as a page, and as values of a schema."""
    report = await server.client.research(QUESTION, timeout=60)
    filled = await server.client.research(QUESTION, output_schema=SCHEMA, timeout=60)

    assert report.written_by == filled.written_by == "small"
    check(report.text, model, page)
    assert_harmless_html(to_html(report).partition("<main>")[2].partition("</main>")[0], page)
    assert_harmless(filled.structured["why"], page)
    for questions in (report.answered, report.missing):
        for question in questions:
            assert_harmless(question)


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/search", {"query": QUESTION, "include_answer": "advanced"}, ["answer"]),
        ("/search", {"query": QUESTION, "include_answer": True}, ["answer"]),
        ("/exa/answer", {"query": QUESTION}, ["answer"]),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": QUESTION}]},
         ["choices", 0, "message", "content"]),
    ],
)  # fmt: skip
async def test_answers_over_http(server, http, model, page, path, body, place):
    """Of each service that has answers."""
    said: Any = (await http.post(server.url + path, json=body)).json()
    for name in place:
        said = said[name]

    check(said, model, page)


async def test_answers_in_pieces(server, http, model, page):
    """Joined, as a chat window shows them."""
    body = {"stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    sent = (await http.post(f"{server.url}/v1/chat/completions", json=body)).text
    lines = [line[6:] for line in sent.splitlines() if line.startswith("data: {")]
    pieces = [c["delta"].get("content") for line in lines for c in json.loads(line)["choices"]]

    check("".join(filter(None, pieces)), model, page)


async def test_research_over_http(server, http, model, page):
    """In pieces, as it is written."""
    body = {"input": QUESTION, "stream": True}
    sent = (await http.post(f"{server.url}/research", json=body)).text
    lines = [line[6:] for line in sent.splitlines() if line.startswith("data: {")]
    deltas = [c["delta"] for line in lines for c in json.loads(line).get("choices", ())]

    check("".join(d["content"] for d in deltas if d.get("content")), model, page)


async def test_a_chat_on_the_page_and_its_export(server, model, page):
    """The messages as they are stored, and the file for people."""
    async with browsing(server.url) as browser:
        begun = await browser.call("POST", "/api/chat", {"text": QUESTION})
        await to_end(browser, begun["id"])
        talk = await browser.call("GET", f"/api/chat/{begun['id']}")
        exported = await browser.get(f"/chat/{begun['id']}/export.md")

    check(talk["messages"][-1]["text"], model, page)
    assert_harmless(exported, page)
    assert_no_rules(exported, model)


async def test_an_upstreams_own_answer(make_client: Any, upstream: Any) -> None:
    """A model wrote it, too, and read the same pages."""
    hit = {"url": "https://otter.example/", "title": "Otters", "content": FACT, "score": 0.9}
    said = "\n".join(evil_lines(hit["url"], ""))
    body = {"query": QUESTION, "results": [hit], "answer": said}
    upstream.serves("/tavily/search", json.dumps(body), "application/json")
    response = await make_client("tavily").search(QUESTION, include_answer=True)

    assert response.answered_by == "tavily"
    assert "hold hands" in response.answer
    assert_harmless(response.answer, hit["url"])


async def test_the_reasoning_tool(make_client: Any) -> None:
    """Its model is the host's."""
    url = "https://otter.example/"

    async def obey(prompt: str) -> tuple[str, dict[str, int]]:
        return "\n".join(evil_lines(url, "")), {}

    tool = ReasoningTool(make_client("tavily"), model=obey)
    source = {"title": "Otters", "url": url, "content": f"{FACT} {ORDER}"}
    done = await tool.invoke({"query": QUESTION, "sources": [source]})

    assert "hold hands" in done.text
    assert_harmless(done.text, url)
