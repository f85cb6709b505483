"""The dependencies of the tool and the providers: settings, log, and a client made from them.

A host gives what it has: a plain object or a mapping with a settings service, which has
`get(key)`, and a logging service with some of `debug`, `warn` and `error`. What the log cannot do
is left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

from kensaku._logger import get_logger
from kensaku.compat.terminal.settings import SettingsService, core_settings

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.compat.terminal.types import Logging, SettingsReader

AnyDeps = Any  # a `Deps`, or a host's own object or mapping with the two services
_SETTINGS = ("settings_service", "settingsService", "settings")
_LOGGING = ("logging_service", "loggingService", "logging")
_METHODS = {"debug": ("debug",), "warning": ("warning", "warn"), "error": ("error",)}
_log = get_logger("kensaku.term")


class LoggingService:
    """The log of this program. Queries stay out of it, except at DEBUG."""

    def debug(self, message: str, meta: Mapping[str, Any] = {}, /) -> None:
        _log.debug("%s %s", message, dict(meta))

    def warning(self, message: str, meta: Mapping[str, Any] = {}, /) -> None:
        _log.warning("%s %s", message, _public(meta))

    def error(self, message: str, meta: Mapping[str, Any] = {}, /) -> None:
        _log.error("%s %s", message, _public(meta))


def _public(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if name != "query"}


class Deps:
    """The settings service and the logging service; close it when the program ends."""

    def __init__(
        self,
        settings_service: SettingsReader | None = None,
        logging_service: Logging | None = None,
    ) -> None:
        self.settings_service = SettingsService() if settings_service is None else settings_service
        self.logging_service = LoggingService() if logging_service is None else logging_service
        self._client: Kensaku | None = None
        self._former: list[Kensaku] = []

    @property
    def client(self) -> Kensaku:
        """The client for the settings as they are now: a key that was changed counts at once."""
        from kensaku.client import Kensaku

        settings = core_settings(self.settings_service)
        if self._client is None or self._client.settings != settings:
            if self._client is not None:  # a search may still be under way with it
                self._former.append(self._client)
            self._client = Kensaku(settings)
        return self._client

    def log(self, level: str, message: str, meta: Mapping[str, Any]) -> None:
        """Log by the host's method of that name, or by none."""
        for name in _METHODS[level]:
            method = _member(self.logging_service, name)
            if callable(method):
                method(message, meta)
                return

    async def close(self) -> None:
        """Close the connections. Closing twice is fine."""
        for client in (*self._former, self._client):
            if client is not None:
                await client.close()
        self._former, self._client = [], None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def as_deps(given: AnyDeps) -> Deps:
    """Return the dependencies as ours, whatever the host has put together."""
    if isinstance(given, Deps):
        return given
    settings = next((s for n in _SETTINGS if (s := _member(given, n)) is not None), None)
    log = next((s for n in _LOGGING if (s := _member(given, n)) is not None), None)
    return Deps(settings, log)


@asynccontextmanager
async def borrowed(given: AnyDeps) -> AsyncIterator[Deps]:
    """Give the dependencies as ours; close what had to be made for it."""
    deps = as_deps(given)
    try:
        yield deps
    finally:
        if deps is not given:
            await deps.close()


def _member(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
