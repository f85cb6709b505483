"""Plain text, Markdown, JSON and CSV → Page."""

from __future__ import annotations

import csv
import io
import json
import re

from kensaku.errors import Unparsable
from kensaku.extract.charset import decode
from kensaku.extract.html.metadata import language_of
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.text.clean import cut, one_line, visible

MAX_ROWS = 20_000
_MAX_CELL = 2_000

_COMMENT = re.compile(r"<!--(?:[^-]++|-(?!->))*+(?:-->)?")
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,1000}+\]\([^()\n]{0,4000}+\)")
_SCRIPT_LINK = re.compile(
    r"\[([^\[\]\n]{0,1000}+)\]\(\s*(?:javascript|data|vbscript):[^()\n]{0,4000}+\)", re.I
)
_LINK = re.compile(r"\[([^\[\]\n]{0,1000}+)\]\([^()\n]{0,4000}+\)")
_LEAD = re.compile(r"^(?:#{1,6}\s+|>\s?)", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}+>")


def extract_text(data: bytes, url: str = "", content_type: str = "") -> Page:
    """Extract plain text, without invisible characters."""
    text = visible(decode(data, content_type)).strip()
    title = cut(one_line(text[:1_000].partition("\n")[0]), 120)
    return Page(
        url=url,
        title=title,
        text=text,
        markdown=text,
        language=language_of(text),
        content_type="text/plain",
    )


def extract_markdown(data: bytes, url: str = "", content_type: str = "") -> Page:
    """Extract Markdown, without comments, images, raw tags and links that run scripts."""
    source = visible(decode(data, content_type))
    marked = _SCRIPT_LINK.sub(r"\1", _IMAGE.sub("", _COMMENT.sub("", source))).strip()
    text = _LEAD.sub("", _TAG.sub("", _LINK.sub(r"\1", marked))).strip()
    heading = re.search(r"^#{1,3}\s+(.{1,300})$", marked, re.MULTILINE)
    title = (
        one_line(heading[1].strip("# ")) if heading else one_line(text[:1_000].partition("\n")[0])
    )
    return Page(
        url=url,
        title=cut(title, 300),
        text=text,
        markdown=_TAG.sub("", marked),
        language=language_of(text),
        content_type="text/markdown",
    )


def extract_json(data: bytes, url: str = "", content_type: str = "") -> Page:
    """Extract JSON, indented; plain text when it is invalid."""
    source = decode(data, content_type)
    try:
        parsed = json.loads(source)
        text = json.dumps(parsed, ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        page = extract_text(data, url, content_type)
        return Page(url=url, title=page.title, text=page.text, markdown=page.markdown,
                    content_type="text/plain", notes=(msg("not valid JSON"),))  # fmt: skip
    text = visible(text)
    title = parsed.get("title") or parsed.get("name") if isinstance(parsed, dict) else None
    return Page(
        url=url,
        title=cut(one_line(title), 300) if isinstance(title, str) else "",
        text=text,
        markdown=f"```json\n{text}\n```",
        content_type="application/json",
    )


def extract_csv(data: bytes, url: str = "", content_type: str = "") -> Page:
    """Extract a table of values: one line for each row."""
    source = visible(decode(data, content_type))
    try:
        dialect: type[csv.Dialect] | str = csv.Sniffer().sniff(source[:4_096], delimiters=",;\t|")
    except csv.Error:
        dialect = "excel"
    rows: list[list[str]] = []
    notes: tuple[str, ...] = ()
    try:
        for row in csv.reader(io.StringIO(source), dialect):
            if len(rows) >= MAX_ROWS:
                notes = (msg("cut: the first {max_rows:,} rows", max_rows=MAX_ROWS),)
                break
            if any(row):
                rows.append([one_line(cell)[:_MAX_CELL] for cell in row])
    except csv.Error as error:
        raise Unparsable(msg("the CSV is damaged")) from error
    return Page(
        url=url,
        title="",
        text="\n".join(" | ".join(row) for row in rows),
        markdown=table(rows),
        content_type="text/csv",
        notes=notes,
    )


def table(rows: list[list[str]]) -> str:
    """Write rows as a Markdown table, with the first one as its header."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)
