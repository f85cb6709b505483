"""Write a response as text for a model or a person.

    write(response, "tavily") → text
    write(response, "plain:ja", max_content_length=200) → text
    write_error(error, "term", query=…) → what a tool returns instead of raising

A dialect is a module with `write(response, …)` and `write_error(error, *, query=None, …)`, and a
row in `DIALECTS`. Titles, snippets, URLs and answers come from the web: every dialect escapes them
with `kensaku.text.escape`.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from kensaku.errors import UnknownName

if TYPE_CHECKING:
    from types import ModuleType

    from kensaku.errors import KensakuError
    from kensaku.models import Response

__all__ = ["DIALECTS", "Dialect", "check_dialect", "write", "write_error"]


class Dialect(NamedTuple):
    """A row of the table: the module, imported on first use, and who reads its text."""

    module: str
    description: str


DIALECTS = {
    "plain": Dialect(
        "kensaku.dialects.plain",
        "plain text, English or Japanese (plain:ja)",
    ),
    "markdown": Dialect(
        "kensaku.dialects.markdown",
        "Markdown, English or Japanese (markdown:ja)",
    ),
    "compact": Dialect(
        "kensaku.dialects.compact",
        "few tokens, for small models; English or Japanese (compact:ja)",
    ),
    "json": Dialect(
        "kensaku.dialects.json",
        "the whole response, for programs",
    ),
    "strands": Dialect(
        "kensaku.compat.slack_bot.dialect",
        "a Slack bot's Markdown, Japanese",
    ),
    "tavily": Dialect(
        "kensaku.compat.tavily_tools.dialect",
        "three Tavily tools' Markdown, Japanese",
    ),
    "search_web": Dialect(
        "kensaku.compat.chat_server.dialect",
        "a chat server's list, English",
    ),
    "term": Dialect(
        "kensaku.compat.terminal.dialect",
        "a terminal assistant's Markdown, English",
    ),
}

_NO_OPTIONS = ("nothing: it has no options",)


def write(response: Response, dialect: str = "plain", **options: Any) -> str:
    """Write the response in a dialect. Raises `UnknownName` for a wrong dialect or option."""
    module, options = _resolve(dialect, "write", options)
    text: str = module.write(response, **options)
    return text


def write_error(error: KensakuError, dialect: str = "plain", **options: Any) -> str:
    """Write an error as the dialect's tool reports it. `query` is the text of the search."""
    module, options = _resolve(dialect, "write_error", options)
    text: str = module.write_error(error, **options)
    return text


def check_dialect(name: str) -> None:
    """Raise `UnknownName` for a dialect, or a language after its colon, that does not exist."""
    _, options = _resolve(name, "write", {})
    if "language" in options:
        from kensaku.dialects._strings import strings_for

        strings_for(options["language"])


def _resolve(
    name: str, function: str, options: dict[str, Any]
) -> tuple[ModuleType, dict[str, Any]]:
    """Import the dialect's module and check the options against the function's signature."""
    name, _, language = name.partition(":")
    if name not in DIALECTS:
        raise UnknownName("dialect", name, DIALECTS)
    module = import_module(DIALECTS[name].module)
    if language:
        options = {"language": language, **options}
    accepted = list(inspect.signature(getattr(module, function)).parameters)[1:]
    for option in options:
        if option not in accepted:
            raise UnknownName(f"option of the dialect {name}", option, accepted or _NO_OPTIONS)
    return module, options
