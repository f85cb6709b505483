"""Dates as the web writes them → ISO 8601, or nothing.

    number | text → digits | timestamp | calendar date | "3 days ago" | 「3日前」 → "2026-01-02[T…]"

A date is as exact as what was written: "2 January 2006" gives no time of day. A time without an
offset is taken as UTC. Pure, and bounded: longer texts than `MAX_CHARS` are not dates.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone

__all__ = ["month_number", "parse_date"]

MAX_CHARS = 80
_YEARS = range(1900, 2101)  # outside of these a number is not a date of a web page

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january janvier enero januar gennaio janeiro januari",
            "feb february février fevrier febrero februar febbraio fevereiro februari",
            "mar march mars marzo märz março maart",
            "apr april avril abril aprile",
            "may mai mayo maggio maio mei",
            "jun june juin junio juni giugno junho",
            "jul july juillet julio juli luglio julho",
            "aug august août aout agosto augustus",
            "sep sept september septembre septiembre settembre setembro",
            "oct october octobre octubre oktober okt ottobre outubro",
            "nov november novembre noviembre novembro",
            "dec december décembre decembre diciembre dezember dez dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_ZONES: dict[str, float] = {
    "utc": 0,
    "gmt": 0,
    "z": 0,
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
}
_ZONES |= {"mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1, "jst": 9, "ist": 5.5}

_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "分"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "時間", "小时", "小時", "시간"), 3600),
}
_DAYS = {
    **dict.fromkeys(("d", "day", "days", "日", "天", "일"), 1.0),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks", "週間", "週", "周", "주"), 7.0),
    **dict.fromkeys(("mo", "mos", "month", "months", "か月", "ヶ月", "カ月", "ケ月"), 30.44),
    **dict.fromkeys(("箇月", "个月", "個月", "개월"), 30.44),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years", "年", "년"), 365.25),
}
_NAMED_DAYS = {"today": 0, "yesterday": 1, "今日": 0, "本日": 0, "昨日": 1, "一昨日": 2}
_NAMED_DAYS |= {"おととい": 2, "今天": 0, "昨天": 1, "前天": 2, "오늘": 0, "어제": 1}
_NOW = ("now", "just now", "たった今", "今", "刚刚", "剛剛", "방금")
_ONE = {"a": 1.0, "an": 1.0, "one": 1.0, "last": 1.0}

_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
_TIME += r"\s?(?P<half>am|pm|a\.m\.?|p\.m\.?)?"
_OFFSET = r"(?P<zone>[a-z]{1,4}|[+-]\d{2}:?\d{2}|[+-]\d{2})?(?:\s?\([^()]*\))?"
_CLOCK = rf"(?:(?:[t,]\s?|\s?(?:at|à|um)?\s?|\s-\s){_TIME}\s?{_OFFSET})?"
_WEEKDAY = r"(?:\w{2,10}\.?,?\s)?"
_SHAPES = [
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"(?P<year>\d{{4}})(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}}){_CLOCK}",
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-](?:de\s)?(?P<name>[^\W\d_]{{3,10}})\.?,?"
        rf"[\s-](?:de\s)?(?P<year>\d{{4}}){_CLOCK}",
        rf"{_WEEKDAY}(?P<name>[^\W\d_]{{3,10}})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s"
        rf"(?P<year>\d{{4}}){_CLOCK}",
        rf"{_WEEKDAY}(?P<name>[a-z]{{3}})\s(?P<day>\d{{1,2}})\s{_TIME}\s(?:{_OFFSET}\s)?(?P<year>\d{{4}})",
        r"(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]"
        r"(?:\s?\([^()]\))?(?:\s?(?P<hour>\d{1,2})[:時时시](?P<minute>\d{1,2})[分분]?)?",
        r"(?P<era>令和|平成|昭和)(?P<eyear>\d{1,2}|元)年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
        r"(?:t?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})(?P<zone>z|[+-]\d{4})?)?",
    )
]
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_AGO = re.compile(
    r"(?:about |約)?(?P<count>\d{1,6}|an?|one|last)\s?(?P<unit>[^\W\d_]{1,7}?)\.?"
    r"(?:\s?(?P<ago>ago|前|전|old))?",
    re.IGNORECASE,
)


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)  # as most of them are written


def month_number(name: str) -> int | None:
    """Return the number of a month by its name, or None."""
    return _MONTHS.get(name.rstrip(".").lower())


def parse_date(value: object, now: datetime | None = None) -> str | None:
    """The date as ISO 8601, with a time and an offset only where they were written.

    `now` is what "3 days ago" counts from; hours and minutes give a time, days only a date.
    """
    try:
        if isinstance(value, str):
            if _DAY.fullmatch(value) and date.fromisoformat(value).year in _YEARS:
                return value
            return _parse_text(value, now)
        if isinstance(value, datetime):
            return _stamp(value)
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return _from_number(float(value))
    except (ValueError, OverflowError, OSError):
        return None


def _parse_text(value: str, now: datetime | None) -> str | None:
    if len(value) > MAX_CHARS:
        return None
    text = " ".join(unicodedata.normalize("NFKC", value).split()).strip(" ,.")
    if not text:
        return None
    if re.fullmatch(r"-?\d{9,13}(?:\.\d{1,9})?", text):
        return _from_number(float(text))
    for shape in _SHAPES:
        if match := shape.fullmatch(text):
            return _from_parts(match.groupdict(""))
    return _relative(text.lower(), now or datetime.now(UTC))


def _from_number(number: float) -> str | None:
    """Unix seconds between 1973 and 2103, else milliseconds; else a count of something."""
    for seconds in (number, number / 1000):
        if 1e8 <= seconds < 4.2e9:
            return _stamp(datetime.fromtimestamp(seconds, UTC))
    return None


def _from_parts(parts: dict[str, str]) -> str | None:
    day = date(_year(parts), _month(parts), int(parts["day"]))
    if day.year not in _YEARS:
        return None
    if not parts.get("hour"):
        return day.isoformat()
    hour = int(parts["hour"])
    half = parts.get("half", "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    moment = datetime(
        day.year,
        day.month,
        day.day,
        0 if hour == 24 else hour,
        int(parts["minute"]),
        min(int(parts.get("second") or 0), 59),  # a leap second is written as 60
        tzinfo=_zone(parts.get("zone")),
    )
    return _stamp(moment + timedelta(days=1) if hour == 24 else moment)


def _year(parts: dict[str, str]) -> int:
    if era := parts.get("era"):
        return _ERAS[era] + (1 if parts["eyear"] == "元" else int(parts["eyear"]))
    return int(parts["year"])


def _month(parts: dict[str, str]) -> int:
    if name := parts.get("name"):
        return _MONTHS.get(name.lower(), 0)  # 0 is refused by `date`
    return int(parts["month"])


def _zone(written: str | None) -> timezone:
    if not written:
        return UTC
    if written[0] in "+-":
        digits = written[1:].replace(":", "").ljust(4, "0")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        return timezone(-offset if written[0] == "-" else offset)
    if written.lower() not in _ZONES:
        raise ValueError(written)
    return timezone(timedelta(hours=_ZONES[written.lower()]))


def _relative(text: str, now: datetime) -> str | None:
    if text in _NOW:
        return _stamp(now)
    if text in _NAMED_DAYS:
        return (now - timedelta(days=_NAMED_DAYS[text])).date().isoformat()
    match = _AGO.fullmatch(text)
    if not match:
        return None
    count = _ONE.get(match["count"]) or float(match["count"])
    unit = match["unit"]
    # 「3日」 without 前 is a day of the month, and "5 days" without "ago" how long something takes.
    if not match["ago"] and (not unit.isascii() or (len(unit) > 2 and match["count"] != "last")):
        return None
    if unit in _SECONDS:
        return _stamp(now - timedelta(seconds=count * _SECONDS[unit]))
    if unit in _DAYS:
        return (now - timedelta(days=count * _DAYS[unit])).date().isoformat()
    return None


def _stamp(moment: datetime) -> str:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    written = moment.replace(microsecond=0).isoformat()
    return written.removesuffix("+00:00") + "Z" if written.endswith("+00:00") else written
