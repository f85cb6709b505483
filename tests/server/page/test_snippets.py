"""*Use this*: the texts run as they are shown."""

from __future__ import annotations

import ast
import asyncio
import html
import json
import re
import shlex
import shutil
from urllib.parse import urlencode

import aiohttp
import pytest

from kensaku.cli._main import make_parser
from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.server.page_client import browsing

HOSTILE = 'it\'s "quoted" $(reboot) `x` \\ 検索'
VIEWS = [
    "/",
    "/chat",
    "/page/collections",
    "/page/compare",
    "/page/providers",
    "/page/usage",
    "/page/keys",
    "/page/jobs",
]


def snippets_in(page: str) -> dict[str, str]:
    """The texts of the panel, by label."""
    found = re.findall(r'data-label="([^"]+)".*?<code>(.*?)</code>', page, re.S)
    return {label: html.unescape(code) for label, code in found}


def commands(text: str) -> list[list[str]]:
    """The words of each command of a shell's text."""
    return [shlex.split(line) for line in text.replace("\\\n", " ").splitlines() if line]


def after(words: list[str], option: str) -> str | None:
    """The value of an option of curl."""
    return words[words.index(option) + 1] if option in words else None


async def test_every_text_can_be_run(page):
    """Python is Python, a command has these options, and an address is one that is served."""
    for view in VIEWS:
        found = snippets_in(await page.get(view))

        programs = [code for code in found.values() if re.match(r"(from|import) ", code)]
        assert programs or view in ("/page/usage", "/page/keys", "/page/jobs")
        for code in programs:
            compile(code, view, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for program, command, *words in commands(found.get("Shell", "")):
            assert program == "kensaku" or (program, command[:6]) == ("export", "BRAVE_")
            if program == "kensaku":
                make_parser(command).parse_args(words)
        for _, url, *words in commands(found["curl"]):
            assert await is_served(url, after(words, "-d"))


async def is_served(url: str, body: str | None) -> bool:
    """Whether there is such an endpoint, for a program that has no key."""
    method, head = ("POST" if body else "GET"), {"Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession() as http,
        http.request(method, url, data=body, headers=head) as reply,
    ):
        lost = "GET /docs lists" in await reply.text()
        return reply.status < 500 and reply.status != 405 and not lost


async def test_a_search_is_written_with_its_filters_whatever_was_typed(page, upstream):
    """A quote in the query ends nothing."""
    upstream.fails("tavily", faults.status(503))
    fields = {
        "q": HOSTILE,
        "route": "all",
        "time": "week",
        "n": "10",
        "topic": "news",
        "site": "a.example, b.example",
        "depth": "1",
    }
    found = snippets_in(await page.get(f"/?{urlencode(fields)}"))

    ((_, _, *words),) = commands(found["Shell"])
    args = make_parser("search").parse_args(words)
    assert HOSTILE in str(vars(args).values()) or HOSTILE in [*vars(args).values(), words[0]]
    assert (args.mode, args.time_range, args.max_results, args.topic) == ("all", "week", 10, "news")
    ((_, _, *words),) = commands(found["curl"])
    assert json.loads(after(words, "-d") or "") == {
        "query": HOSTILE, "include_answer": True, "max_results": 10, "time_range": "week",
        "topic": "news", "include_domains": ["a.example", "b.example"], "search_depth": "advanced",
    }  # fmt: skip
    for text in (json.dumps(HOSTILE, ensure_ascii=False), 'mode="all"', 'depth="advanced"'):
        assert text in found["Python"]


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
async def test_the_curl_text_searches(page, upstream):
    """Pasted into a shell."""
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "otters")])
    found = snippets_in(await page.get("/?q=otters"))
    shell = await asyncio.create_subprocess_shell(
        found["curl"] + " -s", stdout=asyncio.subprocess.PIPE
    )
    said, _ = await shell.communicate()

    assert json.loads(said)["results"][0]["url"] == "https://a.example/"


async def test_a_key_is_named_by_its_variable(server, make_key):
    """Where one is needed; it is never written out."""
    secret = await make_key(server)
    async with browsing(server.url) as page:
        shown = await page.get("/?q=otters", Authorization=f"Bearer {secret}")

    found = snippets_in(shown)
    mcp = json.loads(found["MCP"])["mcpServers"]["kensaku"]
    ((_, url, *words),) = commands(found["curl"])
    assert (url, mcp["url"]) == (f"{server.url}/search", f"{server.url}/mcp")
    assert after(words, "-H") == "Authorization: Bearer $KENSAKU_API_KEY"
    assert mcp["headers"] == {"Authorization": "Bearer $KENSAKU_API_KEY"}
    assert "# export TAVILY_API_KEY=…  # a key of this server\n" in found["Tavily client"]
    assert secret not in shown


async def test_what_is_chosen_stands_in_the_texts(page, server):
    """The question, a collection, and the routes that are compared."""
    await server.client.index.add([Document("file:///a", "A", "otters")], "notes")
    chosen = {
        "/?q=an+%22otter%22": {"Strands": 'agent("an \\"otter\\"")', "DSPy": 'tools_for("dspy")'},
        "/page/collections?name=notes": {"Shell": "--collection notes",
                                            "curl": "/notes/documents"},
        "/page/compare?q=otters&route=tavily&route=exa": {"curl": '"routes": ["tavily", "exa"]'},
    }  # fmt: skip

    for path, texts in chosen.items():
        found = snippets_in(await page.get(path))
        for label, words in texts.items():
            assert words in found[label]
