"""Office documents for tests, as small as they can be."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def word(body: str, **more: str) -> bytes:
    """A Word document with this body."""
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    return zipped({"word/document.xml": document} | more)


def workbook(rows: str, *, columns: str = "", strings: str = "") -> bytes:
    """A workbook of one sheet."""
    sheet = f"<worksheet><cols>{columns}</cols><sheetData>{rows}</sheetData></worksheet>"
    return zipped(
        {
            "xl/workbook.xml": '<workbook><sheets><sheet name="S"/></sheets></workbook>',
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            "xl/worksheets/sheet1.xml": sheet,
        }
    )


def row(cells: str) -> str:
    """A row with these values, one in each column from A."""
    return "<row>" + "".join(f"<c><v>{c}</v></c>" for c in cells.split()) + "</row>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph; `style` is markup."""
    return f"<w:p><w:pPr>{style}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def cells(*texts: str) -> str:
    """A row of a table."""
    return "<w:tr>" + "".join(f"<w:tc>{paragraph(t)}</w:tc>" for t in texts) + "</w:tr>"
