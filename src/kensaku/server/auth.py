"""Who asks: the key of a request → a principal, or `Unauthorized`.

A key comes as `Authorization: Bearer`, in a vendor's own header, or as `api_key` in the body:
every wire takes them all. While no key was ever created the server takes any key or none; it then
answers to this machine alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError

if TYPE_CHECKING:
    from kensaku.database.key_cache import KeyCache
    from kensaku.database.keys import ApiKey

HEADERS = ("x-api-key", "x-subscription-token")


class Unauthorized(KensakuError):
    """The request has no key, or one that is not known here."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks, and for which tenant."""

    name: str
    tenant: str = ""
    admin: bool = False
    key: ApiKey | None = None

    @property
    def key_id(self) -> str:
        """The id of the key; empty for who needed none."""
        return self.key.id if self.key else ""


ANYONE = Principal("anyone", admin=True)  # while there is no key


def secret_in(headers: Mapping[str, str], body: Mapping[str, Any]) -> str:
    """Return the key of a request; "" when it has none."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and bearer.strip():
        return bearer.strip()
    if own := next((headers[name] for name in HEADERS if headers.get(name)), ""):
        return own
    in_body = body.get("api_key")
    return in_body if isinstance(in_body, str) else ""


def secrets_in(headers: Mapping[str, str], body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all that a request brought as a key, to be removed from what is logged about it."""
    bearer = headers.get("authorization", "").strip().rpartition(" ")[2]
    brought = (bearer, *(headers.get(name, "") for name in HEADERS), body.get("api_key"))
    return tuple({secret for secret in brought if secret and isinstance(secret, str)})


async def principal_of(
    keys: KeyCache, headers: Mapping[str, str], body: Mapping[str, Any]
) -> Principal:
    """Return who asks. Raises `Unauthorized`, or `DatabaseFault`: then nobody can be known."""
    if not await keys.required():
        return ANYONE
    key = await keys.find(secret_in(headers, body))
    if key is None:
        raise Unauthorized("Unauthorized: missing or invalid API key.")
    return Principal(key.name, key.tenant, key.admin, key)
