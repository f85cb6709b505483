"""What a chat channel writes, before its markup. Pure.

    stored answer → compose → split_text → parts, each within the channel's limit

The only links of a message are the marks `[n]` of its sources: `links` maps the numbers to their
addresses, and each channel renders them. All other text of the web is escaped there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from kensaku.answers.events import ToolEnded, ToolStarted
from kensaku.messages import msg
from kensaku.text.clean import cut, visible

if TYPE_CHECKING:
    from kensaku.locale import Translator

Links = Mapping[int, str]

MAX_TITLE = 120
BROKEN = msg("This went wrong; nothing is known about the answer. Please ask again.")
MAX_ABOUT = 150  # characters of a query in a status line
JOINER = "\u2060"  # invisible; chat applications see no name and no address across it
MARK = re.compile(r"\[(\d{1,3})\]")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,200})?\)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_BULLET = re.compile(r"^([ \t]*)[-*][ \t]+", re.MULTILINE)
_MENTION = re.compile(r"[@＠](?=\w)")
_ADDRESS = re.compile(
    r"(?<=:)(?=//)"  # a scheme
    r"|(?<=\w\.)(?=[^\W\d_]{2})"  # a host: a dot before letters
    r"|(?<=\d\.)(?=\d{1,3}\.\d)"  # a numeric address
    r"|(?<![\w/<])/(?=[A-Za-z])"  # a command of a bot
)
_BREAKS = ("\n\n", "\n", "。", ". ", "、", ", ", " ")


def compose(stored: Mapping[str, Any], t: Translator) -> tuple[str, dict[int, str]]:
    """Return the text of an answer with its sources, and the links of the marks.

    `stored`: a `CitedAnswer` as the database keeps it.
    """
    said = stored.get("answer")
    if not said:
        return str(stored.get("reason") or t(BROKEN)), {}
    citations = stored.get("citations") or []
    lines = [_LINK.sub(r"\1", visible(str(said))).strip()]
    if doubt := stored.get("doubt"):
        lines += ["", str(doubt)]
    if citations:
        lines += ["", f"**{t('Sources')}**", *(_source(c) for c in citations)]
    links = {c["n"]: url for c in citations if (url := safe_url(c["url"]))}
    return "\n".join(lines), links


def safe_url(url: str) -> str:
    """Return a web address that cannot end the markup around it; "" for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    return quote(url, safe="%/:?#[]@!$&()*+,;=~-._")


def break_mentions(text: str) -> str:
    """Return the text without a name that an application would notify."""
    return _MENTION.sub(lambda match: match[0] + JOINER, text)


def break_addresses(text: str) -> str:
    """Return the text without anything that an application would turn into a link."""
    return _ADDRESS.sub(lambda match: match[0] + JOINER, text)


def simplify(text: str) -> str:
    """Return Markdown with headings as bold lines, and bullets as such."""
    return _BULLET.sub(r"\1• ", _HEADING.sub(r"**\1**", text))


def tool_line(event: ToolStarted | ToolEnded) -> str:
    """Return `web_search: "otters" · tavily · 5 · 312 ms`."""
    arguments = event.arguments
    about = arguments.get("query") or ", ".join(_host(u) for u in arguments.get("urls", ()))
    line = f'{event.tool}: "{cut(" ".join(str(about).split()), MAX_ABOUT)}"'
    if isinstance(event, ToolStarted):
        return f"{line} …"
    result = str(event.hits) if event.outcome == "found" else event.outcome
    parts = [line, ", ".join(event.providers), result, f"{event.elapsed_ms:.0f} ms"]
    return " · ".join(filter(None, parts))


def split_text(text: str, limit: int, size: Callable[[str], int] = len) -> list[str]:
    """Split at paragraphs, lines, sentences or words, so that no part is over the limit.

    `size` measures a part as the channel counts it. It does not shrink when a part grows.
    """
    parts = []
    rest = text.strip()
    while rest and size(rest) > limit:
        end = _break_before(rest, _longest(rest, limit, size))
        parts.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*parts, rest] if rest or not parts else parts


def _longest(text: str, limit: int, size: Callable[[str], int]) -> int:
    """Return how many characters of the text fit; at least one."""
    low, high = 1, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return low


def _break_before(text: str, end: int) -> int:
    """Return the last good place to split before `end`, in its second half."""
    for mark in _BREAKS:
        at = text.rfind(mark, end // 2, end)
        if at > 0:
            return at + len(mark)
    return end


def _source(citation: Mapping[str, Any]) -> str:
    host, title = _host(citation["url"]), " ".join(visible(citation["title"] or "").split())
    title = cut(_LINK.sub(r"\1", title), MAX_TITLE)
    shown = f"{title} ({host})" if title and host and title != citation["url"] else title or host
    return f"[{citation['n']}] {shown}"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
