"""The fields of Tavily's requests as JSON Schema, for the OpenAPI document."""

from __future__ import annotations

from typing import Any


def _text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def _words(most: int) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "maxItems": most}


def _number(low: float, high: float, kind: str = "integer") -> dict[str, Any]:
    return {"type": kind, "minimum": low, "maximum": high}


def _one_of(*words: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


_FLAG = {"type": "boolean"}
_FORMAT = _one_of("markdown", "text")
_DAY = _text(format="date")

SEARCH: dict[str, Any] = {
    "query": _text(minLength=1, maxLength=400, pattern=r"\S"),
    "search_depth": _one_of("ultra-fast", "fast", "basic", "advanced"),
    "chunks_per_source": _number(1, 3),
    "max_results": _number(0, 20),
    "topic": _one_of("general", "news", "finance"),
    "time_range": _one_of("day", "week", "month", "year", "d", "w", "m", "y"),
    "start_date": _DAY,
    "end_date": _DAY,
    "include_published_date": _FLAG,
    "filter_by_published_date": _FLAG,
    "include_answer": {"anyOf": [_FLAG, _one_of("basic", "advanced")]},
    "include_raw_content": {"anyOf": [_FLAG, _FORMAT]},
    "include_images": _FLAG,
    "include_image_descriptions": _FLAG,
    "include_favicon": _FLAG,
    "include_domains": _words(300),
    "exclude_domains": _words(150),
    "include_domains_mode": _one_of("restrict", "prefer", "filter", "boost"),
    "country": _text(maxLength=100),
    "language": _text(maxLength=20),
    "filter_by_language": _FLAG,
    "auto_parameters": _FLAG,
    "exact_match": _FLAG,
    "include_usage": _FLAG,
    "safe_search": _FLAG,
}
EXTRACT: dict[str, Any] = {
    "urls": {"anyOf": [_text(minLength=1), {**_words(20), "minItems": 1}]},
    "query": _text(maxLength=2_000),
    "chunks_per_source": _number(1, 5),
    "extract_depth": _one_of("basic", "advanced"),
    "include_images": _FLAG,
    "include_favicon": _FLAG,
    "format": _FORMAT,
    "timeout": _number(1, 60, "number"),
    "include_usage": _FLAG,
}
MAP: dict[str, Any] = {
    "url": _text(minLength=1, maxLength=2_000),
    "instructions": _text(maxLength=2_000),
    "max_depth": _number(1, 5),
    "max_breadth": _number(1, 500),
    "limit": {"type": "integer", "minimum": 1},
    "select_paths": _words(100),
    "exclude_paths": _words(100),
    "select_domains": _words(100),
    "exclude_domains": _words(100),
    "allow_external": _FLAG,
    "timeout": _number(10, 150, "number"),
    "include_usage": _FLAG,
}
CRAWL: dict[str, Any] = {
    **MAP,
    "chunks_per_source": _number(1, 5),
    "include_images": _FLAG,
    "extract_depth": _one_of("basic", "advanced"),
    "format": _FORMAT,
    "include_favicon": _FLAG,
}
