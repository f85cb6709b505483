"""The `web_search` tool of a terminal assistant, with a registry of providers.

    settings + registry → the provider that is configured → WebSearchResponse → Markdown

Importing this package registers every provider that Kensaku has. The names are those of the
document in Python's spelling; what they write is its Markdown, byte for byte.
"""

from kensaku.compat.terminal import providers as _providers  # registers them
from kensaku.compat.terminal.deps import Deps, LoggingService
from kensaku.compat.terminal.file import load_settings
from kensaku.compat.terminal.message import CommandMessage, format_web_search_command_message
from kensaku.compat.terminal.registry import (
    ProviderRegistry,
    get_all_web_search_providers,
    get_configured_web_search_provider,
    get_default_web_search_provider,
    get_web_search_provider,
    register_web_search_provider,
)
from kensaku.compat.terminal.settings import DEFAULT_SETTINGS, SETTING_KEYS, SettingsService
from kensaku.compat.terminal.tool import ToolDefinition, create_web_search_tool_definition
from kensaku.compat.terminal.types import (
    WebSearchError,
    WebSearchProvider,
    WebSearchResponse,
    WebSearchResult,
)

_providers.register_all()

__all__ = [
    "DEFAULT_SETTINGS",
    "SETTING_KEYS",
    "CommandMessage",
    "Deps",
    "LoggingService",
    "ProviderRegistry",
    "SettingsService",
    "ToolDefinition",
    "WebSearchError",
    "WebSearchProvider",
    "WebSearchResponse",
    "WebSearchResult",
    "create_web_search_tool_definition",
    "format_web_search_command_message",
    "get_all_web_search_providers",
    "get_configured_web_search_provider",
    "get_default_web_search_provider",
    "get_web_search_provider",
    "load_settings",
    "register_web_search_provider",
]
