"""An observer that keeps what it was told, for the tests of whatever is observed."""

from __future__ import annotations

from kensaku.observe import Caller, Observer, Operation, caller


class Recorder(Observer):
    """All operations that have ended, and for whom each was done."""

    def __init__(self) -> None:
        self.begun: list[Operation] = []
        self.ended: list[Operation] = []
        self.callers: list[Caller | None] = []

    def begin(self, operation: Operation) -> None:
        self.begun.append(operation)

    def end(self, operation: Operation) -> None:
        self.ended.append(operation)
        self.callers.append(caller.get())

    def of(self, name: str) -> list[Operation]:
        """The operations of that name, in the order in which they ended."""
        return [operation for operation in self.ended if operation.name == name]

    @property
    def names(self) -> list[str]:
        return [operation.name for operation in self.ended]
