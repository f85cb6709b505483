"""Another way to a page that its own server does not give. Pure: nothing is fetched here.

    address → Service.ask → Ask(url, headers, read) → the reply → read → Copy, or another Ask

A service is one file with a class, and a row in `rungs/__init__.py`. `ladder.py` sends what it
asks for. What a reply says is never used as an address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from kensaku.errors import PageUnavailable
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

Rung = Literal["site", "reader", "archive"]


@dataclass(frozen=True, slots=True)
class Copy:
    """What a service has of a page: a document that the parsing workers read."""

    body: bytes = field(repr=False)
    content_type: str
    url: str  # where a person finds it
    as_of: str = ""  # the day of a snapshot, ISO 8601
    note: str = ""  # what is not in it
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # the page's own


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, and how its reply is read. `read` may raise `FetchError` and what `dict`s raise.

    `is_api`: the address is documented for programs. robots.txt is about pages, and forbids
    Wikipedia's API, for one, to those whom it is made for.
    """

    url: str
    read: Callable[[PageResponse], Copy | Ask]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_api: bool = False


class Service:
    """One service that may have a page."""

    name: ClassVar[str]  # in the setting fetch.rung_urls
    url: ClassVar[str]  # its base URL
    docs: ClassVar[str]
    rung: ClassVar[Rung] = "site"  # others than the site itself learn the address of the page

    def __init__(self, base_url: str = "") -> None:
        self.base_url = (base_url or self.url).rstrip("/")

    def ask(self, url: URL) -> Ask | None:
        """Return how to get the page at `url`; None when the service does not have such pages."""
        raise NotImplementedError


def no_copy() -> PageUnavailable:
    """Make the error of a service that does not have the page."""
    return PageUnavailable(msg("it does not have the page"))
