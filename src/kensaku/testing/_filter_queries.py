"""Queries that use each filter, and a look into what a request says. For the contract."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from kensaku.models import Query, TimeRange

if TYPE_CHECKING:
    from kensaku.transport.request import Request

_ask = partial(Query, "otter")
_TODAY = datetime.now(UTC).date()
_LAST_DAYS = _ask(start_date=_TODAY - timedelta(days=3), end_date=_TODAY)
_HOSTS = ("a.example", "b.example")

# A filter → queries that use it, of which no two may lead to the same request.
# "not domains" is what some upstreams cannot say, though they can say "domains".
FILTERS: dict[str, list[Query]] = {
    "dates": [_ask(time_range=r) for r in get_args(TimeRange)],
    "not dates": [_LAST_DAYS],
    "domains": [_ask(include_domains=(host,)) for host in _HOSTS],
    "not domains": [_ask(exclude_domains=_HOSTS)],
    "country": [_ask(country=c) for c in ("jp", "de")],
    "language": [_ask(language=c) for c in ("ja", "de")],
    "topic": [_ask(topic=topic) for topic in ("news", "images", "papers")],
}


def params_of(request: Request) -> Iterator[tuple[str, Any]]:
    """Every single value that a request holds, with its name."""
    params = request.params
    yield from params.items() if isinstance(params, Mapping) else params
    yield from _leaves("", request.json)


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a structure."""
    return (leaf for _, leaf in _leaves("", value) if isinstance(leaf, str))


def with_member(row: Any, name: str, value: Any) -> Any:
    """A row with `value` where its template has the placeholder `{name}`."""
    if isinstance(row, dict):
        return {key: with_member(member, name, value) for key, member in row.items()}
    if isinstance(row, list):
        return [with_member(member, name, value) for member in row]
    if isinstance(row, str) and row.lstrip().startswith("<"):  # a row of a feed is text
        return row.replace("{" + name + "}", html.escape(str(value)))
    return value if row == "{" + name + "}" else row


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield from _leaves(str(key), member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _leaves(name, member)
    else:
        yield name, value
