"""What plain, markdown and compact write: `make golden` writes it down.

Read the difference before you commit it: it is what people and models see.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from kensaku import dialects
from kensaku.errors import InvalidQuery, KensakuError, NotConfigured, RateLimited, Timeout
from kensaku.models import Attempt, Hit, Outcome, Response

from .examples import (
    EMPTY,
    EMPTY_QUERY,
    FOUND,
    NO_KEY,
    OFFLINE,
    QUERY,
    REFUSED,
    SLOWER,
    UNCONFIGURED,
    unavailable,
)

FILE = Path(__file__).with_name("written.json")
DIALECTS = [f"{name}:{language}" for name in ("plain", "markdown", "compact") for language in ("en", "ja")]  # fmt: skip
LOCAL = [
    Hit(f"note:{n}", f"Note {n}", f"Content {n}.\n\n1. A step\nNote: x", score=s, provider="local")
    for n, s in enumerate((0.9, 0.2, 0.1, 0.05), 1)
]
LONG = Hit(
    "https://a.example/", "A <b> *title*", "word " * 200, published="2026-11-02T10:00:00", score=0.1
)
NO_TITLE = Hit("http://b.example/", "", "", provider="brave")
PACKAGE = NotConfigured("local", "no extra", remedy='pip install "kensaku-search[index]"')
RESPONSES = {
    "found": FOUND,
    "of the web and without parts": replace(FOUND, hits=(LONG, NO_TITLE), answer="# A <b>\n\n1. b"),
    "with notes": replace(
        FOUND, notes=("one\nnote", *(f"a {slashes}<b> note" for slashes in ("", "\\", "\\\\", "\\\\\\")))
    ),
    "of the local index": replace(FOUND, hits=tuple(LOCAL), answer=None, notes=("a note",)),
    "of both": replace(FOUND, hits=(LOCAL[0], LONG), answer=None),
    "only an answer": replace(FOUND, hits=()),
    "nothing": EMPTY,
    "nothing, with notes": replace(EMPTY, notes=("a <b> note",), query=replace(QUERY, text="a\n<b>")),
    "nothing, of several": replace(
        EMPTY,
        attempts=(
            *(Attempt(n, Outcome.EMPTY) for n in ("tavily", "brave", "tavily")),
            Attempt("exa", Outcome.UNAVAILABLE, OFFLINE),
        ),
    ),
    "nothing, of nobody": replace(EMPTY, attempts=()),
    "refused": unavailable(REFUSED, SLOWER),
    "two waits": unavailable(SLOWER, RateLimited("exa", "slow", retry_after=3.0)),
    "a short wait": unavailable(RateLimited("exa", "slow", retry_after=0.2)),
    "one reason for two": unavailable(OFFLINE, type(OFFLINE)("brave", OFFLINE.message), OFFLINE),
    "unconfigured": UNCONFIGURED,
    "unconfigured and offline": unavailable(NO_KEY, OFFLINE),
    "offline, with what is near": replace(
        unavailable(OFFLINE), hits=tuple(LOCAL), query=replace(QUERY, text="a\n<b>")
    ),
    "nobody was asked": Response(QUERY, Outcome.UNAVAILABLE),
}  # fmt: skip
ERRORS: dict[str, KensakuError] = {
    "refused": REFUSED,
    "slower": SLOWER,
    "a short wait": RateLimited("exa", "slow", retry_after=0.2),
    "no key": NO_KEY,
    "a package": PACKAGE,
    "no remedy": Timeout("brave", "it took <b>\n5 s"),
    "wrong": EMPTY_QUERY,
    "wrong, without a remedy": InvalidQuery("it is wrong"),
}
LIMITS = (0, 1, 30)


def describe(dialect: str) -> dict[str, str]:
    """Return the text of each response and error, and of bounded contents."""
    texts = {name: dialects.write(response, dialect) for name, response in RESPONSES.items()}
    web = RESPONSES["of the web and without parts"]
    bounded = {f"at most {n}": dialects.write(web, dialect, max_content_length=n) for n in LIMITS}
    errors = {f"error: {n}": dialects.write_error(e, dialect, query="q") for n, e in ERRORS.items()}
    return texts | bounded | errors


def write() -> None:
    """Take what is written now as right."""
    known = {dialect: describe(dialect) for dialect in DIALECTS}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
