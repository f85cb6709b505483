"""Who looks at the page: cookies, tokens, and whether another site sent the request."""

from __future__ import annotations

import base64
import hashlib

import pytest

from kensaku.database.keys import PREFIX, SECRET_CHARS, hash_secret
from kensaku.server.auth import ANYONE, Principal, Unauthorized, secret_in, secrets_in
from kensaku.server.page.viewer import (
    Forbidden,
    Viewer,
    check_change,
    cookies_of,
    is_cross_site,
    sign_in,
    sign_in_as,
    sign_out,
    viewer_of,
)
from tests.server.page.page_request import api_key

HOST = {"host": "a.example:8080"}
OWN = {**HOST, "origin": "http://a.example:8080"}


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        (OWN, True),
        ({**OWN, "sec-fetch-site": "same-origin"}, True),
        ({**HOST, "sec-fetch-site": "same-origin", "origin": "null"}, True),
        ({**HOST, "origin": "null"}, False),
        ({**HOST, "sec-fetch-site": "cross-site", "origin": "null"}, False),
        ({**OWN, "sec-fetch-site": "same-site"}, False),
        ({**OWN, "sec-fetch-site": "none"}, False),
        ({**HOST, "sec-fetch-site": "same-origin"}, False),
        (HOST, False),
        ({**HOST, "origin": "http://a.example"}, False),
        ({**HOST, "origin": "http://[broken"}, False),
        ({"origin": "http://a.example"}, False),
    ],
)
def test_a_change_comes_from_the_page_itself(headers, allowed):
    """A browser always says who sent it."""
    viewer = Viewer("session", ANYONE)
    if allowed:
        check_change(viewer, {}, headers, viewer.token)
    else:
        with pytest.raises(Forbidden, match="did not come from the page"):
            check_change(viewer, {}, headers, viewer.token)


def test_a_change_needs_the_token_of_its_session():
    """Nobody else's, and none that is made up."""
    viewer = Viewer("session", ANYONE)

    assert len(viewer.token) == 43
    assert "=" not in viewer.token
    for wrong in ("", Viewer("other", ANYONE).token, viewer.token[:-1], "é"):
        with pytest.raises(Forbidden) as refused:
            check_change(viewer, {}, OWN, wrong)
        assert refused.value.status == 403


def test_a_program_with_a_key_needs_no_token():
    """No browser adds its header; a key that is not known helps nobody."""
    headers = {"authorization": "Bearer ksk_x"}

    check_change(Viewer("s", Principal("bob")), {}, headers, "")
    with pytest.raises(Forbidden):
        check_change(Viewer("s", None), {}, headers, "")


@pytest.mark.parametrize(
    ("site", "cross"),
    [
        ("cross-site", True),
        ("same-site", True),
        ("same-origin", False),
        ("none", False),
        ("", False),
    ],
)
def test_another_site_may_not_make_a_browser_search(site, cross):
    """Nor one of the same domain."""
    assert is_cross_site({"sec-fetch-site": site} if site else {}) is cross


@pytest.mark.parametrize(
    ("sent", "cookies"),
    [
        ("a=1; b=2", {"a": "1", "b": "2"}),
        ("", {}),
        ("a=" + "x" * 7_998, {"a": "x" * 7_998}),
        ("a=" + "x" * 7_999, {"a": "x" * 7_998}),  # 8,000 characters are read
    ],
)
def test_cookies_are_read_and_bounded(sent, cookies):
    """What cannot be read is none."""
    assert cookies_of({"cookie": sent} if sent else {}) == cookies


@pytest.mark.parametrize(
    ("headers", "body", "secret"),
    [
        ({"authorization": "Bearer  abc "}, {"api_key": "body"}, "abc"),
        ({"authorization": "bearer abc"}, {}, "abc"),
        ({"authorization": "Basic abc", "x-api-key": "own"}, {}, "own"),
        ({"authorization": "Bearer ", "x-subscription-token": "own"}, {}, "own"),
        ({"x-api-key": "first", "x-subscription-token": "second"}, {}, "first"),
        ({"x-api-key": "", "x-subscription-token": "second"}, {}, "second"),
        ({"authorization": "abc"}, {"api_key": "body"}, "body"),
        ({}, {"api_key": 5}, ""),
        ({}, {}, ""),
    ],
)
def test_a_key_is_found_wherever_a_client_puts_it(headers, body, secret):
    """In its order: a bearer, a header of a vendor, the body."""
    assert secret_in(headers, body) == secret


def test_all_that_may_be_a_key_is_kept_out_of_the_logs():
    """Known or not, and whatever scheme it came with."""
    headers = {"authorization": "Basic one", "x-api-key": "two", "x-subscription-token": "three"}

    assert set(secrets_in(headers, {"api_key": "four"})) == {"one", "two", "three", "four"}
    assert set(secrets_in({"authorization": "alone"}, {"api_key": 5})) == {"alone"}
    assert secrets_in({}, {}) == ()


# --- sessions


class State:
    """A server with one key, and a store that all processes share."""

    def __init__(self, known: Principal | None = None) -> None:
        self.known, self.key = known, api_key("bob", tenant="t1", admin=True)
        self.digest = hash_secret(SECRET)
        self.kept: dict[str, str] = {}
        self.calls: list[tuple] = []
        self.keys = self.client = self._resources = self.store = self

    async def principal(self, scope, headers, body) -> Principal:
        assert (scope, body) == ({"type": "http"}, {})
        if self.known is None:
            raise Unauthorized("a key is needed")
        return self.known

    async def find_hash(self, digest):
        return self.key if digest == self.digest else None

    async def get(self, keys):
        self.calls.append(("get", *keys))
        return [self.kept.get(key) for key in keys]

    async def put(self, key, value, seconds) -> None:
        self.calls.append(("put", key, value, seconds))
        self.kept[key] = value

    async def forget(self, key) -> None:
        self.calls.append(("forget", key))
        self.kept.pop(key, None)


SECRET, OTHER = (PREFIX + letter * SECRET_CHARS for letter in "ab")
MONTH = 30 * 86400


def stored(session: str) -> str:
    """Under which name a session is stored: not its own."""
    digest = hashlib.sha256(session.encode()).digest()
    return "session:" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


async def look(state: State, session: str = "") -> Viewer:
    """Who asks with this cookie."""
    headers = {"cookie": f"kensaku_session={session}"} if session else {}
    return await viewer_of(state, {"type": "http"}, headers)


async def test_a_session_is_that_of_the_key_that_signed_in():
    """The store knows neither the cookie nor the key; signing out ends it everywhere."""
    state = State()
    session = await sign_in(state, f" {SECRET}\n")
    assert len(session) == 43
    assert state.calls == [("put", stored(session), state.digest, MONTH)]

    bob = Principal("bob", "t1", True, state.key)
    assert await look(state, session) == Viewer(session, bob, is_new=False)
    await sign_out(state, session)
    assert state.calls[-1] == ("forget", stored(session))
    assert await look(state, session) == Viewer(session, None, is_new=False)
    assert await sign_in(state, SECRET) != session


@pytest.mark.parametrize("secret", ["", "ksk_unknown", "x", OTHER])
async def test_a_key_that_is_not_known_gets_no_session(secret):
    """Nothing is stored for it."""
    state = State()

    assert await sign_in(state, secret) is None
    assert state.calls == []


async def test_a_session_that_is_none_is_replaced():
    """Without looking for it; the browser is told."""
    state = State()
    for sent in ("", "short", "x" * 44, "x" * 42 + "."):
        viewer = await look(state, sent)
        assert (viewer.principal, viewer.is_new, len(viewer.session)) == (None, True, 43)
        assert viewer.session != sent
    assert state.calls == []
    kept = await look(state, "x" * 43)
    assert (kept.session, kept.principal, kept.is_new) == ("x" * 43, None, False)
    assert state.calls == [("get", stored("x" * 43))]


async def test_who_sends_a_key_or_needs_none_has_no_need_of_a_session():
    """The store is not asked; a revoked key ends its sessions."""
    state = State(known=ANYONE)
    assert await look(state, "x" * 43) == Viewer("x" * 43, ANYONE, is_new=False)
    assert (await look(state)).is_new
    assert state.calls == []

    state.known = None
    session = await sign_in(state, SECRET)
    state.digest = "another"
    assert (await look(state, session)).principal is None


async def test_a_session_becomes_one_of_a_new_key():
    """The first key is made on the page itself."""
    state = State()
    viewer = Viewer("x" * 43, ANYONE)
    await sign_in_as(state, viewer, SECRET)
    await sign_in_as(state, viewer, "no key")

    assert state.calls == [("put", stored("x" * 43), hash_secret(SECRET), MONTH)]
    assert (await look(state, "x" * 43)).principal == Principal("bob", "t1", True, state.key)
