"""A provider's wire format in one JSON file: a reply, and how its rows are written.

known_by how the reply is known: "recorded" (the service sent it), "sdk" (written after the types or
         fixtures of a client), "documentation" (written after what the service documents)
source   where that is from: a repository and its file, a package and its type, a page
rows     where the list of results is in `body`: "web.results"; "" when the body is the list
row      one result with {title} {url} {content} {published} {score} in their places;
         {published:unix} is a date as seconds since 1970, {url:number} a number for the address
body     a reply with results; three or more show that their order is kept
empty    the reply when nothing is found
expect   what `hits(body)` must read, in order: {"title", "url", "content", …}
key      where the key travels: "header X-API-KEY", "param api_key"; "" without keys
also     more replies of the same provider (news, …): each with a `query` that asks for it,
         the end of the `path` under which it is served, and its own members from above
envelope what the body travels in, with "{body}" where it stands as text: a result of MCP
between  what stands between two rows of a text; a new line when left out
before   the end of a path → the reply to what is asked first there: a search for ids

Recorded replies are shortened, and every host in them ends in `.example`: whoever opens a result in
a test reaches nobody.
"""

from __future__ import annotations

import html
import json
import zlib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.text.dates import parse_date

if TYPE_CHECKING:
    from kensaku.models import Hit
    from kensaku.providers.base import KnownBy

FIELDS = ("title", "url", "content", "published", "score")
ROWS_START, ROWS_END = "<!--rows-->", "<!--/rows-->"  # around the rows of a page or feed


@dataclass(frozen=True, slots=True)
class Sample:
    """The wire format of one upstream's results."""

    rows: str
    row: Any
    body: Any
    empty: Any
    expect: Sequence[Mapping[str, Any]]
    known_by: KnownBy = "documentation"
    source: str = ""
    key: str = ""
    empty_status: int = 200
    query: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""
    also: Sequence[Sample] = ()
    envelope: Any = None
    between: str = "\n"
    before: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content_type(self) -> str:
        """JSON, or when the body is text a feed or a page."""
        if not isinstance(self.body, str) or self.envelope is not None:
            return "application/json"
        kind = "application/atom+xml" if self.body.startswith("<?xml") else "text/html"
        return f"{kind}; charset=utf-8"

    def with_hits(self, hits: Sequence[Hit]) -> Any:
        """Return the sample reply with these hits."""
        rows = [_fill(self.row, _values(h)) for h in hits]
        return self.with_rows(rows) if rows else self.enclosed(self.empty)

    @property
    def reply(self) -> Any:
        """The body as it travels."""
        return self.enclosed(self.body)

    def with_rows(self, rows: Any) -> Any:
        """Return the reply with `rows` instead of its own, whatever their type."""
        if isinstance(self.body, str):
            head, rest = self.body.split(ROWS_START)
            written = self.between.join(map(str, rows)) if isinstance(rows, list) else str(rows)
            return self.enclosed(head + written + rest.split(ROWS_END)[1])
        body = {"": deepcopy(self.body)}
        place, names = body, ["", *filter(None, self.rows.split("."))]
        for name in names[:-1]:
            place = place[int(name)] if isinstance(place, list) else place[name]
        place[names[-1]] = rows
        return self.enclosed(body[""])

    def enclosed(self, body: Any) -> Any:
        """Return a body as it travels: in its envelope, if there is one."""
        if self.envelope is None:
            return body
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        for marker in (ROWS_START, ROWS_END):
            text = text.replace(marker, "")
        return _fill(self.envelope, {"body": text})

    def is_main(self, path: str) -> bool:
        """Whether the reply under this path is the body, not one to what is asked first."""
        return not path.endswith(tuple(self.before))


def load_sample(source: str | Path | Mapping[str, Any]) -> Sample:
    """Load a sample from a file or a mapping, or a built-in provider's by its name."""
    if isinstance(source, Mapping):
        members = dict(source)
        also = tuple(load_sample({**_defaults(source), **more}) for more in members.pop("also", ()))
        return Sample(**members, also=also)
    if isinstance(source, Path):
        return load_sample(json.loads(source.read_text(encoding="utf-8")))
    return built_in_samples()[source]


@cache
def built_in_samples() -> dict[str, Sample]:
    """Return the samples that come with Kensaku, by provider."""
    folder = resources.files(__package__) / "samples"
    return {
        entry.name.removesuffix(".json"): load_sample(json.loads(entry.read_text(encoding="utf-8")))
        for entry in sorted(folder.iterdir(), key=lambda e: e.name)
        if entry.name.endswith(".json")
    }


def _values(hit: Hit) -> dict[str, Any]:
    values = {name: getattr(hit, name) for name in FIELDS}
    number = zlib.crc32(str(hit.url).encode())
    return {**values, "published:unix": _unix(hit.published), "url:number": str(number)}


def _unix(published: str | None) -> int | None:
    written = parse_date(published)
    if written is None:
        return None
    moment = datetime.fromisoformat(written)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _defaults(source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: source[name]
        for name in ("rows", "row", "empty", "empty_status", "key", "known_by", "source")
        if name in source
    }


def _fill(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        filled = {name: _fill(value, values) for name, value in template.items()}
        return {name: value for name, value in filled.items() if value is not None}
    if isinstance(template, list):
        return [value for value in (_fill(t, values) for t in template) if value is not None]
    if not isinstance(template, str):
        return template
    if template[:1] == "{" and template[1:-1] in values:
        return values[template[1:-1]]
    escape = html.escape if template.lstrip().startswith("<") else str
    for name, value in values.items():
        template = template.replace("{" + name + "}", escape("" if value is None else str(value)))
    return template
