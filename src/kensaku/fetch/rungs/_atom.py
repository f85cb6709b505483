"""Read the entries of an Atom feed. Pure; expat resolves nothing from outside."""

from __future__ import annotations

from dataclasses import dataclass, field

from kensaku.extract.formats.xml import elements, local_name

MAX_ENTRIES = 1_000
_TEXTS = {"content": "html", "summary": "html", "title": "title", "id": "id"}


@dataclass(slots=True)
class Entry:
    """One entry; `html` is its content, or its summary."""

    title: str = ""
    html: str = ""
    id: str = ""
    date: str = ""
    authors: list[str] = field(default_factory=list)


def read_feed(data: bytes) -> tuple[str, list[Entry]]:
    """Return the title of a feed, and its entries. Raises `FetchError`."""
    title, found, path = "", list[Entry](), list[str]()
    for event, element, _ in elements(data):
        name = local_name(element.tag)
        if event == "start":
            path.append(name)
            if path == ["feed", "entry"]:
                if len(found) == MAX_ENTRIES:
                    break
                found.append(Entry())
            continue
        path.pop()
        text = (element.text or "").strip()
        if path == ["feed"] and name == "title":
            title = text
        elif path[:2] == ["feed", "entry"]:
            _read(found[-1], name, text)
        if path == ["feed"]:
            element.clear()
    return title, found


def _read(entry: Entry, name: str, text: str) -> None:
    if name == "name":
        entry.authors.append(text)
    elif name in ("published", "updated"):
        entry.date = entry.date or text[:10]
    elif (field_name := _TEXTS.get(name)) and not getattr(entry, field_name):
        setattr(entry, field_name, text)
