"""One request that was admitted: who asks, with which client, and what it has come to.

admit → slot → rate and quota of the key → client of the tenant → usage, whatever happens
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.search.budget import Budget
    from kensaku.server.auth import Principal
    from kensaku.server.limits import KeyLimits


@dataclass(slots=True)
class Session:
    """Made for each request; `outcome`, `cached` and `credits` are what its usage says."""

    principal: Principal
    client: Kensaku
    limits: KeyLimits = field(repr=False)
    outcome: str = "failed"
    cached: bool = False
    credits: float = 0.0

    async def check_limits(self, searches: int = 0) -> None:
        """Count the request, and its searches. Raises `RateExceeded` or `QuotaExceeded`."""
        if self.principal.key is not None:
            await self.limits.check(self.principal.key, searches)

    async def check_run(self) -> Budget | None:
        """Count a run of the assistant, and return what its searches count against."""
        key = self.principal.key
        # Not `client.budget`: in a request, that is the money of the key already.
        operators = self.client._resources.budget
        return await self.limits.check_run(key, operators) if key else None

    @property
    def budget(self) -> Budget | None:
        """What the key may still spend; None when nothing bounds it."""
        key = self.principal.key
        return self.limits.money(key, self.client.budget) if key else None
