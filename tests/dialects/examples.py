"""Responses to write, one for each outcome."""

from __future__ import annotations

from kensaku.errors import InvalidQuery, KeyRefused, NotConfigured, RateLimited, Unreachable
from kensaku.models import Attempt, Hit, Outcome, Query, Response

ASYNCIO = Hit(
    url="https://docs.python.org/3/library/asyncio.html",
    title="Python asyncio documentation",
    content="Pythonの公式asyncioドキュメント...",
    score=0.95,
    published="2026-01-20",
    provider="tavily",
)
REAL_PYTHON = Hit(
    url="https://realpython.com/async-io-python/",
    title="Real Python - Async IO in Python",
    content="非同期プログラミングの詳細な解説...",
    score=0.876,
    provider="tavily",
)
QUERY = Query("Python async programming")
ANSWER = "Pythonの非同期プログラミングは..."

FOUND = Response(
    QUERY,
    Outcome.FOUND,
    hits=(ASYNCIO, REAL_PYTHON),
    answer=ANSWER,
    attempts=(Attempt("tavily", Outcome.FOUND, elapsed_ms=312.0, hits=2),),
    elapsed_ms=313.0,
)
NO_ANSWER = Response(QUERY, Outcome.FOUND, hits=(ASYNCIO, REAL_PYTHON), attempts=FOUND.attempts)
ONLY_ANSWER = Response(QUERY, Outcome.FOUND, answer=ANSWER, attempts=FOUND.attempts)
EMPTY = Response(QUERY, Outcome.EMPTY, attempts=(Attempt("tavily", Outcome.EMPTY),))


def unavailable(*errors: NotConfigured | KeyRefused | RateLimited | Unreachable) -> Response:
    """A response that came to nothing because of these."""
    attempts = tuple(Attempt(e.provider, Outcome.UNAVAILABLE, e) for e in errors)
    return Response(QUERY, Outcome.UNAVAILABLE, attempts=attempts)


REFUSED = KeyRefused(
    "tavily", "it does not take this key (HTTP 401)", status=401, remedy="check TAVILY_API_KEY"
)
SLOWER = RateLimited("brave", "too many requests (HTTP 429)", status=429, retry_after=12.0)
NO_KEY = NotConfigured("tavily", "it has no key", remedy="set TAVILY_API_KEY")
OFFLINE = Unreachable("wikipedia", "its name cannot be looked up")
UNAVAILABLE = unavailable(REFUSED, SLOWER)
UNCONFIGURED = unavailable(NO_KEY)
EMPTY_QUERY = InvalidQuery("the query is empty", remedy="say what to search for")
