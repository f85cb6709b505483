"""Who looks at the page: a session in a cookie, and the token that its changes need.

    cookie  kensaku_session = 256 random bits    HttpOnly, SameSite=Strict
    store   session:<SHA-256 of it> → the hash of the key, or of the server's token, that signed in
    token   SHA-256 of "token" and the cookie, in the page: sent back with every change

The cookie is no key, and the key is not stored. The store is the one that all processes share, so
a session is known to each of them. A revoked key ends its sessions within a second.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kensaku.database.keys import hash_secret
from kensaku.messages import msg
from kensaku.server.auth import ANYONE, KEY_HEADERS, OWNER, Forbidden, Principal, Unauthorized
from kensaku.server.token import is_same

if TYPE_CHECKING:
    from starlette.responses import Response

    from kensaku.server.page.request import PageRequest
    from kensaku.server.request import Request
    from kensaku.server.state import State
    from kensaku.store import Store

COOKIE = "kensaku_session"
TOKEN_HEADER = "x-kensaku-token"
SECONDS = 30 * 86400
_ID = re.compile(r"[\w-]{43}")


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks for a page. `principal` is None for who has not signed in."""

    session: str
    principal: Principal | None
    is_new: bool = False  # the session is not in the browser yet

    @property
    def token(self) -> str:
        """What a change has to bring along."""
        return _digest(f"token:{self.session}")


async def viewer_of(request: Request) -> Viewer:
    """Return who asks. Raises `WrongHost`, `Forwarded` or `Draining`."""
    state, headers = request.state, request.headers
    sent = cookies_of(headers).get(COOKIE, "")
    known = bool(_ID.fullmatch(sent))
    session = sent if known else secrets.token_urlsafe(32)
    principal: Principal | None = None
    with suppress(Unauthorized):
        principal = await state.principal(request.scope, headers, await request.secret())
    if known and principal in (None, ANYONE):
        digest = (await _store(state).get([_key(session)]))[0]
        principal = (await _signed_in(state, digest) if digest else None) or principal
    return Viewer(session, principal, is_new=not known)


async def sign_in(state: State, secret: str) -> str | None:
    """Return a new session for a key, or for the server's token; None when it is neither."""
    secret = secret.strip()
    digest = _hash_token(secret) if is_same(secret, state.token) else hash_secret(secret)
    if digest is None or await _signed_in(state, digest) is None:
        return None
    session = secrets.token_urlsafe(32)
    await _store(state).put(_key(session), digest, SECONDS)
    return session


async def sign_in_as(state: State, viewer: Viewer, secret: str) -> None:
    """Let the session of a viewer be one of this key."""
    if (digest := hash_secret(secret)) is not None:
        await _store(state).put(_key(viewer.session), digest, SECONDS)


def remember(response: Response, page: PageRequest, session: str) -> None:
    """Give a browser the session."""
    # A forged header can only keep the forger's own browser from sending the cookie.
    secure = "https" in (page.scope.get("scheme"), page.headers.get("x-forwarded-proto"))
    response.set_cookie(
        COOKIE, session, SECONDS, path=page.root or "/",
        httponly=True, samesite="strict", secure=secure,
    )  # fmt: skip


async def sign_out(state: State, session: str) -> None:
    """End a session, in every process."""
    await _store(state).forget(_key(session))


async def _signed_in(state: State, digest: bytes) -> Principal | None:
    """Who signed in with the key, or the token, of this hash. A token counts without keys alone."""
    if not await state.keys.required():
        return OWNER if hmac.compare_digest(digest, _hash_token(state.token)) else None
    key = await state.keys.find_hash(digest)
    return Principal.of(key) if key else None


def check_change(viewer: Viewer, headers: Mapping[str, str], token: str) -> None:
    """Refuse a change that another site may have sent. Raises `Forbidden`.

    A program that sends its key in a header has no session to abuse: no browser adds that header,
    except Basic's.
    """
    places = (place for place in KEY_HEADERS if not place.is_ambient)
    sends_key = any(place.find(headers, {}, {}) for place in places)
    if viewer.principal is not None and sends_key:
        return
    if not _same_origin(headers) or not hmac.compare_digest(
        token.encode("utf-8", "replace"), viewer.token.encode()
    ):
        raise Forbidden(
            msg("this change did not come from the page"),
            remedy=msg("reload the page and try again"),
        )


def is_cross_site(headers: Mapping[str, str]) -> bool:
    """Whether another site sent the browser here: nothing may be spent for it."""
    return headers.get("sec-fetch-site", "") in ("cross-site", "same-site")


def cookies_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the cookies of a request; none when they cannot be read."""
    try:
        jar = SimpleCookie(headers.get("cookie", "")[:8_000])
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def _same_origin(headers: Mapping[str, str]) -> bool:
    """Whether the page of this very server sent the request. A browser always says who did."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site == "same-origin" and origin == "null":  # a form of a page that sends no referrer
        return True
    if site not in (None, "same-origin") or origin is None:
        return False
    try:
        return urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


def _hash_token(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _store(state: State) -> Store:
    return state.client.resources.store


def _key(session: str) -> str:
    return f"session:{_digest(session)}"


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
