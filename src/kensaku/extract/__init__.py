"""Extract text and metadata from documents: `extract_html` for HTML, `extract` for any bytes.

`ParsePool` does the same in worker processes that can be killed; use it for bytes from the web.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku._lazy import attach

if TYPE_CHECKING:
    from kensaku.extract.document import extract as extract
    from kensaku.extract.formats.pdf import pdf_pages as pdf_pages
    from kensaku.extract.html.page import extract_html as extract_html
    from kensaku.extract.worker.pool import ParsePool as ParsePool
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        document=("extract",),
        formats__pdf=("pdf_pages",),
        html__page=("extract_html",),
        worker__pool=("ParsePool",),
    )
