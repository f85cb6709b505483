"""What each address of the page is answered with: template, status, values, cookies, redirects."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from kensaku.errors import KensakuError
from kensaku.server.auth import Principal
from kensaku.server.page import routes
from kensaku.server.page.render import HEADERS
from kensaku.server.page.request import PageRequest
from kensaku.server.page.viewer import Forbidden, Viewer
from tests.server.page.page_request import api_key, page_of

BOB, ROOT = Principal("bob", key=api_key()), Principal("root", admin=True, key=api_key("root"))


class Missing(KensakuError):
    """Something is not there."""

    status = 404


class World:
    """A request by somebody, and what is rendered for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page: Any = page_of(query="by=key", principal=BOB)
        self.rendered: list[Any] = []
        self.calls: list[Any] = []
        self.form = b""
        self.act: Any = "/chat/t1"
        self.signs: Any = "new-session"
        self.shows: Any = {"rows": []}
        monkeypatch.setattr(PageRequest, "read", self._read)
        monkeypatch.setattr(routes, "render", self._render)
        monkeypatch.setattr(routes.viewer, "check_change", self._check)
        monkeypatch.setattr(routes.viewer, "sign_in", self._sign_in)
        monkeypatch.setattr(routes.viewer, "sign_out", self._sign_out)
        monkeypatch.setattr(routes.chat, "act", self._act)
        monkeypatch.setattr(routes.chat, "export", self._export)
        for name in ("usage", "keys"):
            monkeypatch.setitem(routes.VIEWS, name, self._show)

    def by(self, principal: Principal | None) -> None:
        """Let somebody else ask."""
        p = self.page
        self.page = PageRequest(
            p.state, p.scope, p.headers, p.params, Viewer("session", principal), p.words, ""
        )

    async def _read(self, state: Any, scope: Any) -> Any:
        assert (state, scope["type"]) == ("the state", "http")
        if isinstance(self.page, Exception):
            raise self.page
        return self.page

    def _render(self, page: Any, template: str, **values: Any) -> str:
        assert page is self.page
        self.rendered.append((template, values))
        return "text"

    def _check(self, viewer: Any, scope: Any, headers: Any, token: str) -> None:
        self.calls.append(("check", viewer, token))
        if token != "good":
            raise Forbidden("not from the page", remedy="reload")

    async def _sign_in(self, state: Any, key: str) -> str | None:
        self.calls.append(("sign in", state, key))
        return self.signs

    async def _sign_out(self, state: Any, session: str) -> None:
        self.calls.append(("sign out", state, session))

    async def _act(self, page: Any, form: Any) -> str:
        self.calls.append(("act", form))
        if isinstance(self.act, Exception):
            raise self.act
        return str(self.act)

    async def _export(self, page: Any, kind: str) -> tuple[bytes, str, str]:
        if isinstance(self.act, Exception):
            raise self.act
        return b"body", f"text/{kind}", f"talk.{kind}"

    async def _show(self, page: Any) -> Any:
        if isinstance(self.shows, Exception):
            raise self.shows
        return self.shows

    def request(self, **scope: Any) -> Request:
        """A request with the form as its body."""

        async def receive() -> Any:
            return {"type": "http.request", "body": self.form, "more_body": False}

        return Request({"type": "http", **scope}, receive)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Bob asks."""
    return World(monkeypatch)


def bare(error: KensakuError) -> bytes:
    """The page for when nothing is known of the reader."""
    return routes._bare(error).encode()


def has_headers(response: Any) -> bool:
    """Whether the response has the policy of every page."""
    return HEADERS.items() <= dict(response.headers).items()


@pytest.mark.parametrize(
    ("principal", "view", "status", "template", "values"),
    [
        (BOB, "usage", 200, "usage.html", {"view": "usage", "rows": []}),
        (ROOT, "keys", 200, "keys.html", {"view": "keys", "rows": []}),
        (BOB, "keys", 403, "no_permission.html", {"view": "keys"}),
        (None, "usage", 401, "sign_in.html", {"view": "", "wrong": False, "back": "/x?by=key"}),
    ],
    ids=["shown", "to an admin", "not to others", "after signing in"],
)
async def test_a_view_is_shown_to_who_may_see_it(
    principal: Any, view: str, status: int, template: str, values: Any, world: World
) -> None:
    """With the policy of every page."""
    world.by(principal)
    response = await routes._show("the state", world.request(), view)  # type: ignore[arg-type]

    assert (response.status_code, response.body, has_headers(response)) == (status, b"text", True)
    assert world.rendered == [(template, values)]


async def test_why_a_view_cannot_be_shown(world: World) -> None:
    """In the frame of the page, or bare when nothing is known of the reader."""
    world.shows = Missing("there is none", remedy="make one")
    response = await routes._show("the state", world.request(), "usage")  # type: ignore[arg-type]
    assert response.status_code == 404
    assert world.rendered == [("error.html", {"view": "usage", "error": world.shows})]

    world.page = Forbidden("wrong <host>", remedy="use another")
    response = await routes._show("the state", world.request(), "usage")  # type: ignore[arg-type]
    assert (response.status_code, response.body) == (403, bare(world.page))
    assert has_headers(response)
    assert b"<p>wrong &lt;host&gt;.</p><p>use another</p>" in response.body
    assert len(world.rendered) == 1


async def test_a_key_gives_a_session_and_the_way_back(world: World) -> None:
    """One that is not known is asked for again, with the same way back."""
    world.form = b"token=good&key=k&back=%2Fpage%2Fusage"
    response = await routes._sign_in("the state", world.request())  # type: ignore[arg-type]
    assert (response.status_code, response.headers["location"]) == (303, "/root/page/usage")
    assert has_headers(response)
    assert response.headers["set-cookie"].startswith("kensaku_session=new-session; HttpOnly")
    assert world.calls == [("check", world.page.viewer, "good"), ("sign in", "the state", "k")]

    world.signs = None
    response = await routes._sign_in("the state", world.request())  # type: ignore[arg-type]
    assert response.status_code == 401
    assert world.rendered == [("sign_in.html", {"view": "", "wrong": True, "back": "/page/usage"})]
    world.form = b"token=good"
    await routes._sign_in("the state", world.request())  # type: ignore[arg-type]
    assert world.calls[-1] == ("sign in", "the state", "")
    assert world.rendered[-1][1]["back"] == ""


async def test_a_session_ends_here_and_in_the_browser(world: World) -> None:
    """And the start is shown."""
    world.form = b"token=good"
    response = await routes._sign_out("the state", world.request())  # type: ignore[arg-type]

    assert world.calls[-1] == ("sign out", "the state", "session")
    assert (response.status_code, response.headers["location"]) == (303, "/root/")
    assert has_headers(response)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith('kensaku_session=""; ')
    for part in ("HttpOnly", "Max-Age=0", "Path=/root", "SameSite=strict"):
        assert part in cookie.split("; ")


async def test_a_form_of_the_chat_leads_to_the_conversation(world: World) -> None:
    """Who has not signed in does so first; an error is shown in the frame."""
    world.form = b"token=good&text=Otters%3F"
    response = await routes._talk("the state", world.request())  # type: ignore[arg-type]
    assert (response.status_code, response.headers["location"]) == (303, "/root/chat/t1")
    assert has_headers(response)
    assert world.calls[-1] == ("act", {"token": "good", "text": "Otters?"})

    world.act = Missing("no such conversation")
    response = await routes._talk("the state", world.request())  # type: ignore[arg-type]
    assert response.status_code == 404
    assert world.rendered == [("error.html", {"view": "chat", "error": world.act})]

    world.by(None)
    response = await routes._talk("the state", world.request())  # type: ignore[arg-type]
    assert response.status_code == 401
    assert world.rendered[-1] == (
        "sign_in.html", {"view": "", "wrong": False, "back": "/chat"},
    )  # fmt: skip


@pytest.mark.parametrize("handle", [routes._sign_in, routes._sign_out, routes._talk])
async def test_a_form_without_its_token_does_nothing(handle: Any, world: World) -> None:
    """One sentence says why."""
    world.form = b"key=k"
    response = await handle("the state", world.request())

    assert (response.status_code, has_headers(response)) == (403, True)
    assert response.body == bare(Forbidden("not from the page", remedy="reload"))
    assert world.calls == [("check", world.page.viewer, "")]


@pytest.mark.parametrize(("size", "status"), [(50_000, 303), (50_001, 413)])
async def test_a_form_of_the_chat_may_be_longer(size: int, status: int, world: World) -> None:
    """A question of the longest kind in Japanese, percent-encoded."""
    start = b"token=good&text="
    world.form = start + b"x" * (size - len(start))

    assert (await routes._talk("the state", world.request())).status_code == status  # type: ignore[arg-type]


async def test_a_conversation_is_a_file_to_keep(world: World) -> None:
    """Under its name; whoever has not signed in gets none."""
    asked = world.request(path_params={"kind": "md"})
    response = await routes._export("the state", asked)  # type: ignore[arg-type]
    assert (response.status_code, response.body) == (200, b"body")
    assert has_headers(response)
    assert response.headers["content-type"].startswith("text/md")
    assert response.headers["content-disposition"] == 'attachment; filename="talk.md"'

    world.act = Missing("no such conversation")
    response = await routes._export("the state", asked)  # type: ignore[arg-type]
    assert (response.status_code, response.body) == (404, bare(world.act))
    world.by(None)
    response = await routes._export("the state", asked)  # type: ignore[arg-type]
    assert (response.status_code, has_headers(response)) == (401, True)
    assert b"sign in first" in response.body


def test_every_view_has_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, forms, files, and the API behind them."""
    monkeypatch.setattr(routes, "api_routes", lambda state: [SimpleNamespace(path="/api")])
    made: Any = routes.routes("the state")  # type: ignore[arg-type]

    def methods(route: Any) -> set[str]:
        return (getattr(route, "methods", None) or set()) - {"HEAD"}

    assert [(r.path, *methods(r)) for r in made] == [
        ("/", "GET"), ("/chat", "GET"), ("/page/collections", "GET"), ("/page/compare", "GET"),
        ("/page/providers", "GET"), ("/page/usage", "GET"), ("/page/jobs", "GET"),
        ("/page/keys", "GET"), ("/chat", "POST"), ("/chat/{thread}", "GET"),
        ("/chat/{thread}", "POST"), ("/chat/{thread}/export.{kind}", "GET"),
        ("/page/sign-in", "POST"), ("/page/sign-out", "POST"), ("/page/opensearch.xml", "GET"),
        ("/page/static",), ("/api",),
    ]  # fmt: skip
