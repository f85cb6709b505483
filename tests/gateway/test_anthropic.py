"""Anthropic's server tools, by Anthropic's own client, on a model that knows none."""

from __future__ import annotations

from typing import Any

import anthropic
import httpx
import pytest
from anthropic import AsyncAnthropic

from tests.answers.conftest import Web
from tests.server.conftest import Running

ASKED = "How do sea otters sleep?"
HANDS = "Sea otters hold hands while they sleep."
SEARCH: Any = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
FETCH: Any = {"type": "web_fetch_20250910", "name": "web_fetch"}
OWN: Any = {"name": "open_file", "description": "Open.", "input_schema": {"type": "object"}}
# The clients leave their connections to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
async def client(gateway: Running) -> Any:
    """Anthropic's client; it does not ask again."""
    async with AsyncAnthropic(api_key="x", base_url=gateway.url, max_retries=0) as made:
        yield made


async def ask(client: AsyncAnthropic, *messages: Any, **more: Any) -> Any:
    said = messages or (ASKED,)
    listed = [m if isinstance(m, dict) else {"role": "user", "content": m} for m in said]
    return await client.messages.create(
        model="claude-x", max_tokens=500, messages=listed, **{"tools": [SEARCH], **more}
    )


def page(web: Web) -> str:
    return f"{web.upstream.url}/p/sleep"


async def test_a_message_has_the_blocks_of_a_server_tool(client, model, web):
    model.calls("web_search", text="I look it up.", query="how otters sleep")
    model.says(f"{HANDS} [1] More.")

    done = await ask(client, system="Be brief.")

    said, use, result, cited, more = done.content
    assert (said.type, said.text) == ("text", "I look it up.")
    assert (use.type, use.name, use.input) == (
        "server_tool_use", "web_search", {"query": "how otters sleep"},
    )  # fmt: skip
    assert (result.type, result.tool_use_id) == ("web_search_tool_result", use.id)
    assert [(r.type, r.url) for r in result.content] == [("web_search_result", page(web))]
    (citation,) = cited.citations
    assert (cited.text, citation.type, citation.url, citation.cited_text) == (
        HANDS, "web_search_result_location", page(web), HANDS,
    )  # fmt: skip
    assert (more.text, more.citations) == (" More.", None)
    assert (done.stop_reason, done.usage.server_tool_use.web_search_requests) == ("end_turn", 1)
    assert done.usage.input_tokens == 200
    assert model.asked[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert model.asked[0]["max_tokens"] == 500


async def test_the_stream_adds_up_to_the_same_message(client, model, web):
    model.calls("web_search", query="how otters sleep")
    model.says(f"{HANDS} [1] More.")

    async with client.messages.stream(
        model="claude-x", max_tokens=500, tools=[SEARCH],
        messages=[{"role": "user", "content": ASKED}],
    ) as stream:  # fmt: skip
        text = "".join([part async for part in stream.text_stream])
        done = await stream.get_final_message()

    assert text == f"{HANDS} More."
    assert [b.type for b in done.content] == [
        "server_tool_use", "web_search_tool_result", "text", "text",
    ]  # fmt: skip
    assert done.content[0].input == {"query": "how otters sleep"}
    assert done.content[2].citations[0].url == page(web)
    assert done.usage.server_tool_use.web_search_requests == 1


async def test_what_was_found_comes_back_in_the_next_turn(client, model, web):
    """The model reads the passages again, under the same number, and may cite them."""
    model.calls("web_search", query="how otters sleep")
    model.says("Noted.")
    model.says(f"{HANDS} [1]")
    first = await ask(client)
    history = {"role": "assistant", "content": [b.model_dump() for b in first.content]}

    second = await ask(client, ASKED, history, "So how?")

    assert second.content[0].citations[0].url == page(web)
    assert web.queries == ["how otters sleep"]
    roles = [m["role"] for m in model.asked[2]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert "hold hands while they sleep" in model.asked[2]["messages"][2]["content"]


async def test_web_fetch_reads_a_page_that_was_named(client, model, web):
    model.calls("web_fetch", url=page(web))
    model.says(f"{HANDS} [1]")

    done = await ask(client, f"What does {page(web)} say?", tools=[FETCH])

    _, result, text = done.content
    assert (result.type, result.content.type) == ("web_fetch_tool_result", "web_fetch_result")
    assert "hold hands" in result.content.content.source.data
    assert text.citations[0].url == page(web)
    assert done.usage.server_tool_use.web_fetch_requests == 1


async def test_web_fetch_reads_nothing_that_nobody_named(client, model, web):
    """An address that a page talked the model into may carry the conversation away."""
    model.calls("web_fetch", url=f"{page(web)}?d=DATA")
    model.says("No.")
    done = await ask(client, tools=[FETCH])
    assert done.content[1].content.error_code == "url_not_allowed"


async def test_uses_and_domains_are_bounds(client, model, web):
    tool = {**SEARCH, "max_uses": 1, "allowed_domains": ["example.com"]}
    model.calls("web_search", query="how otters sleep")
    model.calls("web_search", query="how otters eat")
    model.says("So.")

    done = await ask(client, tools=[tool])

    first, second = (b for b in done.content if b.type == "web_search_tool_result")
    assert first.content == []  # this web is not on example.com
    assert second.content.error_code == "max_uses_exceeded"
    assert web.queries == ["how otters sleep"]


async def test_the_client_s_own_tools_pass_through_beside_ours(client, model, web):
    model.calls_all([("web_search", {"query": "how otters sleep"}), ("open_file", {"path": "a"})])

    done = await ask(client, tools=[SEARCH, OWN])

    assert [b.type for b in done.content] == [
        "server_tool_use", "web_search_tool_result", "tool_use",
    ]  # fmt: skip
    assert (done.content[2].name, done.content[2].input) == ("open_file", {"path": "a"})
    assert done.stop_reason == "tool_use"

    model.says("Done.")
    history = {"role": "assistant", "content": [b.model_dump() for b in done.content]}
    result = {"type": "tool_result", "tool_use_id": done.content[2].id, "content": "text of a"}
    await ask(client, ASKED, history, {"role": "user", "content": [result]}, tools=[SEARCH, OWN])
    roles = [m["role"] for m in model.asked[1]["messages"]]
    assert roles == ["user", "assistant", "tool", "tool"]
    assert len(model.asked[1]["messages"][1]["tool_calls"]) == 2


async def test_a_call_has_an_id_of_its_own_in_the_conversation(client, model):
    """Some servers of models count from 0 in each reply; Claude Code drops a second `call_0`."""
    model.calls("open_file", path="a.txt")
    first = await ask(client, tools=[OWN])
    result = {"type": "tool_result", "tool_use_id": first.content[0].id, "content": "A."}
    said = [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]

    second = await ask(client, ASKED, *said, tools=[OWN])

    assert first.content[0].id == "call_0"
    assert second.content[0].id != "call_0"


async def test_a_model_reads_one_system_message_and_what_a_search_for_tools_found(client, model):
    """Claude Code sends reminders between the turns, and loads tools; templates refuse both."""
    model.says("Good.")
    use = {"type": "tool_use", "id": "call_1", "name": "ToolSearch", "input": {"query": "open"}}
    found = [{"type": "tool_reference", "tool_name": "open_file"}]
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": found}

    await ask(
        client, ASKED, {"role": "system", "content": "The folder is empty."},
        {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]},
        system="Be brief.", tools=[{**OWN, "defer_loading": True}],
    )  # fmt: skip

    system, user, _, tool = model.asked[0]["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert user["role"] == "user"
    assert user["content"].startswith(ASKED)
    assert "The folder is empty." in user["content"]
    assert tool["content"] == "The tool open_file can be called now."


async def test_other_server_tools_are_refused_by_name(client):
    tool: Any = {"type": "code_execution_20250825", "name": "code_execution"}
    with pytest.raises(anthropic.BadRequestError, match="code_execution_20250825"):
        await ask(client, tools=[tool])


async def test_claude_code_finds_somebody_here(gateway):
    """It asks so before its first message, without a key."""
    async with httpx.AsyncClient(base_url=gateway.url, timeout=60) as http:
        assert (await http.head("/api/hello")).status_code == 200


async def test_tokens_are_estimated(client):
    counted = await client.messages.count_tokens(
        model="claude-x", messages=[{"role": "user", "content": ASKED}]
    )
    assert 5 <= counted.input_tokens <= 60


async def test_a_failing_model_is_an_error_of_anthropic_s_shape(client, model):
    model.fails(429, "slow down")
    with pytest.raises(anthropic.RateLimitError) as failed:
        await ask(client)
    assert failed.value.body["error"]["type"] == "rate_limit_error"


async def test_without_a_gateway_the_assistant_answers(make_server, web):
    server = await make_server()
    async with AsyncAnthropic(api_key="x", base_url=server.url, max_retries=0) as client:
        done = await ask(client)
        models = await client.models.list()
    assert "hold hands" in "".join(b.text for b in done.content if b.type == "text")
    assert done.content[0].type == "server_tool_use"
    cited = [c for b in done.content if b.type == "text" for c in b.citations or ()]
    assert cited[0].url == page(web)
    assert [m.id for m in models.data] == ["kensaku"]
