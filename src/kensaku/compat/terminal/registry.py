"""The registered providers, the default, and the one that the settings name.

register_web_search_provider(provider, is_default=…)
get_configured_web_search_provider(deps) → `webSearch.provider`, else the default, with a warning
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.errors import UsageError

if TYPE_CHECKING:
    from kensaku.compat.terminal.deps import AnyDeps
    from kensaku.compat.terminal.types import WebSearchProvider


class ProviderRegistry:
    """Providers by their ids, in the order of registration."""

    def __init__(self) -> None:
        self._providers: dict[str, WebSearchProvider] = {}
        self._default: str | None = None

    def register(self, provider: WebSearchProvider, *, is_default: bool = False) -> None:
        """Add a provider. Raises for an id that is taken."""
        if provider.id in self._providers:
            raise UsageError(f"Web search provider '{provider.id}' is already registered")
        self._providers[provider.id] = provider
        if is_default or self._default is None:
            self._default = provider.id

    def get(self, provider_id: str) -> WebSearchProvider | None:
        """Return the provider with that id, or None."""
        return self._providers.get(provider_id)

    @property
    def default(self) -> WebSearchProvider | None:
        """The one that was marked, else the first."""
        return self._providers.get(self._default or "")

    def all(self) -> list[WebSearchProvider]:
        """Return all providers, in the order of registration."""
        return list(self._providers.values())

    def configured(self, deps: AnyDeps) -> WebSearchProvider | None:
        """Return the one that the settings name; log a warning if it is not registered."""
        from kensaku.compat.terminal.deps import as_deps  # it reads this table for the secrets

        own = as_deps(deps)
        wanted = own.settings_service.get("webSearch.provider")
        if not wanted or self.get(wanted):
            return self.get(wanted) if wanted else self.default
        if self.default:
            own.log(
                "warning",
                f"Web search provider '{wanted}' is not known; '{self.default.id}' is used",
                {"wanted": wanted, "used": self.default.id},
            )
        return self.default


PROVIDERS = ProviderRegistry()


def register_web_search_provider(provider: WebSearchProvider, *, is_default: bool = False) -> None:
    """Add a provider. Raises for an id that is taken."""
    PROVIDERS.register(provider, is_default=is_default)


def get_web_search_provider(provider_id: str) -> WebSearchProvider | None:
    """Return the provider with that id, or None."""
    return PROVIDERS.get(provider_id)


def get_default_web_search_provider() -> WebSearchProvider | None:
    """Return the one that was marked as the default, else the first."""
    return PROVIDERS.default


def get_all_web_search_providers() -> list[WebSearchProvider]:
    """Return all providers, in the order of registration."""
    return PROVIDERS.all()


def get_configured_web_search_provider(deps: AnyDeps) -> WebSearchProvider | None:
    """Return the one that `webSearch.provider` names, else the default."""
    return PROVIDERS.configured(deps)


def sensitive_setting_keys() -> set[str]:
    """Return the settings that the providers declare to be secrets."""
    return {key for provider in PROVIDERS.all() for key in provider.sensitive_setting_keys}
