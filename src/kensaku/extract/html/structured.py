"""What a page says about itself for machines: meta tags, JSON-LD and microdata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from kensaku.extract.html.tree import Element

Fact = dict[str, Any]  # one object of the page's JSON-LD

_MAX_JSON = 500_000
_MAX_FACTS = 500
_MAX_VALUES = 50  # of one meta name: papers have many authors


def read_tags(root: Element) -> dict[str, list[str]]:
    """Return the contents of the meta tags by their names in lower case."""
    tags: dict[str, list[str]] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop")
        content = element.get("content")
        if name and content:
            values = tags.setdefault(name.strip().lower(), [])
            if len(values) < _MAX_VALUES:
                values.append(content[:1_000])
    return tags


def read_marked(root: Element) -> list[Element]:
    """Return the elements with an `itemprop` or a `rel`, in reading order, but no `link`."""
    found = root.xpath("descendant::*[@itemprop or @rel]")
    return [element for element in found if element.tag != "link"]


def read_json_ld(root: Element) -> list[Fact]:
    """Return all objects of the page's JSON-LD, outermost first in each script."""
    facts: list[Fact] = []
    for script in root.iter("script"):
        text = script.text
        if text and "ld+json" in (script.get("type") or "") and len(text) <= _MAX_JSON:
            facts += _objects(_parse(text))
    return facts


_WRAPPER = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\s*\]\]>|\]\]>)\s*$")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def _parse(text: str) -> Any:
    """Parse JSON, also with the faults that templates leave: wrappers, and commas at the end."""
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", _WRAPPER.sub("", text))):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _objects(value: Any) -> Iterator[Fact]:
    queue = [value]
    for _ in range(_MAX_FACTS):
        if not queue:
            return
        item = queue.pop(0)
        if isinstance(item, list):
            queue += item
        elif isinstance(item, dict):
            yield item
            queue += [v for v in item.values() if isinstance(v, dict | list)]


def kinds(fact: Fact) -> set[str]:
    """Return the types of a JSON-LD object."""
    written = fact.get("@type")
    return {t for t in (written if isinstance(written, list) else [written]) if isinstance(t, str)}
