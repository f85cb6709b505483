"""One request that was admitted: who asks, with which client, and what it has come to.

admit → slot → rate and quota of the key → client of the tenant → usage, whatever happens
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget
from kensaku.server.auth import ANYONE

if TYPE_CHECKING:
    from starlette.types import Scope

    from kensaku.client import Kensaku
    from kensaku.search.budget import Budget
    from kensaku.server.auth import Principal
    from kensaku.server.limits import KeyLimits
    from kensaku.server.state import State


class ForeignPage(KensakuError):
    """Without keys a browser could be made to search by any page that it shows."""

    status = 403


@dataclass(slots=True)
class Session:
    """Made for each request; `outcome` and `cached` are what its usage says."""

    principal: Principal
    client: Kensaku
    limits: KeyLimits = field(repr=False)
    outcome: str = "failed"
    cached: bool = False

    async def check_limits(self, searches: int = 0) -> None:
        """Count the request, and its searches. Raises `RateExceeded` or `QuotaExceeded`."""
        if self.principal.key is not None:
            await self.limits.check(self.principal.key, searches)

    async def check_run(self) -> Budget | None:
        """Count a run of the assistant, and return what its searches count against."""
        key = self.principal.key
        # Not `client.budget`: in a request, that is the money of the key already.
        operators = self.client.resources.budget
        return await self.limits.check_run(key, operators) if key else None

    @property
    def budget(self) -> Budget | None:
        """What the key may still spend; None when nothing bounds it."""
        key = self.principal.key
        return self.limits.money(key, self.client.budget) if key else None


class Admitted:
    """A request from the check of its key to the record of its usage. Use with `async with`.

    A class and not a generator: it is entered for every request.
    """

    def __init__(
        self,
        state: State,
        scope: Scope,
        endpoint: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any],
        principal: Principal | None,
    ) -> None:
        self._state, self._scope, self._endpoint = state, scope, endpoint
        self._headers, self._body, self._principal = headers, body, principal

    async def __aenter__(self) -> Session:
        """Raises `Unauthorized`, `Overloaded`, `WrongHost` or `Draining`."""
        state, principal = self._state, self._principal
        if principal is None:
            principal = await state.principal(self._scope, self._headers, self._body)
            if principal is ANYONE:
                _check_origin(self._headers)
        of_request, key = self._scope["state"], principal.key_id
        of_request["key_id"] = key
        session = Session(principal, state.client_of(principal), state.limits)
        who = Caller(of_request["request_id"], principal.tenant, key, self._endpoint)
        self._session, self._caller = session, caller.set(who)
        self._spending = current_budget.set(session.budget)
        self._began = time.perf_counter()
        self._slot = state.admission.slot(principal.tenant or key)
        try:
            await self._slot.__aenter__()
        except BaseException as error:
            self._end(error)
            raise
        return session

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        await self._slot.__aexit__()
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        if error is not None:
            self._session.outcome = type(error).__name__
        caller.reset(self._caller)
        current_budget.reset(self._spending)
        elapsed_ms = (time.perf_counter() - self._began) * 1000
        self._state.record(self._session, self._endpoint, elapsed_ms)


def _check_origin(headers: Mapping[str, str]) -> None:
    """Refuse what the page of another site had a browser send. A key would have been needed."""
    origin = headers.get("origin")
    foreign = origin is not None and origin.partition("://")[2] != headers.get("host", "")
    if foreign or headers.get("sec-fetch-site", "") in ("cross-site", "same-site"):
        raise ForeignPage(
            "the page of another site may not search here",
            remedy="create a key, which programs then send: kensaku keys create NAME",
        )
