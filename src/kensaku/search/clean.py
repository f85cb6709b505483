"""Clean the hits and images of providers: every field is a stranger's, and may be megabytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kensaku.models import MAX_RESULTS, Explain, Hit, Image, Source
from kensaku.text.clean import cut, plain, plain_lines, visible
from kensaku.text.dates import parse_date
from kensaku.text.terms import terms, text_coverage
from kensaku.text.urls import host_name, without_userinfo

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
_WEB = ("https://", "http://")
_SCRIPTS = ("javascript:", "data:", "vbscript:")


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
        url = without_userinfo(url) if web else url
        if not (_is_web(url) if web else _is_harmless(url)):
            continue
        content = hit.content if isinstance(hit.content, str) else ""
        content = cut(content, MAX_CONTENT)
        content = plain_lines(content) if markup else _stored(content)
        title = plain(hit.title[: _MARKUP * MAX_TITLE]) if isinstance(hit.title, str) else ""
        title = title[:MAX_TITLE] or _name_of(url)
        score, provider = _score(hit.score), hit.provider
        covered = text_coverage(words, f"{title} {content} {url}")
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
                None if hit.site is None else host_name(str(hit.site)[:300]),
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


def _is_web(url: str) -> bool:
    return url.startswith(_WEB) and len(url.split(None, 1)) == 1


def _is_harmless(url: str) -> bool:
    return bool(url) and not url.lower().startswith(_SCRIPTS)


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
    return without_userinfo(visible(url[:2_000]))


def _name_of(url: str) -> str:
    return url.partition("://")[2].removeprefix("www.").rstrip("/")[:200] or url[:200]
