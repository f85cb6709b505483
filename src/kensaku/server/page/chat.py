"""The view Chat: conversations with the assistant; one of them with its turns.

The page works without scripts: each button is a form, and a page that waits is loaded again.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from kensaku.messages import msg
from kensaku.server import chat
from kensaku.server.http import encode
from kensaku.server.page import snippets
from kensaku.server.page.chat_export import to_json, to_markdown
from kensaku.server.page.language import age_of
from kensaku.server.page.search import Choice, collection_names, ready_providers
from kensaku.server.page.turns import Turn, ask_view, show_live, turns_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kensaku.server.chat import Talk, Thread
    from kensaku.server.page.request import PageRequest

MAX_TEXT = 4_000
EXAMPLES = (msg("What is new in Python 3.14?"), msg("How do heat pumps work in winter?"))


async def show(page: PageRequest) -> dict[str, Any]:
    """The values of `chat.html`."""
    id = page.scope.get("path_params", {}).get("thread")
    thread = chat.Thread.of(page.principal, id) if id else None
    turns, talk = [], None
    if thread is not None:
        talk = await chat.load(page.state, thread)
        turns = live_turns(page, thread, talk)
    return {
        "thread": id or "",
        "talk": talk,
        "turns": turns,
        "running": any(turn.running for turn in turns),
        "waits": any(turn.asks for turn in turns),
        "listed": [
            (key, c, age_of(c.updated.isoformat(), page.t))
            for key, c in await chat.listed(page.state, page.principal)
        ],
        "examples": [page.t(example) for example in EXAMPLES],
        "text": page.params.get("q", "")[:MAX_TEXT],
        "max_text": MAX_TEXT,
        "update": secrets.token_urlsafe(12),
        "use": snippets.for_chat(page, id or ""),
        **await _choices(page, thread),
    }


def live_turns(page: PageRequest, thread: Thread, talk: Talk) -> list[Turn]:
    """The turns of a conversation, with what is known of those that are under way."""
    turns, assistant = turns_of(talk, page.t), page.state.assistant
    current = assistant.current(thread.sender)
    for turn in turns:
        if turn.running and (exchange := assistant.find(turn.id, thread.sender.tenant)):
            show_live(turn, exchange, first=exchange is current)
        elif turn.running:  # in another process, of which only the questions are known
            turn.asks = [ask_view(question) for question in talk.asks.get(turn.id, ())]
    return turns


async def act(page: PageRequest, form: Mapping[str, str]) -> str:
    """Do what a form without scripts asks for; return the path to go on with."""
    id = page.scope.get("path_params", {}).get("thread", "")
    thread = chat.Thread.of(page.principal, id) if id else chat.Thread.new(page.principal)
    what = form.get("do", "ask")
    if what == "reply":
        await chat.reply(page.state, thread, form)
    elif what == "cancel":
        await chat.cancel(page.state, thread)
    elif what == "delete":
        await chat.delete(page.state, thread)
        return "/chat"
    else:
        async with page.state.request(
            page.scope, "page/chat", page.headers, {}, page.principal
        ) as session:
            await session.check_limits(1)
            await chat.ask(page.state, thread, form)
            session.outcome = "found"
    return f"/chat/{thread.id}"


async def export(page: PageRequest, kind: str) -> tuple[bytes, str, str]:
    """A conversation as a file: its content, its type and its name. Raises `NoConversation`."""
    thread = chat.Thread.of(page.principal, page.scope["path_params"]["thread"])
    talk = await chat.load(page.state, thread)
    name = f"kensaku-{talk.conversation.created:%Y-%m-%d}-{thread.id}.{kind}"
    if kind == "md":
        return to_markdown(talk, page.t).encode(), "text/markdown; charset=utf-8", name
    if kind == "json":
        return encode(to_json(talk, thread.id)), "application/json", name
    raise chat.NoConversation


async def _choices(page: PageRequest, thread: Thread | None) -> dict[str, Any]:
    """What a person chose, and what there is to choose from."""
    sender = (thread or chat.Thread.new(page.principal)).sender
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
    return {"filters": filters, "ask_first": chosen.get("approvals") == chat.ASK_FIRST}
