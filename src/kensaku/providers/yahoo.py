"""Yahoo without a key: Bing's index, by its web page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.providers._ddgs import RANGES, WebPageEngine
from kensaku.providers._filters import site_query, time_range
from kensaku.providers.base import Filter, KnownBy, Request

if TYPE_CHECKING:
    from typing import ClassVar

    from kensaku.models import Query


class Yahoo(WebPageEngine):
    name = "yahoo"
    label = "Yahoo"
    known_by: ClassVar[KnownBy] = "recorded"
    known_source = "nuhmanpk/headless-driver/tests/fixtures/yahoo_ok_20260929.html"
    url = "https://search.yahoo.com"
    pooled = True
    filters = frozenset({"dates", "domains"})
    family = "bing"

    engine = "yahoo:Yahoo"
    robot_signs = ("guce.yahoo.com/consent", "consent-form", "g-recaptcha")
    result_signs = ("We did not find results for", 'class="dd zrp"')

    def request(self, query: Query, key: str) -> Request:
        asked = {"p": site_query(query, self.max_query_chars)}
        reach = time_range(query)  # a year is not among its choices
        if reach and reach != "year":
            asked["btf"] = RANGES[reach]
        return Request(self.base_url + "/search", params=asked)

    def filters_for(self, query: Query) -> frozenset[Filter]:
        dated = query.time_range or query.start_date or query.end_date
        unknown = dated and time_range(query) in (None, "year")
        return super().filters_for(query) - ({"dates"} if unknown else set())
