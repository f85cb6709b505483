"""How a response is written. A new dialect is a file with `write` and `error`, and a line here.

    write(response, "tavily") → text
    write(response, "plain:ja", max_content_length=200) → text
    write_error(error, "term", query=…) → what a tool returns instead of raising

Titles, snippets, addresses and answers are other people's: `place.py` keeps them in their place.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kensaku.errors import UnknownName

if TYPE_CHECKING:
    from types import ModuleType

    from kensaku.errors import KensakuError
    from kensaku.models import Response

__all__ = ["DIALECTS", "dialect", "write", "write_error"]

# name → for whom it is. The module has the same name, unless the next table says another.
DIALECTS = {
    "plain": "plain text, English or Japanese (plain:ja)",
    "markdown": "Markdown, English or Japanese (markdown:ja)",
    "compact": "few tokens, for small models; English or Japanese (compact:ja)",
    "json": "everything, for machines",
    "strands": "a Slack bot's Markdown, Japanese",
    "tavily": "three Tavily tools' Markdown, Japanese",
    "search_web": "a chat server's list, English",
    "term": "a terminal assistant's Markdown, English",
}

_ELSEWHERE = {
    "strands": "kensaku.compat.slack_bot.dialect",
    "tavily": "kensaku.compat.tavily_tools.dialect",
    "search_web": "kensaku.compat.chat_server.dialect",
    "term": "kensaku.compat.terminal.dialect",
}


def write(response: Response, dialect: str = "plain", **options: Any) -> str:
    """The response in a dialect. Raises `UnknownName` for a dialect or an option it has not."""
    module, options = _chosen(dialect, "write", options)
    text: str = module.write(response, **options)
    return text


def write_error(error: KensakuError, dialect: str = "plain", **options: Any) -> str:
    """An error that was raised, as the dialect's tool says it. `query` is what was asked."""
    module, options = _chosen(dialect, "error", options)
    text: str = module.error(error, **options)
    return text


def dialect(name: str) -> ModuleType:
    """The module of a dialect. Raises `UnknownName`."""
    if name not in DIALECTS:
        raise UnknownName("dialect", name, DIALECTS)
    return import_module(_ELSEWHERE.get(name, f"{__name__}.{name}"))


_NO_OPTIONS = ("nothing: it has no options",)


def _chosen(name: str, what: str, options: dict[str, Any]) -> tuple[ModuleType, dict[str, Any]]:
    name, _, language = name.partition(":")
    module = dialect(name)
    if language:
        options = {"language": language, **options}
    known = [p.name for p in inspect.signature(getattr(module, what)).parameters.values()][1:]
    for option in options:
        if option not in known:
            raise UnknownName(f"option of the dialect {name}", option, known or _NO_OPTIONS)
    return module, options
