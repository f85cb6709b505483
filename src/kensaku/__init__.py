"""Kensaku (検索): web search for AI agents.

    async with Kensaku() as k:
        response = await k.search("python 3.14 release date")

Nothing runs at import: each public name is loaded when it is first used.
"""

from __future__ import annotations

from kensaku._lazy import attach

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` takes longer than we do

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kensaku.adapters import tools_for as tools_for
    from kensaku.answers.answer import Answer as Answer
    from kensaku.answers.context import Citation as Citation
    from kensaku.answers.context import Context as Context
    from kensaku.answers.report.report import Report as Report
    from kensaku.answers.verify import Verification as Verification
    from kensaku.client import Kensaku as Kensaku
    from kensaku.config.settings import Settings as Settings
    from kensaku.errors import KensakuError as KensakuError
    from kensaku.extract import extract_html as extract_html
    from kensaku.fetch import Crawl as Crawl
    from kensaku.fetch import CrawlResult as CrawlResult
    from kensaku.fetch import Extraction as Extraction
    from kensaku.fetch import SiteMap as SiteMap
    from kensaku.index import Index as Index
    from kensaku.models import Attempt as Attempt
    from kensaku.models import Document as Document
    from kensaku.models import Explain as Explain
    from kensaku.models import Hit as Hit
    from kensaku.models import Image as Image
    from kensaku.models import Outcome as Outcome
    from kensaku.models import Page as Page
    from kensaku.models import Passage as Passage
    from kensaku.models import ProgressEvent as ProgressEvent
    from kensaku.models import Query as Query
    from kensaku.models import Response as Response
    from kensaku.models import Source as Source
    from kensaku.models.confidence import Confidence as Confidence
    from kensaku.search.budget import Budget as Budget
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        adapters=("tools_for",),
        answers__answer=("Answer",),
        answers__context=("Citation", "Context"),
        answers__verify=("Verification",),
        client=("Kensaku",),
        config__settings=("Settings",),
        errors=("KensakuError",),
        extract=("extract_html",),
        fetch=("Crawl", "CrawlResult", "Extraction", "SiteMap"),
        index=("Index",),
        models=(
            "Attempt",
            "Document",
            "Explain",
            "Hit",
            "Image",
            "Outcome",
            "Page",
            "Passage",
            "ProgressEvent",
            "Query",
            "Response",
            "Source",
        ),
        models__confidence=("Confidence",),
        answers__report__report=("Report",),
        search__budget=("Budget",),
    )
    __all__.append("__version__")
