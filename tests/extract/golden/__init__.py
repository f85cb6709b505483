"""Pages with what is read from each: `make golden` writes it anew.

    news.html → news.md          what a reader gets
              → columns.json     for each feature of the model, a checksum over the page's blocks

After a change of the extractor read the difference before you commit it. A feature that has
changed means something else than when the model was fitted: train it again.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from kensaku.extract import extract_html
from kensaku.extract.html.markdown import render
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features, model
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.kinds import kind_signals
from kensaku.extract.main.signals import page_facts

FOLDER = Path(__file__).parent
COLUMNS = FOLDER / "columns.json"
PAGES = {
    "news": "https://www.heron.example/2026/03/14/otters-return?ref=12",
    "shop": "http://wade.example/boots/river-boots.html",
    "japanese": "https://kawa.example/blog/",
    "manual": "https://docs.river.example/2.1/task.html",
}


def read_source(name: str) -> str:
    """Return the HTML of a page."""
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8")


def read_as_text(name: str) -> str:
    """Return everything that is extracted from a page, to be read by people."""
    page = extract_html(read_source(name), PAGES[name])
    fields = page.to_dict() | {"text": "", "markdown": "", "needs_browser": page.needs_browser}
    known = {key: value for key, value in fields.items() if value}
    head = json.dumps(known, ensure_ascii=False, indent=1, default=str)
    _, whole = render(blocks_of(parse_html(read_source(name))), PAGES[name])
    parts = {"text": page.text, "Markdown": page.markdown, "all that is visible": whole}
    return "\n\n".join([head, *(f"--- {part}\n{text}" for part, text in parts.items())]) + "\n"


def checksums(name: str) -> dict[str, int]:
    """Return a checksum of each feature of a page's blocks, by its name."""
    root = parse_html(read_source(name))
    blocks = blocks_of(root)
    facts = page_facts(root, PAGES[name], "Otters and boots, and a task")
    rows = features.rows(blocks, facts, model.vocabulary())
    names = [*features.NUMBERS, *(field for field, _ in features.BIT_FIELDS)]
    columns = {n: [row[at] for row in rows] for at, n in enumerate(names)}
    columns |= {f"signal {n}": [v] for n, v in kind_signals(rows, facts).items()}
    found = {n: zlib.crc32(repr([round(v, 6) for v in c]).encode()) for n, c in columns.items()}
    return found | {"blocks": zlib.crc32("".join(map(_describe, blocks)).encode())}


def _describe(block: Block) -> str:
    node, inner = block.node, block.inner
    return repr((block.text, block.pieces, node.kind, node.depth, node.number, inner.kind))


def write() -> None:
    """Take what is read now as right."""
    for name in PAGES:
        (FOLDER / f"{name}.md").write_text(read_as_text(name), encoding="utf-8")
    sums = {name: checksums(name) for name in PAGES}
    COLUMNS.write_text(json.dumps(sums, indent=0) + "\n", encoding="utf-8")
