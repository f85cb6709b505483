"""Observe what a client does: typed operations that begin, end, and nest.

    class Slow(Observer):
        def end(self, operation: Operation) -> None:
            if operation.elapsed_ms > 1000:
                print(operation.name, operation.attributes())

    Kensaku(observers=[Slow()])

    with observe(observers, FetchOperation, url) as operation:   → begin of every observer
        operation.record(await fetch(url))                       → end of every observer

The core has one such line at each place. Observers are called in the task that does the work, so
context variables (a tracing library's current span, `caller`) are those of the operation. A new
kind of operation is a subclass of `Operation`; observers need not know it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Generic, ParamSpec, Protocol, TypeVar

from kensaku._logger import get_logger

Value = str | int | float | bool
P = ParamSpec("P")
log = get_logger("kensaku")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of the current operation. `key` is the id of an API key, never the key."""

    request_id: str = ""
    tenant: str = ""
    key: str = ""
    endpoint: str = ""


caller: ContextVar[Caller | None] = ContextVar("kensaku_caller", default=None)
TEXT = {"text": True}  # marks a field with what a person wrote, or an address


@dataclass(slots=True, eq=False)
class Operation:
    """One piece of work. Its fields hold no key; texts and addresses are left out by default."""

    name: ClassVar[str]
    error: str = field(default="", init=False)  # the class of the error, "" when all went well
    elapsed_ms: float = field(default=0.0, init=False)
    parent: Operation | None = field(default=None, init=False, repr=False)

    @property
    def outermost(self) -> Operation:
        """The operation that this one is part of in the end; itself when it is part of none."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def attributes(self, *, texts: bool = False) -> dict[str, Value]:
        """Return what is known, by name; with `texts` also queries and whole addresses."""
        known = {}
        for name in _attribute_names(type(self), texts):  # type: ignore[arg-type]
            value = getattr(self, name)
            if value is not None and value != "":
                known[name] = value
        return known

    def fail(self, error: BaseException) -> None:
        """Note the exception that ended the operation."""
        self.error = self.error or type(error).__name__


_NO_ATTRIBUTES = frozenset({"parent", "elapsed_ms"})


@cache
def _attribute_names(kind: type[Operation], texts: bool) -> tuple[str, ...]:
    of_kind = (f for f in fields(kind) if f.name not in _NO_ATTRIBUTES)
    return tuple(f.name for f in of_kind if texts or "text" not in f.metadata)


class Observer(Protocol):
    """Is called for every operation, or only for some `kinds`.

    Both methods are quick, and an error in them is only logged.
    """

    kinds: ClassVar[tuple[type[Operation], ...]] = (Operation,)

    def begin(self, operation: Operation) -> None:
        """An operation begins; what it will be about is in its fields. Leave it out if unused."""
        return

    def end(self, operation: Operation) -> None:
        """The operation has ended; all of its fields are filled."""


_Methods = list[tuple[Observer, Callable[[Operation], None]]]
O = TypeVar("O", bound=Operation)  # noqa: E741
_current: ContextVar[Operation | None] = ContextVar("kensaku_operation", default=None)


class Observers:
    """The observers of a client. What one of them raises is logged, once for each type."""

    __slots__ = ("_begin", "_end", "_warned", "all")
    _begin: dict[type[Operation], _Methods]  # by kind of operation, as they come
    _end: dict[type[Operation], _Methods]

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        self._warned: set[tuple[type, type]] = set()
        self._set(tuple(observers))

    def add(self, *observers: Observer) -> None:
        """Tell these observers, too, from now on."""
        self._set((*self.all, *observers))

    def remove(self, *observers: Observer) -> None:
        """Tell these observers no more."""
        self._set(tuple(kept for kept in self.all if kept not in observers))

    def begin(self, operation: Operation) -> None:
        """Tell the observers that an operation begins."""
        kind = type(operation)
        if kind not in self._begin:
            # Most observers have no `begin` of their own: it is not called.
            own = (o for o in self._of(kind) if getattr(type(o), "begin", None) != Observer.begin)
            self._begin[kind] = [(o, o.begin) for o in own]
        self._call(self._begin[kind], operation)

    def end(self, operation: Operation) -> None:
        """Tell the observers that it has ended; the last one that began it ends it first."""
        kind = type(operation)
        if kind not in self._end:
            self._end[kind] = [(o, o.end) for o in reversed(self._of(kind))]
        self._call(self._end[kind], operation)

    def _set(self, observers: tuple[Observer, ...]) -> None:
        self.all, self._begin, self._end = observers, {}, {}

    def _of(self, kind: type[Operation]) -> list[Observer]:
        return [o for o in self.all if issubclass(kind, getattr(o, "kinds", (Operation,)))]

    def _call(self, methods: _Methods, operation: Operation) -> None:
        for observer, method in methods:
            try:
                method(operation)
            except Exception as error:
                self._warn(observer, error)

    def _warn(self, observer: Observer, error: Exception) -> None:
        kinds = (type(observer), type(error))
        if kinds not in self._warned:
            self._warned.add(kinds)
            names = [kind.__name__ for kind in kinds]
            log.warning("the observer %s failed (%s); the work goes on", *names)


NO_OBSERVERS = Observers()


def observe(
    observers: Observers, kind: Callable[P, O], *args: P.args, **kwargs: P.kwargs
) -> AbstractContextManager[O]:
    """Make an operation of this kind and tell the observers when it begins and ends.

    Without observers nothing is made: the body may only call the operation's `record`. The body
    must not yield, as an async generator does: it would begin in one task and end in another.
    """
    if not observers.all:
        return _NOTHING  # type: ignore[return-value]
    return _Observed(observers, kind(*args, **kwargs))


class _Observed(Generic[O]):
    """An operation under way."""

    __slots__ = ("_began", "_observers", "_operation", "_token")
    _token: Token[Operation | None]

    def __init__(self, observers: Observers, operation: O) -> None:
        self._observers, self._operation = observers, operation

    def __enter__(self) -> O:
        operation = self._operation
        operation.parent = _current.get()
        self._token = _current.set(operation)
        self._observers.begin(operation)
        self._began = time.perf_counter()
        return operation

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: Any
    ) -> None:
        operation = self._operation
        operation.elapsed_ms = (time.perf_counter() - self._began) * 1000
        if error is not None:
            operation.fail(error)
        self._observers.end(operation)
        _current.reset(self._token)


class _Nothing:
    """An operation that nobody observes."""

    __slots__ = ()

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        pass

    def record(self, *_: object) -> None:
        pass


_NOTHING = _Nothing()
