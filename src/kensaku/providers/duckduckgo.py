"""DuckDuckGo without a key, by one engine of `ddgs`, in a thread of its own.

    Query → request() → [thread: primp sends it as a browser does] → Reply → read() → Findings

`ddgs` itself turns a refusal, a captcha and an empty page into the same "No results found.".
So only its engine is used, to read the results out of the page; the request goes by `primp`, the
client below `ddgs`, and the status and the page are looked at here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    NotConfigured,
    ProviderError,
    Timeout,
    Unreachable,
    Unreadable,
)
from kensaku.providers._classify import redact
from kensaku.providers._filters import freshness, site_query
from kensaku.providers.base import Filter, Findings, Provider, Reply, Request, Transport
from kensaku.providers.base import usable as with_address

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

T = TypeVar("T")

ENGINE_SECONDS = 8  # how long a thread can outlive a caller who no longer waits
MAX_PAGE_BYTES = 4 * 2**20  # decoded; a page of results has about a hundred kilobytes
RANGES = {"day": "d", "week": "w", "month": "m", "year": "y"}
ROBOT_SIGNS = ("anomaly-modal", "anomaly.js", "challenge-form", "g-recaptcha")
RESULT_SIGNS = ('id="links"', "no-results", "No  results")  # a page that did search has one
# Country and language in one word, as it writes them; the first of a country is its usual one.
REGIONS = (
    "ar-es at-de au-en be-fr be-nl br-pt bg-bg ca-en ca-fr cl-es cn-zh co-es hr-hr cz-cs dk-da "
    "ee-et fi-fi fr-fr de-de gr-el hk-tzh hu-hu id-id ie-en il-he in-en it-it jp-jp kr-kr lv-lv "
    "lt-lt mx-es my-en nl-nl no-no nz-en pe-es ph-en pk-en pl-pl pt-pt ro-ro ru-ru sa-ar se-sv "
    "sg-en sk-sk es-es ch-de ch-fr ch-it th-th tr-tr tw-tzh ua-uk uk-en us-en us-es ve-es vn-vi "
    "za-en"
).split()
OWN_NAMES = {"ja": "jp", "ko": "kr", "gb": "uk", "nb": "no"}
USUAL_COUNTRY = {"en": "us-en", "es": "es-es", "fr": "fr-fr", "de": "de-de", "pt": "br-pt"}


class DuckDuckGo(Provider):
    name = "duckduckgo"
    label = "DuckDuckGo"
    docs = "https://github.com/deedy5/ddgs"
    known_by = "sdk"
    known_source = "ddgs 9.16.1, engines/duckduckgo.py"
    url = "https://html.duckduckgo.com"
    keyless = True
    pooled = True
    max_query_chars = 500
    max_results = 10  # one page
    filters = frozenset({"dates", "domains", "country", "language"})
    family = "bing"
    keyless_rate = "10/m"

    def request(self, query: Query, key: str) -> Request:
        df = freshness(query, RANGES, "{0}..{1}")
        form = {"q": site_query(query, self.max_query_chars), "b": "", "l": _region(query)}
        return Request(self.base_url + "/html/", params=form | ({"df": df} if df else {}))

    def filters_for(self, query: Query) -> frozenset[Filter]:
        # Country and language are one value, and it has only some of the pairs.
        region, unknown = _region(query), set[Filter]()
        if query.country and not region.startswith(f"{_own_name(query.country)}-"):
            unknown.add("country")
        if query.language and not region.endswith(_own_name(query.language) or ""):
            unknown.add("language")
        return self.filters - unknown

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        request, proxy = self.request(query, key), getattr(http, "proxy", None)
        try:
            return await in_thread(lambda: self.read(self._send(request, proxy)))
        except ProviderError as error:
            raise redact(error, (), query.text) from None

    def _send(self, request: Request, proxy: str | None) -> Reply:
        """Send the form as a browser does, and read the page up to a bound.

        ddgs' own client follows redirects to any address, reads proxies from the environment and
        reads a page to its end; this one does none of it.
        """
        primp, _ = self._libraries()
        client = primp.Client(
            timeout=ENGINE_SECONDS,
            impersonate="random",
            impersonate_os="random",
            follow_redirects=False,
        )
        client.proxy = proxy  # also when it is None: the constructor reads the environment
        try:
            form = dict(request.params)
            with client.request("POST", request.url, data=form, stream=True) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Reply(response.status_code, headers, self._page(response))
        except ProviderError:
            raise
        except primp.TimeoutError:
            raise Timeout(self.name, f"no answer within {ENGINE_SECONDS:g} s") from None
        except Exception as error:  # its text may hold the address
            cause = type(error).__name__
            raise Unreachable(self.name, f"the connection failed ({cause})") from None

    def _page(self, response: Any) -> bytes:
        page = bytearray()
        for part in response.iter_bytes():
            page += part
            if len(page) > MAX_PAGE_BYTES:
                most = MAX_PAGE_BYTES >> 20
                raise Unreadable(self.name, f"the page of results is larger than {most} MiB")
        return bytes(page)

    def read(self, reply: Reply, query: Query | None = None) -> Findings:
        if error := self.failure(reply):
            raise error
        page = reply.body.decode("utf-8", "replace")
        try:
            hits, left_out = with_address(self.hits(page))
        except ProviderError:
            raise
        except Exception:  # of its HTML parser, on what is not a page
            raise self.unreadable(reply, "is not a page of results") from None
        if not hits and not any(sign in page for sign in RESULT_SIGNS):
            raise self.unreadable(reply, "is not a page of results")
        return Findings(hits, notes=left_out)

    def failure(self, reply: Reply) -> ProviderError | None:
        page = reply.body[:200_000].decode("utf-8", "replace")
        robot = any(sign in page for sign in ROBOT_SIGNS)
        error = super().failure(reply)
        # Its challenge comes with 200, 202 or 403. There is no key that it could refuse, and a form
        # like a browser's is no wrong query: 400 and 418 are sent to robots, too.
        if robot or isinstance(error, KeyRefused | BadQuery):
            return self.refusal(reply, Blocked)
        return error

    def hits(self, body: Any) -> list[Hit]:
        engine = self._libraries()[1]()
        found = engine.post_extract_results(engine.extract_results(body))
        # A page that found nothing has one row that says so, without an address.
        return [self.hit(_target(r.href), r.title, r.body) for r in found if r.href]

    def _libraries(self) -> tuple[Any, Any]:
        """Import the client and the engine; both come with the extra."""
        try:
            import primp
            from ddgs.engines.duckduckgo import Duckduckgo
        except ImportError:
            raise NotConfigured(
                self.name,
                "the package ddgs is not installed",
                remedy='install it with: pip install "kensaku[ddgs]"',
            ) from None
        return primp, Duckduckgo


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread that nobody has to wait for.

    `asyncio.to_thread` would do, but the end of the program joins its threads: a caller that gave
    up after one second would still sit out the engine's eight.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(setter: Callable[[], None]) -> None:
        if not done.done():
            setter()

    def run() -> None:
        try:
            setter = partial(done.set_result, work())
        except BaseException as error:
            setter = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, setter)

    threading.Thread(target=run, name="kensaku-ddgs", daemon=True).start()
    return await done


def _own_name(code: str | None) -> str | None:
    """A country's or a language's code as DuckDuckGo writes it."""
    return OWN_NAMES.get(code or "", code)


def _region(query: Query) -> str:
    country, language = _own_name(query.country), _own_name(query.language)
    if country:
        here = [r for r in REGIONS if r.startswith(f"{country}-")]
        return next((r for r in here if r.endswith(f"-{language}")), here[0] if here else "wt-wt")
    usual = USUAL_COUNTRY.get(language or "")
    return usual or next((r for r in REGIONS if r.endswith(f"-{language}")), "wt-wt")


def _target(href: str) -> str:
    """The page behind a link of DuckDuckGo's own that counts clicks."""
    parts = urlsplit(href)
    if parts.path == "/l/" and (target := parse_qs(parts.query).get("uddg")):
        return target[0]
    return href
