"""OAuth 2.1 for MCP: tokens that stand for a key, kept as hashes in the store.

    register → client     authorize → request → (a person gives a key) → code → tokens

    oauth:client:<id>      what a program said of itself: its name, its redirect addresses
    oauth:request:<hash>   an authorization that waits for a person
    oauth:code:<hash>      60 seconds, one use
    oauth:access:<hash>    an hour
    oauth:refresh:<hash>   30 days, one use: each brings the next
    oauth:ended:<hash>     none of the tokens that came of that code counts any more

A code or a refresh token that is used twice was stolen: its family ends. A token has the tenant,
the rate and the quota of its key, and ends with it. The SDK's handlers check the protocol.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from mcp.server.auth.provider import (
        AccessToken,
        AuthorizationCode,
        AuthorizationParams,
        AuthorizeError,
        OAuthAuthorizationServerProvider,
        RefreshToken,
        RegistrationError,
        TokenError,
    )
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
except ImportError:
    raise MissingExtra("mcp", "mcp") from None

from kensaku.server.client_metadata import are_redirects, is_document, read_client

if TYPE_CHECKING:
    from kensaku.database.keys import ApiKey
    from kensaku.server.state import State

PREFIX = "kso_"  # of access tokens: no key begins so
CONSENT = "/oauth/consent"
REQUEST_SECONDS, CODE_SECONDS = 600.0, 60.0
ACCESS_SECONDS, REFRESH_SECONDS = 3600, 30 * 86400
CLIENT_SECONDS = 180 * 86400.0  # renewed with every sign-in
DOCUMENT_SECONDS = 3600.0  # until the document of a client is read again
MAX_CLIENT = 8_000  # characters of a registration
REGISTER_INTERVAL, REGISTER_BURST = 5.0, 60  # anyone may register: one in 5 s, after a burst
_CHALLENGE = re.compile(r"[\w-]{43}", re.ASCII)


class Code(AuthorizationCode):
    """A code, with the hash of the key that it stands for."""

    key: str


class Access(AccessToken):
    """An access token."""

    key: str
    family: str


class Refresh(RefreshToken):
    """A refresh token."""

    key: str
    family: str
    resource: str | None = None


class OAuth(OAuthAuthorizationServerProvider[Code, Refresh, Access]):
    """What the SDK's handlers ask: clients, codes and tokens of one server."""

    def __init__(self, state: State, issuer: str, resources: tuple[str, ...] = ()) -> None:
        """`issuer` is the address of the server; `resources` are paths a new token may be for."""
        self._state, self._store = state, state.client.resources.store
        self.issuer = issuer
        self._resources = {self.issuer + path for path in resources}

    # --- clients

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        stored = (await self._store.get([f"oauth:client:{_digest(client_id)}"]))[0]
        if stored:
            return OAuthClientInformationFull.model_validate_json(stored)
        return await self._described(client_id) if is_document(client_id) else None

    async def _described(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a client that describes itself. Each document is read once an hour."""
        if not await self._takes_turn():
            return None
        client = await read_client(self._state.client, client_id)
        if client is None or not are_redirects(client.redirect_uris):
            return None
        await self._keep_client(client, DOCUMENT_SECONDS)
        return client

    async def _takes_turn(self) -> bool:
        """Whether one more client may be taken now: anyone may send one."""
        queue = ("oauth:registrations", REGISTER_INTERVAL, REGISTER_BURST, 0.0)
        return await self._store.turn(*queue) >= 0

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a client. All are public: PKCE proves who redeems a code, and no secret is kept."""
        if not are_redirects(client_info.redirect_uris):
            raise RegistrationError(
                "invalid_redirect_uri", "redirect_uris must be https, or http on loopback"
            )
        client_info.token_endpoint_auth_method = "none"
        client_info.client_secret = client_info.client_secret_expires_at = None
        if len(client_info.model_dump_json()) > MAX_CLIENT:
            raise RegistrationError("invalid_client_metadata", f"over {MAX_CLIENT} characters")
        if not await self._takes_turn():
            raise RegistrationError("invalid_client_metadata", "too many clients; try again later")
        await self._keep_client(client_info, CLIENT_SECONDS)

    async def _keep_client(self, client: OAuthClientInformationFull, seconds: float) -> None:
        key = f"oauth:client:{_digest(str(client.client_id))}"
        await self._store.put(key, client.model_dump_json().encode(), seconds)

    # --- a request, until a person has decided

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Keep the request; return the address of the page that asks a person."""
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge is no SHA-256 in base64url")
        if params.resource is not None and params.resource not in self._resources:
            raise AuthorizeError("invalid_request", "this server has no such resource")
        id = secrets.token_urlsafe(32)
        waiting = {"client_id": client.client_id, "params": params.model_dump(mode="json")}
        await self._put("request", id, json.dumps(waiting), REQUEST_SECONDS)
        return f"{self.issuer}{CONSENT}?request={id}"

    async def waiting(
        self, id: str
    ) -> tuple[OAuthClientInformationFull, AuthorizationParams] | None:
        """Return who waits for a decision, and for what; None when nobody does any more."""
        stored = await self._get("request", id)
        if stored is None:
            return None
        read = json.loads(stored)
        client = await self.get_client(read["client_id"])
        params = AuthorizationParams.model_validate(read["params"])
        return None if client is None else (client, params)

    async def decide(self, id: str, key_hash: bytes | None) -> dict[str, str | None] | None:
        """End a request, once; return what the client is sent: a code for a key, or a refusal."""
        found = await self.waiting(id)
        if found is None or not await self._first_use("request", id, REQUEST_SECONDS):
            return None
        client, params = found
        await self._store.forget(f"oauth:request:{_digest(id)}")
        if key_hash is None:
            return {"error": "access_denied", "state": params.state, "iss": self.issuer}
        if not is_document(str(client.client_id)):
            await self._keep_client(client, CLIENT_SECONDS)
        secret = secrets.token_urlsafe(32)
        code = Code(
            code="",
            client_id=str(client.client_id),
            scopes=params.scopes or [],
            expires_at=time.time() + CODE_SECONDS,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            key=key_hash.hex(),
        )
        await self._put("code", secret, code.model_dump_json(), CODE_SECONDS)
        return {"code": secret, "state": params.state, "iss": self.issuer}

    # --- code → tokens → tokens

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> Code | None:
        stored = await self._get("code", authorization_code)
        if stored is None:
            return None
        return Code.model_validate_json(stored).model_copy(update={"code": authorization_code})

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: Code
    ) -> OAuthToken:
        code, family = authorization_code, _digest(authorization_code.code)
        if not await self._first_use("code", code.code, REFRESH_SECONDS):
            await self._end(family)
            raise TokenError("invalid_grant", "this code was used before")
        return await self._issue(code.client_id, code.scopes, code.resource, code.key, family)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> Refresh | None:
        stored = await self._get("refresh", refresh_token)
        found = Refresh.model_validate_json(stored) if stored else None
        if found is None or not await self._is_alive(found):
            return None
        return found.model_copy(update={"token": refresh_token})

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: Refresh, scopes: list[str]
    ) -> OAuthToken:
        old = refresh_token
        if not await self._first_use("refresh", old.token, REFRESH_SECONDS):
            await self._end(old.family)
            raise TokenError("invalid_grant", "this refresh token was used before")
        return await self._issue(old.client_id, scopes, old.resource, old.key, old.family)

    async def load_access_token(self, token: str) -> Access | None:
        stored = await self._get("access", token)
        found = Access.model_validate_json(stored) if stored else None
        return found if found is not None and await self._is_alive(found) else None

    async def key_of(self, token: str, resource: str) -> ApiKey | None:
        """Return the live key that a token stands for at this resource, or None."""
        found = await self.load_access_token(token)
        if found is None or found.resource not in (None, resource):
            return None
        return await self._state.keys.find_hash(bytes.fromhex(found.key))

    async def revoke_token(self, token: Access | Refresh) -> None:
        await self._end(token.family)

    async def _issue(
        self, client: str, scopes: list[str], resource: str | None, key: str, family: str
    ) -> OAuthToken:
        if await self._state.keys.find_hash(bytes.fromhex(key)) is None:
            raise TokenError("invalid_grant", "the key was revoked")
        access, refresh = PREFIX + secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        of: dict[str, Any] = {
            "client_id": client,
            "scopes": scopes,
            "resource": resource,
            "key": key,
        }
        now = int(time.time())
        # The hash is in the name: what is kept has no token in it.
        kept = Access(token="", expires_at=now + ACCESS_SECONDS, family=family, **of)
        await self._put("access", access, kept.model_dump_json(), ACCESS_SECONDS)
        next_one = Refresh(token="", expires_at=now + REFRESH_SECONDS, family=family, **of)
        await self._put("refresh", refresh, next_one.model_dump_json(), REFRESH_SECONDS)
        return OAuthToken(
            access_token=access,
            token_type="Bearer",
            expires_in=ACCESS_SECONDS,
            scope=" ".join(scopes) or None,
            refresh_token=refresh,
        )

    async def _is_alive(self, token: Access | Refresh) -> bool:
        """Whether neither its family nor its key has ended."""
        if (await self._store.get([f"oauth:ended:{token.family}"]))[0] is not None:
            return False
        return await self._state.keys.find_hash(bytes.fromhex(token.key)) is not None

    async def _end(self, family: str) -> None:
        await self._store.put(f"oauth:ended:{family}", b"1", 2 * REFRESH_SECONDS)

    # --- the store

    async def _get(self, kind: str, secret: str) -> bytes | None:
        return (await self._store.get([f"oauth:{kind}:{_digest(secret)}"]))[0]

    async def _put(self, kind: str, secret: str, value: str, ttl: float) -> None:
        await self._store.put(f"oauth:{kind}:{_digest(secret)}", value.encode(), ttl)

    async def _first_use(self, kind: str, secret: str, ttl: float) -> bool:
        return await self._store.claim(f"oauth:used:{kind}:{_digest(secret)}", ttl)


def _digest(secret: str) -> str:
    digest = hashlib.sha256(secret.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
