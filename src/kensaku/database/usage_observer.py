"""Record every request to a provider, with its caller, as usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.observe import Observer, Operation, caller
from kensaku.operations import AttemptOperation

if TYPE_CHECKING:
    from kensaku.database.usage import UsageWriter


class UsageObserver(Observer):
    """Records every request to a provider, with its caller."""

    kinds = (AttemptOperation,)

    def __init__(self, writer: UsageWriter) -> None:
        self._writer = writer

    def end(self, operation: Operation) -> None:
        """Record an attempt."""
        if not isinstance(operation, AttemptOperation) or not operation.sent:
            return
        who = caller.get()
        self._writer.record(
            outcome=operation.error or operation.outcome,
            tenant=who.tenant if who else "",
            key=who.key if who else "",
            endpoint=who.endpoint if who else "",
            provider=operation.provider,
            cost=operation.cost,
            elapsed_ms=operation.elapsed_ms,
        )
