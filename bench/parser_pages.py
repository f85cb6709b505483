"""The test pages of Postlight Parser with the texts that its maintainers select by hand.

For each of some 140 sites, github.com/postlight/parser has a page (`fixtures`) and a file of CSS
selectors (`src/extractors/custom`): what the article is, and what to remove from it. Both folders
lie in `extract/parser` of the data. The right text is what the selectors give, without scripts,
styles and buttons, and without what Parser removes by rules of its own: items and boxes that are
links and nothing else (paragraphs stay: many lead to what the article is about), and elements whose
class or id says that they are related stories, shares, advertisements, newsletters or comments. Our
own code has no part in it. Needs `cssselect`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.cssselect import CSSSelector

from kensaku.extract.charset import decode
from kensaku.extract.html.tree import Element, parse_html

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"])//[^\n]*", re.DOTALL)
_DROPPED = ("script", "style", "noscript", "svg", "template", "button", "iframe", "form")
_UNWANTED = re.compile(
    r"(?:^|[\s_-])(?:related|recommend\w*|promo\w*|newsletter|shar(?:e|ing)|social|outbrain|taboola"
    r"|trc|advert\w*|sponsor\w*|comments?|prevnext|pager|next-article)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LEAVES = ("li", "dd", "div", "h2", "h3", "h4", "h5", "td")
MOST = 0.3  # of the text: what holds more is the article, whatever its name
FEWEST_CHARS = 400  # of a text: some selectors are older than the page beside them


def parser_pages(folder: Path) -> Iterator[tuple[str, str, Element]]:
    """Yield address, page and the element with the right text, for each page that has one."""
    for site in sorted((folder / "src" / "extractors" / "custom").iterdir()):
        test = site / "index.test.js"
        if not test.exists():
            continue
        rules, tests = _without_comments(site / "index.js"), _without_comments(test)
        wanted, unwanted = _selectors(rules, "selectors"), _selectors(rules, "clean")
        address = re.search(r"https?://[^'\"`\s]+", tests)
        names = dict.fromkeys(re.findall(r"fixtures/([^'\"`]+\.html)", tests))
        for name in names:
            path = folder / "fixtures" / name
            if not path.exists():
                continue
            html = decode(path.read_bytes(), "text/html")
            found = _select(parse_html(html), wanted, unwanted)
            if found is not None and len("".join(found.itertext()).strip()) >= FEWEST_CHARS:
                yield address[0] if address else f"https://{site.name}/", html, found


def _without_comments(path: Path) -> str:
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def _selectors(rules: str, name: str) -> list[Any]:
    """Read one list of the rules for the content."""
    content = rules.partition("content: {")[2]
    start = content.find(f"{name}: [")
    if start < 0:
        return []
    start += len(name) + 2
    for end in (m.end() for m in re.finditer(r"\]", content[start:])):
        try:
            return list(ast.literal_eval(content[start : start + end]))
        except (SyntaxError, ValueError):
            continue
    return []


def _select(root: Element, wanted: list[Any], unwanted: list[Any]) -> Element | None:
    """Return the elements of the first selector that finds any, in one element."""
    for choice in wanted:
        several = choice if isinstance(choice, list) else [choice]
        parts = [_find(root, s) for s in several]
        if not all(parts):
            continue
        result = etree.Element("div")
        chosen = [e for part in parts for e in part]
        inside = {id(d) for e in chosen for d in e.iterdescendants()}
        for element in chosen:
            if id(element) not in inside:
                element.tail = None
                result.append(element)
        for selector in unwanted:
            for element in _find(result, selector):
                _remove(element)
        for element in list(result.iter(*_DROPPED)):
            _remove(element)
        most = len("".join(result.itertext())) * MOST
        for element in [e for e in result.iterdescendants() if _is_unwanted(e, most)]:
            _remove(element)
        return result
    return None


def _is_unwanted(element: Element, most: float) -> bool:
    """Tell whether an element inside the selected one is no part of the article."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if _UNWANTED.search(names) and len("".join(element.itertext())) <= most:
        return True
    if element.tag not in _LEAVES or any(True for _ in element.iterdescendants(*_LEAVES)):
        return False
    whole = "".join("".join(element.itertext()).split())
    linked = "".join("".join(t for a in element.iter("a") for t in a.itertext()).split())
    return bool(whole) and whole == linked


def _find(root: Element, selector: Any) -> list[Element]:
    try:
        return list(CSSSelector(selector)(root)) if isinstance(selector, str) else []
    except Exception:  # cheerio knows selectors that cssselect does not
        return []


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    tail = element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
