"""DuckDuckGo without a key, by its page for browsers without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from kensaku.providers._ddgs import RANGES, WebPageEngine
from kensaku.providers._filters import freshness, site_query
from kensaku.providers.base import Filter, Request

if TYPE_CHECKING:
    from kensaku.models import Query

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


class DuckDuckGo(WebPageEngine):
    name = "duckduckgo"
    label = "DuckDuckGo"
    known_source = "ddgs 9.16.1, engines/duckduckgo.py"
    url = "https://html.duckduckgo.com"
    pooled = True
    filters = frozenset({"dates", "domains", "country", "language"})
    family = "bing"

    engine = "duckduckgo:Duckduckgo"
    posts = True
    robot_signs = ("anomaly-modal", "anomaly.js", "challenge-form", "g-recaptcha")
    result_signs = ('id="links"', "no-results", "No  results")

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

    def target(self, href: str) -> str:
        parts = urlsplit(href)
        if parts.path == "/l/" and (target := parse_qs(parts.query).get("uddg")):
            return target[0]
        return href


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
