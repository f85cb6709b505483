"""Answer the browser's requests to a host for which there are headers, by our own transport.

    the browser asks → is it the page's own host, for the page itself? → PageTransport → fulfilled
                     → anything else: as without headers

Chromium would carry a header along to wherever a redirect leads. So the browser never has it: no
script, frame, redirect or third party can see or send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import FetchError

if TYPE_CHECKING:
    from kensaku.fetch.browser.proxy import Proxy
    from kensaku.fetch.fetcher import HeadersOf
    from kensaku.fetch.transport import PageResponse, PageTransport

MAX_REQUESTS = 6  # of one answer, with its redirects
_SKIPPED = frozenset({"content-encoding", "content-length", "set-cookie", "transfer-encoding"})


class PrivateHost:
    """Answers GET requests of one page to its own host."""

    def __init__(self, transport: PageTransport, proxy: Proxy, headers_of: HeadersOf) -> None:
        self._transport, self._proxy, self._headers_of = transport, proxy, headers_of

    async def answer(self, route: Any) -> None:
        """Answer a request, or leave it to the next handler."""
        request = route.request
        if request.method != "GET" or not self._is_own(request):
            await route.fallback()
            return
        try:
            reply = await self._get(request.url)
        except (FetchError, ConnectionAbortedError):
            reply = None
        if reply is None:
            await route.abort()
            return
        headers = {n: v for n, v in reply.headers.items() if n not in _SKIPPED}
        await route.fulfill(status=reply.status, headers=headers, body=reply.body)

    def _is_own(self, request: Any) -> bool:
        """Tell whether the page itself asks, and for something on its own host."""
        if request.resource_type in ("image", "media", "font") or not self._headers(request.url):
            return False
        frame = request.frame
        if request.is_navigation_request():
            return frame.parent_frame is None
        return bool(self._headers(frame.url))

    def _headers(self, url: str) -> dict[str, str]:
        try:
            return dict(self._headers_of(self._transport.check_url(url).parsed))
        except FetchError:
            return {}

    async def _get(self, url: str) -> PageResponse | None:
        """Get what is at `url`; None when it leads to another host."""
        for _ in range(MAX_REQUESTS):
            headers = self._headers(url)
            if not headers:
                return None
            reply = await self._transport.get(url, headers)
            self._proxy.count(len(reply.body))
            if reply.location is None:
                return reply
            url = reply.location
        return None
