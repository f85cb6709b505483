"""Kensaku (検索): web search for AI agents.

    async with Kensaku() as k:
        response = await k.search("python 3.14 release date")

Nothing runs at import: each public name is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` takes longer than we do

__version__ = "0.1.0"

_HOME = {
    "Kensaku": "client",
    "Settings": "config.settings",
    "Query": "models",
    "Hit": "models",
    "Response": "models",
    "Attempt": "models",
    "Outcome": "models",
    "Document": "models",
    "Page": "models",
    "Passage": "models",
    "Budget": "search.budget",
    "Confidence": "search.confidence",
    "KensakuError": "errors",
    "extract_html": "extract",
    "tools_for": "adapters",
}

__all__ = ["__version__", *sorted(_HOME)]

if TYPE_CHECKING:
    from kensaku.adapters import tools_for as tools_for
    from kensaku.client import Kensaku as Kensaku
    from kensaku.config.settings import Settings as Settings
    from kensaku.errors import KensakuError as KensakuError
    from kensaku.extract import extract_html as extract_html
    from kensaku.models import Attempt as Attempt
    from kensaku.models import Document as Document
    from kensaku.models import Hit as Hit
    from kensaku.models import Outcome as Outcome
    from kensaku.models import Page as Page
    from kensaku.models import Passage as Passage
    from kensaku.models import Query as Query
    from kensaku.models import Response as Response
    from kensaku.search.budget import Budget as Budget
    from kensaku.search.confidence import Confidence as Confidence


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'kensaku' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"kensaku.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
