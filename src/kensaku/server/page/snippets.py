"""*Use this*: what a view does, as curl, Python, a command, MCP, and in each agent framework.

Written here, once. A key is never filled in: the texts name a variable.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from kensaku.server.page.request import PageRequest
    from kensaku.server.page.search.form import SearchForm

KEY = "$KENSAKU_API_KEY"
WIDTH = 32  # characters of a line inside `with`


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy."""

    label: str
    code: str
    framework: bool = False


def for_search(page: PageRequest, form: SearchForm) -> list[Snippet]:
    """A search, with the filters of the form."""
    q = form.q or "python 3.14 release date"
    options = _options(form)
    call = _call("r = k.search", [_text(q), *(f"{n}={_value(v)}" for n, v in options.items())])
    body = {"query": q, **_tavily_fields(form)}
    flags = "".join(f" \\\n  {flag} {shlex.quote(v)}" for flag, v in _flags(form))
    return [
        Snippet("Python", _python(call, "print(r.outcome, r.answer)")),
        Snippet("curl", curl(page, "/search", body)),
        Snippet("MCP", _mcp(page)),
        Snippet("Shell", f"kensaku search {shlex.quote(q)}{flags}"),
        Snippet("Tavily client", _tavily(page, q), framework=True),
        *_frameworks(q),
    ]


def for_chat(page: PageRequest, thread: str) -> list[Snippet]:
    """A question to the assistant; and for programs, the conversation as events."""
    q, path = "What is new in Python 3.14?", f"/api/chat/{thread or 'ID'}"
    ask = _call("a = k.ask", [_text(q)])
    begin = curl(page, "/api/chat", {"text": q})
    return [
        Snippet(
            "Python", _python(ask, "print(a.text)", "for c in a.citations:\n    print(c.n, c.url)")
        ),
        Snippet("Shell", f"kensaku ask {shlex.quote(q)}\nkensaku chat"),
        Snippet("curl", f"{begin}\n\n{curl(page, path)}\n\n{curl(page, path + '/events')}"),
    ]


def for_collections(page: PageRequest, collection: str = "docs") -> list[Snippet]:
    """Adding documents, and asking inside a collection."""
    name, quoted = _text(collection), shlex.quote(collection)
    document = 'd = Document(\n    url="https://…",\n    title="…",\n    text="…",\n)'
    add = _call("k.index.add", ["[d]", f"collection={name}"])
    ask = _call("r = k.search", ['"…"', 'route="local"', f"collection={name}"])
    path = f"/api/collections/{quote(collection)}/documents"
    shell = f"kensaku index add ./notes \\\n  --collection {quoted}\n"
    asked = f"kensaku search '…' --route local \\\n  --collection {quoted}"
    return [
        Snippet("Python", "from kensaku import Document\n" + _python(document, add, ask)),
        Snippet("Shell", shell + asked),
        Snippet("curl", curl(page, path, {"url": "https://example.com/"})),
        Snippet("MCP", _mcp(page)),
    ]


def for_compare(page: PageRequest, query: str, routes: list[str]) -> list[Snippet]:
    """One query on several routes."""
    q, names = query or "python 3.14 release date", routes or ["tavily", "brave"]
    code = (
        "from kensaku import Kensaku\nfrom kensaku.compare import compare\n\n"
        "async with Kensaku() as k:\n    done = await compare(\n        k,\n"
        f"        {_text(q)},\n        {_value(names)},\n    )\n"
        "    for side in done.sides:\n        print(side.route, side.unique)"
    )
    body = {"q": q, "routes": names}
    return [Snippet("Python", code), Snippet("curl", curl(page, "/api/compare", body))]


def for_providers(page: PageRequest) -> list[Snippet]:
    """Configuring and looking at providers."""
    return [
        Snippet("Shell", "export BRAVE_API_KEY=…\nkensaku providers\nkensaku doctor"),
        Snippet("Python", _python('print(k.search("…", route=["brave", "local"]))')),
        Snippet("curl", curl(page, "/api/providers")),
    ]


def for_usage(page: PageRequest) -> list[Snippet]:
    """Usage for programs."""
    return [
        Snippet("Shell", "kensaku usage --by provider"),
        Snippet("curl", curl(page, "/api/usage?by=provider&days=30")),
    ]


def for_keys(page: PageRequest) -> list[Snippet]:
    """Making keys."""
    body = {"name": "alice", "rate": "10/s", "searches_per_day": 1000}
    return [
        Snippet(
            "Shell", "kensaku keys create alice \\\n  --rate 10/s \\\n  --searches-per-day 1000"
        ),
        Snippet("curl", curl(page, "/api/keys", body)),
    ]


def for_jobs(page: PageRequest) -> list[Snippet]:
    """Watching jobs."""
    return [
        Snippet("Shell", "kensaku jobs list\nkensaku jobs show ID\nkensaku jobs cancel ID"),
        Snippet("curl", curl(page, "/api/jobs")),
    ]


def curl(page: PageRequest, path: str, body: Mapping[str, Any] | None = None) -> str:
    """A request as a shell command: a POST when it has a body."""
    parts = [f"curl {shlex.quote(page.base_url + path)}"]
    if page.needs_key:
        parts.append(f'-H "Authorization: Bearer {KEY}"')
    if body is not None:
        parts.append("-H 'Content-Type: application/json'")
        parts.append("-d " + shlex.quote(json.dumps(body, ensure_ascii=False)))
    return " \\\n  ".join(parts)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # the same in Python: text, numbers, lists


def _call(name: str, arguments: list[str]) -> str:
    """A call, with each argument on a line of its own when they are long: the panel is narrow."""
    whole = f"{name}({', '.join(arguments)})"
    if len(whole) <= WIDTH:
        return whole
    return f"{name}(\n" + "".join(f"    {a},\n" for a in arguments) + ")"


def _python(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in "\n".join(lines).split("\n"))
    return f"from kensaku.sync import Kensaku\n\nwith Kensaku() as k:\n{body}"


def _options(form: SearchForm) -> dict[str, Any]:
    options: dict[str, Any] = {}
    route, mode = form.routing
    if route:
        options["route"] = route
    if mode:
        options["mode"] = mode
    if form.number is not None:
        options["max_results"] = form.number
    named = {"time_range": form.time, "language": form.language, "topic": form.topic}
    named["collection"] = form.collection
    options |= {name: value for name, value in named.items() if value}
    if form.hosts:
        options["include_domains"] = list(form.hosts)
    if form.depth:
        options["depth"] = "advanced"
    return options


def _tavily_fields(form: SearchForm) -> dict[str, Any]:
    fields: dict[str, Any] = {"include_answer": True}
    known = _options(form)
    renamed = {"depth": "search_depth"}
    for name in ("max_results", "time_range", "topic", "include_domains", "depth"):
        if name in known:
            fields[renamed.get(name, name)] = known[name]
    return fields


def _flags(form: SearchForm) -> list[tuple[str, str]]:
    known = _options(form)
    flags = [("--route", str(known["route"]))] if "route" in known else []
    names = {"mode": "--mode", "max_results": "-n", "time_range": "--time-range",
             "language": "--language", "topic": "--topic", "collection": "--collection",
             "depth": "--depth"}  # fmt: skip
    flags += [(flag, str(known[name])) for name, flag in names.items() if name in known]
    flags += [("--include-domain", site) for site in known.get("include_domains", [])]
    return flags


def _mcp(page: PageRequest) -> str:
    server: dict[str, Any] = {"type": "http", "url": f"{page.base_url}/mcp"}
    if page.needs_key:
        server["headers"] = {"Authorization": f"Bearer {KEY}"}
    return json.dumps({"mcpServers": {"kensaku": server}}, indent=2)


def _tavily(page: PageRequest, q: str) -> str:
    key = "  # a key of this server" if page.needs_key else "  # any, for now"
    return (
        f"# export TAVILY_API_KEY=…{key}\n"
        "from tavily import TavilyClient\n\n"
        f'client = TavilyClient(\n    api_base_url="{page.base_url}"\n)\n'
        f"print(client.search({_text(q)}))"
    )


def _frameworks(q: str) -> list[Snippet]:
    asked = _text(q)
    found = [
        Snippet(label, "import kensaku\n" + code.replace("QUESTION", asked), framework=True)
        for label, code in FRAMEWORKS.items()
    ]
    others = [
        Snippet(label, f'import kensaku\n\ntools = kensaku.tools_for("{name}")', framework=True)
        for label, name in OTHER_FRAMEWORKS.items()
    ]
    return [*found, *others]


FRAMEWORKS = {
    "Pydantic AI": """from pydantic_ai import Agent

agent = Agent("openai:gpt-5-mini", tools=kensaku.tools_for("pydantic-ai"))
print(agent.run_sync(QUESTION).output)""",
    "LangChain": """from langchain.agents import create_agent

tools = kensaku.tools_for("langchain")
agent = create_agent("openai:gpt-5-mini", tools=tools)
print(agent.invoke({"messages": [("user", QUESTION)]}))""",
    "Strands": """from strands import Agent

agent = Agent(tools=kensaku.tools_for("strands"))
print(agent(QUESTION))""",
    "OpenAI Agents": """from agents import Agent, Runner

tools = kensaku.tools_for("openai-agents")
agent = Agent("searcher", tools=tools)
print(Runner.run_sync(agent, QUESTION).final_output)""",
}
OTHER_FRAMEWORKS = {
    "Google ADK": "google-adk",
    "LlamaIndex": "llama-index",
    "Microsoft Agent Framework": "agent-framework",
    "smolagents": "smolagents",
    "Haystack": "haystack",
    "Agno": "agno",
    "AutoGen": "autogen",
    "Semantic Kernel": "semantic-kernel",
    "DSPy": "dspy",
    "CrewAI": "crewai",
    "A plain function": "function",
}
