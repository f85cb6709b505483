"""A model by pydantic-ai behind the gateway: the same turn as by a URL."""

from __future__ import annotations

from typing import Any

import pytest
from openai import AsyncOpenAI

from tests.server.conftest import READS

HANDS = "Sea otters hold hands while they sleep."
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


async def test_a_vendor_s_model_searches_and_calls_the_client_s_functions(
    model, make_server, web, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-vendor")
    monkeypatch.setenv("OPENAI_BASE_URL", model.url)
    server = await make_server(**READS, model="openai-chat:gpt-4o", gateway=True)
    own: Any = {
        "type": "function",
        "function": {"name": "open_file", "parameters": {"type": "object"}},
    }
    said: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Open a.txt, and tell me how sea otters sleep."},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "open_file", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "text of a"},
    ]  # fmt: skip
    model.calls("web_search", query="how otters sleep")
    model.says(f"{HANDS} [1]")
    model.calls("open_file", path="b.txt")

    async with AsyncOpenAI(api_key="x", base_url=f"{server.url}/v1", max_retries=0) as client:
        done, again = [
            await client.chat.completions.create(
                model="m", messages=said, tools=[own], web_search_options={}, temperature=0.5
            )
            for _ in range(2)
        ]

    assert done.choices[0].message.annotations[0].url_citation.url.endswith("/p/sleep")
    assert again.choices[0].message.tool_calls[0].function.name == "open_file"
    assert [m["role"] for m in model.asked[0]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert [t["function"]["name"] for t in model.asked[0]["tools"]] == ["open_file", "web_search"]
    assert model.asked[0]["temperature"] == 0.5
