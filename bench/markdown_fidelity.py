"""How much structure the Markdown keeps: us, trafilatura and markdownify.

    python bench/markdown_fidelity.py [--limit N] [--kind documentation]

The pages are all of the dev split of WCXB 1.0 (CC BY 4.0) with a Markdown answer, `extract/` in
`KENSAKU_DATA` or in `../shared/data`. Markdown of everybody, and the answers, is read by
markdown-it (GitHub's tables), and five things are listed: headings, list items, links, code blocks
and tables, rows of it. "Kept" is the share of the answers' that are there, with the same letters,
counted over all pages; "precise" is the share of what is there that the answers have. Those of the
answers that the page does not have (as text, for links as an address) are left out: nobody could
keep them. markdownify is given the whole page: it keeps nearly all, and all else with it.

Nothing was fitted to these answers. They were made by machine, and write some paragraphs as
headings and some lists as paragraphs: 1.0 cannot be reached.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from wcxb import Answer, data_is_here, load_answers

Writer = Callable[[Answer], str]
THINGS = ("headings", "list items", "links", "code blocks", "table rows")
PARSER = MarkdownIt("commonmark").enable("table")


def _kensaku() -> Writer:
    from kensaku.extract import extract_html

    return lambda page: extract_html(page.html, page.url).markdown


def _trafilatura() -> Writer:
    import trafilatura

    return lambda page: (
        trafilatura.extract(
            page.html,
            url=page.url or None,
            output_format="markdown",
            include_links=True,
            include_tables=True,
            include_formatting=True,
        )
        or ""
    )


def _markdownify() -> Writer:
    from markdownify import markdownify

    return lambda page: markdownify(page.html, strip=["script", "style"], heading_style="ATX")


WRITERS = {"kensaku": _kensaku, "trafilatura": _trafilatura, "markdownify": _markdownify}


def letters(text: str) -> str:
    """What is compared: letters and digits in lower case."""
    return re.sub(r"[\W_]+", "", text.lower())


def things(markdown: str) -> dict[str, Counter[str]]:
    """The headings, list items, links, code blocks and table rows of a text."""
    found: dict[str, Counter[str]] = {name: Counter() for name in THINGS}
    tokens = PARSER.parse(markdown)
    for name, text in _walk(tokens):
        if key := letters(text) if name != "links" else _address(text):
            found[name][key] += 1
    return found


def _walk(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    row: list[str] = []
    item = False
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            yield "headings", _text(tokens[n + 1])
        elif token.type in ("fence", "code_block"):
            yield "code blocks", token.content
        elif token.type == "list_item_open":
            item = True
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            yield "table rows", "".join(row)
        elif token.type == "inline":
            if item:  # its first line
                yield "list items", _text(token).partition("\n")[0]
                item = False
            row.append(_text(token))
            for child in token.children or ():
                if child.type == "link_open":
                    yield "links", str(child.attrs.get("href", ""))


def _text(token: Token) -> str:
    parts = ["\n" if "break" in c.type else c.content for c in token.children or ()]
    return "".join(parts)


def _address(link: str) -> str:
    return re.sub(r"^https?://(?:www\.)?|[?#].*$|/+$", "", unescape(link).lower())


def possible(page: Answer) -> dict[str, Counter[str]]:
    """What of the answer stands on the page."""
    visible = letters(unescape(re.sub(r"<[^>]*>", "", page.html)))
    addresses = unescape(page.html).lower()
    right = things(page.markdown)
    for name, found in right.items():
        for key in list(found):
            path = key.partition("/")[2]
            there = (path or key) in addresses if name == "links" else key in visible
            if not there:
                del found[key]
    return right


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, default=0, help="only the first N pages")
    parser.add_argument("--kind", help="only pages of one kind")
    arguments = parser.parse_args()
    if not data_is_here():
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    pages = [p for p in load_answers() if p.markdown and arguments.kind in (None, p.kind)]
    pages = pages[: arguments.limit or None]
    right = [possible(page) for page in pages]
    totals = {name: sum(r[name].total() for r in right) for name in THINGS}
    print(f"{len(pages)} pages; on them " + ", ".join(f"{n:,} {t}" for t, n in totals.items()))
    for name, make in WRITERS.items():
        try:
            write = make()
        except ImportError:
            print(f"{name:12} not installed")
            continue
        kept, given, cpu = Counter[str](), Counter[str](), 0.0
        for page, wanted in zip(pages, right, strict=True):
            began = time.process_time()
            try:
                marked = write(page)
            except Exception as error:  # a peer that breaks on a page has kept nothing of it
                print(f"    {name}: {type(error).__name__} on {page.url[:80]}")
                marked = ""
            cpu += time.process_time() - began
            found = things(marked)
            for thing in THINGS:
                kept[thing] += (found[thing] & wanted[thing]).total()
                given[thing] += found[thing].total()
        shown = "  ".join(
            f"{t} {kept[t] / max(1, totals[t]):.3f} ({kept[t] / max(1, given[t]):.3f})"
            for t in THINGS
        )
        print(f"{name:12} kept (precise): {shown}  CPU {cpu / len(pages) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
