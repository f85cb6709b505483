"""Open WebUI: its real server, with this one in every slot that takes an address."""

from __future__ import annotations

import atexit
import json
from contextlib import ExitStack
from functools import cache
from typing import Any

from tests.programs.program import FACT, QUERY, Place, Program, post, started

PROGRAM = Program(
    "open-webui",
    title="Open WebUI",
    package="open-webui",
    gateway=True,
    first=("torch==2.13.0",),  # pip takes the build for CPUs, where it is told of one
    without=("torch",),
    way="Web Search: SearXNG `http://any:KEY@…/searxng/search`, External `…/openwebui/search`, "
    "Tavily (`TAVILY_API_BASE_URL=…`), Firecrawl `…/firecrawl`, Jina `…/jina/s/`, Perplexity "
    "Search `…/perplexity/search`; loaders External `…/openwebui/load`, Firecrawl, Tavily; "
    "documents External `…/openwebui`; reranking External `…/jina/v1/rerank`; connection `…/v1`; "
    "tool servers `…/tools` (OpenAPI) and `…/mcp` (MCP)",
)


def settings(place: Place) -> dict[str, str]:
    """What its documentation lists as environment; the rest is set in its admin settings."""
    return {
        "DATA_DIR": str(place.home / "data"),
        "WEBUI_SECRET_KEY": "secret-of-this-test",
        "OFFLINE_MODE": "true",
        "HF_HUB_OFFLINE": "1",
        "ENABLE_OLLAMA_API": "false",
        "OPENAI_API_BASE_URLS": place.url + "/v1",
        "OPENAI_API_KEYS": place.key,
        "RAG_EMBEDDING_ENGINE": "openai",
        "RAG_OPENAI_API_BASE_URL": place.model_url + "/v1",
        "RAG_OPENAI_API_KEY": "none",
        "ENABLE_RAG_LOCAL_WEB_FETCH": "true",  # the pages of this test are on loopback
        "TAVILY_API_BASE_URL": place.url,
        "ENABLE_WEB_SEARCH": "true",
    }


class WebUI:
    """Its server, and its first user, who is its admin."""

    def __init__(self, place: Place, url: str) -> None:
        self.place, self.url, self.token = place, url, "none"
        person = {"email": "a@example.com", "password": "a long password", "name": "A"}
        self.token = self.ask("/api/v1/auths/signup", person)["token"]

    def ask(self, path: str, body: Any) -> Any:
        return post(self.url + path, body, self.token)

    def set(self, **values: Any) -> None:
        """Change its settings for documents and, under `web`, for the web."""
        self.ask("/api/v1/retrieval/config/update", values)

    def search(self, engine: str, **values: Any) -> dict[str, Any]:
        """Search with an engine; with `WEB_LOADER_ENGINE`, and read the pages with that one."""
        load = "WEB_LOADER_ENGINE" in values
        bypass = {"BYPASS_WEB_SEARCH_EMBEDDING_AND_RETRIEVAL": True}
        bypass["BYPASS_WEB_SEARCH_WEB_LOADER"] = not load
        self.set(web={"WEB_SEARCH_ENGINE": engine, **bypass, **values})
        return dict(self.ask("/api/v1/retrieval/process/web/search", {"queries": [QUERY]}))

    def chat(self, model: str, **more: Any) -> dict[str, Any]:
        asked = {"role": "user", "content": "When was Python 3.14 released?"}
        body = {"model": model, "messages": [asked], "params": {"function_calling": "legacy"}}
        return dict(self.ask("/api/chat/completions", {**body, **more}))


_running = ExitStack()
atexit.register(_running.close)


@cache
def webui(place: Place) -> WebUI:
    """Start it for the first check; it runs until the last is done."""
    (place.home / "data").mkdir(exist_ok=True)
    port = place.free_port()
    url = f"http://127.0.0.1:{port}"
    command = [place.command("open-webui"), "serve", "--host", "127.0.0.1", "--port", str(port)]
    _running.enter_context(started(command, url + "/health", settings(place), patience=600))
    return WebUI(place, url)


def engines(place: Place) -> dict[str, dict[str, str]]:
    """The engines that take an address → their settings."""
    url, key = place.url, place.key
    return {
        "searxng": {"SEARXNG_QUERY_URL": f"http://any:{key}@{place.host}/searxng/search"},
        "external": {
            "EXTERNAL_WEB_SEARCH_URL": f"{url}/openwebui/search",
            "EXTERNAL_WEB_SEARCH_API_KEY": key,
        },
        "tavily": {"TAVILY_API_KEY": key},
        "firecrawl": {"FIRECRAWL_API_BASE_URL": f"{url}/firecrawl", "FIRECRAWL_API_KEY": key},
        "jina": {"JINA_API_BASE_URL": f"{url}/jina/s/", "JINA_API_KEY": key},
        "perplexity_search": {
            "PERPLEXITY_SEARCH_API_URL": f"{url}/perplexity/search",
            "PERPLEXITY_API_KEY": key,
        },
    }


def search(place: Place, engine: str) -> None:
    found = webui(place).search(engine, **engines(place)[engine])
    assert FACT in found["docs"][0]["content"], found


for name in ("searxng", "external", "tavily", "firecrawl", "jina", "perplexity_search"):
    PROGRAM.check(f"search ({name})")(lambda place, name=name: search(place, name))


def load(place: Place, loader: str) -> None:
    own = {
        "EXTERNAL_WEB_LOADER_URL": f"{place.url}/openwebui/load",
        "EXTERNAL_WEB_LOADER_API_KEY": place.key,
        "TAVILY_API_KEY": place.key,
        **engines(place)["firecrawl"],
        **engines(place)["external"],
    }
    found = webui(place).search("external", WEB_LOADER_ENGINE=loader, **own)
    assert len(found["docs"]) == 2
    assert any(
        FACT in doc["content"] and "release manager" in doc["content"] for doc in found["docs"]
    )


for name in ("external", "firecrawl", "tavily"):
    PROGRAM.check(f"pages ({name})")(lambda place, name=name: load(place, name))


@PROGRAM.check("documents and reranking")
def documents(place: Place) -> None:
    """A file is read by our loader, embedded, and found again by a search that we rerank."""
    import requests

    it = webui(place)
    it.set(
        CONTENT_EXTRACTION_ENGINE="external",
        EXTERNAL_DOCUMENT_LOADER_URL=f"{place.url}/openwebui",
        EXTERNAL_DOCUMENT_LOADER_API_KEY=place.key,
        ENABLE_RAG_HYBRID_SEARCH=True,
        RAG_RERANKING_ENGINE="external",
        RAG_RERANKING_MODEL="kensaku",
        RAG_EXTERNAL_RERANKER_URL=f"{place.url}/jina/v1/rerank",
        RAG_EXTERNAL_RERANKER_API_KEY=place.key,
    )
    page = f"<html><body><main><h1>Python</h1><p>{FACT}.</p></main></body></html>"
    reply = requests.post(
        f"{it.url}/api/v1/files/?process_in_background=false",
        headers={"Authorization": f"Bearer {it.token}"},
        files={"file": ("python.html", page, "text/html")}, timeout=120,
    )  # fmt: skip
    file = reply.json()
    read = requests.get(
        f"{it.url}/api/v1/files/{file['id']}/data/content",
        headers={"Authorization": f"Bearer {it.token}"}, timeout=120,
    )  # fmt: skip
    assert FACT in read.json()["content"], read.text
    asked = {"collection_names": [f"file-{file['id']}"], "query": "When was Python released?"}
    found = it.ask("/api/v1/retrieval/query/collection", asked)
    assert FACT in str(found["documents"]), found


@PROGRAM.check("chat with the assistant")
def chat(place: Place) -> None:
    place.model.script({"says": f"{FACT} [1]."})
    said = webui(place).chat("kensaku")
    assert "2025-10-07" in said["choices"][0]["message"]["content"], said


@PROGRAM.check("titles and tags and follow-ups")
def tasks(place: Place) -> None:
    """It asks the conversation's model for them; that is no question to search for."""
    talk = [
        {"role": "user", "content": "When was Python 3.14 released?"},
        {"role": "assistant", "content": f"{FACT}."},
    ]
    body = {"model": "kensaku", "messages": talk, "chat_id": "none"}

    def asked(task: str) -> Any:
        said = webui(place).ask(f"/api/v1/tasks/{task}/completions", body)
        return json.loads(said["choices"][0]["message"]["content"])

    assert asked("title") == {"title": "When was Python 3.14 released?"}
    assert asked("tags") == {"tags": []}
    assert asked("follow_up") == {"follow_ups": []}


@PROGRAM.check("chat with web search")
def chat_with_search(place: Place) -> None:
    it = webui(place)
    it.search("searxng", **engines(place)["searxng"])
    place.model.script({"when": "<context>", "says": f"{FACT} [1]."})
    said = it.chat("scripted", features={"web_search": True})
    assert FACT in said["choices"][0]["message"]["content"], said
    assert FACT in place.model.read


def chat_with_tools(place: Place, tool: str, name: str) -> None:
    own = {"auth_type": "bearer", "key": place.key, "config": {"enable": True}}
    servers: list[dict[str, Any]] = [
        {"url": place.url + "/tools", "path": "openapi.json", "type": "openapi"},
        {"url": place.url + "/mcp", "path": "", "type": "mcp"},
    ]
    for server in servers:
        server |= own | {"info": {"id": server["type"], "name": "Kensaku", "description": ""}}
        webui(place).ask("/api/v1/configs/tool_servers/verify", server)
    webui(place).ask("/api/v1/configs/tool_servers", {"TOOL_SERVER_CONNECTIONS": servers})
    call = {"tool_calls": [{"name": name, "parameters": {"query": QUERY}}]}
    place.model.script({"when": "Available Tools", "says": json.dumps(call)})
    said = webui(place).chat("scripted", tool_ids=[tool])
    assert FACT in json.dumps(said["sources"]), said
    assert FACT in json.dumps(place.model.asked[-1])


@PROGRAM.check("chat with the tool server")
def tool_server(place: Place) -> None:
    chat_with_tools(place, "server:openapi", "web_search")


@PROGRAM.check("chat with MCP tools")
def mcp(place: Place) -> None:
    chat_with_tools(place, "server:mcp:mcp", "mcp_web_search")
