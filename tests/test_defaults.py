"""What is not said has these values: callers rely on them as on the bounds."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import Any

import pytest

from kensaku import Kensaku, Query
from kensaku.answers.report.request import ResearchRequest
from kensaku.fetch import FetchLimits, Plan
from kensaku.index.index import Index

EXPECTED: dict[type, dict[str, Any]] = {
    Query: {
        "max_results": 5, "depth": "basic", "topic": "general", "include_answer": False,
        "include_raw_content": False, "include_images": False, "include_domains": (), "exclude_domains": (),
    },
    Plan: {
        "max_depth": 1, "max_breadth": 20, "limit": 50, "allow_external": True, "timeout": 150.0,
        "sitemap": False,
    },
    ResearchRequest: {
        "model": "auto", "output_length": "standard", "citation_format": "numbered",
        "include_domains": (), "exclude_domains": (), "files": (), "timeout": 300.0,
    },
    FetchLimits: {
        "connect": 5.0, "first_byte": 10.0, "total": 30.0, "wire": 20 * 2**20,
        "decoded": 10 * 2**20, "header_bytes": 65_536, "header_fields": 100, "redirects": 5,
        "slow_bytes": 1_024, "slow_window": 10.0, "per_host": 4, "connections": 64,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", EXPECTED, ids=lambda kind: kind.__name__)
def test_what_is_not_said_has_the_usual_value(kind):
    """All that is not None is listed here."""
    defaults = {
        f.name: f.default
        for f in fields(kind)
        if f.default is not MISSING and f.default is not None
    }

    assert defaults == EXPECTED[kind]


@pytest.mark.parametrize(
    ("call", "name", "default"),
    [
        (Kensaku.extract, "timeout", 60.0),
        (Kensaku.context, "max_tokens", 2_000),
        (Kensaku.answer, "max_tokens", 3_000),
        (Kensaku.crawl, "resume", False),
        (Index.search, "max_results", 10),
        (Index.passages, "max_results", 10),
    ],
)
def test_a_call_has_the_default_that_its_help_names(call, name, default):
    """In the library as on the command line."""
    assert inspect.signature(call).parameters[name].default == default
