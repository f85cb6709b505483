"""Turn the providers' lists into one ranked list: pure functions, in the order of the pipeline.

    clean_hits → filter_hits (domains, dates) → fuse | merge (duplicates) → limit_per_host

A score is shown only when an upstream gave one: a rank is not a relevance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from kensaku.models import LOCAL, MAX_RESULTS, Explain, Hit, Image, Source
from kensaku.search.query import date_window
from kensaku.text.clean import cut, plain, plain_lines, visible
from kensaku.text.dates import parse_date

if TYPE_CHECKING:
    from kensaku.models import Query

# Characters of a field that are looked at. An upstream, or a page that it quotes, may send
# megabytes: they are cut before they are cleaned.
MAX_URL = 8_000
MAX_TITLE = 500
MAX_CONTENT = 300_000  # a page, as `depth="advanced"` reads it
MAX_RAW_CONTENT = 1_000_000
MAX_AUTHOR = 300
_MARKUP = 4  # how many times as long a title may be before its tags and entities are removed
RRF_K = 60
ENOUGH = 0.45  # share of a query's words in a text that is about it
SHORT = 40  # characters; shorter texts are alike by accident
NEAR = 0.9  # share of words two texts have in common when one is a copy of the other
_ORDINARY = re.compile(r"https?://([A-Za-z0-9.-]+)(/[^?#]*|)(?:\?([^#]*))?(?:#.*)?")
_HOST = re.compile(r"https?://([A-Za-z0-9.-]+)(?:[/?#]|\Z)")
_WEB = ("https://", "http://")
_SCRIPTS = ("javascript:", "data:", "vbscript:")
_TRACKING = re.compile(
    r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|ref_src|spm|_ga|_gl|srsltid"
)
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_STOP = frozenset(
    "a an and are as at be by can do does for from how i in is it my of on or that the this to was "
    "what when where which who why will with you your".split()
)


def clean_hits(
    hits: Iterable[Hit],
    limit: int,
    text: str = "",
    *,
    family: str = "",
    web: bool = True,
    markup: bool = True,
) -> list[Hit]:
    """Clean every field of every hit and drop hits without a link; keep at most `limit`.

    A field is cut before it is cleaned, and a list after four times the limit, so that the work is
    bounded. `markup`: contents are HTML; without it they are a stored text, which stays as it is.
    `web`: only web addresses are links. Documents of the local index have whatever address their
    owner gave them, such as `doc:12`, as long as no click on it runs anything.
    """
    words = terms(text)
    cleaned: list[Hit] = []
    for rank, hit in enumerate(islice(hits, 4 * limit), 1):
        if len(url := str(hit.url)) > MAX_URL:
            continue
        url = visible(url).strip()
        if not (_is_web(url) if web else _is_harmless(url)):
            continue
        content = hit.content if isinstance(hit.content, str) else ""
        content = cut(content, MAX_CONTENT)
        content = plain_lines(content) if markup else _stored(content)
        title = plain(hit.title[: _MARKUP * MAX_TITLE]) if isinstance(hit.title, str) else ""
        title = title[:MAX_TITLE] or _name_of(url)
        score, provider = _score(hit.score), hit.provider
        covered = _covered(words, f"{title} {content} {url}")
        cleaned.append(
            Hit(
                url,
                title,
                content,
                score,
                parse_date(hit.published) if hit.published else None,
                provider,
                plain(str(hit.author)[:MAX_AUTHOR]) if hit.author else None,
                _image_url(hit.favicon) if hit.favicon else None,
                _raw_content(hit.raw_content, markup=markup),
                (Source(provider, rank, score, family),),
                replace(hit.explain, coverage=covered) if hit.explain else Explain(covered),
            )
        )
        if len(cleaned) == limit:
            break
    return cleaned


def clean_images(query: Query, images: Iterable[Image]) -> tuple[Image, ...]:
    """The images with a web address, each once, as many as results were asked for."""
    kept: dict[str, Image] = {}
    for image in islice(images, 4 * MAX_RESULTS):
        if (url := _image_url(image.url)) is None or len(image.url) > MAX_URL:
            continue
        description = plain(str(image.description)[: _MARKUP * MAX_TITLE])[:MAX_TITLE]
        page = _image_url(image.page) or ""
        kept.setdefault(url, Image(url, description, page, image.provider))
    return tuple(kept.values())[: query.max_results]


def filter_hits(
    hits: Sequence[Hit], query: Query, *, block: Sequence[str], undated: str, today: date
) -> tuple[list[Hit], list[str]]:
    """Re-apply the filters that were asked for, whatever the upstream made of them.

    Returns the hits that pass, and one sentence for each thing that was left out.
    """
    notes: list[str] = []
    passed = list(hits)
    if query.include_domains or query.exclude_domains or block:
        only, never = query.include_domains, (*query.exclude_domains, *block)
        passed = [h for h in passed if _in_domains(h.url, only, never)]
        if gone := len(hits) - len(passed):
            notes.append(f"{gone} of {len(hits)} hits were of other domains and were left out")
    if query.min_score is not None:
        least, count = query.min_score, len(passed)
        passed = [h for h in passed if h.score is None or h.score >= least]
        if gone := count - len(passed):
            notes.append(f"{gone} hits were scored below {least:g} and were left out")
    first, last = date_window(query, today)
    if first or last:
        passed, more = _in_window(passed, first, last, undated)
        notes += more
    return passed, notes


def merge(hits: Sequence[Hit], query: Query) -> list[Hit]:
    """One list without duplicates, in its own order."""
    words = terms(query.text)
    return [
        _explained(h, words) if len(h.sources) > 1 or not h.explain else h
        for h in _deduplicate(hits)
    ]


def fuse(lists: Iterable[Sequence[Hit]], query: Query) -> list[Hit]:
    """Fuse several lists by reciprocal rank, each index family counted once.

    Engines that resell one index agree with themselves: the best rank of a family counts.
    Hits that hold none of the query's words go behind those that do.
    """
    merged = _deduplicate([hit for hits in lists for hit in hits])
    words = terms(query.text)

    def points(hit: Hit) -> float:
        best: dict[str, int] = {}
        for s in hit.sources:
            best[s.index] = min(s.rank, best.get(s.index, s.rank))
        return sum(1 / (RRF_K + rank) for rank in best.values())

    scored = [(coverage(words, h) > 0 or not words, points(h), h) for h in merged]
    scored.sort(key=lambda row: (not row[0], -row[1]))
    return [_explained(h, words, fused=round(p, 5)) for _, p, h in scored]


def limit_per_host(hits: Sequence[Hit], per_domain: int) -> list[Hit]:
    """At most `per_domain` hits of one host first; the rest of them follow at the end."""
    if not per_domain:
        return list(hits)
    seen: dict[str, int] = {}
    first: list[Hit] = []
    later: list[Hit] = []
    for hit in hits:
        host = host_of(hit.url)
        seen[host] = seen.get(host, 0) + 1
        (first if seen[host] <= per_domain or not host else later).append(hit)
    return first + later


@lru_cache(maxsize=64)  # ranking and weighing look at the same query
def terms(text: str) -> frozenset[str]:
    """The words that a query is about; pairs of characters where words have no spaces."""
    lower = text.lower()
    if lower.isascii():
        return frozenset(_WORD.findall(lower)) - _STOP
    words = {w for w in _WORD.findall(_CJK.sub(" ", lower)) if w not in _STOP}
    for run in _CJK.findall(lower):
        words |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return frozenset(words)


def coverage(words: frozenset[str], hit: Hit) -> float:
    """The share of the query's words that occur in the title or the text of a hit."""
    return _covered(words, f"{hit.title} {hit.content} {hit.url}")


def is_about(query: str, hits: Iterable[Hit]) -> bool:
    """Whether one of the hits has enough of the query's words to be about it.

    All of one or two words, two of three, else `ENOUGH`: docs/benchmarks.md has the numbers.
    """
    words = terms(query)
    enough = 1.0 if len(words) <= 2 else 0.6 if len(words) == 3 else ENOUGH
    return any(coverage(words, hit) >= enough for hit in hits)


def _is_web(url: str) -> bool:
    return url.startswith(_WEB) and len(url.split(None, 1)) == 1


def _is_harmless(url: str) -> bool:
    return bool(url) and not url.lower().startswith(_SCRIPTS)


def _covered(words: frozenset[str], text: str) -> float:
    if not words:
        return 0.0
    lower, found = text.lower(), 0
    for word in words:
        if word in lower:
            found += 1
    return _share(found, len(words))


@lru_cache(maxsize=256)  # rounding takes longer than counting
def _share(part: int, whole: int) -> float:
    return round(part / whole, 3)


def canonical(url: str) -> str:
    """The same for every way of writing one address: for comparing, not for fetching."""
    if match := _ORDINARY.fullmatch(url):
        host, path, query = match.groups()
        host, port = host.lower(), None
    else:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            return url
        host, port, path, query = parts.hostname or "", parts.port, parts.path, parts.query
    host = host.removeprefix("www.").removeprefix("m.")
    if port not in (None, 80, 443):
        host = f"{host}:{port}"
    path = path.rstrip("/")
    if not query:
        return host + path
    pairs = parse_qsl(query, keep_blank_values=True)
    rest = urlencode(sorted(p for p in pairs if not _TRACKING.fullmatch(p[0].lower())))
    return f"{host}{path}?{rest}" if rest else host + path


def host_of(url: str) -> str:
    """The host name without `www.`; empty for addresses without one."""
    if match := _HOST.match(url):
        return match[1].lower().removeprefix("www.")
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def in_domain(host: str, domain: str) -> bool:
    """Whether `host` is `domain` or below it; `*.example.com` and `*.jp` work too."""
    domain = domain.removeprefix("*.")
    return host == domain or host.endswith("." + domain)


def _score(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None


def _raw_content(text: Any, *, markup: bool) -> str | None:
    if not text or not isinstance(text, str):
        return None
    text = cut(text, MAX_RAW_CONTENT)
    return visible(text) if markup else _stored(text)


def _stored(text: str) -> str:
    """The text without hidden characters; all else stays, so that its offsets are right."""
    return "\r\n".join(map(visible, text.split("\r\n"))) if "\r\n" in text else visible(text)


def _image_url(url: Any) -> str | None:
    if not isinstance(url, str) or not url.startswith(_WEB):
        return None
    return visible(url[:2_000])


def _name_of(url: str) -> str:
    return url.partition("://")[2].removeprefix("www.").rstrip("/")[:200] or url[:200]


def _in_domains(url: str, only: Sequence[str], never: Sequence[str]) -> bool:
    host = host_of(url)
    if any(in_domain(host, d) for d in never):
        return False
    return not only or any(in_domain(host, d) for d in only)


def _in_window(
    hits: Sequence[Hit], first: date | None, last: date | None, undated: str
) -> tuple[list[Hit], list[str]]:
    dated, without = [], []
    for hit in hits:
        if hit.published is None:
            without.append(hit)
        elif (first is None or hit.published[:10] >= first.isoformat()) and (
            last is None or hit.published[:10] <= last.isoformat()
        ):
            dated.append(hit)
    notes = []
    if gone := len(hits) - len(dated) - len(without):
        notes.append(f"{gone} of {len(hits)} hits were outside the dates and were left out")
    if without:
        done = {"keep": "kept", "last": "put last", "drop": "left out"}[undated]
        notes.append(f"{len(without)} of {len(hits)} hits have no date and were {done}")
    if undated == "keep":
        kept = set(map(id, dated)) | set(map(id, without))
        return [h for h in hits if id(h) in kept], notes
    return dated + (without if undated == "last" else []), notes


def _deduplicate(hits: Sequence[Hit]) -> list[Hit]:
    """Duplicates folded into the first of them: by address, then by near-equal text.

    Documents of the local index are their owner's: two that differ in a word are two.
    """
    by_url: dict[str, Hit] = {}
    for hit in hits:
        try:
            key = canonical(hit.url)
        except ValueError:
            key = hit.url
        if key in by_url and _differ(by_url[key], hit):
            key += f"\n{len(by_url)}"
        by_url[key] = hit if key not in by_url else _merge_hits(by_url[key], hit)
    kept: list[Hit] = []
    seen: list[Hit] = []  # as they were before folding, so that a copy of a copy is one, too
    for hit in by_url.values():
        twin = _copy_of(hit, seen)
        if twin is None:
            kept.append(hit)
            seen.append(hit)
        else:
            kept[twin] = _add_copy(kept[twin], hit)
    return kept


def _differ(one: Hit, other: Hit) -> bool:
    """Whether these are two documents of the local index with different texts."""
    return one.provider == other.provider == LOCAL and not _same_document(one, other)


def _same_document(one: Hit, other: Hit) -> bool:
    """Whether two documents of the local index have the same text, not only the same passage."""
    a, b = (h.explain.local if h.explain else None for h in (one, other))
    if a is None or b is None or not a.revision or a.revision != b.revision:
        return False
    return len(one.content) >= SHORT or one.title == other.title


def _copy_of(hit: Hit, known: Sequence[Hit]) -> int | None:
    """Which of the known hits this one is a copy of.

    Copies are about as long, and share at least one of a few short pieces, which is quickly seen;
    only then are the words compared. Short texts are alike by accident: "Sign in to continue".
    """
    text = hit.content
    size, step = len(text), len(text) // 4
    if hit.provider == LOCAL:
        return next((n for n, other in enumerate(known) if _same_document(hit, other)), None)
    if size < SHORT:
        return None
    pieces = text[step : step + 16], text[2 * step :][:16], text[3 * step :][:16]
    for n, one in enumerate(known):
        other = one.content
        if (
            0.8 * size < len(other) < 1.25 * size
            and (pieces[0] in other or pieces[1] in other or pieces[2] in other)
            and one.provider != LOCAL
            and _nearly_equal(text, other)
        ):
            return n
    return None


def _add_copy(first: Hit, copy: Hit) -> Hit:
    explain = first.explain or Explain()
    explain = replace(explain, copies=(*explain.copies, copy.url))
    return replace(_merge_hits(first, copy), explain=explain)


def folded_note(hits: Iterable[Hit]) -> list[str]:
    """Say how many hits were folded because their text is that of another hit."""
    copies = sum(len(h.explain.copies) for h in hits if h.explain)
    counted = "1 hit" if copies == 1 else f"{copies} hits"
    return [f"{counted} with the text of another, or nearly, left out"] if copies else []


def _nearly_equal(a: str, b: str) -> bool:
    """Whether two texts are the same, give or take a tenth of their words."""
    small, large = sorted((_pieces(a), _pieces(b)), key=len)
    return len(small) >= 12 and len(small & large) >= NEAR * len(large)


def _pieces(text: str) -> frozenset[str]:
    """The words of a text; pairs of characters where words have no spaces."""
    lower = text.lower()
    words = lower.split()
    if len(words) * 20 > len(lower):
        return frozenset(words)
    return frozenset(lower[n : n + 2] for n in range(len(lower) - 1))


def _merge_hits(first: Hit, other: Hit) -> Hit:
    """One hit of two: the first one's place, the longer text, everybody's word for it."""
    longer = other if len(other.content) > 2 * len(first.content) else first
    return replace(
        first,
        content=longer.content,
        score=first.score if first.score is not None else other.score,
        published=first.published or other.published,
        raw_content=first.raw_content or other.raw_content,
        sources=(*first.sources, *other.sources),
    )


def _explained(hit: Hit, words: frozenset[str], fused: float | None = None) -> Hit:
    """The hit with its `Explain` brought up to date after merging."""
    return replace(
        hit,
        explain=replace(
            hit.explain or Explain(),
            coverage=coverage(words, hit),
            agreement=len({s.index for s in hit.sources}),
            fused=fused,
        ),
    )
