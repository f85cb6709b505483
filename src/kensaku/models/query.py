"""The bounds of a query, each broken one named in a sentence.

Query(...) → normalise() → the values in their canonical form; or InvalidQuery, before any request
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from kensaku import models
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.text.countries import country_code
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.models import Query

_DOMAIN = re.compile(r"(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*", re.ASCII)
_LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_DEPTHS, _TOPICS = get_args(models.Depth), get_args(models.Topic)
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}


def normalise(q: Query) -> dict[str, Any]:
    """Validate every field; return those whose canonical form differs. Raises `InvalidQuery`."""
    new: dict[str, Any] = {}
    if (text := _text(q.text)) is not q.text:
        new["text"] = text
    _check_max_results(q.max_results)
    # Most queries are a text and a number: the rest is only looked at when it is there.
    if q.depth != "basic":
        _check_choice("depth", q.depth, _DEPTHS)
    if q.topic != "general":
        _check_choice("topic", q.topic, _TOPICS)
    if q.include_answer is not False:
        _check_bool("include_answer", q.include_answer)
    if q.include_raw_content is not False:
        _check_bool("include_raw_content", q.include_raw_content)
    if q.include_images is not False:
        _check_bool("include_images", q.include_images)
    if q.include_domains != ():
        new["include_domains"] = _domains("include_domains", q.include_domains)
    if q.exclude_domains != ():
        new["exclude_domains"] = _domains("exclude_domains", q.exclude_domains)
    if q.time_range is not None:
        new["time_range"] = _RANGES.get(str(q.time_range), q.time_range)
        _check_choice("time_range", new["time_range"], get_args(models.TimeRange))
    if q.start_date is not None or q.end_date is not None:
        new |= _dates(q)
    if q.country is not None:
        new["country"] = _country(q.country)
    if q.language is not None:
        new["language"] = _language(q.language)
    if q.min_score is not None:
        new["min_score"] = _share("min_score", q.min_score)
    if q.collection is not None:
        from kensaku.text.collection_names import (
            check_searched_name,  # most queries name no collection
        )

        check_searched_name(q.collection)
    return new


def date_window(q: Query, today: date) -> tuple[date | None, date | None]:
    """The first and the last day that the query admits, `time_range` counted back from today."""
    if q.time_range is not None:
        return today - timedelta(days=_DAYS[q.time_range]), None
    return q.start_date, q.end_date


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidQuery(msg("the query must be text, not {name}", name=type(text).__name__))
    tidy = text if text.isprintable() else _CONTROL.sub(" ", text)
    tidy = tidy.strip()
    if not tidy:
        raise InvalidQuery(msg("the query is empty"), remedy=msg("say what to search for"))
    if len(tidy) > models.MAX_QUERY_CHARS:
        raise InvalidQuery(
            msg(
                "the query has {count:,} characters; at most {max_query_chars:,} are taken",
                count=len(tidy),
                max_query_chars=models.MAX_QUERY_CHARS,
            ),
            remedy=msg("shorten it to what matters"),
        )
    if not tidy.isascii():
        try:
            tidy.encode()
        except UnicodeEncodeError:
            raise InvalidQuery(msg("the query has characters that are not valid Unicode")) from None
    return tidy


def _check_max_results(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        wanted = f"a whole number, 1 to {models.MAX_RESULTS}"
        raise InvalidQuery(
            msg(
                "max_results is {short_repr}; it must be {wanted}",
                short_repr=short_repr(value),
                wanted=wanted,
            )
        )
    if not 1 <= value <= models.MAX_RESULTS:
        wanted = f"1 to {models.MAX_RESULTS}"
        raise InvalidQuery(
            msg(
                "max_results is {short_repr}; it must be {wanted}",
                short_repr=short_repr(value),
                wanted=wanted,
            )
        )


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidQuery(
            msg(
                "{name} is {short_repr}; it must be a number from 0 to 1",
                name=name,
                short_repr=short_repr(value),
            )
        )
    return float(value)


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidQuery(
            msg(
                "{name} is {short_repr}; it must be one of {allowed}",
                name=name,
                short_repr=short_repr(value),
                allowed=", ".join(allowed),
            )
        )


def _check_bool(name: str, value: object) -> None:
    if value is not True and value is not False:
        raise InvalidQuery(
            msg(
                "{name} is {short_repr}; it must be True or False",
                name=name,
                short_repr=short_repr(value),
            )
        )


def _domains(name: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()  # how a model says that it has none
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidQuery(msg("{name} must be a list of host names", name=name))
    hosts = tuple(islice(value, 100 * models.MAX_DOMAINS))  # an endless iterator ends here
    if len(hosts) > models.MAX_DOMAINS:
        raise InvalidQuery(
            msg(
                "{name} has {count} entries; at most {max_domains} are taken",
                name=name,
                count=len(hosts),
                max_domains=models.MAX_DOMAINS,
            )
        )
    return tuple(dict.fromkeys(_domain(name, host) for host in hosts))


def _domain(name: str, value: object) -> str:
    host = value if isinstance(value, str) else ""
    host = host.strip().lower().partition("://")[2] or host.strip().lower()
    host = host.split("/", 1)[0].strip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            host = ""
    if len(host) > 253 or not _DOMAIN.fullmatch(host):
        raise InvalidQuery(
            msg(
                "{name} has {short_repr}, which is no host name",
                name=name,
                short_repr=short_repr(value),
            ),
            remedy=msg("write example.com"),
        )
    return host.removeprefix("www.")


def _dates(q: Query) -> dict[str, date | None]:
    if q.time_range is not None:
        raise InvalidQuery(msg("give either time_range or start_date and end_date, not both"))
    start, end = _date("start_date", q.start_date), _date("end_date", q.end_date)
    if start and end and start > end:
        raise InvalidQuery(msg("start_date {start} is after end_date {end}", start=start, end=end))
    return {"start_date": start, "end_date": end}


def _date(name: str, value: object) -> date | None:
    if value is None or type(value) is date:
        return value
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        raise InvalidQuery(
            msg(
                "{name} is {short_repr}; write it as 2026-01-31",
                name=name,
                short_repr=short_repr(value),
            )
        ) from None


def _country(value: object) -> str:
    code = country_code(value) if isinstance(value, str) else None
    if code is None:
        raise InvalidQuery(
            msg("country is {short_repr}, which is no country", short_repr=short_repr(value)),
            remedy=msg("write jp or Japan"),
        )
    return code


def _language(value: object) -> str:
    code = value.lower().replace("_", "-").split("-", 1)[0] if isinstance(value, str) else ""
    if not _LANGUAGE.fullmatch(code):
        raise InvalidQuery(
            msg(
                "language is {short_repr}; write two letters, as in ja",
                short_repr=short_repr(value),
            )
        )
    return code
