"""The forms of Chat, which work without scripts, and a conversation as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from kensaku.assistant.channels import web
from kensaku.server.http import encode
from kensaku.server.page.chat.export import to_json, to_markdown
from kensaku.server.page.render import HEADERS
from kensaku.server.wires.base import Asked, Endpoint

if TYPE_CHECKING:
    from kensaku.server.page.request import PageRequest

MAX_FORM = 50_000  # a question of the longest kind in Japanese, percent-encoded


async def submit_form(page: PageRequest, asked: Asked) -> Response:
    """Do what a form asks for, and show the conversation."""
    id, form = asked.path.get("thread", ""), asked.body
    thread = web.Thread.of(page.principal, id) if id else web.Thread.new(page.principal)
    match form.get("do", "ask"):
        case "reply":
            await web.reply(page.state, thread, form)
        case "cancel":
            await web.cancel(page.state, thread)
        case "delete":
            await web.delete(page.state, thread)
            return RedirectResponse(f"{page.root}/chat", 303, HEADERS)
        case _:
            await web.ask(page.state, thread, form)
    return RedirectResponse(f"{page.root}/chat/{thread.id}", 303, HEADERS)


def _cost(asked: Asked) -> int:
    return int(asked.body.get("do", "ask") not in ("reply", "cancel", "delete"))


async def export(page: PageRequest, asked: Asked) -> Response:
    """Send a conversation as a file. Raises `NoConversation`."""
    thread, kind = web.Thread.of(page.principal, asked.path["thread"]), asked.path["kind"]
    talk = await web.load(page.state, thread)
    if kind == "md":
        body, media_type = to_markdown(talk, page.t).encode(), "text/markdown; charset=utf-8"
    elif kind == "json":
        body, media_type = encode(to_json(talk, thread.id)), "application/json"
    else:
        raise web.NoConversation
    name = f"kensaku-{talk.conversation.created:%Y-%m-%d}-{thread.id}.{kind}"
    headers = HEADERS | {"content-disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=media_type, headers=headers)


_CHAT: dict[str, Any] = {"name": "page/chat", "is_owners": True}
CHAT_FORMS = [
    *(
        Endpoint("POST", path, do=submit_form, cost=_cost, max_body=MAX_FORM, **_CHAT)
        for path in ("/chat", "/chat/{thread}")
    ),
    Endpoint("GET", "/chat/{thread}/export.{kind}", do=export, is_admitted=False, **_CHAT),
]
