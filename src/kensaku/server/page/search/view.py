"""Search: a box, and what was found. Rendered here whole; `live.py` streams it to scripts."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku.errors import KensakuError
from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.results import attempt_views, begun, response_values
from kensaku.server.page.search import live, reader
from kensaku.server.page.search.form import SearchForm
from kensaku.server.page.search.live import preparing
from kensaku.server.page.viewer import is_cross_site

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

LANGUAGES = {
    "en": "English", "ja": "日本語", "de": "Deutsch", "es": "Español", "fr": "Français",
    "it": "Italiano", "ko": "한국어", "pt": "Português", "zh": "中文",
}  # fmt: skip
COUNTS = ("5", "10", "20")
TOPICS = {
    "general": msg("Everything"),
    "news": msg("News"),
    "finance": msg("Finance"),
    "papers": msg("Papers"),
    "code": msg("Code"),
}
TIMES = {
    "day": msg("Past day"),
    "week": msg("Past week"),
    "month": msg("Past month"),
    "year": msg("Past year"),
}
FIRST_LOOK, LATER_LOOK = 2.0, 0.05  # seconds
_names: WeakKeyDictionary[Kensaku, list[str]] = WeakKeyDictionary()
EXAMPLES = (
    msg("python 3.14 release date"),
    msg("asyncio task cancellation"),
    msg("how search engines work"),
)


def searches(asked: Asked) -> int:
    """How many searches showing this view makes."""
    return int(bool(SearchForm.read(asked.params).q) and not is_cross_site(asked.headers))


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `search.html`."""
    form = SearchForm.read(page.params)
    values: dict[str, Any] = {
        "form": form, "response": None, "error": None, "held": False, "attempts": [], "hits": [],
        "preparing": preparing(page.client),
        "use": snippets.for_search(page, form), **await choices(page, form),
    }  # fmt: skip
    if not searches(asked):
        return values | {"held": bool(form.q)}
    try:
        return values | await results(page, form)
    except KensakuError as error:
        page.outcome = type(error).__name__
        return values | {"error": error}


async def results(page: PageRequest, form: SearchForm) -> dict[str, Any]:
    """Search, and return the values that show what was found."""
    route, mode = form.routing
    query = form.query(page.client.settings.max_results)
    response = await page.client.search(query, route=route, mode=mode)
    page.outcome, page.cached = str(response.outcome), response.cached
    tried = begun(response, mode or page.client.settings.mode)
    return {
        **response_values(response, page.t, preparing=preparing(page.client)),
        "attempts": attempt_views(tried, {}, response.elapsed_ms, page.t),
    }


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter: its field, its text, what is chosen, and what it offers."""

    name: str
    text: str
    value: str
    options: list[tuple[str, str]]


async def choices(page: PageRequest, form: SearchForm) -> dict[str, Any]:
    """The filters, and who is ready to be asked."""
    client = page.client
    ready = ready_providers(client)
    collections = await collection_names(client)
    usual = str(client.settings.max_results)
    return {
        "filters": _filters(page.t, form, ready, collections, usual),
        "ready": ready,
        "examples": [page.t(example) for example in EXAMPLES],
    }


async def collection_names(client: Kensaku) -> list[str]:
    """The collections to offer. Who looks for the first time waits; later, the last names will do
    while an index that was idle starts again."""
    known = _names.get(client)
    looking = asyncio.ensure_future(_look_for_names(client))
    await asyncio.wait([looking], timeout=FIRST_LOOK if known is None else LATER_LOOK)
    return _names.get(client) or []


async def _look_for_names(client: Kensaku) -> None:
    # What is wrong with the index, the search itself says.
    with contextlib.suppress(KensakuError):
        _names[client] = sorted(await client.index.collections())


def _filters(
    t: Translator, form: SearchForm, ready: list[str], collections: list[str], usual: str
) -> list[Choice]:
    others = [(n, n) for n in ready if n != "local"]
    counts = [(n, t("{n} results", n=n)) for n in COUNTS if n != usual]
    times = [(name, t(text)) for name, text in TIMES.items()]
    filters = [
        Choice("route", t("Route"), form.route, [
            ("", t("Auto route")), ("all", t("Ask all, fused")),
            ("local", t("My collections only")), *others,
        ]),
        Choice("time", t("Time"), form.time, [("", t("Any time")), *times]),
        Choice("language", t("Language"), form.language, [
            ("", t("All languages")), *LANGUAGES.items(),
        ]),
        Choice("topic", t("Topic"), form.topic, [
            ("" if name == "general" else name, t(text)) for name, text in TOPICS.items()
        ]),
        Choice("n", t("Results"), form.n, [("", t("{n} results", n=usual)), *counts]),
    ]  # fmt: skip
    if collections:
        names = [("", t("All collections")), *((n, n) for n in collections)]
        filters.append(Choice("collection", t("Collection"), form.collection, names))
    return filters


def ready_providers(client: Kensaku) -> list[str]:
    """Those of the usual route that are configured."""
    from kensaku.search.route import plan

    return [n for n in plan(client.settings, None, None).names if _is_ready(client, n)]


def _is_ready(client: Kensaku, name: str) -> bool:
    configured, provider = client.settings.provider(name), client.resources.provider(name)
    has_key = bool(configured.keys) or provider.keyless or provider.key_variable is None
    return configured.enabled and has_key


ENDPOINTS = [*live.ENDPOINTS, *reader.ENDPOINTS]
