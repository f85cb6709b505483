"""Sets of pages besides WCXB, with their right texts.

- `mozilla`: the 130 test pages of Readability.js (github.com/mozilla/readability,
  `test/test-pages` there), as the folder `extract/mozilla`. The right text is what the maintainers
  expect of their own extractor: captions belong to it, the headline does not.
- `omnivore`: the 100 test pages of Omnivore's own branch of Readability.js
  (github.com/omnivore-app/omnivore, `packages/readabilityjs/test/test-pages` there), as the folder
  `extract/omnivore`; right texts as those of `mozilla`.
- `newspaper`: the test pages of newspaper4k that have a text
  (github.com/AndyTheFactory/newspaper4k, `tests/data` there), as the folder `extract/newspaper`.
- `parser`: the test pages of Postlight Parser, `extract/parser`: see `bench/parser_pages.py`.
- `japanese`: Japanese pages under free licences, `extract/japanese`: `bench/japanese_pages.py`
  says which they are and makes them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from extraction import Sample, data_folder
from kensaku.extract.charset import decode
from kensaku.extract.html.tree import Element, parse_html
from kensaku.extract.main.blocks import BLOCK_TAGS

SETS = ("mozilla", "omnivore", "newspaper", "parser", "japanese")
_ADDRESS = re.compile(
    r"<(?:link|meta)[^>]*(?:rel=[\"']?canonical|og:url)[^>]*(?:href|content)=[\"']?(https?://[^\"'\s>]+)"
)
_JAPANESE = re.compile("[\u3040-\u30ff]{3}")


def is_japanese_news(name: str, text: str) -> bool:
    """Tell whether a page is Japanese, and of a set other than our own: most of them are news."""
    return name not in ("wcxb", "japanese") and _JAPANESE.search(text) is not None


def set_folder(name: str) -> Path:
    """Where a set is, whether or not it exists."""
    return data_folder() / "extract" / name


def load_set(name: str) -> list[Sample]:
    """Return the pages of a set."""
    folder = set_folder(name)
    if name in ("mozilla", "omnivore"):
        return [_readability(page.parent) for page in sorted(folder.rglob("source.html"))]
    if name == "newspaper":
        texts = sorted((folder / "txt").glob("*.txt"))
        pages = [(folder / "html" / f"{t.stem}.html", t) for t in texts]
        return [
            _sample(page.read_bytes(), text.read_text(encoding="utf-8"))
            for page, text in pages
            if page.exists()
        ]
    if name == "parser":
        from parser_pages import parser_pages  # needs cssselect

        found = parser_pages(folder)
        return [Sample(url, "article", text_in(element), html) for url, html, element in found]
    rows = [json.loads(line) for line in (folder / "pages.jsonl").open(encoding="utf-8")]
    return [Sample(r["url"], "", r["text"], r["html"]) for r in rows]


def _readability(page: Path) -> Sample:
    expected = (page / "expected.html").read_text(encoding="utf-8")
    return _sample((page / "source.html").read_bytes(), text_of(expected), page / "url.txt")


def _sample(html: bytes, text: str, address: Path | None = None) -> Sample:
    page = decode(html, "text/html")
    if address is not None and address.exists():
        return Sample(address.read_text(encoding="utf-8").strip(), "article", text, page)
    found = _ADDRESS.search(page)
    return Sample(found[1] if found else "", "article", text, page)


def text_of(html: str) -> str:
    """Return all text of a page, a line for each block."""
    root = parse_html(html)
    body = root.find("body")
    return text_in(root if body is None else body)


def text_in(element: Element) -> str:
    """Return all text of an element, a line for each block."""
    parts: list[str] = []
    _collect(element, parts)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _collect(element: Element, parts: list[str]) -> None:
    tag = element.tag
    if tag in ("script", "style", "svg", "template"):
        return
    edge = "\n" if tag in BLOCK_TAGS or tag == "br" else ""
    parts.append(edge + " ".join((element.text or "").split("\n")))
    for child in element:
        _collect(child, parts)
        parts.append(" ".join((child.tail or "").split("\n")))
    parts.append(edge)
