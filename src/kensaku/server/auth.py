"""Who asks: the key of a request → a principal, or `Unauthorized`.

A wire declares where its clients put a key; most take all of `KEY_PLACES`. While no key was ever
created, the server answers to this machine alone: anyone there may search and read pages, with any
key or none; all else needs the token of the server (`token.py`).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import KensakuError
from kensaku.messages import msg
from kensaku.server.token import is_same

if TYPE_CHECKING:
    from kensaku.database.key_cache import KeyCache
    from kensaku.database.keys import ApiKey


class Unauthorized(KensakuError):
    """The request has no key, or one that is not known here."""

    status = 401


class Forbidden(KensakuError):
    """The request may not do this: it is another site's, or its key is no admin's."""

    status = 403


class OwnersOnly(Forbidden):
    """The server has no keys yet, and the request did not bring its token."""

    def __init__(self) -> None:
        super().__init__(
            "this server has no keys yet, and only its owner may do that",
            remedy="open the link that kensaku serve prints, send the token in "
            "KENSAKU_HOME/server-token as Authorization: Bearer, or create a key: "
            "kensaku keys create NAME --admin",
        )


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a request may carry its key."""

    kind: Literal["bearer", "basic", "header", "query", "body"]
    name: str = "authorization"

    def find(
        self, headers: Mapping[str, str], params: Mapping[str, str], body: Mapping[str, Any]
    ) -> str:
        """Return the key that stands there; "" when there is none."""
        if self.kind == "bearer":
            scheme, _, key = headers.get(self.name, "").partition(" ")
            return key.strip() if scheme.lower() == "bearer" else ""
        if self.kind == "basic":
            return _basic(headers.get(self.name, ""))[1]
        values: Mapping[str, Any] = {"header": headers, "query": params, "body": body}[self.kind]
        found = values.get(self.name)
        return found if isinstance(found, str) else ""

    @property
    def is_ambient(self) -> bool:
        """Whether a browser that knows the key adds it by itself, whoever makes it ask."""
        return self.kind == "basic"

    @property
    def scheme(self) -> dict[str, str]:
        """The place as a security scheme of OpenAPI, which has none for a body."""
        if self.kind in ("bearer", "basic"):
            return {"type": "http", "scheme": self.kind}
        return {"type": "apiKey", "in": self.kind, "name": self.name}


BEARER = KeyPlace("bearer")
BASIC = KeyPlace("basic")  # the password; whose name it is said to be does not matter
KEY_HEADERS = (
    BEARER,
    BASIC,
    KeyPlace("header", "x-api-key"),
    KeyPlace("header", "x-subscription-token"),
)
KEY_PLACES = (*KEY_HEADERS, KeyPlace("body", "api_key"))
# Addresses stay in logs and histories: only for a wire whose clients can do no other.
KEY_QUERY = KeyPlace("query", "api_key")

KEY_LENGTH = 8  # characters; a shorter user name is not a key in the wrong place


def _basic(header: str) -> tuple[str, str]:
    """Return the name and the password of Basic authorization; empty when it is none."""
    scheme, _, sent = header.partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, password = base64.b64decode(sent.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return "", ""
    return name, password


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks, and for which tenant."""

    name: str
    tenant: str = ""
    admin: bool = False
    key: ApiKey | None = None

    @classmethod
    def of(cls, key: ApiKey) -> Principal:
        """Return who has this key."""
        return cls(key.name, key.tenant, key.admin, key)

    @property
    def key_id(self) -> str:
        """The id of the key; empty for who needed none."""
        return self.key.id if self.key else ""


ANYONE = Principal("anyone")  # while there is no key
OWNER = Principal("owner", admin=True)  # who has the token, while there is no key
NOBODY = Principal("nobody")  # who has not said who they are


def secrets_in(
    headers: Mapping[str, str], params: Mapping[str, str], body: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return all that a request brought as a key, to be removed from what is logged about it."""
    brought = {headers.get("authorization", "").strip().rpartition(" ")[2]}
    brought |= {place.find(headers, params, body) for place in (*KEY_PLACES, KEY_QUERY)}
    brought.add(params.get("token", ""))
    name, _ = _basic(headers.get("authorization", ""))
    if len(name) >= KEY_LENGTH:
        brought.add(name)
    return tuple(brought - {""})


async def principal_of(keys: KeyCache, secret: str, token: str) -> Principal:
    """Return who has this key, or the server's token while there are no keys.

    Raises `Unauthorized`, or `DatabaseFault`: then nobody is known.
    """
    if not await keys.required():
        return OWNER if is_same(secret, token) else ANYONE
    key = await keys.find(secret)
    if key is None:
        raise Unauthorized(msg("Unauthorized: missing or invalid API key."))
    return Principal.of(key)
