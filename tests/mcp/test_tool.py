"""A tool over MCP: its definition, its result, and what a long result leaves out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kensaku.adapters import tools_for
from kensaku.models import Hit
from kensaku.testing import faults
from kensaku.tools import BaseTool, ToolResult

from .servers import OTTERS, connect, eras, make_server, text_of


@eras
async def test_tools_are_listed_in_their_own_words_and_say_that_they_only_read(make_client, mode):
    """Clients ask people before a tool runs, unless it says that it changes nothing."""
    server = make_server(client=make_client("tavily"))
    async with connect(server, mode=mode) as c:
        listed = {t.name: t for t in (await c.list_tools()).tools}

    assert list(listed) == ["web_search", "web_extract", "web_context"]
    for wrapped in tools_for("mcp"):
        shown, own = listed[wrapped.tool.name], wrapped.tool
        assert (shown.description, shown.input_schema) == (own.description, own.parameters)
        assert shown.title == shown.annotations.title == own.title
        assert (shown.annotations.read_only_hint, shown.annotations.open_world_hint) == (True, True)
        assert shown.output_schema is None


async def test_only_the_tools_that_were_asked_for_are_offered(make_client):
    """An agent should not be shown what it may not use."""
    server = make_server(["verify_quote"], client=make_client("tavily"), language="ja")
    async with connect(server) as c:
        (only,) = (await c.list_tools()).tools
        other = await c.call_tool("web_search", {"query": "otter"})

    assert only.name == "verify_quote"
    assert only.title == "引用の確認"
    assert other.is_error
    assert "verify_quote" in text_of(other)


@eras
async def test_a_program_can_ask_for_the_same_facts_as_data(make_client, upstream, mode):
    """The client checks the data against the schema itself; a failure would raise here."""
    upstream.answers("tavily", OTTERS)
    server = make_server(client=make_client("tavily"), structured=True)
    async with connect(server, mode=mode) as c:
        schemas = [t.output_schema["type"] for t in (await c.list_tools()).tools]
        result = await c.call_tool("web_search", {"query": "otter"})

    assert schemas == ["object"] * 3
    assert "hold hands" in text_of(result)
    assert result.structured_content["outcome"] == "found"
    assert result.structured_content["hits"][0]["url"] == OTTERS[0].url


async def test_nothing_found_is_a_result_and_nobody_there_is_an_error(make_client, upstream):
    """A model that is told "no results" when the search was down answers from memory."""
    async with connect(make_server(client=make_client("tavily"))) as c:
        upstream.answers("tavily", [])
        empty = await c.call_tool("web_search", {"query": "otter"})
        upstream.fails("tavily", faults.status(503))
        down = await c.call_tool("web_search", {"query": "beaver"})

    assert not empty.is_error
    assert text_of(empty).startswith("outcome: empty")
    assert down.is_error
    assert text_of(down).startswith("outcome: unavailable")


async def test_wrong_arguments_are_answered_with_what_is_expected(make_client):
    """The model can then call again, rightly; nothing was sent."""
    wrong: list[tuple[Any, str]] = [
        (None, "needs query"),
        ({"query": "otter", "max_results": 999}, "1 to 20"),
        ({"query": "otter", "topic": "sport"}, "general, news, finance"),
        ({"query": ["otter"]}, "must be a text"),
        ({"query": "otter", "limit": 3}, "max_results"),
    ]
    async with connect(make_server(client=make_client("tavily"))) as c:
        for arguments, says in wrong:
            result = await c.call_tool("web_search", arguments)

            assert result.is_error
            assert says in text_of(result)


class Broken(BaseTool):
    name = "broken"
    about = {"en": "It breaks."}

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        raise RuntimeError("key=sk-very-secret")


async def test_a_crash_tells_its_type_and_no_secret(make_client, caplog):
    """Messages of exceptions hold paths, addresses and keys."""
    async with connect(make_server([Broken()], client=make_client("tavily"))) as c:
        result = await c.call_tool("broken", {})

    assert result.is_error
    assert "RuntimeError" in text_of(result)
    assert "secret" not in result.model_dump_json()


LONG = "\n".join(f"Line {n} tells of otters." for n in range(8_000))


@eras
async def test_the_whole_of_a_long_result_can_be_read_during_the_session(
    make_client, upstream, mode
):
    """The text is bounded for the model; nothing that was found is lost."""
    upstream.answers("tavily", [Hit("https://otter.example/", "Otters", LONG)])
    async with connect(make_server(client=make_client("tavily")), mode=mode) as c:
        result = await c.call_tool("web_search", {"query": "otter"})
        (link,) = result.content[1:]
        listed = (await c.list_resources()).resources
        templates = (await c.list_resource_templates()).resource_templates
        read = (await c.read_resource(str(link.uri))).contents[0]

    assert len(text_of(result)) < 20_000
    assert text_of(result).endswith(str(link.uri))
    assert "Line 7999" not in result.model_dump_json()
    assert "Line 7999" in read.text
    assert "<<<web" in read.text
    assert [str(r.uri) for r in listed] == [str(link.uri)]
    assert templates[0].uri_template == "kensaku://result/{id}"


async def test_a_resource_that_is_gone_or_never_was_is_an_error(make_client):
    """A result is not kept for ever, and nobody can guess an address."""
    from .client import MCPError

    async with connect(make_server(client=make_client("tavily"))) as c:
        with pytest.raises(MCPError, match="there is no such resource, or no longer") as error:
            await c.read_resource("kensaku://result/guess")
    assert error.value.error.code == -32602  # invalid params


@pytest.mark.parametrize(("most", "chars", "size"), [(3, 1_000, 30), (9, 100, 30), (64, 10, 30)])
def test_stored_results_are_bounded_in_number_and_size(most, chars, size):
    """A server that runs for weeks must not grow: the oldest go, one that is too long is cut."""
    from kensaku.mcp.server import ResultStore

    stored = ResultStore(most=most, chars=chars)
    uris = [stored.add(str(n), "x" * size) for n in range(9)]
    kept = [result for uri in uris if (result := stored.get(uri)) is not None]

    assert len(kept) == max(1, min(most, chars // size))
    assert [result.title for result in kept] == [str(n) for n in range(9)][-len(kept) :]
    assert {len(result.text) for result in kept} == {min(size, chars)}
    assert len(set(uris)) == 9
    assert all(len(uri.rpartition("/")[2]) >= 32 for uri in uris)  # 192 random bits


class Given(BaseTool):
    """Gives the results that it was made with, one after the other."""

    name = "given"
    title = {"fr": "Donner"}
    about = {"en": "It gives."}
    read_only = False
    open_world = False

    def __init__(self, *results: ToolResult) -> None:
        super().__init__()
        self.results = iter(results)

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        return next(self.results)


class Words(Given):
    text_only = True


@pytest.fixture
def give(make_client):
    """`await give(tool, n)` → what n calls of a tool return to a program, with what they link to."""

    async def calls(tool: BaseTool, count: int) -> list[tuple[Any, str]]:
        async with connect(make_server([tool], client=make_client("tavily"), structured=True)) as c:
            done = [await c.call_tool(tool.name, {}) for _ in range(count)]
            return [(result, await read(c, result)) for result in done]

    async def read(c: Any, result: Any) -> str:
        if len(result.content) == 1:
            return ""
        assert result.content[1].mime_type == "text/markdown"
        return (await c.read_resource(str(result.content[1].uri))).contents[0].text

    return calls


async def test_a_tool_that_changes_something_says_that_it_destroys_nothing(make_client):
    """Without a title in its language or in English, its name is shown."""
    async with connect(make_server([Given()], client=make_client("tavily"))) as c:
        (tool,) = (await c.list_tools()).tools

    hints = tool.annotations
    assert (tool.title, hints.title) == ("given", "given")
    assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (False,) * 3


async def test_words_of_a_specification_are_sent_alone(give):
    """With neither data nor a link; having found nothing is a failure there."""
    tool = Words(
        ToolResult(False, {"content": "b" * 9_999}, "a", error_kind="empty"),
        ToolResult(True, text="a"),
    )

    results = [result for result, _ in await give(tool, 2)]

    told = [([c.text for c in r.content], r.structured_content, r.is_error) for r in results]
    assert told == [(["a"], None, True), (["a"], None, False)]


async def test_what_a_text_leaves_out_can_be_read_and_the_data_is_cut(give):
    """Fenced, under its title; titles and numbers stay whole."""
    title, long = "Sea otters " * 300, "otter " * 600
    output = {"results": [{"url": "https://a.example/", "title": title, "content": long, "n": 5}]}

    ((sent, whole),) = await give(Given(ToolResult(True, output, "short")), 1)

    assert text_of(sent).startswith("short\n")
    assert text_of(sent).endswith(str(sent.content[1].uri))
    (shown,) = sent.structured_content["results"]
    assert 1_900 < len(shown.pop("content")) <= 2_000
    assert shown == {"url": "https://a.example/", "title": title, "n": 5}
    assert re.search(r"<<<web [0-9a-f]{32}\n", whole)
    assert f"# {title}\nhttps://a.example/\n\n{long}".strip() in whole


LEFT_OUT = [
    ("a b", {"content": "a\n\nb"}, False),  # spaces do not count
    ("\\# a !\\[b](https://x.example/)", {"content": "# a ![b](https://x.example/)"}, False),
    ("a b", {"x": [{"text": "a"}, ({"markdown": "c"},)]}, True),
    ("a", {"raw_content": "a", "markdown": "b", "content": "c", "text": "d"}, False),
    ("c", {"markdown": None, "content": "c", "text": "d"}, False),
    ("x", {"title": "t", "url": "u", "n": 1}, False),
    ("x", {"results": ["検索"], "text": "y"}, True),
]


async def test_only_prose_that_is_not_in_the_text_is_linked(give):
    """Of several forms of a page, the best; what is neither page nor hit is read as JSON."""
    tool = Given(*(ToolResult(True, output, text) for text, output, _ in LEFT_OUT))

    results = await give(tool, len(LEFT_OUT))

    assert [bool(whole) for _, whole in results] == [missing for *_, missing in LEFT_OUT]
    assert '"検索"' in results[-1][1]


async def test_data_is_an_object_with_its_texts_escaped_and_its_addresses_as_they_are(give):
    """Whoever asked for data may show it to a model after all: as inside the fence."""
    role = "<|im_start|>"
    data = {"url": role, "base_url": [role], "content": role, 1: (role, 2, None, True)}
    tool = Given(ToolResult(True, data, "x"), ToolResult(False, [1], "x", error_kind="empty"))

    (sent, _), (listed, _) = await give(tool, 2)

    shown = sent.structured_content
    assert (shown["url"], shown["base_url"]) == (role, [role])
    assert role not in shown["content"] + shown["1"][0]
    assert shown["1"][1:] == [2, None, True]
    assert (listed.structured_content, listed.is_error) == ({"result": [1]}, False)
