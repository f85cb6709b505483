"""Results as JSON: what `--json` prints."""

from __future__ import annotations

from kensaku.errors import NotAllowed
from kensaku.fetch.results import CrawlResult, Extraction, Failure, SiteMap
from kensaku.models import Page

PAGE = Page("https://a.example/", "A", "Text.")
FAILED = (Failure("https://b.example/", NotAllowed("no")),)
SHOWN = [{"url": "https://b.example/", "error": NotAllowed("no").to_dict()}]


def test_results_are_ready_for_json() -> None:
    """Pages, failures with their reasons, notes, and milliseconds to one place."""
    assert Extraction((PAGE,), FAILED, 12.345).to_dict() == {
        "results": [PAGE.to_dict()],
        "failed": SHOWN,
        "elapsed_ms": 12.3,
    }
    assert CrawlResult("https://a.example/", (PAGE,), FAILED, ("note",), 12.345).to_dict() == {
        "base_url": "https://a.example/",
        "results": [PAGE.to_dict()],
        "failed": SHOWN,
        "notes": ["note"],
        "elapsed_ms": 12.3,
    }
    assert SiteMap("https://a.example/", ("u",), FAILED, ("note",), 12.345).to_dict() == {
        "base_url": "https://a.example/",
        "results": ["u"],
        "failed": SHOWN,
        "notes": ["note"],
        "elapsed_ms": 12.3,
    }


def test_results_of_nothing_have_all_their_parts() -> None:
    """Nobody has to ask whether a list is there."""
    nothing = {"results": [], "failed": [], "elapsed_ms": 0.0}

    assert Extraction().to_dict() == nothing
    assert CrawlResult("u").to_dict() == {"base_url": "u", **nothing, "notes": []}
    assert SiteMap("u").to_dict() == {"base_url": "u", **nothing, "notes": []}
