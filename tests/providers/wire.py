"""What each provider sends, reads and says of itself: `make golden` writes it.

Read the difference before you commit it: it is what the upstream will see.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from kensaku.models import Query
from kensaku.providers import BUILT_IN, provider_class
from kensaku.providers.base import Provider
from kensaku.testing import load_sample

FILE = Path(__file__).with_name("wire.json")
NAMES = [name for name in BUILT_IN if name != "local"]
_SITES: dict[str, Any] = {
    "include_domains": ("a.example", "b.example"),
    "exclude_domains": ("c.example",),
}
_DATES: dict[str, Any] = {"start_date": "2019-01-02", "end_date": "2019-03-04"}
QUERIES = {
    "plain": Query("otter"),
    "deep": Query("otter", max_results=20, depth="advanced", include_answer=True, include_raw_content=True),
    "sites": Query("otter", max_results=7, **_SITES),
    "dates": Query("otter", **_DATES),
    "week": Query("otter", time_range="week"),
    "news": Query("otter", topic="news", time_range="day", country="de", language="de"),
    "finance": Query("otter", topic="finance", country="us", language="en"),
    "images": Query("otter", topic="images"),
    "with images": Query("otter", include_images=True),
    "japanese": Query("カワウソ 観察", country="jp", language="ja", **_SITES),
    "all": Query("otter", max_results=50, depth="advanced", **_SITES, **_DATES, country="gb", language="en"),
}  # fmt: skip


def describe(name: str) -> dict[str, Any]:
    """Return what a provider says of itself, its requests, and what it reads from its sample."""
    cls = provider_class(name)
    provider = cls("", {option: f"test-{option}" for option in cls.options})
    told = {n: _plain(getattr(cls, n)) for n in Provider.__annotations__ if hasattr(cls, n)}
    told["languages"] = len(cls.languages or ())
    told["countries"] = len(cls.countries or ())
    sent = {
        f"{kind}, {'with' if key else 'without'} a key": _sent(provider, query, key)
        for kind, query in QUERIES.items()
        for key in (("test-key", "") if kind == "plain" else ("test-key",))
    }
    return {"is": told, "sends": sent, "reads": _read(name, provider)}


def _sent(provider: Provider, query: Query, key: str) -> Any:
    try:
        request = provider.request(query, key)
    except NotImplementedError:  # another library sends it
        return None
    sent = {
        "url": request.url,
        "params": _plain(request.params),
        "headers": dict(request.headers),
        "json": request.json,
        "price": provider.price_of(query),
        "filters": sorted(provider.filters_for(query)),
    }
    return _without_today(sent)


def _without_today(sent: dict[str, Any]) -> Any:
    """Replace the days that "day" and "week" mean today."""
    text, today = json.dumps(sent), datetime.now(UTC).date()
    since = (today - date.fromisoformat(_DATES["start_date"])).days
    text = text.replace(f'"d{since}"', '"days since the first"')
    for days in range(1, 9):
        day = today - timedelta(days)
        second = datetime.combine(day, time.min, UTC).timestamp()
        for written in (day.isoformat(), f"{day:%Y%m%d}", f"{day:%Y/%m/%d}", f"{second:.0f}"):
            text = text.replace(written, f"today - {days}")
    return json.loads(text)


def _read(name: str, provider: Provider) -> Any:
    sample = load_sample(name)
    if isinstance(sample.body, str) or sample.envelope:  # a page or feed: read by tests of its own
        return None
    return [
        {
            "hits": [{k: v for k, v in asdict(h).items() if v} for h in provider.hits(s.body)],
            "answer": provider.answer(s.body),
            "cost": provider.cost(s.body),
            "images": [asdict(image) for image in provider.images(s.body)],
        }
        for s in (sample, *sample.also)
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):
        return value.isoformat()
    return (
        [list(v) if isinstance(v, tuple) else v for v in value]
        if isinstance(value, tuple | list)
        else value
    )


def write() -> None:
    """Take what is sent now as right."""
    known = {name: describe(name) for name in NAMES}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
