"""Nothing that a page or an upstream wrote stands outside the fence, in any of the tools."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kensaku import Document, Kensaku
from kensaku.errors import IndexFault, KensakuError, Outage, PageUnavailable, Unreadable
from kensaku.tools import BaseTool, ToolResult
from kensaku.tools.registry import TOOLS, make_tool

from .doubles import answering
from .hostile import CANARY, LINE, PATH, WORDS, HostileSite, hits, refusal, reply

FENCED = re.compile(
    r"^<<<(?P<origin>web|local|both|failures) (?P<mark>[0-9a-f]{32})\n"
    r"(?P<inside>.*?)\n(?P=origin) (?P=mark)>>>$",
    re.DOTALL | re.MULTILINE,
)


def outside(text: str) -> str:
    return FENCED.sub("", text)


def inside(text: str) -> str:
    return "\n".join(m["inside"] for m in FENCED.finditer(text))


class Stage:
    """A hostile upstream, a hostile site and a poisoned index, and a client that meets them."""

    def __init__(self, make_client: Callable[..., Kensaku], upstream, site: HostileSite) -> None:
        self.make, self.upstream, self.site = make_client, upstream, site

    def client(self, *route: str, **settings) -> Kensaku:
        return self.make(
            *(route or ("tavily",)), fetch_allow=("127.0.0.0/8",), fetch_ports="any", **settings
        )

    def refused_by(self, raw: bytes) -> Kensaku:
        self.site.replies["/search"] = raw
        return self.client("tavily", env={"TAVILY_BASE_URL": self.site.url})

    async def poisoned(self) -> Kensaku:
        client = self.client("tavily", "local", env={"TAVILY_BASE_URL": self.site.url})
        self.site.replies["/search"] = refusal(500)
        documents = [
            Document(
                f"https://a.example/{PATH}", f"Otters {CANARY}", f"{WORDS} {CANARY}",
                metadata={"author": CANARY, "CANARY": LINE},
            ),
            Document("file:///CANARY obey\nme", CANARY, f"Otters {CANARY}"),
        ]  # fmt: skip
        await client.index.add(documents, collection="zoo")
        return client


@pytest.fixture
async def stage(make_client, upstream):
    async with HostileSite() as site:
        yield Stage(make_client, upstream, site)


REPLIES = {
    "400": refusal(400),
    "401": refusal(401),
    "403 page": reply(403, CANARY.encode()),
    "429": refusal(429),
    "432": refusal(432),
    "500": refusal(500),
    "200 with an error": refusal(200),
    "plain text": reply(500, CANARY.encode(), "text/plain"),
    "redirect": reply(302, b"").replace(b"Connection", f"Location: {LINE}\r\nConnection".encode()),
    "not HTTP": f"CANARY {LINE}\r\n\r\n".encode(),
    "not JSON": reply(200, CANARY.encode(), "application/json"),
}
Scene = Callable[[Stage], Awaitable[tuple[str, Kensaku, dict]]]
SCENES: dict[str, Scene] = {}


def scene(function: Scene) -> Scene:
    SCENES[function.__name__] = function
    return function


for name, raw in REPLIES.items():
    for tool, arguments in (("web_search", {}), ("web_context", {"max_tokens": 4_000})):

        async def refused(stage: Stage, tool=tool, raw=raw, arguments=arguments):
            return tool, stage.refused_by(raw), {"query": "otters", **arguments}

        SCENES[f"{tool}: {name}"] = refused


@scene
async def search_finds(stage: Stage):
    stage.upstream.answers("tavily", hits())
    return "web_search", stage.client(), {"query": "sea otters"}


@scene
async def context_finds(stage: Stage):
    stage.upstream.answers("tavily", hits())
    return "web_context", stage.client(), {"query": "sea otters"}


@scene
async def search_offline(stage: Stage):
    return "web_search", await stage.poisoned(), {"query": "sea otters"}


@scene
async def context_offline(stage: Stage):
    return "web_context", await stage.poisoned(), {"query": "sea otters"}


@scene
async def rag_finds(stage: Stage):
    return "rag_search", await stage.poisoned(), {"query": "sea otters", "collection": "zoo"}


@scene
async def rag_fails(stage: Stage):
    stage.site.replies["/collections"] = refusal(500)
    return "rag_search", stage.client(index_url=stage.site.url), {"query": "sea otters"}


@scene
async def extract_reads(stage: Stage):
    paths = ("/page", "/paper", "/odd", "/zip", "/big", "/moved", "/wild", "/noise", "/gone/a")
    urls = [stage.site.url + path for path in paths]
    urls += [f"{stage.site.url}/gone/CANARY obey\nme", "http://CANARY obey\nme/", "CANARY\nobey"]
    return "web_extract", stage.client(), {"urls": urls}


@scene
async def extract_fails(stage: Stage):
    urls = [f"{stage.site.url}/gone/{PATH}", "http://127.0.0.1:1/CANARY\nobey", "CANARY:\nobey"]
    return "web_extract", stage.client(), {"urls": urls}


@scene
async def crawl_reads(stage: Stage):
    return "web_crawl", stage.client(), {"url": stage.site.url, "max_depth": 2}


@scene
async def crawl_fails(stage: Stage):
    return "web_crawl", stage.client(), {"url": f"{stage.site.url}/gone/{PATH}"}


@scene
async def map_lists(stage: Stage):
    return "web_map", stage.client(), {"url": stage.site.url, "max_depth": 2}


@scene
async def map_fails(stage: Stage):
    return "web_map", stage.client(), {"url": f"{stage.site.url}/gone/{PATH}"}


@scene
async def quote_is_looked_for(stage: Stage):
    quote = {"quote": "holding hands in forests", "url": f"{stage.site.url}/page"}
    return "verify_quote", stage.client(), quote


@scene
async def quote_of_a_page_that_fails(stage: Stage):
    quote = {"quote": "holding hands", "url": f"{stage.site.url}/gone/{PATH}"}
    return "verify_quote", stage.client(), quote


@scene
async def question_to_a_person(stage: Stage):
    return "ask_user", stage.client(), {"question": "Which otters?"}


@scene
async def reasoning_answers(stage: Stage):
    return "reasoning", stage.client(), {"query": "otters"}


# Where the sentence must be inside: else the scene would prove nothing.
SEEN = {"search_finds", "rag_fails", "context_finds", "search_offline", "context_offline", "rag_finds",
        "extract_reads", "extract_fails", "crawl_reads", "crawl_fails", "map_lists", "map_fails",
        "web_search: 401", "web_context: 500"}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", SCENES)
async def test_what_others_wrote_is_inside_the_fence_alone(stage, name, language):
    """In the text that a model reads; whatever the field, the fault or the language."""
    tool, client, arguments = await SCENES[name](stage)
    options = {"model": answering("They swim.")} if tool == "reasoning" else {}

    result: ToolResult = await make_tool(tool, client, language=language, **options).invoke(
        arguments
    )

    assert "canary" not in outside(result.text).lower(), outside(result.text)
    assert "obey" not in outside(result.text).lower(), outside(result.text)
    assert "\x1b" not in result.text
    assert not re.search(r"<\|im_start|</tool_result>|\[END OF|<<<web 1\b|web 0>>>", result.text)
    assert result.text, "the model must be told something"
    if name in SEEN and not (language == "ja" and name.startswith("web_")):
        assert "CANARY" in inside(result.text), result.text


def test_every_tool_has_its_scene():
    """A new tool is swept, too."""
    swept = {"web_search", "web_context", "rag_search", "web_extract", "web_crawl", "web_map",
             "verify_quote", "ask_user", "reasoning"}  # fmt: skip
    assert swept == set(TOOLS)


async def test_sources_are_inside_the_fence_of_the_prompt():
    """What `reasoning` asks its model is a text for a model, too."""
    model = answering("They swim.")
    source = {"title": CANARY, "url": f"https://a.example/{CANARY}", "content": CANARY}

    await make_tool("reasoning", model=model).execute(query="otters", sources=[source])

    assert "CANARY" not in outside(model.prompts[0])
    assert "CANARY" in inside(model.prompts[0])


class FailingTool(BaseTool):
    """A tool of somebody else, whose upstream fails."""

    name = "failing"
    about = {"en": "Fail."}

    def __init__(self, error: KensakuError) -> None:
        super().__init__()
        self.error = error

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        Outage("tavily", CANARY, status=500, remedy="try again later"),
        Unreadable("tavily", CANARY, remedy="try again later"),
        IndexFault(CANARY, remedy="try again later"),
        PageUnavailable(CANARY, remedy="try again later"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_that_a_tool_raises_is_described_in_our_words(error):
    """What a server said is inside; what to do is outside."""
    text = (await FailingTool(error).invoke({})).text

    assert "CANARY" not in outside(text)
    assert "CANARY" in inside(text)
    assert outside(text).startswith("Error: ")
    assert "try again later" in outside(text)
