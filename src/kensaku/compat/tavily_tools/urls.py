"""Which URLs `tavily_extract` takes (S1-15 … S1-22)."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from kensaku.compat.tavily_tools.errors import TavilyAPIError

log = logging.getLogger(__name__)

MAX_URLS = 20


def check_urls(urls: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the valid URLs without duplicates, and the others with the reason.

    Raises `TavilyAPIError` for no URL at all, and for more than 20.
    """
    merged = list(dict.fromkeys(url.strip() for url in urls))
    if not merged:
        raise TavilyAPIError("VALIDATION_ERROR", "URLを1つ以上指定してください")
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
