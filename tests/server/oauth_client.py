"""The official MCP client with OAuth, and a person in a scripted browser."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx

VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]
REDIRECT = "https://chatgpt.example/connector/callback"


class Tokens:
    """Where the official client keeps what it was given."""

    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


class Browser:
    """A person with a key, at the consent page."""

    def __init__(self, key: str, decision: str = "allow") -> None:
        self.key, self.decision, self.page, self.location = key, decision, "", ""
        self.redirect = REDIRECT
        self.sent: dict[str, str] = {}

    async def visit(self, url: str) -> None:
        """Open the page and decide; `sent` is what the program is told."""
        async with httpx.AsyncClient(timeout=60) as http:
            shown = await http.get(url, follow_redirects=True)
            self.page = shown.text
            fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown.text))
            fields |= {"key": self.key, "decision": self.decision}
            action = re.search(r'method="post" action="([^"]+/consent)"', shown.text)
            assert action, shown.text
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
            done = await http.post(urljoin(url, action[1]), data=fields, headers={"Origin": origin})
        assert done.status_code == 303, done.text
        self.location = done.headers["location"]
        target = urlsplit(self.location)
        assert self.location.startswith(self.redirect)
        self.sent = {name: values[0] for name, values in parse_qs(target.query).items()}


async def call(url: str, browser: Browser, kept: Tokens, *tool: Any) -> Any:
    """Connect as ChatGPT would, without a key; return what the tool says."""
    from mcp import ClientSession
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared import auth as shared

    # mcp 1 is built on httpx and takes a pair; mcp 2 on httpx2, with a type of its own.
    library = import_module(OAuthClientProvider.__base__.__module__.partition(".")[0])
    result = getattr(shared, "AuthorizationCodeResult", None)

    async def callback() -> Any:
        sent = browser.sent
        return result(**sent) if result else (sent["code"], sent["state"])

    about = shared.OAuthClientMetadata.model_validate(
        {"redirect_uris": [REDIRECT], "client_name": "Chat <b>GPT</b>"}
    )
    auth = OAuthClientProvider(url, about, kept, browser.visit, callback)
    async with (
        library.AsyncClient(auth=auth, timeout=60) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        return await session.call_tool(*tool)
