"""The same client for code that does not await.

    with Kensaku() as k:
        response = k.search("python 3.14 release date", max_results=5)
        k.index.add([Document(url="…", text="…")], collection="docs")

    k.search(…) → portal: one thread with one event loop → Kensaku.search(…) → Response

Nothing is written twice: a proxy calls the async client on the portal's loop and waits for what
would be awaited there. Its types are in `sync.pyi`, generated from the async client. It works
where a loop is running already, and from several threads.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Self, TypeVar

from kensaku import client
from kensaku.errors import UsageError
from kensaku.messages import msg

__all__ = ["Kensaku", "Portal"]

T = TypeVar("T")


class Portal:
    """One thread that runs one event loop, until it is closed."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="kensaku-portal", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and wait for it. Ctrl-C here cancels it there."""
        if threading.current_thread() is self._thread or self._loop.is_closed():
            work.close()
            raise UsageError(
                msg("the client is closed")
                if self._loop.is_closed()
                else msg("this would wait for itself: it was called from the client's own loop")
            )
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last`, then end the loop and its thread. Closing twice is fine."""
        if self._loop.is_closed():
            return
        if threading.current_thread() is self._thread:  # the collector ran here: do not wait
            task = self._loop.create_task(last())
            task.add_done_callback(lambda _: self._loop.stop())
            return
        try:
            self.run(last())
            self.run(_cancel_tasks())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _cancel_tasks() -> None:
    """Cancel and await what is still running, so that no task is destroyed while pending."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()


class SyncProxy:
    """Wrap an object of the async API and wait for its coroutines."""

    def __init__(self, target: Any, portal: Portal) -> None:
        self.__dict__["_target"], self.__dict__["_portal"] = target, portal

    def __repr__(self) -> str:
        return f"<sync {self._target!r}>"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._target)})

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._target, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self._target).__name__!r} has no public {name!r}")
        # Resources are made on first use: on the loop, so that two threads do not make two of them.
        value = self._portal.run(_getattr(self._target, name))
        if not inspect.ismethod(value):
            return _proxy(value, self._portal)

        @functools.wraps(value)
        def call(*args: Any, **options: Any) -> Any:
            return _proxy(self._portal.run(_call(value, args, options)), self._portal)

        return call


class Kensaku(SyncProxy):
    """`kensaku.Kensaku` without `await`: the same arguments, attributes and results."""

    def __init__(self, *args: Any, **options: Any) -> None:
        target, portal = client.Kensaku(*args, **options), Portal()
        super().__init__(target, portal)
        self.__dict__["_end"] = weakref.finalize(self, portal.close, target.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections, files and the thread. Closing twice is fine."""
        self._end()


async def _getattr(target: Any, name: str) -> Any:
    return getattr(target, name)


async def _call(work: Callable[..., Any], args: Any, options: Any) -> Any:
    result = work(*args, **options)
    return await result if inspect.isawaitable(result) else result


def _proxy(value: Any, portal: Portal) -> Any:
    """The value itself, or a proxy when it has coroutines."""
    if isinstance(value, AsyncIterator):
        return _iterate(value, portal)
    kind: Any = type(value)
    return SyncProxy(value, portal) if _has_coroutines(kind) else value


def _iterate(values: AsyncIterator[T], portal: Portal) -> Iterator[T]:
    async def next_value() -> T:
        return await anext(values)

    try:
        while True:
            try:
                yield portal.run(next_value())
            except StopAsyncIteration:
                return
    finally:
        if (close := getattr(values, "aclose", None)) is not None:
            portal.run(_call(close, (), {}))


@functools.cache
def _has_coroutines(kind: Any) -> bool:
    return kind.__module__.partition(".")[0] == "kensaku" and any(
        inspect.iscoroutinefunction(member) for _, member in inspect.getmembers(kind)
    )
