"""Tables of PDF pages: are a label and its figures in one row of the Markdown, in order?

    python bench/pdf.py                   Kensaku
    python bench/pdf.py --peers           … and pdfplumber, if it is installed

The pages are those that FinanceBench names as evidence (patronus-ai/financebench on GitHub): a
clone, or its `data` and `pdfs`, in KENSAKU_DATA/financebench. A row is right if its first cell ends
with the label and the next cells are the figures. The true rows come from the text of the page that
the set was published with, which another library had read: a line with words, followed by two or
more lines that are figures.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kensaku.extract.formats.pdf import extract_pdf

DATA = Path(os.environ.get("KENSAKU_DATA", "../shared/data")) / "financebench"
_FIGURE = re.compile(r"\(?-?\d[\d,]*(?:\.\d+)?\)?%?")
_DASHES = ("-", "—", "–")
Rows = list[list[str]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--peers", action="store_true", help="measure pdfplumber, too")
    peers = options.parse_args().peers
    if not (DATA / "pdfs").is_dir():
        print(f"skipped: clone patronus-ai/financebench into {DATA}")
        return
    pages = list(evidence())
    print(f"{len(pages)} pages, {sum(len(true_rows(text)) for _, text in pages)} rows")
    report("Kensaku", pages, lambda data: table_rows(extract_pdf(data).markdown))
    if peers:
        report("pdfplumber, by lines", pages, lambda data: plumbed(data, "lines"))
        report("pdfplumber, by text", pages, lambda data: plumbed(data, "text"))


def evidence() -> Iterator[tuple[bytes, str]]:
    """Yield each page as a PDF of its own, with its published text."""
    import pypdfium2

    wanted: dict[str, dict[int, str]] = {}
    lines = (DATA / "data/financebench_open_source.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        for found in row["evidence"]:
            name = found.get("doc_name", row["doc_name"])
            number = found["evidence_page_num"]
            wanted.setdefault(name, {})[number] = found["evidence_text_full_page"]
    for name, pages in sorted(wanted.items()):
        path = DATA / "pdfs" / f"{name}.pdf"
        if not path.exists():
            continue
        document = pypdfium2.PdfDocument(path)
        for number, text in pages.items():
            if number < len(document):
                alone, data = pypdfium2.PdfDocument.new(), io.BytesIO()
                alone.import_pages(document, [number])
                alone.save(data)
                yield data.getvalue(), text


def true_rows(text: str) -> Rows:
    """Return the rows of a page's published text: label, figures."""
    rows: Rows = []
    row: list[str] = []
    for line in (*text.split("\n"), "the end"):
        words = line.replace("$", "").strip()
        if _FIGURE.fullmatch(words) or words in _DASHES:
            row += [words] if row else []
        elif words not in ("", "%", ")"):
            if sum(bool(_FIGURE.fullmatch(f)) for f in row[1:]) > 1:
                rows.append(row)
            row = [words] if re.search("[A-Za-z]{3}", words) else []
    return [[letters(cell) for cell in row if letters(cell)] for row in rows]


def table_rows(markdown: str) -> Rows:
    """Return the cells of a page's tables that are not empty."""
    lines = (line.strip("| ").split("|") for line in markdown.split("\n") if line.startswith("|"))
    return [[letters(cell) for cell in cells if letters(cell)] for cells in lines]


def plumbed(data: bytes, strategy: str) -> Rows:
    """Return the cells that pdfplumber finds."""
    import pdfplumber

    settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
    with pdfplumber.open(io.BytesIO(data)) as document:
        tables = document.pages[0].extract_tables(settings)
    rows = ([letters(cell or "") for cell in row] for table in tables for row in table)
    return [[cell for cell in row if cell] for row in rows]


def letters(cell: str) -> str:
    return re.sub(r"[\W_]+", "", cell).lower()


def report(name: str, pages: list[tuple[bytes, str]], read: Callable[[bytes], Rows]) -> None:
    """Print how many rows were read right, and the CPU of a page."""
    right = total = 0
    seconds: list[float] = []
    for data, text in pages:
        began = time.process_time()
        rows = read(data)
        seconds.append(time.process_time() - began)
        for label, *figures in true_rows(text):
            total += 1
            right += any(
                row and label[-25:] in row[0] and row[1 : len(figures) + 1] == figures
                for row in rows
            )
    seconds.sort()
    p50, p90 = (1_000 * seconds[int(len(seconds) * share)] for share in (0.5, 0.9))
    print(f"{name:22} {right / total:.3f} of the rows, CPU {p50:.1f} ms at p50, {p90:.1f} at p90")


if __name__ == "__main__":
    main()
