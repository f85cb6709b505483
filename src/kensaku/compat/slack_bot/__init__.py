"""A Slack bot's `web_search` for strands-agents: configuration, factory, tool and its Markdown."""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.compat.slack_bot.tools import WEB_SEARCH_CONFIG_KEY as WEB_SEARCH_CONFIG_KEY
    from kensaku.compat.slack_bot.tools import WEB_SEARCH_TOOLS as WEB_SEARCH_TOOLS
    from kensaku.compat.slack_bot.tools import WebSearchConfig as WebSearchConfig
    from kensaku.compat.slack_bot.tools import WebSearchToolsFactory as WebSearchToolsFactory
    from kensaku.compat.slack_bot.tools import get_web_search_config as get_web_search_config
    from kensaku.compat.slack_bot.tools import load_web_search_config as load_web_search_config
    from kensaku.compat.slack_bot.tools import web_search as web_search

__getattr__, __dir__, __all__ = attach(
    __name__,
    tools=(
        "WEB_SEARCH_CONFIG_KEY",
        "WEB_SEARCH_TOOLS",
        "WebSearchConfig",
        "WebSearchToolsFactory",
        "get_web_search_config",
        "load_web_search_config",
        "web_search",
    ),
)
