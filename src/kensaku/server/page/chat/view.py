"""Chat: conversations with the assistant; one of them with its turns.

The page works without scripts: each button is a form, and a page that waits is loaded again.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from kensaku.assistant.channels import web
from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.chat.api import ENDPOINTS as ENDPOINTS
from kensaku.server.page.chat.turns import live_turns
from kensaku.server.page.language import age_of
from kensaku.server.page.search.view import Choice, collection_names, ready_providers

if TYPE_CHECKING:
    from kensaku.assistant.channels.web import Thread
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

MAX_TEXT = 4_000
EXAMPLES = (msg("What is new in Python 3.14?"), msg("How do heat pumps work in winter?"))


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `chat.html`."""
    id = asked.path.get("thread")
    thread = web.Thread.of(page.principal, id) if id else None
    turns, talk = [], None
    if thread is not None:
        talk = await web.load(page.state, thread)
        turns = live_turns(page.state.assistant, thread, talk, page.t)
    return {
        "thread": id or "",
        "talk": talk,
        "turns": turns,
        "running": any(turn.running for turn in turns),
        "waits": any(turn.asks for turn in turns),
        "listed": [
            (key, c, age_of(c.updated.isoformat(), page.t))
            for key, c in await web.listed(page.state, page.principal)
        ],
        "examples": [page.t(example) for example in EXAMPLES],
        "text": page.params.get("q", "")[:MAX_TEXT],
        "max_text": MAX_TEXT,
        "update": secrets.token_urlsafe(12),
        "use": snippets.for_chat(page, id or ""),
        **await _choices(page, thread),
    }


async def _choices(page: PageRequest, thread: Thread | None) -> dict[str, Any]:
    """What a person chose, and what there is to choose from."""
    sender = (thread or web.Thread.new(page.principal)).sender
    chosen = await page.state.assistant.options(sender)
    t, ready = page.t, ready_providers(page.client)
    others = [(n, n) for n in ready if n != "local"]
    filters = [
        Choice("route", t("Route"), chosen.get("route") or "", [
            ("", t("Auto route")), ("local", t("My collections only")), *others,
        ]),
    ]  # fmt: skip
    if names := await collection_names(page.client):
        options = [("", t("All collections")), *((n, n) for n in names)]
        filters.append(
            Choice("collection", t("Collection"), chosen.get("collection") or "", options)
        )
    return {"filters": filters, "ask_first": chosen.get("approvals") == web.ASK_FIRST}
