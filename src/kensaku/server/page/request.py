"""A request for a page: who asks, in which language and theme, and where the page is mounted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kensaku.locale import Translator, translator
from kensaku.server.auth import Principal
from kensaku.server.http import headers_of, params_of
from kensaku.server.page.language import language_of
from kensaku.server.page.viewer import Viewer, cookies_of, viewer_of

if TYPE_CHECKING:
    from starlette.types import Scope

    from kensaku.client import Kensaku
    from kensaku.server.state import State

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What a view, or an endpoint of the page, is asked with."""

    state: State
    scope: Scope = field(repr=False)  # it holds the cookie of the session, as the headers do
    headers: Mapping[str, str] = field(repr=False)
    params: Mapping[str, str] = field(repr=False)
    viewer: Viewer
    t: Translator
    theme: str  # "" is the browser's own

    @classmethod
    async def read(cls, state: State, scope: Scope) -> PageRequest:
        """Read a request. Raises `WrongHost` or `Draining`."""
        headers, params = headers_of(scope), params_of(scope)
        cookies = cookies_of(headers)
        asked = params.get("theme", cookies.get("kensaku_theme", ""))
        return cls(
            state,
            scope,
            headers,
            params,
            await viewer_of(state, scope, headers),
            translator(language_of(cookies, headers, params.get("language_of_page", ""))),
            asked if asked in THEMES else "",
        )

    @property
    def root(self) -> str:
        """The path under which the application is mounted, without a slash at its end."""
        return str(self.scope.get("root_path", "")).rstrip("/")

    @property
    def path(self) -> str:
        """The path below the root."""
        return str(self.scope["path"]).removeprefix(self.root)

    @property
    def base_url(self) -> str:
        """The address of the server, as the browser knows it."""
        return f"{self.scope.get('scheme', 'http')}://{self.headers.get('host', '')}{self.root}"

    @property
    def principal(self) -> Principal:
        """Who has signed in."""
        assert self.viewer.principal is not None
        return self.viewer.principal

    @property
    def client(self) -> Kensaku:
        """The client of the tenant."""
        return self.state.client_of(self.principal)

    @property
    def needs_key(self) -> bool:
        """Whether programs must send a key."""
        return self.principal.key is not None
