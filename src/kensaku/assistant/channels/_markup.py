"""Text as the markup of a service. Pure.

Only the marks of sources are links. No name in a text of the web notifies anybody, and no address
in it becomes a link.
"""

from __future__ import annotations

import re
from html import escape

from kensaku.assistant.channels._text import (
    MARK,
    Links,
    break_addresses,
    break_mentions,
    simplify,
)

_CODE = re.compile(r"(`[^`\n]{1,500}`)")
_BOLD = re.compile(r"\*\*([^*\n]{1,500})\*\*")


def to_mrkdwn(text: str, links: Links) -> str:
    """Return text as Slack's mrkdwn. Addresses stay plain where Slack is told `verbatim`."""
    safe = break_mentions(simplify(text))
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _BOLD.sub(r"*\1*", safe)

    def link(mark: re.Match[str]) -> str:
        url = links.get(int(mark[1]))
        return mark[0] if url is None else f"<{url.replace('&', '&amp;')}|{mark[0]}>"

    return MARK.sub(link, safe)


def to_html(text: str, links: Links) -> str:
    """Return text as Telegram's HTML."""

    def link(mark: re.Match[str]) -> str:
        url = links.get(int(mark[1]))
        return mark[0] if url is None else f'<a href="{escape(url)}">{mark[0]}</a>'

    parts = []
    for part in _CODE.split(simplify(text)):
        if _CODE.fullmatch(part):  # Telegram finds neither names nor addresses in it
            parts.append(f"<code>{escape(part[1:-1])}</code>")
        else:
            safe = _BOLD.sub(r"<b>\1</b>", escape(shown_in_html(part)))
            parts.append(MARK.sub(link, safe))
    return "".join(parts)


def shown_in_html(text: str) -> str:
    """Return what remains of a text without its tags; it may be a little longer."""
    return break_addresses(break_mentions(text))
