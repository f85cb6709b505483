"""The web tools of a turn: what the model is offered, and what its calls come to.

    offered()    → functions in the place of the vendor's native tools
    run(calls)   → search or fetch, bounded → numbered sources → text for the model, events

Numbers go on through a turn: a page keeps its number. What the model reads is fenced.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.answers.evidence import Reference
from kensaku.answers.prompts import with_sources
from kensaku.answers.tokenizer import counter
from kensaku.errors import (
    AddressRefused,
    BudgetExceeded,
    FetchError,
    InvalidQuery,
    KensakuError,
    NotAllowed,
    QuotaExhausted,
    RateLimited,
)
from kensaku.gateway.turn import (
    Called,
    Fetched,
    Fetching,
    Message,
    Refusal,
    Searched,
    Searching,
    Turn,
    WebTool,
)
from kensaku.models import LOCAL, Outcome, Page, Passage
from kensaku.text.clean import cut
from kensaku.text.urls import host_of, in_domain

if TYPE_CHECKING:
    from kensaku.answers.context import Context
    from kensaku.client import Kensaku
    from kensaku.search.budget import Budget

SEARCH, FETCH = "web_search", "web_fetch"
MAX_URL = 2_000
CITE = (
    "Cite what you use: put the number of its source in square brackets, as [1], right behind "
    "the sentence that rests on it."
)
_QUERY = {"type": "string", "description": "What to search for, in a few words or a question."}
_URL = {"type": "string", "description": "The address of a page that was mentioned or found."}
_ABOUT = {
    SEARCH: "Search the web. Returns numbered passages of current pages, or says that nobody could "
    f"search. {CITE}",
    FETCH: f"Read a page, PDF or document of the web. {CITE}",
}
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{}|]+")
_REFUSED = {
    "invalid": "The arguments of this call are not valid.",
    "uses": "This tool may not be used again in this turn. Answer with what is known.",
    "not_allowed": "This page may not be read: it was neither mentioned nor found, or its host is "
    "not allowed.",
    "too_many": "The limit of web requests is reached. Answer with what is known, and say so.",
    "unavailable": "Nobody could search. This does not mean that nothing exists: say so.",
    "unreadable": "This page could not be read.",
}


@dataclass(frozen=True, slots=True)
class Done:
    """What a call has come to: for the client, and for the model."""

    event: Searched | Fetched
    text: str


class WebTools:
    """The web tools of one turn, and the sources that they found."""

    def __init__(self, client: Kensaku, turn: Turn, budget: Budget | None) -> None:
        self._client, self._turn, self._budget = client, turn, budget
        self.sources = {source.n: source for source in turn.sources}
        self.uses = {SEARCH: 0, FETCH: 0}
        taken = {str(tool.get("function", {}).get("name")) for tool in turn.tools}
        tools = {SEARCH: turn.search, FETCH: turn.fetch}
        # A client may have a function of this name itself.
        self._names = {
            (f"kensaku_{kind}" if kind in taken else kind): kind for kind, on in tools.items() if on
        }
        self._tools: dict[str, WebTool] = {kind: on for kind, on in tools.items() if on}
        self._known = _addresses(turn.messages)

    def owns(self, call: Called) -> bool:
        """Whether a call is one of ours."""
        return call.name in self._names

    def offered(self) -> list[dict[str, Any]]:
        """Return the functions that stand for the native tools."""
        return [_function(name, kind) for name, kind in self._names.items()]

    def begin(self, call: Called) -> Searching | Fetching:
        """Return the event of a call that is about to run."""
        value = _argument(call)
        if self._names[call.name] == SEARCH:
            return Searching(call.id, value)
        return Fetching(call.id, value)

    async def run(self, calls: Sequence[Called]) -> list[Done]:
        """Run calls side by side. Raises nothing: the model learns what failed."""
        return list(await asyncio.gather(*map(self._run, calls)))

    async def _run(self, call: Called) -> Done:
        kind, value = self._names[call.name], _argument(call)
        most = self._tools[kind].max_uses
        if not value:
            return _refused(kind, call, value, "invalid")
        if most is not None and self.uses[kind] >= most:
            return _refused(kind, call, value, "uses")
        self.uses[kind] += 1
        try:
            if kind == SEARCH:
                return await self._search(call, value)
            return await self._fetch(call, value)
        except KensakuError as error:
            return _refused(kind, call, value, _refusal(error))

    async def _search(self, call: Called, query: str) -> Done:
        tool = self._tools[SEARCH]
        context = await self._client.context(
            query,
            max_tokens=tool.max_tokens,
            include_domains=tool.include_domains,
            exclude_domains=tool.exclude_domains,
            country=tool.country,
            budget=self._budget,
        )
        if context.outcome is Outcome.UNAVAILABLE:
            return _refused(SEARCH, call, query, _worst(a.error for a in context.attempts))
        found = [self._number(reference) for reference in _references(context)]
        if not found:
            return Done(Searched(call.id, query), "Nothing was found. Try other words.")
        return Done(Searched(call.id, query, tuple(found)), with_sources(found, CITE))

    async def _fetch(self, call: Called, url: str) -> Done:
        tool = self._tools[FETCH]
        if len(url) > MAX_URL or not _is_web(url):
            return _refused(FETCH, call, url, "invalid")
        if not self._may_fetch(url, tool):
            return _refused(FETCH, call, url, "not_allowed")
        done = await self._client.extract([url], budget=self._budget)
        if done.failed:
            raise done.failed[0].error
        page = done.results[0]
        reference = self._number(_page(page, tool.max_tokens, self._client))
        text = with_sources([reference], CITE)
        said = f"{page.copy_note}\n\n{text}" if page.copy_note else text
        return Done(Fetched(call.id, url, reference), said)

    def _may_fetch(self, url: str, tool: WebTool) -> bool:
        """Whether the person, a tool or a search has named a page, on a host that is allowed."""
        host = host_of(url)
        if any(in_domain(host, domain) for domain in tool.exclude_domains):
            return False
        if tool.include_domains and not any(in_domain(host, d) for d in tool.include_domains):
            return False
        named = self._known | {_bare(source.url) for source in self.sources.values()}
        return _bare(url) in named

    def _number(self, found: Reference) -> Reference:
        """Give a source its number; passages of a page that is known already are added to it."""
        for n, known in self.sources.items():
            if known.url == found.url:
                passages = {(p.start, p.end): p for p in (*known.passages, *found.passages)}
                self.sources[n] = replace(known, passages=tuple(passages.values()))
                return replace(found, n=n)
        numbered = replace(found, n=len(self.sources) + 1)
        self.sources[numbered.n] = numbered
        return numbered


def _function(name: str, kind: str) -> dict[str, Any]:
    argument, schema = ("query", _QUERY) if kind == SEARCH else ("url", _URL)
    parameters = {
        "type": "object",
        "properties": {argument: schema},
        "required": [argument],
        "additionalProperties": False,
    }
    about = {"name": name, "description": _ABOUT[kind], "parameters": parameters}
    return {"type": "function", "function": about}


def _argument(call: Called) -> str:
    """Return the query or the address of a call; "" when it has none."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    value = arguments.get("query") or arguments.get("url")
    return value.strip() if isinstance(value, str) else ""


def _refused(kind: str, call: Called, value: str, refusal: Refusal) -> Done:
    if kind == SEARCH:
        return Done(Searched(call.id, value, refusal=refusal), _REFUSED[refusal])
    return Done(Fetched(call.id, value, refusal=refusal), _REFUSED[refusal])


def _refusal(error: KensakuError) -> Refusal:
    match error:
        case InvalidQuery():
            return "invalid"
        case BudgetExceeded() | QuotaExhausted() | RateLimited():
            return "too_many"
        case AddressRefused() | NotAllowed():
            return "not_allowed"
        case FetchError():
            return "unreadable"
    return "unavailable"


def _worst(errors: Iterable[KensakuError | None]) -> Refusal:
    """Return why nobody could search: a limit, if that is all that is wrong."""
    kinds = {_refusal(error) for error in errors if error is not None}
    return "too_many" if kinds == {"too_many"} else "unavailable"


def _references(context: Context) -> list[Reference]:
    local = {a.provider for a in context.attempts if a.error is None} == {LOCAL}
    return [
        Reference(
            c.n, c.url, c.title, c.published, passages=c.passages,
            origin="collection" if local else "web",
        )
        for c in context.citations
    ]  # fmt: skip


def _page(page: Page, tokens: int, client: Kensaku) -> Reference:
    """Return a page as a source with as much of its text as fits."""
    count = counter(client.settings.context_tokenizer)
    text = page.text
    while count(text) > tokens and len(text) > 60:
        text = cut(text, max(60, int(len(text) * min(0.9, tokens / count(text)))))
    whole = Passage(page.url, text, 0, len(text), title=page.title)
    return Reference(
        0, page.url, page.title, page.published, page.author, passages=(whole,), origin="page"
    )


def _addresses(messages: Sequence[Message]) -> frozenset[str]:
    """Return the addresses that stand in a conversation."""
    texts = (json.dumps(m.get("content") or "", ensure_ascii=False) for m in messages)
    found = (match[0] for text in texts for match in _ADDRESS.finditer(text))
    return frozenset(_bare(address) for address in found)


def _bare(url: str) -> str:
    return url.strip().rstrip(".,;:!?)]*_~/")


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
