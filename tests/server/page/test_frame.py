"""The frame of every page: its cookies, its address, its templates, and the names to choose from."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from starlette.responses import Response as HttpResponse

from kensaku import __version__
from kensaku.errors import IndexFault
from kensaku.models import Attempt, Hit, Outcome, Query, Response
from kensaku.server.auth import Principal
from kensaku.server.page import routes, search
from kensaku.server.page.form import SearchForm
from kensaku.server.page.render import environment, render
from kensaku.server.page.request import PageRequest
from kensaku.server.page.viewer import Viewer
from kensaku.server.page.words import LANGUAGES, Words
from tests.server.page.page_request import api_key, page_of

VIEWS = ["search", "chat", "collections", "compare", "providers", "usage", "jobs"]


# --- cookies and addresses


@pytest.mark.parametrize(
    ("scheme", "root", "path"), [("http", "/root/", "/root"), ("https", "", "/")]
)
def test_a_session_is_kept_for_a_month_below_the_root(scheme: str, root: str, path: str) -> None:
    """No script reads it; over HTTPS it never goes anywhere else."""
    page, response = page_of(), HttpResponse()
    page.scope.update(scheme=scheme, root_path=root)
    routes._remember(response, page, "abc")

    secure = "; Secure" if scheme == "https" else ""
    assert response.headers["set-cookie"] == (
        f"kensaku_session=abc; HttpOnly; Max-Age=2592000; Path={path}; SameSite=strict{secure}"
    )


@pytest.mark.parametrize(("query", "here"), [(b"", "/x"), (b"by=key&a=%20", "/x?by=key&a=%20")])
def test_where_the_reader_is(query: bytes, here: str) -> None:
    """Below the root, with the query: the way back after signing in."""
    page = page_of()
    page.scope["query_string"] = query
    assert routes._here(page) == here
    del page.scope["query_string"]
    assert routes._here(page) == "/x"


def plain(page: PageRequest, session: Viewer, **params: str) -> PageRequest:
    """The same request of another session."""
    return PageRequest(page.state, page.scope, page.headers, params, session, page.words, "dark")


@pytest.mark.parametrize(("is_new", "count"), [(True, 1), (False, 0)])
def test_a_new_session_is_told_to_the_browser_once(
    is_new: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the status and the values that were given."""
    rendered: list[Any] = []
    monkeypatch.setattr(
        routes, "render", lambda *given, **values: rendered.append((*given, values)) or "text"
    )
    page = plain(page_of(), Viewer("s1", None, is_new), theme="dark")
    response = routes._page(page, "error.html", 404, view="x")

    assert (response.status_code, response.body) == (404, b"text")
    assert rendered == [(page, "error.html", {"view": "x"})]
    cookies = response.headers.getlist("set-cookie")
    assert [c.startswith("kensaku_session=s1;") for c in cookies] == [True] * count + [False]
    assert cookies[-1] == "kensaku_theme=dark; Max-Age=31536000; Path=/root; SameSite=lax"


# --- templates


def test_templates_escape_and_miss_nothing() -> None:
    """A value that nobody gave is an error, and no blank line is left where a block stood."""
    made = environment()
    assert environment() is made
    with pytest.raises(jinja2.UndefinedError):
        made.from_string("{{ nobody }}").render()
    text = "a\n  {% if true %}\n{{ x }}\n  {% endif %}\nb"
    assert made.from_string(text).render(x="<b>") == "a\n&lt;b&gt;\nb"


@pytest.mark.parametrize(
    ("principal", "views"),
    [
        (None, VIEWS),
        (Principal("bob", key=api_key()), VIEWS),
        (Principal("root", admin=True, key=api_key("root")), [*VIEWS, "keys"]),
    ],
    ids=["nobody", "bob", "root"],
)
def test_every_template_gets_who_asks_and_where(
    principal: Principal | None, views: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The views of an admin are in the menu of an admin alone."""
    got: dict[str, Any] = {}

    class Template:
        def render(self, **values: Any) -> str:
            got.update(values)
            return "text"

    names: list[str] = []
    fake = SimpleNamespace(get_template=lambda name: names.append(name) or Template())
    monkeypatch.setattr("kensaku.server.page.render.environment", lambda: fake)
    viewer = Viewer("s1", principal)
    page = plain(page_of(language="ja"), viewer)

    assert render(page, "x.html", own=1) == "text"
    path_of = got.pop("path_of")
    assert [path_of(view) for view in ("search", "chat", "usage")] == [
        "/root/", "/root/chat", "/root/page/usage",
    ]  # fmt: skip
    assert names == ["x.html"]
    assert got == {
        "t": page.words, "root": "/root", "language": "ja", "languages": LANGUAGES,
        "theme": "dark", "token": viewer.token, "principal": principal, "views": views,
        "version": __version__, "own": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "cookie", "theme", "language"),
    [
        ("", "", "", "en"),
        ("theme=dark", "kensaku_theme=light", "dark", "en"),
        ("", "kensaku_theme=light; kensaku_language=ja", "light", "ja"),
        ("theme=pink", "kensaku_theme=light", "", "en"),
        ("language_of_page=ja", "", "", "ja"),
    ],
)
async def test_a_request_is_read_once(
    query: str, cookie: str, theme: str, language: str, make_server: Any
) -> None:
    """The address counts over the cookie; a theme that is none is the browser's."""
    server = await make_server("tavily")
    scope = {
        "type": "http", "path": "/x", "query_string": query.encode(), "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"localhost"), (b"cookie", cookie.encode())],
    }  # fmt: skip
    page = await PageRequest.read(server.state, scope)

    assert (page.theme, page.words.language) == (theme, language)
    assert (page.root, page.path, page.base_url) == ("", "/x", "http://localhost")
    assert page.client is server.client
    assert page.needs_key is False


# --- what can be chosen


class Client:
    """A client whose index answers when it is told to."""

    def __init__(self, *names: str) -> None:
        self.names, self.open, self.fails = names, asyncio.Event(), False
        self.index = self

    async def collections(self) -> set[str]:
        await self.open.wait()
        if self.fails:
            raise IndexFault("broken")
        return set(self.names)


async def turns() -> None:
    """Let everybody go on."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_first_look_for_collections_is_waited_for(clock: Any) -> None:
    """For two seconds; later ones for a moment, in which the last names will do."""
    clock.stop()
    client: Any = Client("b", "a")
    looking = asyncio.ensure_future(search.collection_names(client))
    await turns()
    clock.advance(1.9)
    await turns()
    assert not looking.done()
    clock.advance(0.2)
    assert await looking == []

    client.open.set()
    assert await search.collection_names(client) == ["a", "b"]
    client.names = ("c",)
    client.open.clear()
    later = asyncio.ensure_future(search.collection_names(client))
    await turns()
    assert not later.done()
    clock.advance(0.06)
    assert await later == ["a", "b"]
    client.open.set()
    await turns()
    assert search._names[client] == ["c"]


async def test_an_index_that_cannot_be_read_offers_no_collections() -> None:
    """The search itself says what is wrong."""
    client: Any = Client("a")
    client.fails = True
    client.open.set()

    assert await search.collection_names(client) == []


@pytest.mark.parametrize(("route", "mode", "began"), [("", "first", 30.0), ("all", "all", 0.0)])
async def test_a_search_of_the_form_is_shown_and_counted(
    route: str, mode: str, began: float
) -> None:
    """With the filters of the form, in its mode or that of the settings."""
    asked: list[Any] = []
    attempts = (
        Attempt("tavily", Outcome.EMPTY, elapsed_ms=30),
        Attempt("exa", Outcome.FOUND, elapsed_ms=70, hits=1),
    )
    made = Response(
        Query("otters"), Outcome.FOUND, (Hit("https://a.example/", "A"),), attempts=attempts,
        elapsed_ms=100.0, cached=True,
    )  # fmt: skip

    async def find(query: Query, **options: Any) -> Response:
        asked.append((query, options))
        return made

    client = SimpleNamespace(settings=SimpleNamespace(max_results=7, mode="first"), search=find)
    session: Any = SimpleNamespace(client=client, outcome="failed", cached=False)
    form = SearchForm(q="otters", route=route)
    shown = await search.results(page_of(), session, form)

    assert asked == [(form.query(7), {"route": None, "mode": mode if route else None})]
    assert (session.outcome, session.cached) == ("found", True)
    assert shown["form"] is form
    assert shown["response"] is made
    assert [(a.name, a.x, a.width) for a in shown["attempts"]] == [
        ("tavily", 0.0, 30.0), ("exa", began, 70.0),
    ]  # fmt: skip


def test_a_language_has_its_words() -> None:
    """And a page without one of ours is in English."""
    assert [Words(code)("list.comma") for code in LANGUAGES] == [", ", "、"]
    assert LANGUAGES == {"en": "English", "ja": "日本語"}
