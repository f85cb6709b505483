"""The tabs by name, in the order of the menu, and what their files are made of.

A tab is a folder: `view.py` has `show`, which returns the values of the template `NAME.html`, and
`ENDPOINTS`, its part of the page's API, which programs may use, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sse_starlette import ServerSentEvent

from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.server.http import encode
from kensaku.server.wires.base import Asked, Endpoint

if TYPE_CHECKING:
    from kensaku.server.page.request import PageRequest

TABS = {  # where each is
    "search": "/",
    "chat": "/chat",
    "collections": "/page/collections",
    "compare": "/page/compare",
    "providers": "/page/providers",
    "usage": "/page/usage",
    "jobs": "/page/jobs",
    "keys": "/page/keys",
}
ADMIN_TABS = frozenset({"keys"})
OPEN_TABS = frozenset({"search", "compare"})  # to anyone on this machine, while there are no keys
TITLES = {
    "search": msg("Search"),
    "chat": msg("Chat"),
    "collections": msg("Collections"),
    "compare": msg("Compare"),
    "providers": msg("Providers"),
    "usage": msg("Usage"),
    "jobs": msg("Jobs"),
    "keys": msg("Keys"),
}


@dataclass(frozen=True, slots=True)
class Tab:
    """What the folder of a tab has."""

    show: Callable[[PageRequest, Asked], Awaitable[dict[str, Any]]]
    endpoints: list[Endpoint]
    searches: Callable[[Asked], int]  # that showing it makes


def load_tab(name: str) -> Tab:
    """Import a tab."""
    view = import_module(f"kensaku.server.page.{name}.view")
    return Tab(view.show, view.ENDPOINTS, getattr(view, "searches", _none))


def _none(asked: Asked) -> int:
    return 0


def api(method: str, path: str, do: Callable[[PageRequest, Any], Any], **more: Any) -> Endpoint:
    """An endpoint of the page's API. Its summary is the first line of the handler's docstring.

    While there are no keys it is the owner's alone, unless it says otherwise.
    """
    summary = (do.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return Endpoint(method, path, summary=summary, do=do, **{"is_owners": True, **more})


def one_search(call: Any) -> int:
    """The cost of a call that searches once."""
    return 1


def event(name: str, data: Mapping[str, Any], id: str | None = None) -> ServerSentEvent:
    """An event of a stream; with an id where the stream can go on behind it."""
    return ServerSentEvent(encode(data).decode(), event=name, id=id, sep="\n")


def text_in(asked: Asked, name: str, most: int = 2_000) -> str:
    """A field that must be there, as text. Raises `InvalidQuery`."""
    value = asked.fields.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= most:
        raise InvalidQuery(
            msg("{name} must be a text of 1 to {most:,} characters", name=name, most=most)
        )
    return value
