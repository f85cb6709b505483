"""Which URLs `tavily_extract` takes (S1-15 … S1-22)."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from kensaku._logger import get_logger
from kensaku.compat.tavily_tools.errors import TavilyAPIError

log = get_logger(__name__)

MAX_URLS = 20


def first_urls(urls: Iterable[str]) -> list[str]:
    """Return the URLs without duplicates, at most 20; log a warning when some are left out.

    Raises `TavilyAPIError` for no URL at all.
    """
    merged = _merge(urls)
    if len(merged) > MAX_URLS:
        log.warning("URL数が上限（%d件）を超えています（%d件）", MAX_URLS, len(merged))
    return merged[:MAX_URLS]


def _merge(urls: Iterable[str]) -> list[str]:
    merged = list(dict.fromkeys(url.strip() for url in urls))
    if not merged:
        message = "URLのリストが空です。1つ以上指定してください"
        raise TavilyAPIError("VALIDATION_ERROR", message)
    return merged


def check_urls(urls: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the valid URLs without duplicates, and the others with the reason.

    Raises `TavilyAPIError` for no URL at all, and for more than 20.
    """
    merged = _merge(urls)
    if len(merged) > MAX_URLS:
        message = f"URLは最大{MAX_URLS}件です（{len(merged)}件が指定されました）"
        raise TavilyAPIError("VALIDATION_ERROR", message)
    wrong = {url: why for url in merged if (why := _reason_against(url))}
    valid = [url for url in merged if url not in wrong]
    if plain := sum(url.lower().startswith("http://") for url in valid):
        log.warning("tavily_extract: %d URL(s) without TLS; https:// is recommended", plain)
    return valid, list(wrong.items())


def _reason_against(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "URLの形式が正しくありません"
    if parts.scheme not in ("http", "https"):
        return "http:// または https:// で始まるURLを指定してください"
    return "" if parts.hostname else "ホスト名がありません"
