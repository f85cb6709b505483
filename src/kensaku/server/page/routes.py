"""The pages and their addresses: views, signing in and out, static files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from kensaku.errors import KensakuError
from kensaku.server.api.routes import routes as api_routes
from kensaku.server.auth import Unauthorized
from kensaku.server.endpoint import status_of
from kensaku.server.http import decode_body, read_body
from kensaku.server.page import (
    chat,
    collections,
    compare,
    jobs,
    keys,
    providers,
    search,
    usage,
    viewer,
)
from kensaku.server.page.render import ADDRESSES, ADMIN_VIEWS, HEADERS, HERE, render
from kensaku.server.page.request import PageRequest

if TYPE_CHECKING:
    from kensaku.server.state import State

Show = Callable[[PageRequest], Awaitable[dict[str, Any]]]
YEAR = 365 * 86400
MAX_FORM = 10_000
MAX_CHAT_FORM = 50_000  # a question of the longest kind in Japanese, percent-encoded
VIEWS: dict[str, Show] = {
    "search": search.show,
    "chat": chat.show,
    "collections": collections.show,
    "compare": compare.show,
    "providers": providers.show,
    "usage": usage.show,
    "jobs": jobs.show,
    "keys": keys.show,
}
OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Kensaku</ShortName><InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="{url}/?q={{searchTerms}}"/>
</OpenSearchDescription>"""


def routes(state: State) -> list[BaseRoute]:
    """The routes of the page and of its API."""

    def view(name: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await _show(state, request, name)

        return endpoint

    async def enter(request: Request) -> Response:
        return await _sign_in(state, request)

    async def talk(request: Request) -> Response:
        return await _talk(state, request)

    async def export(request: Request) -> Response:
        return await _export(state, request)

    async def leave(request: Request) -> Response:
        return await _sign_out(state, request)

    async def opensearch(request: Request) -> Response:
        page = await PageRequest.read(state, request.scope)
        from markupsafe import escape

        body = OPENSEARCH.format(url=escape(page.base_url))
        return Response(body, media_type="application/opensearchdescription+xml")

    return [
        *(Route(ADDRESSES.get(name, f"/page/{name}"), view(name)) for name in VIEWS),
        Route("/chat", talk, methods=["POST"]),
        Route("/chat/{thread}", view("chat")),
        Route("/chat/{thread}", talk, methods=["POST"]),
        Route("/chat/{thread}/export.{kind}", export),
        Route("/page/sign-in", enter, methods=["POST"]),
        Route("/page/sign-out", leave, methods=["POST"]),
        Route("/page/opensearch.xml", opensearch),
        Mount("/page/static", _Static(directory=HERE / "static")),
        *api_routes(state),
    ]


class _Static(StaticFiles):
    """Static files that a browser asks for again, so that an update is seen at once."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


async def _show(state: State, request: Request, view: str) -> Response:
    """Show a view, or why it cannot be shown."""
    try:
        page = await PageRequest.read(state, request.scope)
    except KensakuError as error:
        return HTMLResponse(_bare(error), status_of(error)[0], HEADERS)
    if page.viewer.principal is None:
        return _page(page, "sign_in.html", 401, view="", wrong=False, back=_here(page))
    if view in ADMIN_VIEWS and not page.principal.admin:
        return _page(page, "no_permission.html", 403, view=view)
    try:
        values = await VIEWS[view](page)
    except KensakuError as error:
        return _page(page, "error.html", status_of(error)[0], view=view, error=error)
    return _page(page, f"{view}.html", view=view, **values)


def _page(page: PageRequest, template: str, status: int = 200, **values: Any) -> Response:
    response = HTMLResponse(render(page, template, **values), status, HEADERS)
    if page.viewer.is_new:
        _remember(response, page, page.viewer.session)
    for name, value in (("kensaku_language", page.params.get("language_of_page")),
                        ("kensaku_theme", page.params.get("theme"))):  # fmt: skip
        if value and len(value) < 10 and value.isalpha():
            response.set_cookie(name, value, YEAR, path=page.root or "/", samesite="lax")
    return response


async def _sign_in(state: State, request: Request) -> Response:
    """Take a key, and give a session for it."""
    try:
        page, form = await _form(state, request)
        new = await viewer.sign_in(state, form.get("key", ""))
    except KensakuError as error:
        return HTMLResponse(_bare(error), status_of(error)[0], HEADERS)
    back = form.get("back", "")
    if new is None:
        return _page(page, "sign_in.html", 401, view="", wrong=True, back=back)
    response = RedirectResponse(page.root + _own_path(back), 303, HEADERS)
    _remember(response, page, new)
    return response


async def _sign_out(state: State, request: Request) -> Response:
    try:
        page, _ = await _form(state, request)
        await viewer.sign_out(state, page.viewer.session)
    except KensakuError as error:
        return HTMLResponse(_bare(error), status_of(error)[0], HEADERS)
    response = RedirectResponse(f"{page.root}/", 303, HEADERS)
    response.delete_cookie(viewer.COOKIE, path=page.root or "/", samesite="strict", httponly=True)
    return response


async def _talk(state: State, request: Request) -> Response:
    """Take a form of the Chat view, and show the conversation."""
    try:
        page, form = await _form(state, request, MAX_CHAT_FORM)
    except KensakuError as error:
        return HTMLResponse(_bare(error), status_of(error)[0], HEADERS)
    if page.viewer.principal is None:
        return _page(page, "sign_in.html", 401, view="", wrong=False, back="/chat")
    try:
        return RedirectResponse(page.root + await chat.act(page, form), 303, HEADERS)
    except KensakuError as error:
        return _page(page, "error.html", status_of(error)[0], view="chat", error=error)


async def _export(state: State, request: Request) -> Response:
    """A conversation as a file."""
    try:
        page = await PageRequest.read(state, request.scope)
        if page.viewer.principal is None:
            raise Unauthorized("sign in first, or send a key as Authorization: Bearer")
        body, media_type, name = await chat.export(page, request.path_params["kind"])
    except KensakuError as error:
        return HTMLResponse(_bare(error), status_of(error)[0], HEADERS)
    headers = HEADERS | {"content-disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=media_type, headers=headers)


async def _form(
    state: State, request: Request, most: int = MAX_FORM
) -> tuple[PageRequest, dict[str, str]]:
    """A form of the page, with its token. Raises `Forbidden`."""
    page = await PageRequest.read(state, request.scope)
    kind = "application/x-www-form-urlencoded"
    form = dict(decode_body(await read_body(request.receive, most), kind))
    viewer.check_change(page.viewer, request.scope, page.headers, form.get("token", ""))
    return page, form


def _remember(response: Response, page: PageRequest, value: str) -> None:
    secure = page.scope.get("scheme") == "https"
    response.set_cookie(
        viewer.COOKIE, value, viewer.SECONDS, path=page.root or "/",
        httponly=True, samesite="strict", secure=secure,
    )  # fmt: skip


def _here(page: PageRequest) -> str:
    query = page.scope.get("query_string", b"").decode("latin-1")
    return page.path + (f"?{query}" if query else "")


def _own_path(back: str) -> str:
    """A path of this server; anything else is the start."""
    ours = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    return back if ours and len(back) < 2_000 and "\\" not in back else "/"


def _bare(error: KensakuError) -> str:
    """A page for when nothing is known of the reader: no words, no session."""
    from markupsafe import escape

    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Kensaku</title>"
        f"<h1>Kensaku</h1><p>{escape(error.message)}.</p><p>{escape(error.remedy)}</p>"
    )
