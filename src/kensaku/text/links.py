"""Disarm the links of an answer: what a page talked a model into writing leads nowhere.

    address of a source                    → stays a link, unless its text shows another address
    address that stands in a source's text → code, which nothing turns into a link
    any other address                      → removed: it may carry off what stands behind its `?`
    image                                  → its description

Chat windows turn bare addresses into links and fetch previews of them. So not only Markdown counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from kensaku.text.clean import visible
from kensaku.text.images import escape_images
from kensaku.text.urls import host_of

__all__ = ["REMOVED", "clean_reply", "disarm_links", "link_target", "shows_another_address"]

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
        if image or _bare(target) not in known:
            return label
        if shows_another_address(label, target):
            return keep(target)
        return keep("[") + label + keep(f"]({target})")

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


def clean_reply(text: str, addresses: Collection[str], texts: Iterable[str]) -> str:
    """Return a text of a model: nothing in it is loaded, and no address is made up.

    Every text that a model wrote, here or at a provider's, leaves through this.
    """
    return escape_images(visible(disarm_links(text, addresses, texts)))


def shows_another_address(label: str, target: str) -> bool:
    """Tell whether the text of a link shows an address of another host than it leads to."""
    host = host_of(target)
    shown = [host_of(m[0] if "://" in m[0] else f"https://{m[0]}") for m in _SHOWN.finditer(label)]
    whole = _NAME.fullmatch(label.strip())
    if whole and whole[1] not in _FILES:
        shown.append(host_of(f"https://{whole[0]}"))
    return any(name != host for name in shown)


# Addresses in the text of a link, and one that is a host alone. `Booking.com` and `main.py` are the
# names of a firm and of a file.
_SHOWN = re.compile(rf"[a-z][a-z0-9+.-]{{1,20}}://{_END}+|\bwww\.{_HOST}", re.IGNORECASE)
_NAME = re.compile(rf"(?:[a-z0-9-]{{1,63}}\.){{1,8}}([a-z]{{2,24}})(?:[/?#:]{_END}*)?")
_FILES = frozenset(
    "c cc cfg conf cpp cs css csv go gz h hs htm html ini io ipynb java js json jsx lua md ml mjs "
    "pdf php pl png py rb rs rst sh so sql svg tar toml ts tsx txt vue xml yaml yml zip".split()
)


def link_target(url: str) -> str:
    """Return a web address in printable ASCII, for the escape sequence of a link; "" for others."""
    if not url.startswith(("https://", "http://")):
        return ""
    return re.sub(r"[^!-~]", lambda m: "".join(f"%{b:02X}" for b in m.group().encode()), url)


def _bare(address: str) -> str:
    return address.strip().rstrip("/")
