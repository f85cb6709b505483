"""Write a response as text for a model or a person.

    write(response, "tavily") → text
    write(response, "plain:ja", max_content_length=200) → text
    write_error(error, "term", query=…) → what a tool returns instead of raising

A dialect is a module with `write(response, …)` and `write_error(error, *, query=None, …)`. Those of
other packages, and of `kensaku.compat`, are entry points of the group `kensaku.dialects`. Titles,
snippets, URLs and answers come from the web: every dialect escapes them with `kensaku.text.escape`.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kensaku._plugins import plugins
from kensaku.errors import UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from types import ModuleType

    from kensaku.errors import KensakuError
    from kensaku.models import Response

__all__ = ["check_dialect", "dialect_module", "dialect_names", "write", "write_error"]


BUILT_IN = {name: f"kensaku.dialects.{name}" for name in ("plain", "markdown", "compact", "json")}
_NO_OPTIONS = ("nothing: it has no options",)


def dialect_names() -> list[str]:
    """Return all names of dialects, the built-in ones first."""
    return [*BUILT_IN, *(name for name in plugins("dialects") if name not in BUILT_IN)]


def dialect_module(name: str) -> ModuleType:
    """Import a dialect. Raises `UnknownName`, which names the nearest."""
    if name in BUILT_IN:
        return import_module(BUILT_IN[name])
    if name in (others := plugins("dialects")):
        module: ModuleType = others[name].load()
        return module
    raise UnknownName(msg("dialect"), name, dialect_names())


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
        from kensaku.dialects._reasons import translator_for

        translator_for(options["language"])


def _resolve(
    name: str, function: str, options: dict[str, Any]
) -> tuple[ModuleType, dict[str, Any]]:
    """Import the dialect's module and check the options against the function's signature."""
    name, _, language = name.partition(":")
    module = dialect_module(name)
    if language:
        options = {"language": language, **options}
    accepted = list(inspect.signature(getattr(module, function)).parameters)[1:]
    for option in options:
        if option not in accepted:
            raise UnknownName(
                msg("option of the dialect {name}", name=name), option, accepted or _NO_OPTIONS
            )
    return module, options
