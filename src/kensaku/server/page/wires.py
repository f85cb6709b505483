"""The page as two wires: its API in JSON and events, its views and forms in HTML.

A change needs the token of the page, whoever sends it; `PageRequest.identify` sees to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from markupsafe import escape
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from kensaku.errors import FetchError, KensakuError
from kensaku.server.auth import ANYONE, KEY_HEADERS, OWNER, Forbidden, OwnersOnly, Unauthorized
from kensaku.server.http import Whole, encode, status_of
from kensaku.server.page import viewer
from kensaku.server.page.chat.forms import CHAT_FORMS
from kensaku.server.page.consent import ENDPOINTS as CONSENT
from kensaku.server.page.render import FOLDERS, HEADERS, render
from kensaku.server.page.request import FORM, PageRequest
from kensaku.server.page.tabs import ADMIN_TABS, OPEN_TABS, TABS, event, load_tab
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.server.request import Request

YEAR = 365 * 86400
MAX_FORM = 10_000
STATIC_TYPES = (".css", ".js", ".svg")
OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Kensaku</ShortName><InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="{url}/?q={{searchTerms}}"/>
</OpenSearchDescription>"""


class PageApi(Wire):
    """What the scripts of the page call; programs may, too, with a key."""

    name, label = "", "Page"
    prefixes = ("",)
    keys = KEY_HEADERS
    # A form of another site can send text/plain and forms, and no JSON without being asked first.
    body_type = "application/json"
    headers = (("cache-control", "no-store"),)
    request = PageRequest

    def endpoints(self) -> Sequence[Endpoint]:
        return [endpoint for name in TABS for endpoint in load_tab(name).endpoints]

    @property
    def territory(self) -> tuple[str, ...]:
        return ("/api",)

    def error(self, status: int, message: str) -> Any:
        return {"error": KensakuError(message).to_dict()}

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        status, headers = status_of(error)
        is_upload = request is not None and request.endpoint.takes_bytes
        if isinstance(error, FetchError) and not is_upload:
            status = 502  # whatever another server said is not ours to say
        said = error.to_dict()
        if isinstance(request, PageRequest):
            said |= {name: request.t(said[name]) for name in ("message", "remedy")}
        return Whole(encode({"error": said}), status, [*headers, *self.headers])

    def last_frame(self, error: KensakuError, begun: bool) -> Any:
        return event("failed", {"error": error.to_dict()})


class Pages(Wire):
    """Views, forms that work without scripts, signing in and out."""

    name, label = "page", "Page"
    prefixes = ("",)
    keys = KEY_HEADERS
    body_type = FORM
    request = PageRequest

    def endpoints(self) -> Sequence[Endpoint]:
        options: dict[str, Any] = {"is_open": True, "is_admitted": False, "max_body": MAX_FORM}
        return [
            *(_view(name, path) for name, path in TABS.items()),
            _view("chat", f"{TABS['chat']}/{{thread}}"),
            *CHAT_FORMS,
            *CONSENT,
            Endpoint("GET", "/page/open", do=_open, **options),
            Endpoint("POST", "/page/sign-in", do=_sign_in, **options),
            Endpoint("POST", "/page/sign-out", do=_sign_out, **options),
            Endpoint("GET", "/page/opensearch.xml", do=_opensearch, **options),
        ]

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        """Say in the frame of the page what is wrong, as far as the reader is known."""
        page, status = cast("PageRequest | None", request), status_of(error)[0]
        if page is not None and isinstance(error, Unauthorized | OwnersOnly):
            return _ask_who(page, back=_here(page))
        if page is None or not page.identified:
            return HTMLResponse(_bare(error), status, HEADERS)
        view = page.endpoint.name.removeprefix("page/")
        if isinstance(error, Forbidden):
            return _page(page, "no_permission.html", 403, view=view)
        return _page(page, "error.html", status, view=view, error=error)


PAGE_WIRES = (PageApi, Pages)


class _Static(StaticFiles):
    """Scripts, styles and pictures of the page and its tabs.

    A browser asks for them again, so that an update is seen at once.
    """

    def lookup_path(self, path: str) -> Any:
        if not path.endswith(STATIC_TYPES):  # the folders of tabs hold other files, too
            return "", None
        return super().lookup_path(path)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def static_files() -> Mount:
    """The route of the static files."""
    files = _Static(directory=FOLDERS[0])
    files.all_directories = list(FOLDERS)
    return Mount("/page/static", files)


def _view(name: str, path: str) -> Endpoint:
    """Showing a tab. Only one that searches takes a slot, and counts."""
    tab = load_tab(name)

    async def show(page: PageRequest, asked: Asked) -> Response:
        return _page(page, f"{name}.html", view=name, **await tab.show(page, asked))

    return Endpoint(
        "GET",
        path,
        do=show,
        sees=("sec-fetch-site",),
        cost=tab.searches,
        is_admitted=lambda asked: tab.searches(asked) > 0,
        is_admins=name in ADMIN_TABS,
        is_owners=name not in OPEN_TABS,
        name=f"page/{name}",
    )


def _page(page: PageRequest, template: str, status: int = 200, **values: Any) -> Response:
    response = HTMLResponse(render(page, template, **values), status, HEADERS)
    if page.viewer.is_new:
        viewer.remember(response, page, page.viewer.session)
    for name, value in (("kensaku_language", page.params.get("language_of_page")),
                        ("kensaku_theme", page.params.get("theme"))):  # fmt: skip
        if value and len(value) < 10 and value.isalpha():
            response.set_cookie(name, value, YEAR, path=page.root or "/", samesite="lax")
    return response


async def _sign_in(page: PageRequest, asked: Asked) -> Response:
    """Take a key, and give a session for it."""
    new = await viewer.sign_in(page.state, asked.body.get("key", ""))
    back = asked.body.get("back", "")
    if new is None:
        return _ask_who(page, back=back, wrong=True)
    return _signed_in(page, new, back)


async def _open(page: PageRequest, asked: Asked) -> Response:
    """Take the token of the link that `kensaku serve` prints, and give a session for it."""
    new = await viewer.sign_in(page.state, asked.params.get("token", ""))
    return _ask_who(page, wrong=True) if new is None else _signed_in(page, new)


def _ask_who(page: PageRequest, *, back: str = "", wrong: bool = False) -> Response:
    """A form for a key; for the token, while there are no keys."""
    by_token = page.viewer.principal in (ANYONE, OWNER)
    return _page(page, "sign_in.html", 401, view="", wrong=wrong, back=back, by_token=by_token)


def _signed_in(page: PageRequest, new: str, back: str = "") -> Response:
    response = RedirectResponse(page.root + _own_path(back), 303, HEADERS)
    viewer.remember(response, page, new)
    return response


async def _sign_out(page: PageRequest, asked: Asked) -> Response:
    await viewer.sign_out(page.state, page.viewer.session)
    response = RedirectResponse(f"{page.root}/", 303, HEADERS)
    response.delete_cookie(viewer.COOKIE, path=page.root or "/", samesite="strict", httponly=True)
    return response


async def _opensearch(page: PageRequest, asked: Asked) -> Response:
    body = OPENSEARCH.format(url=escape(page.base_url))
    return Response(body, media_type="application/opensearchdescription+xml")


def _here(page: PageRequest) -> str:
    query = page.scope.get("query_string", b"").decode("latin-1")
    return page.path + (f"?{query}" if query else "")


def _own_path(back: str) -> str:
    """A path of this server; anything else is the start."""
    ours = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    return back if ours and len(back) < 2_000 and "\\" not in back else "/"


def _bare(error: KensakuError) -> str:
    """A page for when nothing is known of the reader: no words, no session."""
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Kensaku</title>"
        f"<h1>Kensaku</h1><p>{escape(error.message)}.</p><p>{escape(error.remedy)}</p>"
    )
