"""What a response looks like: hits, the answer, who was asked. Values for the templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from zlib import crc32

from markupsafe import Markup, escape

from kensaku import errors
from kensaku.errors import KensakuError
from kensaku.server.page.language import age_of, join_names
from kensaku.text.excerpt import excerpt

if TYPE_CHECKING:
    from kensaku.locale import Translator
    from kensaku.models import Attempt, Hit, Response

MAX_SNIPPET = 420
TONES = 6
# Japanese has no spaces: there a word is a run of kana or of kanji.
_LETTER = r"[^\W぀-ヿ一-鿿]"
_TERM = re.compile(rf"{_LETTER}{{2,}}|[぀-ヿ]{{2,}}|[一-鿿]{{2,}}")
_COMMON = frozenset(
    "the and for are was how what when where who why does did can with from that this into you "
    "your is in of to on do an it or be at by as".split()
)
_CITATION = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


def safe_link(url: str) -> str:
    """The address, if a browser may open it; else ""."""
    return url if re.match(r"https?://[^\s<>\"']+\Z", url) else ""


def mark_terms(text: str, query: str) -> Markup:
    """The text with the words of the query marked."""
    terms = {m[0].lower() for m in _TERM.finditer(query)} - _COMMON
    if not terms:
        return escape(text)
    words = "|".join(re.escape(t) for t in sorted(terms, key=len, reverse=True)[:30])
    ending = rf"[^\W\d_぀-ヿ一-鿿]{{0,3}}(?!{_LETTER})"
    parts = re.split(rf"((?<!{_LETTER})(?:{words}){ending})", text, flags=re.I)
    marked = Markup("<mark>{}</mark>")
    return Markup("").join(marked.format(p) if n % 2 else p for n, p in enumerate(parts))


def cite(text: str, hits: Mapping[int, int]) -> Markup:
    """The text with its `[n]` as links to the hits; `hits` maps n to the number of a hit."""
    out, end = Markup(""), 0
    for found in _CITATION.finditer(text):
        numbers = [int(n) for n in found[1].split(",")]
        if not all(n in hits for n in numbers):
            continue
        out += escape(text[end : found.start()])
        for n in numbers:
            out += Markup('<a class="cite" href="#h{}">{}</a>').format(hits[n], hits[n])
        end = found.end()
    return out + escape(text[end:])


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit, ready to be shown."""

    n: int
    title: str
    url: str
    link: str
    host: str
    crumbs: list[str]
    age: str
    published: str
    found_by: str
    snippet: Markup
    text: str
    why: list[str]
    letter: str  # its site's icon: a letter …
    tone: int  # … on one of `TONES` colours. Fetching icons would tell every site who searches


def hit_view(n: int, hit: Hit, query: str, t: Translator) -> HitView:
    """What is shown of a hit."""
    host, crumbs = _where(hit.url) if hit.site is None else (hit.site, [])
    sources = hit.sources or ()
    return HitView(
        n=n,
        title=hit.title.strip() or host or hit.url,
        url=hit.url,
        link=safe_link(hit.url),
        host=host,
        crumbs=crumbs,
        age=age_of(hit.published, t),
        published=hit.published or "",
        found_by=" · ".join(f"{s.provider} #{s.rank}" for s in sources) or hit.provider,
        snippet=mark_terms(excerpt(hit.content, query, MAX_SNIPPET), query),
        text=hit.content,
        why=_reasons(hit, t),
        letter=next((c for c in host if c.isalnum()), "·").upper(),
        tone=crc32(host.encode()) % TONES,
    )


def host_of(url: str) -> str:
    """The host of an address, or its scheme."""
    return _where(url)[0]


def _where(url: str) -> tuple[str, list[str]]:
    """The host of an address, and the last parts of its path."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or parts.scheme
    except ValueError:
        return "", []
    path = [unquote(p, errors="replace") for p in parts.path.split("/") if p]
    return host.removeprefix("www."), [p[:40] for p in path[-2:]]


def _reasons(hit: Hit, t: Translator) -> list[str]:
    """Why a hit stands where it stands."""
    said = [t("{provider} ranks it #{rank}", provider=s.provider, rank=s.rank) for s in hit.sources]
    if hit.score is not None:
        said.append(t("the provider's own score {n}", n=f"{hit.score:.2f}"))
    if (e := hit.explain) is None:
        return said
    if e.agreement > 1:
        said.append(t("found by {n} independent indexes", n=e.agreement))
    if e.coverage is not None:
        said.append(t("{n} % of the query's words are in it", n=round(e.coverage * 100)))
    if e.fused is not None:
        said.append(t("fused score {n}", n=f"{e.fused:.4f}"))
    if e.read:
        said.append(t("the page itself was read"))
    if e.copies:
        said.append(
            t(
                "{n} near copy was folded into it",
                "{n} near copies were folded into it",
                n=len(e.copies),
            )
        )
    if e.variants:
        said.append(t("nearly the same text elsewhere has other figures or names"))
    if e.local:
        if e.local.bm25 is not None:
            said.append(t("words match by {n} (BM25)", n=f"{e.local.bm25:.1f}"))
        if e.local.cosine is not None:
            said.append(t("meaning matches by {n} (cosine)", n=f"{e.local.cosine:.2f}"))
        if e.local.collection:
            said.append(t("in the collection {name}", name=e.local.collection))
    return said


@dataclass(frozen=True, slots=True)
class AttemptView:
    """A row of who was asked: a bar from `x` to `x + width` per cent of the whole time."""

    name: str
    state: str  # ok, bad, off or wait
    x: float
    width: float
    time: str
    said: str
    names: tuple[str, ...] = ()  # of the providers, when the row stands for several


def attempt_views(
    attempts: Sequence[tuple[Attempt, float]],
    waiting: Mapping[str, float],
    now: float,
    t: Translator,
) -> list[AttemptView]:
    """Rows for attempts with when each began (ms), and for those that are still under way."""
    ends = [began + a.elapsed_ms for a, began in attempts]
    whole = max([now, *ends, 1.0])
    rows = []
    for a, began in attempts:
        width = max(2.0, 100 * a.elapsed_ms / whole) if a.sent else 0.0
        rows.append(
            AttemptView(
                a.provider,
                "off" if not a.sent else "bad" if a.error is not None else "ok",
                min(98.0, 100 * began / whole),
                width,
                f"{a.elapsed_ms:,.0f} ms" if a.sent else "—",
                said_of(a, t),
            )
        )
    rows = _fold_rows(rows, t)
    for name, began in waiting.items():
        width = max(2.0, 100 * (now - began) / whole)
        rows.append(AttemptView(name, "wait", 100 * began / whole, width, "…", t("waiting")))
    return rows


def _fold_rows(rows: Iterable[AttemptView], t: Translator) -> list[AttemptView]:
    """Make one row of all that failed for one and the same reason."""
    alike: dict[str | int, list[AttemptView]] = {}
    for n, row in enumerate(rows):
        alike.setdefault(n if row.state == "ok" else row.said, []).append(row)
    folded = []
    for same in alike.values():
        names = tuple(dict.fromkeys(row.name for row in same))
        if len(names) > 1:
            who = t("{n} providers", n=len(names))
            folded.append(replace(same[0], name=who, names=names))
        else:
            folded += same
    return folded


def begun(response: Response, mode: str) -> list[tuple[Attempt, float]]:
    """Attempts with when each began: one after the other, or together."""
    rows, at = [], 0.0
    for a in response.attempts:
        rows.append((a, at if mode == "first" else 0.0))
        at += a.elapsed_ms
    return rows


def said_of(attempt: Attempt, t: Translator) -> str:
    """What an attempt came to, in a few words."""
    error = attempt.error
    if error is None:
        return (
            t("{n} result", "{n} results", n=attempt.hits) if attempt.hits else t("nothing found")
        )
    summary = getattr(errors, getattr(error, "cause", ""), error).summary  # what began a cooldown
    said = t(error.message if summary == KensakuError.summary else summary)
    status = getattr(error, "status", None)
    return f"{said} ({status})" if status else said


@dataclass(frozen=True, slots=True)
class Failure:
    """Why providers could not search: one row for all that say the same."""

    who: str
    said: str
    remedy: str


def fold_failures(attempts: Iterable[Attempt], t: Translator) -> list[Failure]:
    """Return each reason once, with the providers that gave it."""
    alike: dict[str, dict[str, str]] = {}  # reason → provider → what to do
    for a in attempts:
        alike.setdefault(said_of(a, t), {})[a.provider] = t(getattr(a.error, "remedy", "") or "")
    return [
        Failure(join_names(list(of), t), said, "; ".join(dict.fromkeys(filter(None, of.values()))))
        for said, of in alike.items()
    ]


def response_values(
    response: Response,
    t: Translator,
    answer: str | None = None,
    cites: Mapping[int, int] | None = None,
    preparing: float | None = None,
) -> dict[str, Any]:
    """What `_results.html` needs to show a response. `preparing`: of the local index, a share."""
    query = response.query.text
    hits = [hit_view(n, h, query, t) for n, h in enumerate(response.hits, 1)]
    names = list(dict.fromkeys(s.provider for h in response.hits for s in h.sources))
    searched = [a.provider for a in response.attempts if a.error is None]
    refused = [a for a in response.attempts if a.error is not None]
    reasons = {said_of(a, t) for a in refused if a.sent}  # not: no key, waiting after a limit
    own = {h.n: h.n for h in hits}
    text = answer or response.answer
    return {
        "response": response,
        "hits": hits,
        "who": join_names(names or searched, t),
        "searched": join_names(searched, t),
        "failed": fold_failures([a for a in refused if said_of(a, t) in reasons], t),
        "refused": fold_failures(refused, t),
        "preparing": preparing,
        "answer": cite(text, cites or own) if text else None,
        "confidence": response.confidence,
    }
