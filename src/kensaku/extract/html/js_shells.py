"""Recognise challenges for robots, and shells that scripts would fill."""

from __future__ import annotations

import re

from kensaku.extract.html.tree import Element
from kensaku.messages import msg

_FEW_WORDS = 25
_SHORT = 250  # words: a challenge is shorter than an article about challenges

_CHALLENGE = re.compile(
    r"just a moment|attention required! \| cloudflare|checking (?:your|if the site) "
    r"(?:browser|connection)"
    r"|enable javascript and cookies to continue|verify(?:ing)? (?:that )?you are (?:a )?human"
    r"|are you a (?:robot|human)|not a robot|pardon our interruption|press (?:and|&) hold"
    r"|ddos protection by"
    r"|unusual traffic|captcha|bot detection|access (?:to this page has been )?denied"
    r"|request blocked"
    r"|security check|please complete the security|performing security verification",
    re.IGNORECASE,
)
_CHALLENGE_SOURCE = re.compile(
    r"challenge-platform|cf-chl|_cf_chl_opt|captcha-delivery\.com|px-captcha"
    r"|/_Incapsula_Resource|awswaf"
    r"|geo\.captcha|hcaptcha\.com/1/api|turnstile/v0"
)
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|requires?|turn on|need|without|activate|support) (?:\w+ ){0,3}java\s?script"
    r"|java\s?script (?:is )?(?:\w+ ){0,2}(?:required|disabled|enabled)"
    r"|JavaScript\s?(?:を|が)(?:有効|無効|必要)",
    re.IGNORECASE,
)
_ROOTS = frozenset(("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "main-app"))


def shell_notes(root: Element, title: str, text: str, words: float) -> tuple[str, ...]:
    """Return a note when the text is not what a reader would see; the page needs a browser."""
    if words > _SHORT:
        return ()
    sources = " ".join(
        (s.get("src") or "") + (s.text or "")[:2_000] for s in root.iter("script", "iframe")
    )
    if _CHALLENGE.search(f"{title}\n{text}") or (words < 60 and _CHALLENGE_SOURCE.search(sources)):
        return ("challenge page: the site asks whether a human is reading",)
    if words > 4 * _FEW_WORDS:
        return ()
    asks = any(_NEEDS_SCRIPT.search("".join(n.itertext())[:500]) for n in root.iter("noscript"))
    if asks or _NEEDS_SCRIPT.search(text):
        return (msg("needs JavaScript: the text is made by scripts, which we do not run"),)
    hollow = any(
        e.get("id") in _ROOTS or e.tag != "div" for e in root.iter("div", "app-root", "my-app")
    )
    if words < _FEW_WORDS and sources and hollow:
        return (msg("needs JavaScript: the text is made by scripts, which we do not run"),)
    return ()
