"""*Use this*: the texts run as they are shown."""

from __future__ import annotations

import argparse
import ast
import asyncio
import html
import json
import re
import shlex
import shutil

import pytest

from kensaku.cli import search as search_command
from kensaku.models import Hit
from kensaku.server.auth import Principal
from kensaku.server.page import snippets
from kensaku.server.page.search.form import SearchForm
from kensaku.testing import faults
from tests.server.page.page_request import api_key, page_of
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


@pytest.mark.parametrize("view", VIEWS)
async def test_every_python_text_is_python(server, view):
    """On every view."""
    async with browsing(server.url) as page:
        found = snippets_in(await page.get(view))

    assert {"curl"} <= found.keys()
    programs = [code for code in found.values() if re.match(r"(from|import) ", code)]
    assert programs or view in ("/page/usage", "/page/keys", "/page/jobs")
    for code in programs:
        compile(code, view, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


async def test_a_search_is_written_with_its_filters_whatever_was_typed(server, upstream):
    """A quote in the query ends nothing."""
    upstream.fails("tavily", faults.status(503))
    from urllib.parse import urlencode

    fields = {
        "q": HOSTILE,
        "route": "all",
        "time": "week",
        "n": "10",
        "topic": "news",
        "site": "a.example",
        "depth": "1",
    }
    async with browsing(server.url) as page:
        found = snippets_in(await page.get(f"/?{urlencode(fields)}"))

    parser = argparse.ArgumentParser()
    search_command.add_arguments(parser)
    words = shlex.split(found["Shell"].replace("\\\n", " "))
    args = parser.parse_args(words[2:])
    assert HOSTILE in vars(args).values() or HOSTILE in str(vars(args)) or words[2] == HOSTILE
    assert (args.mode, args.time_range, args.max_results, args.topic) == ("all", "week", 10, "news")
    assert json.dumps(HOSTILE, ensure_ascii=False) in found["Python"]
    for code in found.values():
        if code.startswith(("from ", "import ")):
            compile(code, "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
async def test_the_curl_text_searches(server, upstream):
    """Pasted into a shell."""
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "otters")])
    async with browsing(server.url) as page:
        found = snippets_in(await page.get("/?q=otters"))
    shell = await asyncio.create_subprocess_shell(
        found["curl"] + " -s", stdout=asyncio.subprocess.PIPE
    )
    said, _ = await shell.communicate()

    assert json.loads(said)["results"][0]["url"] == "https://a.example/"


def shown(found: list[snippets.Snippet]) -> dict[str, str]:
    """The texts that are of no framework, by label."""
    return {s.label: s.code for s in found if not s.framework}


MCP = """{
  "mcpServers": {
    "kensaku": {
      "type": "http",
      "url": "http://a.example/root/mcp"
    }
  }
}"""


def test_a_search_is_shown_in_every_form():
    """With the filters that were chosen, each in the words of its form."""
    form = SearchForm(
        q="検索 it's", route="brave", time="week", language="ja", n="7", topic="news",
        site="a.example b.example", collection="notes", depth="1",
    )  # fmt: skip

    assert shown(snippets.for_search(page_of(), form)) == {
        "Python": """from kensaku.sync import Kensaku

with Kensaku() as k:
    r = k.search(
        "検索 it's",
        route="brave",
        max_results=7,
        time_range="week",
        language="ja",
        topic="news",
        collection="notes",
        include_domains=["a.example", "b.example"],
        depth="advanced",
    )
    print(r.outcome, r.answer)""",
        "curl": r"""curl http://a.example/root/search \
  -H 'Content-Type: application/json' \
  -d '{"query": "検索 it'"'"'s", "include_answer": true, "max_results": 7, "time_range": "week", """
        + """"topic": "news", "include_domains": ["a.example", "b.example"], """
        + """"search_depth": "advanced"}'""",
        "MCP": MCP,
        "Shell": r"""kensaku search '検索 it'"'"'s' \
  --route brave \
  -n 7 \
  --time-range week \
  --language ja \
  --topic news \
  --collection notes \
  --depth advanced \
  --include-domain a.example \
  --include-domain b.example""",
    }


def test_an_empty_form_is_shown_with_an_example():
    """The mode is an option of its own, and the usual is left out."""
    found = snippets.for_search(page_of(), SearchForm())
    everybody = shown(snippets.for_search(page_of(), SearchForm(q="otters", route="all")))

    assert shown(found)["Shell"] == "kensaku search 'python 3.14 release date'"
    assert shown(found)["curl"].endswith(
        """-d '{"query": "python 3.14 release date", "include_answer": true}'"""
    )
    assert everybody["Shell"] == "kensaku search otters \\\n  --mode all"
    assert 'k.search(\n        "otters",\n        mode="all",\n    )\n' in everybody["Python"]


def test_a_call_is_broken_when_it_is_longer_than_the_panel():
    """At 32 characters: `r = k.search("…")` takes 16, and the query the rest."""
    fits, longer = (
        shown(snippets.for_search(page_of(), SearchForm(q="q" * n)))["Python"] for n in (16, 17)
    )

    assert f'    r = k.search("{"q" * 16}")\n' in fits
    assert f'    r = k.search(\n        "{"q" * 17}",\n    )\n' in longer


def test_a_key_is_named_by_its_variable():
    """Where one is needed."""
    page = page_of(principal=Principal("bob", key=api_key()))

    assert snippets.curl(page, "/x") == (
        'curl http://a.example/root/x \\\n  -H "Authorization: Bearer $KENSAKU_API_KEY"'
    )
    found = {s.label: s.code for s in snippets.for_search(page, SearchForm(q="otters"))}
    server = json.loads(found["MCP"])["mcpServers"]["kensaku"]
    assert server["headers"] == {"Authorization": "Bearer $KENSAKU_API_KEY"}
    assert found["Tavily client"] == (
        "# export TAVILY_API_KEY=…  # a key of this server\n"
        "from tavily import TavilyClient\n\n"
        'client = TavilyClient(\n    api_base_url="http://a.example/root"\n)\n'
        'print(client.search("otters"))'
    )


def test_frameworks_are_shown_with_the_question():
    """A tab each; those with a text of their own, and the rest by the name that `tools_for` takes."""
    found = snippets.for_search(page_of(), SearchForm(q='an "otter"'))
    frameworks = {s.label: s.code for s in found if s.framework}

    assert frameworks["Strands"] == (
        "import kensaku\nfrom strands import Agent\n\n"
        'agent = Agent(tools=kensaku.tools_for("strands"))\nprint(agent("an \\"otter\\""))'
    )
    assert frameworks["DSPy"] == 'import kensaku\n\ntools = kensaku.tools_for("dspy")'
    assert "# any, for now\n" in frameworks["Tavily client"]
    assert len(frameworks) == 16


JSON = "-H 'Content-Type: application/json' \\\n  -d"


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (
            snippets.for_chat(page_of(), ""),
            {
                "Python": "from kensaku.sync import Kensaku\n\nwith Kensaku() as k:\n"
                '    a = k.ask(\n        "What is new in Python 3.14?",\n    )\n'
                "    print(a.text)\n    for c in a.citations:\n        print(c.n, c.url)",
                "Shell": "kensaku ask 'What is new in Python 3.14?'\nkensaku chat",
                "curl": f"curl http://a.example/root/api/chat \\\n  {JSON} "
                """'{"text": "What is new in Python 3.14?"}'\n\n"""
                "curl http://a.example/root/api/chat/ID\n\n"
                "curl http://a.example/root/api/chat/ID/events",
            },
        ),
        (
            snippets.for_collections(page_of(), "my notes"),
            {
                "Python": "from kensaku import Document\nfrom kensaku.sync import Kensaku\n\n"
                "with Kensaku() as k:\n"
                '    d = Document(\n        url="https://…",\n        title="…",\n'
                '        text="…",\n    )\n'
                '    k.index.add(\n        [d],\n        collection="my notes",\n    )\n'
                '    r = k.search(\n        "…",\n        route="local",\n'
                '        collection="my notes",\n    )',
                "Shell": "kensaku index add ./notes \\\n  --collection 'my notes'\n"
                "kensaku search '…' --route local \\\n  --collection 'my notes'",
                "curl": "curl http://a.example/root/api/collections/my%20notes/documents \\\n"
                f"""  {JSON} '{{"url": "https://example.com/"}}'""",
                "MCP": MCP,
            },
        ),
        (
            snippets.for_compare(page_of(), "", []),
            {
                "Python": "from kensaku import Kensaku\nfrom kensaku.compare import compare\n\n"
                "async with Kensaku() as k:\n    done = await compare(\n        k,\n"
                '        "python 3.14 release date",\n        ["tavily", "brave"],\n    )\n'
                "    for side in done.sides:\n        print(side.route, side.unique)",
                "curl": f"curl http://a.example/root/api/compare \\\n  {JSON} "
                """'{"q": "python 3.14 release date", "routes": ["tavily", "brave"]}'""",
            },
        ),
        (
            snippets.for_providers(page_of()),
            {
                "Shell": "export BRAVE_API_KEY=…\nkensaku providers\nkensaku doctor",
                "Python": "from kensaku.sync import Kensaku\n\nwith Kensaku() as k:\n"
                '    print(k.search("…", route=["brave", "local"]))',
                "curl": "curl http://a.example/root/api/providers",
            },
        ),
        (
            snippets.for_usage(page_of()),
            {
                "Shell": "kensaku usage --by provider",
                "curl": "curl 'http://a.example/root/api/usage?by=provider&days=30'",
            },
        ),
        (
            snippets.for_keys(page_of()),
            {
                "Shell": "kensaku keys create alice \\\n  --rate 10/s \\\n"
                "  --searches-per-day 1000",
                "curl": f"curl http://a.example/root/api/keys \\\n  {JSON} "
                """'{"name": "alice", "rate": "10/s", "searches_per_day": 1000}'""",
            },
        ),
        (
            snippets.for_jobs(page_of()),
            {
                "Shell": "kensaku jobs list\nkensaku jobs show ID\nkensaku jobs cancel ID",
                "curl": "curl http://a.example/root/api/jobs",
            },
        ),
    ],
    ids=["chat", "collections", "compare", "providers", "usage", "keys", "jobs"],
)
def test_each_view_shows_how_a_program_does_the_same(found, texts):
    """Whole, to be pasted."""
    assert shown(found) == texts


def test_what_is_chosen_stands_in_the_texts():
    """A conversation, and the routes that are compared."""
    talk = shown(snippets.for_chat(page_of(), "t1"))["curl"]
    compared = shown(snippets.for_compare(page_of(), "otters", ["exa"]))["curl"]

    assert "/api/chat/t1\n" in talk
    assert talk.endswith("/api/chat/t1/events")
    assert compared.endswith("""-d '{"q": "otters", "routes": ["exa"]}'""")
