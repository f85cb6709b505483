"""The base of every provider: it describes a request and reads a reply; HTTP is elsewhere.

    Query + key → request() → [HTTP] → Reply → failure()? → complaint()? → hits() → Findings

A provider is one file with one class. What it declares (bounds, filters, price, index family)
the pipeline reads; what it cannot filter, the pipeline filters afterwards and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol
from urllib.parse import urlsplit

from kensaku.errors import (
    Blocked,
    KeyRefused,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Unreadable,
)
from kensaku.messages import msg
from kensaku.models import MAX_QUERY_CHARS, Hit, Image
from kensaku.providers._classify import (
    body_text,
    error_class_for,
    error_text,
    meaning,
    reason_in,
    redact,
    request_id,
)
from kensaku.providers._locales import own_code
from kensaku.providers._rows import (
    first_text,
    is_address,
    is_number,
    member,
    rows,
    section,
    text,
    usable,
)
from kensaku.text.clean import one_line
from kensaku.text.redact import password_of
from kensaku.text.short import cut_at_word
from kensaku.transport.reply import Reply
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from datetime import date

    from kensaku.models import Query, Topic
    from kensaku.resources import Resources
    from kensaku.search.intent import Intent

__all__ = [
    "Filter", "Findings", "KnownBy", "Provider", "Reply", "Request", "Transport",
    "first_text", "is_address", "member", "rows", "section", "text", "usable",
]  # fmt: skip

Filter = Literal["dates", "domains", "country", "language", "topic"]
KnownBy = Literal["recorded", "sdk", "documentation"]


@dataclass(slots=True)
class Findings:
    """What a provider read out of a reply."""

    hits: list[Hit]
    answer: str | None = None
    cost: float | None = None  # US dollars, when the reply says so
    notes: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()
    searched: str | None = None  # what the upstream says that it searched for


class Transport(Protocol):
    """Sends requests: the pooled HTTP client, or a fake."""

    async def send(self, request: Request, provider: str) -> Reply:
        """Carry it. Raises `Timeout` or `Unreachable`."""


class Provider:
    """One upstream. Subclasses describe it and implement `request` and `hits`."""

    name: ClassVar[str]
    label: ClassVar[str] = ""  # for people; the name in capitals when empty
    docs: ClassVar[str] = ""
    known_by: ClassVar[KnownBy] = "documentation"  # the best evidence of its wire format
    known_source: ClassVar[str] = ""  # where that is; `docs` when empty
    url: ClassVar[str] = ""  # where it lives unless <NAME>_BASE_URL says otherwise
    key_variable: ClassVar[str | None] = None  # the environment variable of its key
    key_aliases: ClassVar[tuple[str, ...]] = ()  # other names seen for it
    keyless: ClassVar[bool] = False  # answers without a key, too
    pooled: ClassVar[bool] = False  # belongs to the pool that `auto` asks without a key
    options: ClassVar[Mapping[str, str]] = {}  # option → environment variable; "": the file alone
    needs: ClassVar[tuple[str, ...]] = ()  # options it cannot work without
    max_query_chars: ClassVar[int] = 2_000
    max_query_words: ClassVar[int | None] = None
    max_results: ClassVar[int] = 50
    filters: ClassVar[frozenset[Filter]] = frozenset()  # what the upstream itself filters
    topics: ClassVar[frozenset[Topic]] = frozenset({"news"})  # which, when it filters by topic
    languages: ClassVar[Mapping[str, str] | None] = None  # ours → its own (_locales); None: any
    countries: ClassVar[frozenset[str] | None] = None  # those that it knows; None: any
    family: ClassVar[str] = ""  # whose index it resells; agreement inside one counts once
    price: ClassVar[float] = 0.0  # US dollars a search; what it depends on is in `price_of`
    price_source: ClassVar[str] = ""  # who says so, and when; "unverified" where nobody does
    rate: ClassVar[str | None] = None  # "5/s": what to stay under unless the settings say more
    keyless_rate: ClassVar[str | None] = None  # the same, without a key
    rate_group: ClassVar[str] = ""  # whose limit it shares, where an upstream counts several as one
    reads_pages: ClassVar[bool] = False  # depth "advanced" is the upstream's own work
    sunset: ClassVar[date | None] = None  # the day on which the upstream ends
    format: ClassVar[str] = "JSON"  # what `decode` reads, for people
    markup: ClassVar[bool] = True  # its contents are HTML: tags are removed, entities decoded
    is_web: ClassVar[bool] = True  # searches the web, and counts against budgets
    specialist: ClassVar[bool] = False  # no place of its own in `auto`: asked by name
    knows: ClassVar[frozenset[Intent]] = frozenset()  # for these, `auto` asks it beside the web
    needs_address: bool = True  # cannot be asked without a base URL
    runs_program: bool = False  # as a process, whose connections nobody here can bound
    cacheable: ClassVar[bool] = True  # its answers are kept in the response cache

    def __init__(self, base_url: str | None = None, options: Mapping[str, str] | None = None):
        self.base_url = (base_url or self.url).rstrip("/")
        self.option = dict(options or {})

    def __repr__(self) -> str:
        return f"<provider {self.name}>"

    def attach(self, resources: Resources) -> None:
        """Take from the client's resources what this provider needs besides HTTP."""

    async def close(self) -> None:
        """Let go of what it holds. Most hold nothing."""

    @property
    def keyless_host(self) -> str:
        """The host that sees a query without a key, for the privacy notice."""
        return urlsplit(self.base_url).hostname or self.name

    def too_long(self, text: str) -> str:
        """Which bound a query text breaks, for people; "" when it fits."""
        if len(text) > self.max_query_chars:
            return f"at most {self.max_query_chars} characters"
        if self.max_query_words and len(text.split()) > self.max_query_words:
            return f"at most {self.max_query_words} words"
        return ""

    def shortened(self, text: str) -> str:
        """The text within the bounds, cut at a word."""
        if self.max_query_words:
            text = " ".join(text.split()[: self.max_query_words])
        return cut_at_word(text, self.max_query_chars)

    def filters_for(self, query: Query) -> frozenset[Filter]:
        """The filters that the upstream applies to this query, without unsupported values."""
        unknown: set[Filter] = set()
        if query.language and not self.language_of(query):
            unknown.add("language")
        if query.country and not self.country_of(query):
            unknown.add("country")
        if query.topic != "general" and query.topic not in self.topics:
            unknown.add("topic")
        return self.filters - unknown

    def language_of(self, query: Query) -> str | None:
        """The query's language in the upstream's notation; None if unsupported."""
        if query.language is None or self.languages is None:
            return query.language
        return own_code(self.languages, query.language, query.country)

    def country_of(self, query: Query) -> str | None:
        """The query's country; None if the upstream does not support it."""
        known = self.countries is None or query.country in self.countries
        return query.country if known else None

    def price_of(self, query: Query) -> float:
        """US dollars that this very search costs."""
        return self.price

    def request(self, query: Query, key: str) -> Request:
        """Describe the request. `key` is empty when there is none."""
        raise NotImplementedError

    def decode(self, reply: Reply) -> Any:
        """Decode the body. Raises `ValueError` when it is in another format."""
        return reply.json()

    def hits(self, body: Any) -> list[Hit]:
        """Read the hits of a good reply, best first."""
        raise NotImplementedError

    def hits_for(self, query: Query, body: Any) -> list[Hit]:
        """The hits of a good reply, where their order depends on the query."""
        return self.hits(body)

    def answer(self, body: Any) -> str | None:
        """The upstream's own answer, when it gives one."""
        return None

    def images(self, body: Any) -> list[Image]:
        """The images of a reply, if the query asked for them."""
        return []

    def searched(self, body: Any) -> str | None:
        """What the upstream says that it searched for, when it does."""
        return None

    def cost(self, body: Any) -> float | None:
        """What the upstream says that this search cost, when it does."""
        return None

    def failure(self, reply: Reply) -> ProviderError | None:
        """Return the error for a reply that is not a result, or None."""
        return None if reply.status == 200 else self.refusal(reply)

    def complaint(self, body: Any) -> str:
        """What a body with status 200 complains of; "" when it is a result."""
        if isinstance(body, dict) and (
            body.get("error") or body.get("errors") or body.get("detail")
        ):
            return error_text(body) or "it gives no reason"
        return ""

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        """Ask the upstream. Raises a `ProviderError`, and never returns one as emptiness."""
        reply = await http.send(self.request(query, key), self.name)
        reply.keyless = self.key_variable is not None and not key
        try:
            return self.read(reply, query)
        except ProviderError as error:
            secrets = (key, *self.option.values(), password_of(self.base_url))
            raise redact(error, secrets, query.text) from None

    def read(self, reply: Reply, query: Query | None = None) -> Findings:
        """What a reply says, to this query. Raises a `ProviderError` when it is not a result."""
        if error := self.failure(reply):
            raise error
        try:
            body = self.decode(reply)
        except (ValueError, RecursionError):
            raise self.unreadable(
                reply, msg("the reply is not {format}", format=self.format)
            ) from None
        try:
            if words := self.complaint(body):
                raise self.unreadable(
                    reply, msg("the reply is an error with status 200: {words}", words=words)
                )
            hits, left_out = usable(self.hits_for(query, body) if query else self.hits(body))
            cost = 0.0 if reply.keyless else self.cost(body)
            images = tuple(self.images(body)) if query and query.wants_images else ()
            searched = one_line(self.searched(body) or "")[:MAX_QUERY_CHARS] or None
            return Findings(hits, self.answer(body), cost, left_out, images, searched)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError):
            raise self.unreadable(reply, msg("the reply does not have the expected form")) from None

    def hit(
        self,
        url: Any,
        title: Any,
        content: Any = "",
        *,
        score: Any = None,
        published: Any = None,
        author: Any = None,
        favicon: Any = None,
        raw_content: Any = None,
        site: str | None = None,
    ) -> Hit:
        """Make a hit of this provider. Values of the wrong type are dropped.

        `site` is given when the address is a redirect: the host of the page, "" when unknown.
        """
        if is_number(published):
            published = str(published)  # seconds since 1970; dates are read further on
        address = url.strip() if isinstance(url, str) else text(url)
        return Hit(  # by place: names take as long again
            address,
            (title.strip() if isinstance(title, str) else text(title)) or address,
            content if isinstance(content, str) else text(content),
            float(score) if is_number(score) else None,
            text(published) or None if published else None,
            self.name,
            text(author) or None if author else None,
            text(favicon) or None if favicon else None,
            text(raw_content) or None if raw_content else None,
            site=site,
        )

    def image(self, url: Any, description: Any = "", page: Any = "") -> Image:
        """An image of this provider. What has the wrong type is left out."""
        return Image(text(url), text(description), text(page), self.name)

    def refusal(
        self, reply: Reply, kind: type[ProviderError] | None = None, words: str = ""
    ) -> ProviderError:
        """A typed error from a reply that is not a result, with all that the reply says."""
        kind = kind or error_class_for(reply)
        words = words or reason_in(reply)
        return kind(
            self.name,
            _refusal_text(meaning(kind, reply), reply.status, words),
            status=reply.status,
            retry_after=reply.retry_after(),
            request_id=request_id(reply),
            remedy=self.remedy(kind, reply),
            body=body_text(reply),
        )

    def unreadable(self, reply: Reply, why: str) -> ProviderError:
        """Return the error for a reply with status 200 that is not a result, such as a captcha."""
        kind = Blocked if reply.is_html else Unreadable
        what = msg("a web page came instead of results") if reply.is_html else why
        return kind(self.name, what, status=reply.status, request_id=request_id(reply))

    def remedy(self, kind: type[ProviderError], reply: Reply) -> str:
        """Return what the user can do about it."""
        if reply.keyless and kind in (KeyRefused, QuotaExhausted, RateLimited):
            return msg("set {name}: a key has limits of its own", name=self.key_variable)
        if kind is KeyRefused and self.key_variable:
            return msg("check {name}", name=self.key_variable)
        if kind is RateLimited:
            return msg("wait a little, or add another provider to the route")
        if kind is QuotaExhausted:
            return msg("add another key or provider, or upgrade the plan")
        if 300 <= reply.status < 400 or reply.status in (404, 410):
            name = f"{self.name.upper()}_BASE_URL"
            return msg("set {name} to where the service now lives", name=name)
        return ""


def _refusal_text(meaning: str, status: int, words: str) -> str:
    """Return what a refusal means, with its status and the upstream's own words."""
    if not words:
        return msg("{reason} (HTTP {status})", reason=meaning, status=status)
    return msg("{reason} (HTTP {status}: {words})", reason=meaning, status=status, words=words)
