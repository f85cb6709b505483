"""A person decides whether a program may search with a key: the page of OAuth's authorization.

    /oauth/authorize → GET /oauth/consent?request=… → key, allow | refuse → the program's address

The key is asked for each time: a browser sends no session with a visit from another site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse, RedirectResponse, Response

from kensaku.database.keys import hash_secret
from kensaku.errors import UsageError
from kensaku.server.page.render import HEADERS, render
from kensaku.server.page.viewer import remember
from kensaku.server.wires.base import Asked, Endpoint
from kensaku.server.wires.oauth import oauth_of
from kensaku.text.clean import cut
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.server.page.request import PageRequest

NAME_CHARS = 80


class NotWaiting(UsageError):
    """Nobody waits for this decision."""


async def ask(page: PageRequest, asked: Asked) -> Response:
    """Show who asks, and where the answer goes."""
    return await _form(page, asked.params.get("request", ""))


async def decide(page: PageRequest, asked: Asked) -> Response:
    """Take the decision, and send the browser back to the program."""
    from mcp.server.auth.provider import construct_redirect_uri

    oauth, id = await oauth_of(page), str(asked.body.get("request", ""))
    found = await oauth.waiting(id)
    digest = None
    if asked.body.get("decision") == "allow":
        digest = hash_secret(str(asked.body.get("key", "")).strip())
        if digest is None or await page.state.keys.find_hash(digest) is None:
            return await _form(page, id, wrong=True)
    told = await oauth.decide(id, digest)
    if found is None or told is None:
        raise _nobody(page)
    target = construct_redirect_uri(str(found[1].redirect_uri), **told)
    return RedirectResponse(target, 303, _headers(target))


async def _form(page: PageRequest, id: str, *, wrong: bool = False) -> Response:
    found = await (await oauth_of(page)).waiting(id)
    if found is None:
        raise _nobody(page)
    client, params = found
    target = str(params.redirect_uri)
    html = render(
        page,
        "consent.html",
        view="",
        request=id,
        wrong=wrong,
        name=cut(flatten(client.client_name or page.t("A program without a name")), NAME_CHARS),
        host=urlsplit(target).netloc,
    )
    response = HTMLResponse(html, 401 if wrong else 200, _headers(target))
    if page.viewer.is_new:  # its token proves that the decision comes from this page
        remember(response, page, page.viewer.session)
    return response


def _headers(target: str) -> dict[str, str]:
    """Let the form lead to the program: browsers hold a redirect to `form-action`, too."""
    parts = urlsplit(target)
    allowed = f"form-action 'self' {parts.scheme}://{parts.netloc};"
    policy = HEADERS["content-security-policy"].replace("form-action 'self';", allowed)
    return {**HEADERS, "content-security-policy": policy}


def _nobody(page: PageRequest) -> NotWaiting:
    return NotWaiting(
        page.t("This request to connect has expired, or was answered before"),
        remedy=page.t("connect again from the program"),
    )


_OPTIONS: dict[str, Any] = {"is_open": True, "is_admitted": False, "max_body": 10_000}
ENDPOINTS = (
    Endpoint("GET", "/oauth/consent", do=ask, **_OPTIONS),
    Endpoint("POST", "/oauth/consent", do=decide, **_OPTIONS),
)
