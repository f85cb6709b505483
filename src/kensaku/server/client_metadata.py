"""Clients of OAuth that describe themselves: a client id that is the address of a document.

    client_id=https://app.example/client.json → the document, by the page transport → a client

As MCP's specification of 2025-11-25 takes it from draft-ietf-oauth-client-id-metadata-document. The
address is a stranger's: it passes the same guard as every page, and redirects are not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientInformationFull
from pydantic import ValidationError

from kensaku.errors import FetchError
from kensaku.foreign_json import decode_json
from kensaku.transport.listen import is_loopback

if TYPE_CHECKING:
    from kensaku.client import Kensaku

MAX_DOCUMENT, MAX_ADDRESS = 8_000, 500  # bytes, characters
MAX_REDIRECTS = 10


def is_document(client_id: str) -> bool:
    """Whether a client id is an address that may have a document: https, or http on loopback."""
    try:
        parts = urlsplit(client_id)
    except ValueError:
        return False
    if len(client_id) > MAX_ADDRESS or parts.fragment or parts.username or not parts.hostname:
        return False
    if {".", ".."} & set(parts.path.split("/")) or parts.path in ("", "/"):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))


async def read_client(client: Kensaku, client_id: str) -> OAuthClientInformationFull | None:
    """Return the client that a document describes; None when it describes none."""
    transport = client.resources.reader().fetcher.transport
    try:
        reply = await transport.get(transport.check_url(client_id), {"Accept": "application/json"})
    except FetchError:
        return None
    if reply.status != 200 or len(reply.body) > MAX_DOCUMENT:
        return None
    try:
        said: Any = decode_json(reply.body)
        if not isinstance(said, dict) or said.get("client_id") != client_id:
            return None
        if "client_secret" in said or said.get("token_endpoint_auth_method", "none") != "none":
            return None  # a secret in public, or a key of its own: we take public clients
        known = {name: said.get(name) for name in ("client_name", "redirect_uris")}
        return OAuthClientInformationFull.model_validate(
            {
                **known,
                "client_id": client_id,
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
            }
        )
    except (ValueError, ValidationError):
        return None


def are_redirects(uris: Sequence[Any] | None) -> bool:
    """Whether a client may have these addresses."""
    return 0 < len(uris or ()) <= MAX_REDIRECTS and all(_is_redirect(str(u)) for u in uris or ())


def _is_redirect(uri: str) -> bool:
    """Whether a code may be sent there: https, or this machine of the person."""
    parts = urlsplit(uri)
    if parts.fragment or parts.username or not parts.hostname or len(uri) > 2_000:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
