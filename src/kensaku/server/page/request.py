"""A request for a page or to its API: who asks, in which language and theme, mounted where."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from kensaku.locale import Translator, translator
from kensaku.messages import msg
from kensaku.server.auth import NOBODY, Unauthorized
from kensaku.server.page.language import language_of
from kensaku.server.page.viewer import TOKEN_HEADER, Viewer, check_change, cookies_of, viewer_of
from kensaku.server.request import Request

THEMES = ("light", "dark")
FORM = "application/x-www-form-urlencoded"
ADMIN_ONLY = msg(
    "Only an admin key opens this view. On the server: kensaku keys create NAME --admin"
)


class PageRequest(Request):
    """What a view, or an endpoint of the page, is asked with."""

    viewer: Viewer
    identified = False  # until then, nothing of the reader is known

    async def identify(self) -> None:
        """Find out who looks. Raises also `Forbidden`, for a change that another site sent."""
        self.viewer = await viewer_of(self)
        self.principal = self.viewer.principal or NOBODY
        if self.principal is NOBODY and not self.endpoint.is_open:
            raise Unauthorized(msg("sign in first, or send a key as Authorization: Bearer"))
        if self.endpoint.method != "GET":
            check_change(self.viewer, self.headers, await self._token())
        self.identified = True
        self.check_rights(self.t("Not with this key"), self.t(ADMIN_ONLY))

    async def _token(self) -> str:
        """The token of a change: in a header, or in a field of a form."""
        if self.wire.body_type == FORM and self.headers.get("content-type", "").startswith(FORM):
            return str((await self.fields()).get("token", ""))
        return self.headers.get(TOKEN_HEADER, "")

    @cached_property
    def t(self) -> Translator:
        """The texts in the language of the reader."""
        wanted = self.params.get("language_of_page", "")
        return translator(language_of(cookies_of(self.headers), self.headers, wanted))

    @cached_property
    def theme(self) -> str:
        """The theme that the reader chose; "" is the browser's own."""
        cookies = cookies_of(self.headers)
        return theme_of(
            {"kensaku_theme": self.params["theme"]} if "theme" in self.params else cookies
        )

    @property
    def path(self) -> str:
        """The path below the root."""
        return str(self.scope["path"]).removeprefix(self.root)

    @property
    def base_url(self) -> str:
        """The address of the server, as the browser knows it."""
        return f"{self.scope.get('scheme', 'http')}://{self.headers.get('host', '')}{self.root}"

    @property
    def needs_key(self) -> bool:
        """Whether programs must send a key."""
        return self.principal.key is not None


def theme_of(cookies: Mapping[str, str]) -> str:
    """The theme that the reader chose; "" is the browser's own."""
    chosen = cookies.get("kensaku_theme", "")
    return chosen if chosen in THEMES else ""
