"""LiteLLM: its search API, the assistant as a model, the gateway, and its proxy in front of us."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.programs.program import FACT, QUERY, Place, Program, post, started

PROGRAM = Program(
    "litellm",
    title="LiteLLM",
    package="litellm",
    gateway=True,
    way='`search(search_provider="perplexity", api_base="…/litellm")`, and so for seven services; '
    '`completion("openai/kensaku", api_base="…/v1")`; in the proxy as `search_tools`, as a model, '
    "and as an MCP server",
)
# search_provider → where it is pointed
PROVIDERS = {
    "perplexity": "/litellm",
    "tavily": "",
    "exa_ai": "/exa",
    "brave": "/res/v1/web/search",
    "firecrawl": "/firecrawl/v2",
    "serper": "/serper",
    "searxng": "/searxng",
}


MASTER = "sk-of-the-proxy"  # without one, it does not start


def search(place: Place, provider: str) -> None:
    import litellm

    found = litellm.search(
        QUERY, provider, api_key=place.key, api_base=place.url + PROVIDERS[provider], max_results=5
    )
    assert len(found.results) == 2
    assert FACT in found.results[0].snippet, found.results[0]


for name in PROVIDERS:
    PROGRAM.check(f"search ({name})")(lambda place, name=name: search(place, name))


def asked(**more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "When was Python 3.14 released?"}], **more}


@PROGRAM.check("the assistant")
def assistant(place: Place) -> None:
    import litellm

    place.model.script({"says": f"{FACT} [1]."})
    base = {"model": "openai/kensaku", "api_base": f"{place.url}/v1", "api_key": place.key}
    whole = litellm.completion(**base, **asked())
    assert "2025-10-07" in whole.choices[0].message.content
    pieces = litellm.completion(**base, **asked(stream=True))
    assert "2025-10-07" in "".join(p.choices[0].delta.content or "" for p in pieces)


@PROGRAM.check("web_search_options")
def native(place: Place) -> None:
    import litellm

    found = litellm.completion(
        model="openai/scripted", api_base=f"{place.url}/v1", api_key=place.key,
        web_search_options={"search_context_size": "low"}, **asked(),
    )  # fmt: skip
    assert FACT in found.choices[0].message.content
    assert FACT in place.model.read


@PROGRAM.check("responses with web_search")
def responses(place: Place) -> None:
    import litellm

    found = litellm.responses(
        model="openai/scripted", api_base=f"{place.url}/v1", api_key=place.key,
        input="When was Python 3.14 released?", tools=[{"type": "web_search"}],
    )  # fmt: skip
    kinds = [item.type for item in found.output]
    assert "web_search_call" in kinds, kinds
    assert FACT in found.output_text


@contextmanager
def proxy(place: Place) -> Iterator[str]:
    """LiteLLM's own server, which asks ours for searches, for a model and for tools."""
    tool = {
        "search_provider": "perplexity",
        "api_key": place.key,
        "api_base": place.url + "/litellm",
    }
    own = {"model": "openai/kensaku", "api_base": f"{place.url}/v1", "api_key": place.key}
    local = {"model": "openai/scripted", "api_base": f"{place.model_url}/v1", "api_key": "none"}
    config = {
        "model_list": [
            {"model_name": "kensaku", "litellm_params": own},
            {"model_name": "local", "litellm_params": local},
        ],
        "search_tools": [{"search_tool_name": "web", "litellm_params": tool}],
        "mcp_servers": {
            "kensaku": {
                "url": f"{place.url}/mcp", "transport": "http",
                "auth_type": "bearer_token", "auth_value": place.key,
            }
        },
        "litellm_settings": {
            "callbacks": ["websearch_interception"],
            "websearch_interception_params": {
                "enabled_providers": ["openai"], "search_tool_name": "web",
            },
        },
    }  # fmt: skip
    file = place.home / "config.yaml"
    file.write_text(json.dumps(config))  # which is YAML
    port = place.free_port()
    command = [place.command("litellm"), "--config", str(file), "--host", "127.0.0.1"]
    command += ["--port", str(port)]
    env = {"LITELLM_MASTER_KEY": MASTER}
    with started(command, f"http://127.0.0.1:{port}/health/liveliness", env):
        yield f"http://127.0.0.1:{port}"


@PROGRAM.check("the proxy")
def through_the_proxy(place: Place) -> None:
    with proxy(place) as url:
        found = post(f"{url}/v1/search/web", {"query": QUERY}, MASTER)
        assert FACT in found["results"][0]["snippet"]
        place.model.script({"says": f"{FACT} [1]."})
        said = post(f"{url}/v1/chat/completions", {"model": "kensaku", **asked()}, MASTER)
        assert "2025-10-07" in said["choices"][0]["message"]["content"]


@PROGRAM.check("interception of web_search in the proxy")
def interception(place: Place) -> None:
    """Claude Code's tool, on a model that has none: the proxy searches here."""
    native = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    with proxy(place) as url:
        body = {"model": "local", "max_tokens": 500, "tools": [native], **asked()}
        said = post(f"{url}/v1/messages", body, MASTER)
    assert FACT in json.dumps(said), said


@PROGRAM.check("MCP through the proxy")
def mcp(place: Place) -> None:
    tool = {"type": "mcp", "server_label": "litellm", "server_url": "litellm_proxy/mcp/kensaku"}
    with proxy(place) as url:
        body = {"model": "local", "input": "When was Python 3.14 released?", "stream": False}
        body["tools"] = [{**tool, "require_approval": "never"}]
        said = post(f"{url}/v1/responses", body, MASTER)
    assert FACT in json.dumps(said), said
