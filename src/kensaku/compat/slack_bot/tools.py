"""The Slack bot's `web_search` for strands-agents: configuration, factory and tool (S0-01 … S0-37).

    config.yaml → WebSearchConfig → WebSearchToolsFactory → Agent(tools=…), invocation_state
    query → Tavily → Japanese Markdown, or one of three sentences

The specification wants the query in the log at INFO, while Kensaku keeps queries below that. Its
letter holds here, under the logger `kensaku.compat.slack_bot.tools`, and nowhere else: set that
logger to WARNING to keep queries out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol, cast

from kensaku._logger import get_logger
from kensaku.compat.slack_bot.dialect import NO_QUERY, NOBODY
from kensaku.compat.tavily_tools.client import tavily_client
from kensaku.config.file import SettingsFile, read_file
from kensaku.dialects import write, write_error
from kensaku.errors import ConfigError, KensakuError, MissingExtra, UnknownName
from kensaku.models import MAX_QUERY_CHARS, Depth, Outcome
from kensaku.text.fence import fence_text
from kensaku.text.short import cut_at_word, short_repr

try:
    from strands import ToolContext, tool
except ImportError:
    raise MissingExtra("strands", "strands") from None

log = get_logger(__name__)

SECTION = "tools.web_search"
WEB_SEARCH_CONFIG_KEY = "web_search_config"
_FENCE_KEY = "web_search_fence"
_DEPTHS = ("basic", "advanced", "fast", "ultra-fast")  # the document's two, and the bot's own two
_MOST_RESULTS = 20  # of one request to Tavily; the document sets no bound


@dataclass(frozen=True)
class WebSearchConfig:
    """The section `tools.web_search`. It must be enabled explicitly."""

    enabled: bool = False
    api_key: str = field(default="", repr=False)
    search_depth: str = "basic"
    max_results: int = 5
    max_content_length: int = 500  # characters of each content; 0 for all of them

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise _wrong("enabled", self.enabled, "true or false")
        if not isinstance(self.api_key, str):
            raise ConfigError(f"{SECTION}.api_key must be text")
        if self.search_depth not in _DEPTHS:
            raise _wrong("search_depth", self.search_depth, f"one of {', '.join(_DEPTHS)}")
        if not _is_whole(self.max_results) or self.max_results < 1:
            raise _wrong("max_results", self.max_results, "a whole number of at least 1")
        if not _is_whole(self.max_content_length) or self.max_content_length < 0:
            raise _wrong(
                "max_content_length", self.max_content_length, "a whole number of at least 0"
            )

    @property
    def usable(self) -> bool:
        """Whether the tool is to be registered."""
        return self.enabled and bool(self.api_key.strip())


class SearchConfig(Protocol):
    """What the factory takes: ours, or the bot's own class. `max_content_length` may be missing."""

    @property
    def enabled(self) -> bool: ...
    @property
    def api_key(self) -> str: ...
    @property
    def search_depth(self) -> str: ...
    @property
    def max_results(self) -> int: ...


def check_config(config: SearchConfig) -> WebSearchConfig:
    """Return the values that `config` has now. Raises `ConfigError` for one that cannot be."""
    if isinstance(config, WebSearchConfig):
        return config
    values = {f.name: getattr(config, f.name, None) for f in fields(WebSearchConfig)}
    return WebSearchConfig(**{n: v for n, v in values.items() if v is not None})


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _wrong(name: str, value: Any, wanted: str) -> ConfigError:
    return ConfigError(f"{SECTION}.{name} is {short_repr(value)}; it must be {wanted}")


def load_web_search_config(
    path: str | Path, environ: Mapping[str, str] | None = None
) -> WebSearchConfig:
    """Read the section of a YAML file and expand `${VAR}`; without a section it is disabled.

    Raises `ConfigError` for a value that cannot be. A key whose variable is not set counts as
    missing: the program starts all the same, and the factory warns.
    """
    source = read_file(Path(path), os.environ if environ is None else environ)
    if SECTION not in source:
        return WebSearchConfig()
    names = [f.name for f in fields(WebSearchConfig)]
    section = source[SECTION]
    if not isinstance(section, dict):
        raise ConfigError(f"{source.where(SECTION)}: expected the settings of {SECTION}")
    if unknown := [str(name) for name in section if name not in names]:
        error = UnknownName("setting", unknown[0], names)
        where = source.where(f"{SECTION}.{unknown[0]}")
        raise ConfigError(f"{where}: {error.message}", remedy=error.remedy)
    if section.get("enabled") is None:
        where = source.where(SECTION)
        log.warning("%s: web_search is off; the line `enabled: true` there turns it on", where)
    if section.get("enabled") in (None, False):
        return WebSearchConfig()  # what is off is not read: its variables need not be set
    values = {n: _value(source, n) for n in names if section.get(n) is not None}
    try:
        return WebSearchConfig(**values)
    except ConfigError as wrong:
        key = wrong.message.split()[0]
        raise ConfigError(f"{source.where(key)}: {wrong.message}") from None


def _value(source: SettingsFile, name: str) -> Any:
    if name != "api_key":
        return source[f"{SECTION}.{name}"]
    try:
        return str(source[f"{SECTION}.{name}"])
    except ConfigError:  # its variable is not set
        return ""


def get_web_search_config(tool_context: ToolContext) -> WebSearchConfig:
    """Return the configuration of the run. Raises `RuntimeError` without one."""
    config = tool_context.invocation_state.get(WEB_SEARCH_CONFIG_KEY)
    if config is None:
        raise RuntimeError("WebSearchConfig not found in invocation_state")
    checked: WebSearchConfig = config
    return checked


class WebSearchToolsFactory:
    """Made once when a program starts; gives an agent the tool and a run its configuration.

    `config` is any object with the attributes of `WebSearchConfig`; its values are read at each
    call. Without a key the factory warns, and has no tools. `fence` puts web text between markers.
    """

    def __init__(self, config: SearchConfig, *, fence: bool = False) -> None:
        self._config = config
        self._fence = fence
        checked = check_config(config)
        if checked.enabled and not checked.usable:
            log.warning("web_search is enabled but has no API key; the tool is not registered")
        if checked.enabled and checked.max_results > _MOST_RESULTS:
            log.warning(
                "%s.max_results is %d; Tavily returns at most %d, so %d are asked for",
                *(SECTION, checked.max_results, _MOST_RESULTS, _MOST_RESULTS),
            )

    def get_invocation_state(self) -> dict[str, Any]:
        """Return the state for a run: `agent(prompt, invocation_state=…)`."""
        state: dict[str, Any] = {WEB_SEARCH_CONFIG_KEY: self._config}
        return {**state, _FENCE_KEY: True} if self._fence else state

    @property
    def tools(self) -> list[Any]:
        """The tools for `Agent(tools=…)`."""
        return WEB_SEARCH_TOOLS if check_config(self._config).usable else []


@tool(context=True)
async def web_search(query: str, tool_context: ToolContext) -> str:
    """ウェブ検索を実行する。

    Args:
        query: 検索クエリ
        tool_context: ツールコンテキスト

    Returns:
        検索結果（タイトル、URL、要約を含む）またはエラーメッセージ
    """
    if not query.strip():
        return NO_QUERY
    config = get_web_search_config(tool_context)
    log.info("web_search: %s", query)
    text, status = await _search(query, config)
    log.info("web_search: %s", status)
    fence = status == "success" and tool_context.invocation_state.get(_FENCE_KEY)
    return fence_text(text, "ja") if fence else text


WEB_SEARCH_TOOLS: list[Any] = [web_search]


async def _search(query: str, given: SearchConfig) -> tuple[str, str]:
    """Search; return the text for the model and the status for the log. Raises nothing."""
    try:
        config = check_config(given)
        if not config.api_key.strip():
            return NOBODY, "failure (no API key)"  # Tavily would be asked anonymously
        client = await tavily_client(config.api_key)
        response = await client.search(
            cut_at_word(query.strip(), MAX_QUERY_CHARS),  # Tavily gets less, and a note says so
            depth=cast(Depth, config.search_depth),
            max_results=min(config.max_results, _MOST_RESULTS),
            include_answer=True,
        )
    except KensakuError as error:
        return write_error(error, "strands", query=query), f"failure ({type(error).__name__})"
    except Exception as bug:
        log.exception("web_search failed unexpectedly")
        return NOBODY, f"failure ({type(bug).__name__})"
    if response.outcome is Outcome.UNAVAILABLE:
        errors = [type(a.error).__name__ for a in response.attempts if a.error]
        return NOBODY, f"failure ({', '.join(dict.fromkeys(errors))})"
    # Where Tavily gives no answer, the core writes an extract: no answer here (S0-33).
    answer = None if response.answered_by == "extract" else response.answer
    shown = replace(response, answer=answer)
    limit = config.max_content_length
    return write(shown, "strands", max_content_length=limit), "success"
