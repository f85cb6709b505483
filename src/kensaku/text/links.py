"""Disarm the links of an answer: what a page talked a model into writing leads nowhere.

    address of a source                    → stays a link
    address that stands in a source's text → code, which nothing turns into a link
    any other address                      → removed: it may carry off what stands behind its `?`
    image                                  → its description

Chat windows turn bare addresses into links and fetch previews of them. So not only Markdown counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

__all__ = ["REMOVED", "disarm_links", "link_target"]

REMOVED = "(…)"
LONG_PATH = 16  # characters of a path that may hold data: `Node.js/Deno` is no address
_TARGET = r"[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*"
_LINK = re.compile(
    rf"(!?)\[([^\[\]\n]{{0,500}})\]\(\s*(?:<([^<>\n]*)>|({_TARGET}))(?:\s+[^()\n]{{0,200}})?\s*\)"
)
_END = r"[^\s<>\"'`|\\^{}\[\]（）「」『』、。]"
_HOST = r"(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}"
_ADDRESS = re.compile(
    rf"\b[a-z][a-z0-9+.-]{{1,20}}://{_END}+|(?<![\w:/])//{_HOST}{_END}*|\bwww\.{_END}+"
    rf"|\b(?:javascript|vbscript|data|blob|mailto):{_END}+"
    rf"|(?<![\w@/.-]){_HOST}/(?:{_END}*[?=&%]{_END}*|{_END}{{{LONG_PATH},}})",
    re.IGNORECASE,
)
# Tags that lead somewhere, and every tag with an attribute: `<b onclick=…>`.
_TAG = re.compile(
    r"<(?=/?(?:a|area|form|button)[\s>/]|[a-z][\w:-]{0,40}[\s/][^<>=]{0,200}=)", re.IGNORECASE
)
_KEPT = re.compile("\x02(\\d+)\x02")


def disarm_links(text: str, addresses: Collection[str], texts: Iterable[str]) -> str:
    """Remove all links except those to `addresses`. `texts` are the sources' texts."""
    if not any(sign in text for sign in ("](", ":", "//", "www.", "WWW.", "/", "<")):
        return text
    known = {_bare(address) for address in addresses}
    kept: list[str] = []

    def keep(address: str) -> str:
        kept.append(address)
        return f"\x02{len(kept) - 1}\x02"

    def link(match: re.Match[str]) -> str:
        image, label, target = match[1], match[2], match[3] or match[4] or ""
        return keep(match[0]) if not image and _bare(target) in known else label

    def address(match: re.Match[str]) -> str:
        found = match[0].rstrip(".,;:!?)*_~")
        rest = match[0][len(found) :]
        if _bare(found) in known:
            return keep(found) + rest
        return (keep(f"`{found}`") if any(found in t for t in texts) else REMOVED) + rest

    texts = list(texts)
    text = _LINK.sub(link, text.replace("\x02", ""))
    text = _TAG.sub("< ", text).replace("](", "] (")
    text = _ADDRESS.sub(address, text)
    if any(part.startswith("`") for part in kept):
        text = text.replace("`", "'")  # one more would end the code too soon
    return _KEPT.sub(lambda match: kept[int(match[1])], text)


def link_target(url: str) -> str:
    """Return a web address in printable ASCII, for the escape sequence of a link; "" for others."""
    if not url.startswith(("https://", "http://")):
        return ""
    return re.sub(r"[^!-~]", lambda m: "".join(f"%{b:02X}" for b in m.group().encode()), url)


def _bare(address: str) -> str:
    return address.strip().rstrip("/")
