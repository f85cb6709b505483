"""A page in the formats that a caller wants: Markdown, HTML, links, a picture, values of a schema.

    url → gate → budget → page, as it was sent → a document: what the page is, and each format

`json` is taken out of the page by the model, and checked against the schema: what has another type
is null, and what the schema does not know is left out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from kensaku.answers.model import has_model, open_model
from kensaku.answers.prompts import EXTRACT, SUMMARIZE, read_json, with_pages
from kensaku.answers.report.request import check_schema
from kensaku.answers.report.structured import fit_type
from kensaku.errors import InvalidQuery
from kensaku.extract.charset import decode
from kensaku.fetch.browser.browser import has_browser
from kensaku.fetch.browser.screenshot import Screenshot
from kensaku.fetch.pages import read_page
from kensaku.messages import msg
from kensaku.text.clean import cut
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.fetch.page_cache import FetchedPage
    from kensaku.models import Page

FORMATS = ("markdown", "html", "rawHtml", "links", "images", "summary", "screenshot", "json")
MAX_PROMPT = 10_000  # characters
MAX_RAW = 5_000_000  # characters of `rawHtml`
SUMMARY = 500  # characters of a summary that no model writes
MAX_NODES, MAX_NESTED = 2_000, 30  # parts and levels of a schema with its references followed
_ABOUT = ("url", "title", "language", "published", "author", "favicon", "canonical_url",
          "content_type", "copy_note")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """The formats of a document; a schema, a prompt or both for `json`; what a picture shows."""

    formats: tuple[str, ...] = ("markdown",)
    schema: Mapping[str, Any] | None = None
    prompt: str = ""
    picture: Screenshot = Screenshot()

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in FORMATS:
                raise InvalidQuery(
                    msg("the format {short_repr} is not known here", short_repr=short_repr(name)),
                    remedy=msg("choose from {formats}", formats=", ".join(FORMATS)),
                )
        if len(self.prompt) > MAX_PROMPT:
            raise InvalidQuery(
                msg(
                    "the prompt has {count:,} characters; at most {max_prompt:,} are taken",
                    count=len(self.prompt),
                    max_prompt=MAX_PROMPT,
                )
            )
        if self.schema is not None:
            plain = _plain(self.schema, self.schema, count(1))
            check_schema(plain, name="the schema")
            object.__setattr__(self, "schema", plain)
        if "json" in self.formats and not (self.schema or self.prompt):
            raise InvalidQuery(msg("the format json needs a schema or a prompt"))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what `to_dict` was made of."""
        picture = Screenshot.from_dict(values.get("picture", {}))
        return cls(tuple(values["formats"]), values["schema"], values["prompt"], picture)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a job keeps."""
        return {
            "formats": list(self.formats),
            "schema": self.schema,
            "prompt": self.prompt,
            "picture": self.picture.to_dict(),
        }

    def check(self, client: Kensaku) -> None:
        """Raise `InvalidQuery` for `json` without a model, and `screenshot` without a browser."""
        if "json" in self.formats and not has_model(client.settings):
            raise InvalidQuery(
                msg("the format json is written by a model, and none is set"),
                remedy=msg("set KENSAKU_MODEL=vendor:name, or KENSAKU_LLM_URL"),
            )
        if "screenshot" in self.formats and not has_browser(client.settings):
            raise _no_browser()


def _no_browser() -> InvalidQuery:
    return InvalidQuery(
        msg("the format screenshot needs a browser, and none is set"),
        remedy=msg('pip install "kensaku-search[browser]", and set KENSAKU_FETCH_BROWSER=auto'),
    )


async def scrape(
    client: Kensaku,
    url: str,
    wanted: Wanted,
    *,
    timeout: float = 30.0,  # noqa: ASYNC109 - of fetching and parsing
) -> dict[str, Any]:
    """Read a page and return its document. Raises `FetchError`."""
    wanted.check(client)
    page, fetched = await read_page(client.resources, url, timeout=timeout, budget=client.budget)
    return await document(client, page, fetched, wanted)


async def document(
    client: Kensaku, page: Page, fetched: FetchedPage, wanted: Wanted
) -> dict[str, Any]:
    """Return a page in the formats, ready for JSON; "page" says what it is."""
    about = {name: getattr(page, name) for name in _ABOUT}
    sent = {"status": fetched.status, "final_url": fetched.final_url, "id": str(uuid4())}
    made: dict[str, Any] = {"page": {**about, **sent}}
    for name in dict.fromkeys(wanted.formats):
        made[name] = await _in_format(name, client, page, fetched, wanted)
    return made


async def _in_format(
    name: str, client: Kensaku, page: Page, fetched: FetchedPage, wanted: Wanted
) -> Any:
    match name:
        case "html":
            from kensaku.text.markdown import to_html

            return await asyncio.to_thread(to_html, page.markdown)
        case "rawHtml":
            return await asyncio.to_thread(_raw, fetched)
        case "screenshot":
            return await _screenshot(client, page.url, wanted.picture)
        case "summary":
            return await summarize(client, page)
        case "json":
            return await take_values(client, [(page.title, page.url, page.markdown)], wanted)
        case "links" | "images":
            return list(getattr(page, name))
    return page.markdown


async def _screenshot(client: Kensaku, url: str, wanted: Screenshot) -> str:
    taken = await client.resources.reader().fetcher.screenshot(url, wanted)
    if taken is None:
        raise _no_browser()
    return taken


def _raw(fetched: FetchedPage) -> str:
    """Return the page as it was sent. Raises `InvalidQuery` for what is not text."""
    kind = fetched.content_type.partition(";")[0].strip().lower()
    if kind and not (kind.startswith("text/") or kind.endswith(("html", "xml", "json"))):
        raise InvalidQuery(
            msg("the page is {kind}, which has no HTML", kind=kind[:80]),
            remedy=msg("ask for markdown or html"),
        )
    return decode(fetched.body, fetched.content_type)[:MAX_RAW]


async def summarize(client: Kensaku, page: Page) -> str:
    """Return a summary: by the model, or else how the page begins."""
    model = open_model(client)
    if model is None:
        return cut(" ".join(page.text.split()), SUMMARY)
    return await model.ask(SUMMARIZE, with_pages([(page.title, page.url, page.markdown)]))


async def take_values(
    client: Kensaku, pages: Iterable[tuple[str, str, str]], wanted: Wanted
) -> dict[str, Any]:
    """Take what is wanted out of pages, given as title, URL and text, by the model.

    Raises a `ProviderError` when the model does not reply with JSON.
    """
    model = open_model(client)
    assert model is not None  # `check` says so
    schema = wanted.schema
    rules = EXTRACT.format(schema=json.dumps(schema or {"type": "object"}, ensure_ascii=False))
    values = read_json(await model.ask(rules, with_pages(pages, f"Task: {wanted.prompt}")))
    return fit_type({**schema, "type": "object"}, values) if schema else values


def _plain(schema: Any, root: Mapping[str, Any], nodes: Iterator[int], depth: int = 1) -> Any:
    """Return a schema without references and without the choice of null: pydantic writes both.

    `nodes` counts its parts: a schema that refers to itself has no end.
    """
    if not isinstance(schema, Mapping):
        return schema
    if next(nodes) > MAX_NODES or depth > MAX_NESTED:
        raise InvalidQuery(msg("the schema is too large, or refers to itself"))
    name = schema.get("$ref")
    if isinstance(name, str):
        defs = root.get(name.split("/")[1]) if name.count("/") == 2 else None
        found = defs.get(name.split("/")[2]) if isinstance(defs, Mapping) else None
        if found is None:
            raise InvalidQuery(
                msg("the schema refers to {name!r}, which it does not define", name=name[:80])
            )
        return _plain(found, root, nodes, depth + 1)
    made = {n: v for n, v in schema.items() if n not in ("$defs", "definitions")}
    if isinstance(choices := made.get("anyOf"), list):
        real = [c for c in choices if c != {"type": "null"}]
        if len(real) != 1:
            raise InvalidQuery(
                msg("the schema has anyOf with several types"), remedy=msg("give one type")
            )
        return _plain(real[0], root, nodes, depth + 1)
    if isinstance(kinds := made.get("type"), list):
        made["type"] = next((k for k in kinds if k != "null"), "string")
    if isinstance(properties := made.get("properties"), Mapping):
        made["properties"] = {n: _plain(p, root, nodes, depth + 1) for n, p in properties.items()}
    if "items" in made:
        made["items"] = _plain(made["items"], root, nodes, depth + 1)
    return made
