"""Extract text and metadata from documents: `extract_html` for HTML, `extract` for any bytes.

`ParsePool` does the same in worker processes that can be killed; use it for bytes from the web.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.extract.document import extract
    from kensaku.extract.formats.pdf import pdf_pages
    from kensaku.extract.html.page import extract_html
    from kensaku.extract.worker.pool import ParsePool

__all__ = ["ParsePool", "extract", "extract_html", "pdf_pages"]

_HOMES = {
    "extract": "document",
    "extract_html": "html.page",
    "pdf_pages": "formats.pdf",
    "ParsePool": "worker.pool",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
