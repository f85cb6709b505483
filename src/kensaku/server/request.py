"""One request: what was sent, who asks, with which client, and what it has come to.

    identify → slot → rate and quota of the key → work → usage, whatever happens

`endpoint.py` walks a request through these steps; a handler gets it when they are done.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery
from kensaku.log_redaction import request_secrets
from kensaku.messages import msg
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget
from kensaku.server.auth import (
    ANYONE,
    NOBODY,
    OWNER,
    Forbidden,
    OwnersOnly,
    Principal,
    Unauthorized,
    secrets_in,
)
from kensaku.server.http import (
    MAX_UNKEYED_BODY,
    BodyTooLarge,
    decode_body,
    headers_of,
    params_of,
    read_body,
)

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

    from kensaku.client import Kensaku
    from kensaku.search.budget import Budget
    from kensaku.server.state import State
    from kensaku.server.wires.base import Endpoint, Wire

FAILED = "failed"  # what a request has come to unless something else is said


class Request:
    """A request to an endpoint. `outcome` and `cached` are what its usage says."""

    principal: Principal = NOBODY
    run_budget: Budget | None = None  # what the searches of a run count against

    def __init__(
        self, state: State, wire: Wire, endpoint: Endpoint, scope: Scope, receive: Receive
    ) -> None:
        """Raises `InvalidQuery` when the query of the URL has too many fields."""
        self.state, self.wire, self.endpoint, self.scope = state, wire, endpoint, scope
        self.headers: Mapping[str, str] = headers_of(scope)
        self.params: Mapping[str, str] = params_of(scope)
        self.path_params: Mapping[str, str] = scope.get("path_params") or {}
        self.outcome, self.cached = FAILED, False
        self.began = time.perf_counter()
        request_secrets.set(secrets_in(self.headers, self.params, {}))
        self._receive = receive
        self._raw: bytes | None = None
        self._held = 0  # bytes of the body that count for those without a key
        self._fields: Mapping[str, Any] | None = None

    @property
    def id(self) -> str:
        """The id of the request, as logs and replies have it."""
        return str(self.scope["state"]["request_id"])

    @property
    def name(self) -> str:
        """The name of the endpoint in logs, metrics and usage."""
        return self.endpoint.name or f"{self.wire.name}{self.endpoint.path}".strip("/")

    @property
    def root(self) -> str:
        """The path under which clients find the application, without a slash at its end."""
        return str(self.scope.get("root_path", "")).rstrip("/")

    @property
    def public_url(self) -> str:
        """The address of the server on the internet, under its root; "" if nobody named it."""
        named = self.state.settings.public_url
        return named and named + self.root

    @cached_property
    def client(self) -> Kensaku:
        """The client of the tenant."""
        assert self.principal is not NOBODY
        return self.state.client_of(self.principal)

    async def body(self) -> bytes:
        """Return the body. Raises `BodyTooLarge`, `BodiesTooLarge` or `ClientDisconnected`."""
        if self._raw is None:
            trusted = self.principal.key is not None or self.principal is OWNER
            take = None if trusted else self._take
            self._raw = await read_body(self._receive, self.endpoint.max_body, take)
        return self._raw

    def _take(self, size: int) -> None:
        self.state.body_memory.take(size)
        self._held += size

    def close(self) -> None:
        """Hold the body no more."""
        self.state.body_memory.give_back(self._held)
        self._held = 0

    async def fields(self) -> Mapping[str, Any]:
        """Return the fields of the body, JSON or a form. Raises `InvalidQuery`."""
        if self.scope["method"] in ("GET", "HEAD"):
            return {}
        if self._fields is None:
            raw, kind = await self.body(), self.headers.get("content-type", "")
            only = self.wire.body_type
            if raw and only and kind.partition(";")[0].strip().lower() != only:
                raise InvalidQuery(msg("the body must be {only}", only=only))
            self._fields = decode_body(raw, kind)
            if "api_key" in self._fields:
                request_secrets.set(secrets_in(self.headers, self.params, self._fields))
        return self._fields

    async def secret(self) -> str:
        """Return the key that the request brought, from the first place that has one.

        The body is read only where nothing else has one, and a key is needed.
        """
        for place in self.wire.keys:
            body: Mapping[str, Any] = {}
            if place.is_ambient and _is_foreign(self.headers):
                continue
            if place.kind == "body":
                if self.endpoint.takes_bytes or not await self.state.needs_key():
                    continue
                body = await self._small_fields()
            if key := place.find(self.headers, self.params, body):
                return key
        return ""

    async def _small_fields(self) -> Mapping[str, Any]:
        """Return the fields of a body that may hold the key. Raises `Unauthorized`."""
        most = min(self.endpoint.max_body, MAX_UNKEYED_BODY)
        try:
            if self._raw is None:
                self._raw = await read_body(self._receive, most, self._take)
        except BodyTooLarge:
            if most == self.endpoint.max_body:
                raise
            raise Unauthorized(
                msg(
                    "Unauthorized: no API key in the headers, and the body is over {most:,} bytes",
                    most=most,
                ),
                remedy=msg("send the key as Authorization: Bearer"),
            ) from None
        return await self.fields()

    async def identify(self) -> None:
        """Find out who asks. Raises `Unauthorized`, `Forbidden`, `WrongHost` or `Draining`."""
        if self.endpoint.is_open:
            return
        self.principal = await self.state.principal(self.scope, self.headers, await self.secret())
        if self.principal is ANYONE:
            _check_origin(self.headers, self.state.settings.cors_origins)
        self.check_rights("this key may not do that", "use the key of an admin")

    def check_rights(self, refusal: str, remedy: str) -> None:
        """Refuse what only an admin, or the owner of a server without keys, may do."""
        if self.principal is ANYONE and (self.endpoint.is_owners or self.endpoint.is_admins):
            raise OwnersOnly
        if self.endpoint.is_admins and not self.principal.admin:
            raise Forbidden(refusal, remedy=remedy)

    async def count(self, searches: int | None) -> None:
        """Count the request and its searches. Raises `RateExceeded` or `QuotaExceeded`.

        None: a run, whose searches are counted as it makes them.
        """
        key = self.principal.key
        if key is None:
            return
        if searches is None:
            # Not `client.budget`: in a request, that is the money of the key already.
            operators = self.client.resources.budget
            self.run_budget = await self.state.limits.check_run(key, operators)
        else:
            await self.state.limits.check(key, searches)

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Hold one of the server's slots, and record the usage at the end. Raises `Overloaded`."""
        who, key = self.principal, self.principal.key
        token = caller.set(Caller(self.id, who.tenant, who.key_id, self.name))
        money = self.state.limits.money(key, self.client.budget) if key else None
        spending = current_budget.set(money)
        began = time.perf_counter()
        try:
            async with self.state.admission.slot(who.tenant or who.key_id):
                yield
        except BaseException as error:
            self.outcome = type(error).__name__
            raise
        finally:
            caller.reset(token)
            current_budget.reset(spending)
            self.state.record(self, (time.perf_counter() - began) * 1000)


def _check_origin(headers: Mapping[str, str], welcome: Collection[str]) -> None:
    """Refuse what the page of another site had a browser send. A key would have been needed."""
    if _is_foreign(headers) and headers.get("origin") not in welcome:
        raise Forbidden(
            msg("the page of another site may not search here"),
            remedy=msg("create a key, which programs then send: kensaku keys create NAME"),
        )


def _is_foreign(headers: Mapping[str, str]) -> bool:
    """Whether the page of another site had a browser send this."""
    origin = headers.get("origin")
    foreign = origin is not None and origin.partition("://")[2] != headers.get("host", "")
    return foreign or headers.get("sec-fetch-site", "") in ("cross-site", "same-site")
