"""SearXNG: `GET /search?q=…` as JSON or HTML, the bare path, `/config`, `/autocompleter`.

LangChain and Open WebUI ask for JSON; local-deep-research and Khoj read the HTML of a result page,
and look whether the bare path answers; Onyx reads `/config` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku import __version__
from kensaku.errors import InvalidQuery
from kensaku.search.route import plan
from kensaku.server.auth import KEY_PLACES, KEY_QUERY
from kensaku.server.perform import outcome_of, perform
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Text, Wire

if TYPE_CHECKING:
    from kensaku.models import Hit
    from kensaku.server.request import Request

PAGE = 10
MAX_PAGES = 5  # of one search
SOURCE = "https://github.com/searxng/searxng"  # whose API this is
_STRING = {"type": "string"}
PARAMETERS: dict[str, Any] = {
    "q": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "format": {"type": "string", "enum": ["json", "html"]},
    "categories": _STRING,
    "language": _STRING,
    "time_range": {"type": "string", "enum": ["day", "week", "month", "year"]},
    "pageno": {"type": "integer", "minimum": 1, "maximum": MAX_PAGES},
}


class SearXNG(Wire):
    name = "searxng"
    label = "SearXNG"
    docs = "https://docs.searxng.org/dev/search_api.html"
    at_root = True
    # Its clients know Basic alone: http://any:KEY@host/searxng. Some wait until they are asked;
    # those that ask by `fetch` can write no name into an address, but a query: ?api_key=KEY.
    keys = (*KEY_PLACES, KEY_QUERY)
    challenge = 'Basic realm="Kensaku", charset="UTF-8"'
    client = 'SearxSearchWrapper(searx_host="{url}/searxng")'

    def endpoints(self) -> Sequence[Endpoint]:
        searches = [
            Endpoint(
                method, "/search", read_search, write_search, "Search", PARAMETERS, required=("q",)
            )
            for method in ("GET", "POST")
        ]
        searches += [
            Endpoint(method, path, read_bare, write_bare, do=_bare)
            for path in ("", "/")
            for method in ("GET", "POST")
        ]
        about = "Describe the instance"
        return [
            *searches,
            Endpoint("GET", "/config", summary=about, do=_config, is_admitted=False),
            Endpoint("GET", "/autocompleter", do=_suggest, is_admitted=False),
        ]


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    given = asked.fields
    fields.choice(given, "format", "html", ("html", "json"))
    text, only, never = operators.split_sites(fields.text(given, "q", most=2_000))
    language, country = operators.locale(fields.text(given, "language", most=20))
    page = fields.integer(given, "pageno", 1, 1, 10**6)
    if page > MAX_PAGES:
        raise InvalidQuery(f"pageno is {page}; there are at most {MAX_PAGES} pages")
    query = Query(
        text,
        max_results=PAGE * page,
        topic="news" if "news" in fields.text(given, "categories", most=200) else "general",
        time_range=operators.window(given, "time_range"),  # type: ignore[arg-type]
        language=language,
        country=country,
        include_domains=only,
        exclude_domains=never,
    )
    return Search(query)


def read_bare(asked: Asked) -> Search | None:
    """Read a search of the bare path; None: nothing is asked for."""
    return read_search(asked) if asked.fields.get("q") else None


async def _bare(request: Request, call: Search | None) -> Found | None:
    if call is None:
        return None
    found: Found = await perform(request.client, call)
    request.outcome, request.cached = outcome_of(found)
    return found


def write_bare(call: Search | None, found: Found | None, exchange: Exchange) -> Any:
    """Show the result, or an empty page that says that somebody is here."""
    if call is None or found is None:
        return _html("Kensaku", "")
    return write_search(call, found, exchange)


async def _config(request: Request, asked: Asked) -> Any:
    """Say what clients look for before they search."""
    route = plan(request.client.settings).names
    engine = {"categories": ["general", "news"], "enabled": True, "shortcut": "", "paging": True}
    return {
        "brand": {"GIT_URL": SOURCE},  # Onyx takes no instance without it
        "instance_name": "Kensaku",
        "version": __version__,
        "public_instance": False,
        "safe_search": 0,
        "default_locale": "",
        "categories": ["general", "news"],
        "engines": [{"name": name, **engine} for name in route],
        "plugins": [],
    }


async def _suggest(request: Request, asked: Asked) -> Any:
    """Suggest nothing, as SearXNG does unless its operator names a service to ask."""
    return [fields.text(asked.fields, "q", most=2_000), []]


def write_search(call: Search, found: Found, exchange: Exchange) -> Any:
    given = exchange.asked.fields
    first = PAGE * (fields.integer(given, "pageno", 1, 1, 10**6) - 1)
    rows = [_row(hit, n) for n, hit in enumerate(found.hits, 1)]
    if given.get("format") != "json":
        shown = "".join(map(_article, rows[first : first + PAGE]))
        return _html(f"{given.get('q')} - Kensaku", f'<div id="urls" role="main">{shown}</div>')
    return {
        "query": given.get("q"),
        "number_of_results": len(rows),
        "results": rows[first : first + PAGE],
        "answers": [{"answer": found.answer}] if found.answer else [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _article(row: dict[str, Any]) -> str:
    """Return a result as SearXNG's own page has it: programs read it by these classes."""
    url = escape(row["url"]) if row["url"].startswith(("http://", "https://")) else ""
    engines = "".join(f"<span>{escape(name)}</span>" for name in row["engines"])
    date = row["publishedDate"]
    day = f'<time class="published_date">{escape(date)}</time>' if date else ""
    return (
        '<article class="result result-default category-general">'
        f'<a href="{url}" class="url_header" rel="noreferrer"><span>{url}</span></a>'
        f'<h3><a href="{url}" rel="noreferrer">{escape(row["title"])}</a></h3>{day}'
        f'<p class="content">{escape(row["content"])}</p><div class="engines">{engines}</div>'
        "</article>"
    )


def _html(title: str, results: str) -> Text:
    form = '<form id="search" method="get" action="search"><input name="q" type="search"></form>'
    return Text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'</head><body>{form}<main id="main_results"><div id="results">{results}</div></main>'
        "</body></html>",
        "text/html; charset=utf-8",
    )


def _row(hit: Hit, n: int) -> dict[str, Any]:
    parts = urlsplit(hit.url)
    engines = [s.provider for s in hit.sources] or [hit.provider]
    return {
        "url": hit.url,
        "title": hit.title,
        "content": hit.content,
        "publishedDate": hit.published,
        "engine": engines[0],
        "engines": engines,
        "positions": [n],
        "score": 1.0 if hit.score is None else hit.score,
        "category": "general",
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
        "thumbnail": "",
    }
