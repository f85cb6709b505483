"""Who asks: where a request may bring its key, and who it then is."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.server.auth import (
    ANYONE,
    Principal,
    Unauthorized,
    principal_of,
    secret_in,
    secrets_in,
)

from .page.page_request import api_key

ANN = api_key("ann", tenant="t1", admin=True)


@pytest.mark.parametrize(
    ("headers", "body", "secret", "secrets"),
    [
        ({}, {}, "", set()),
        ({"authorization": "Bearer a"}, {}, "a", {"a"}),
        ({"authorization": "bEARER  a "}, {}, "a", {"a"}),
        ({"authorization": "Basic a"}, {"api_key": "d"}, "d", {"a", "d"}),
        ({"authorization": "Bearer "}, {"api_key": "d"}, "d", {"Bearer", "d"}),
        ({"authorization": "a"}, {}, "", {"a"}),
        ({"x-api-key": "b", "x-subscription-token": "c"}, {"api_key": "d"}, "b", {"b", "c", "d"}),
        ({"x-api-key": "", "x-subscription-token": "c"}, {"api_key": "d"}, "c", {"c", "d"}),
        ({"authorization": "Bearer a", "x-api-key": "b"}, {}, "a", {"a", "b"}),
        ({}, {"api_key": "d"}, "d", {"d"}),
        ({}, {"api_key": 5}, "", set()),
    ],
)
def test_a_key_comes_in_a_header_or_in_the_body(headers, body, secret, secrets):
    """The bearer first; all that may be one is kept out of the log."""
    assert secret_in(headers, body) == secret
    assert set(secrets_in(headers, body)) == secrets


class Keys:
    """Knows one key, which may be needed."""

    def __init__(self, needed: bool) -> None:
        self.needed, self.asked = needed, []

    async def required(self) -> bool:
        return self.needed

    async def find(self, secret: str) -> Any:
        self.asked.append(secret)
        return ANN if secret == "ann's" else None


async def test_while_there_is_no_key_anyone_may_ask():
    """Also with one that is not known; as an admin, being at the machine."""
    keys = Keys(False)

    assert await principal_of(keys, {"x-api-key": "b"}, {}) is ANYONE  # type: ignore[arg-type]
    assert keys.asked == []
    assert (ANYONE.name, ANYONE.tenant, ANYONE.admin, ANYONE.key_id) == ("anyone", "", True, "")


async def test_a_key_says_who_asks():
    """One that is not known is refused, as none is."""
    keys: Any = Keys(True)

    found = await principal_of(keys, {}, {"api_key": "ann's"})

    assert found == Principal("ann", "t1", True, ANN)
    assert found.key_id == "id-ann"
    for body in ({}, {"api_key": "ben's"}):
        with pytest.raises(Unauthorized, match="missing or invalid API key"):
            await principal_of(keys, {}, body)
    assert keys.asked == ["ann's", "", "ben's"]
    assert (Principal("x").tenant, Principal("x").admin, Principal("x").key) == ("", False, None)
