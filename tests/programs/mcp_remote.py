"""mcp-remote: the MCP server for clients that can only start a command; by a key, and by OAuth."""

from __future__ import annotations

import html
import os
import re
import shlex
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from tests.programs.node import call, mcp_client
from tests.programs.program import FACT, QUERY, Place, Program, Refusal

SIGN_IN = "with this the protocol says where to sign in"
PROGRAM = Program(
    "mcp-remote",
    title="mcp-remote",
    package="mcp-remote",
    way='`mcp-remote …/mcp`, which signs in by OAuth; or with `--header "Authorization: Bearer KEY"`',
    by="npm",
    scripts=True,  # Node.js itself comes by one
    settings={"KENSAKU_PUBLIC_URL": "{url}"},
    refusals=[
        Refusal("GET", "/mcp", 401, SIGN_IN),
        Refusal("POST", "/mcp", 401, SIGN_IN),
        Refusal("GET", "/mcp", 400, "a stream before there is a session; the SDKs refuse it, too"),
    ],
)


async def searched(place: Place, *words: str, **env: str) -> None:
    async with mcp_client(place, "mcp-remote", f"{place.url}/mcp", *words, env=env) as client:
        said = await call(client, "web_search", query=QUERY)
    assert FACT in said
    assert f"{place.site}/pep-0745" in said


@PROGRAM.check("OAuth")
async def signed_in(place: Place) -> None:
    """It opens a browser, in which a person signs in with a key; what it is given, it keeps."""
    browser = place.home / "xdg-open"
    words = shlex.join([sys.executable, "-m", "tests.programs.mcp_remote"])
    browser.write_text(f'#!/bin/sh\nKEY={place.key} exec {words} "$@"\n')
    browser.chmod(0o755)
    path = f"{browser.parent}{os.pathsep}{place.environment}/node_modules/.bin"
    env = {"BROWSER": str(browser), "PATH": path + os.pathsep + os.environ["PATH"]}
    await searched(place, **env)
    browser.unlink()
    await searched(place)


@PROGRAM.check("a key in a header")
async def with_key(place: Place) -> None:
    await searched(place, "--header", "Authorization: Bearer ${AUTH_TOKEN}", AUTH_TOKEN=place.key)


def sign_in(url: str, key: str) -> None:
    """Do what a person does in the browser: paste the key, allow it, and be sent back."""
    with urlopen(url, timeout=60) as reply:
        page = reply.read().decode()
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    data = urlencode(fields | {"key": key, "decision": "allow"}).encode()
    urlopen(Request(f"{origin}/oauth/consent", data, {"Origin": origin}), timeout=60).close()


if __name__ == "__main__":
    print(Path(__file__).name, sys.argv[1].partition("?")[0], file=sys.stderr)
    sign_in(sys.argv[1], os.environ["KEY"])
