"""OAuth 2.1 for the MCP paths: metadata, registration, authorize, token, revoke.

Only if the setting `public_url` names the server's address, and while there are keys: a token is
for one. A person gives it on the page of `page/consent.py`. The SDK's handlers check the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError
from kensaku.server.wires.base import Asked, Endpoint, Wire
from kensaku.server.wires.mcp import PATHS, RESOURCE_METADATA, replay

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.server.oauth import OAuth
    from kensaku.server.request import Request

MAX_BODY = 16_000
# Clients look for the second below the path of a server that has one, and for the first never.
SERVER_METADATA = (
    "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
)  # fmt: skip
_OPEN: dict[str, Any] = {"is_open": True, "is_admitted": False, "max_body": MAX_BODY}


class NoOAuth(KensakuError):
    """The server gives no tokens."""

    status = 404


async def oauth_of(request: Request) -> OAuth:
    """Return the provider. Raises `NoOAuth`."""
    if not request.public_url or not await request.state.needs_key():
        raise NoOAuth(
            "this server gives no tokens",
            remedy="set KENSAKU_PUBLIC_URL to its address, and create a key: kensaku keys create",
        )
    from kensaku.server.oauth import OAuth

    return OAuth(request.state, request.public_url, PATHS)


class OAuthWire(Wire):
    name = "oauth"
    label = "OAuth"
    docs = "https://modelcontextprotocol.io/specification/draft/basic/authorization"
    prefixes = ("",)
    keys = ()
    headers = (("cache-control", "no-store"),)

    def endpoints(self) -> Sequence[Endpoint]:
        described = [
            Endpoint("GET", RESOURCE_METADATA + path, do=_resource, **_OPEN) for path in PATHS
        ]
        return [
            *described,
            *(Endpoint("GET", path, do=_server, **_OPEN) for path in SERVER_METADATA),
            *(
                Endpoint(method, f"/oauth/{name}", do=_handle, takes_bytes=True, **_OPEN)
                for method, name in (
                    ("GET", "authorize"), ("POST", "authorize"), ("POST", "token"),
                    ("POST", "register"),
                )
            ),
            Endpoint("POST", "/oauth/revoke", do=_revoke, **_OPEN),
        ]  # fmt: skip


async def _resource(request: Request, asked: Asked) -> dict[str, Any]:
    base = (await oauth_of(request)).issuer
    path = request.endpoint.path.removeprefix(RESOURCE_METADATA)
    return {
        "resource": base + path,
        "authorization_servers": [base],
        "bearer_methods_supported": ["header"],
        "resource_name": "Kensaku",
    }


async def _server(request: Request, asked: Asked) -> dict[str, Any]:
    """Describe the authorization server (RFC 8414)."""
    issuer = (await oauth_of(request)).issuer
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "registration_endpoint": f"{issuer}/oauth/register",
        "revocation_endpoint": f"{issuer}/oauth/revoke",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }


async def _handle(request: Request, asked: Asked) -> ASGIApp:
    """Let the SDK's handler answer."""
    from mcp.server.auth.handlers.authorize import AuthorizationHandler
    from mcp.server.auth.handlers.register import RegistrationHandler
    from mcp.server.auth.handlers.token import TokenHandler
    from mcp.server.auth.middleware.client_auth import ClientAuthenticator
    from mcp.server.auth.settings import ClientRegistrationOptions
    from starlette.requests import Request as HttpRequest

    oauth = await oauth_of(request)
    name = request.endpoint.path.rpartition("/")[2]
    if name == "register":
        handler: Any = RegistrationHandler(oauth, ClientRegistrationOptions(enabled=True))
    elif name == "token":
        handler = TokenHandler(oauth, ClientAuthenticator(oauth))
    else:
        handler = AuthorizationHandler(oauth)

    async def nothing_more() -> Any:
        return {"type": "http.disconnect"}

    sent = HttpRequest(request.scope, replay(asked.raw, nothing_more))
    response: ASGIApp = await handler.handle(sent)
    return response


async def _revoke(request: Request, asked: Asked) -> dict[str, Any]:
    """End a token and all that came with it; what is none is fine (RFC 7009).

    The SDK's handler wants a secret, and clients here have none.
    """
    oauth = await oauth_of(request)
    id, token = (str(asked.body.get(name, "")) for name in ("client_id", "token"))
    client = await oauth.get_client(id)
    if client is not None:
        found = await oauth.load_access_token(token) or await oauth.load_refresh_token(
            client, token
        )
        if found is not None and found.client_id == id:
            await oauth.revoke_token(found)
    return {}
