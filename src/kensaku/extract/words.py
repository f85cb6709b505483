"""Words that sites use: in class names to say what a box is for, in short texts to say what to do."""

from __future__ import annotations

import re
from functools import lru_cache

# Names of classes, ids, roles and microdata → what kind of box it is.
PLACES = {
    "nav": "nav|menu|breadcrumb|crumb|pagin|pager|toc|tab",
    "foot": "foot|copyright|legal|colophon|contentinfo",
    "side": "sidebar|side|aside|widget|rail|secondary|complementary",
    "share": "share|sharing|social|follow|facebook|twitter|pinterest",
    "related": "related|recommend|similar|suggest|upsell|cross-sell|crosssell|also|popular|trending|recent|latest",
    "promo": "promo|sponsor|advert|banner|newsletter|subscri|sign-up|signup|cta|campaign|announcement|donat",
    "modal": "modal|popup|overlay|cookie|consent|gdpr|drawer|tooltip|toast|notif|lightbox|offcanvas|flyout",
    "comment": "comment|disqus|respond|reply|replies|discussion",
    "form": "form|search|login|filter|sort|facet|cart|checkout|quantity|variant|swatch|option|select",
    "meta": "meta|byline|author|date|time|publish|tag|categor|avatar|user|profile|stat|vote|badge|label",
    "review": "review|rating|star|testimonial|quote",
    "price": "price|amount|money|cost|sale|discount",
    "product": "product|sku|spec|detail|descri|feature|summary|availab|shipping|deliver|return",
    "title": "title|headline|heading|subtitle|dek|lede|lead|hero|intro",
    "faq": "faq|accordion|toggle|collapse|expand",
    "doc": "doc|code|highlight|reference|admonition|api|example|syntax",
    "post": "post|thread|message|topic|forum|answer|question",
    "content": "content|article|entry|story|body|text|rte|prose|markdown|wysiwyg|copy|rich",
    "main": "main|primary|page|wrapper|container",
    "list": "list|grid|card|tile|collection|result|feed|teaser|archive|loop|item|row|col",
    "media": "image|img|photo|gallery|video|carousel|slide|swiper|slick|thumb|icon|figure|caption|media",
    "unseen": "hidden|sr-only|screen-reader|visually|invisible|skip|noprint|print",
    "head": "header|masthead|topbar|toolbar|logo|brand",
    "button": "btn|button|link|action|more|edit|permalink|anchor",
    "section": "section|block|module|component|panel|box",
}
_PLACE_WORDS = [(1 << bit, words.split("|")) for bit, words in enumerate(PLACES.values())]

# Short texts → what they are about.
CUES = {
    "share": r"shar(?:e|ing)|tweet|pin it|follow us|facebook|twitter|instagram|linkedin|whatsapp",
    "subscribe": r"subscri|newsletter|sign up|signup|join (?:us|now|our)|your e-?mail|inbox|get started",
    "account": r"log ?in|sign in|register|my account|password|wishlist|add to|cart|basket|checkout|buy now",
    "legal": r"cookie|privacy|terms of|all rights|copyright|©|disclaimer|trademark|accept|consent",
    "related": r"related|you (?:may|might)|recommended|similar|more (?:from|in|stories|articles)|also"
    r" (?:like|viewed|bought)|popular|trending|recently|read next|up next|latest|keep reading|customers",
    "comments": r"comments?|repl(?:y|ies)|leave a|join the (?:discussion|conversation)|report|upvote",
    "more": r"read more|show (?:more|less|all)|view (?:all|more)|see (?:all|more)|load more|learn more"
    r"|click here|continue|expand|next|previous|back to|skip to|scroll|menu|close|search|filter|sort",
    "review": r"reviews?|ratings?|stars?|out of 5|verified|helpful|testimonial",
    "price": r"[$€£¥₹]\s?\d|\d\s?(?:€|usd|eur|kr)|price|sale|% off|in stock|sold out|shipping",
    "byline": r"^by\b|written by|published|updated|posted|min(?:ute)?s? read|author|edited|ago\b",
    "date": r"\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d",
    "details": r"description|details|features?|specifications?|overview|about|summary|ingredients"
    r"|dimensions|materials?|includes?|what|how|why|benefits|faq|questions",
    "contact": r"contact|call us|phone|e-?mail|address|hours|directions|help|support|careers|advertis",
}
_CUE = re.compile("|".join(f"(?P<{n}>{words})" for n, words in CUES.items()), re.IGNORECASE)
_CUE_BIT = {name: 1 << bit for bit, name in enumerate(CUES)}
_CUE_CHARS = 160  # in longer texts a cue says little


def place_bits(names: str) -> int:
    """Which kinds of box these names of classes and ids speak of, one bit each."""
    bits = 0
    for name in names.split()[:40]:
        bits |= _name_bits(name)
    return bits


@lru_cache(maxsize=65536)  # sites repeat their class names, and share those of their frameworks
def _name_bits(name: str) -> int:
    name = name[:80].lower()
    bits = 0
    for bit, words in _PLACE_WORDS:
        for word in words:
            if word in name:
                bits |= bit
                break
    return bits


def cue_bits(text: str) -> int:
    """What a short text is about, one bit each."""
    if len(text) > _CUE_CHARS:
        return 0
    bits = 0
    for match in _CUE.finditer(text):
        bits |= _CUE_BIT[match.lastgroup or ""]
    return bits
