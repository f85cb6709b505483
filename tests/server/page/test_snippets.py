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
