"""The dependencies of the tool and the providers: settings, log, and a client made from them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from kensaku.compat.terminal.settings import SettingsService, core_settings

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.compat.terminal.types import Logging, SettingsReader

_log = logging.getLogger("kensaku.term")


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
        self.settings_service: SettingsReader = settings_service or SettingsService()
        self.logging_service: Logging = logging_service or LoggingService()
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
