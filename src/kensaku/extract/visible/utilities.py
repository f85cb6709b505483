"""Class names by which style sheets of well-known frameworks hide text.

    "d-none d-md-block" → {} (shown on a desktop)     "sr-only" → {"clip": …}

Linked sheets are not fetched, so the names are taken to mean what Bootstrap, Tailwind, Foundation,
Bulma, UIkit, WordPress and Drupal define. A rule of the page itself overrides them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kensaku.extract.visible.css import Declarations

_NOT_DISPLAYED = frozenset(
    "d-none hidden is-hidden uk-hidden display-none u-hidden w-condition-invisible".split()
)
_INVISIBLE = frozenset("invisible is-invisible uk-invisible".split())
# For screen readers: clipped to one pixel.
_CLIPPED = frozenset(
    "sr-only visually-hidden visuallyhidden u-visually-hidden is-sr-only show-for-sr "
    "screen-reader-text screen-reader-only element-invisible assistive-text a11y-hidden "
    "govuk-visually-hidden cdk-visually-hidden usa-sr-only".split()
)
# `md:block`, `min-[900px]:flex` (Tailwind), `d-lg-inline` (Bootstrap), `is-block-desktop` (Bulma).
# States such as `hover:` or `dark:`, and `print:`, do not show an element on a screen at rest.
_WIDTH = r"(?:sm|md|lg|xl|2xl|xxl|min-\[[^\]\s]{1,20}\])"
_DISPLAY = (
    r"(?:(?:inline-)?(?:block|flex|grid)|inline|contents|flow-root|list-item|table(?:-row|-cell)?)"
)
_SHOWN = re.compile(
    rf"{_WIDTH}:{_DISPLAY}|d-(?:sm|md|lg|xl|xxl)-{_DISPLAY}|is-{_DISPLAY}-(?:tablet|desktop)"
)
_UNCLIPPED = re.compile(rf"(?:{_WIDTH}:)?not-sr-only|(?:sm|md|lg|xl):visible")


@lru_cache(maxsize=4096)  # classes repeat all over a page, and a site
def utility_declarations(classes: str) -> Declarations:
    """Return what the class names of an element declare. The caller must not change it."""
    names = classes.split()
    found: Declarations = {}
    if not _NOT_DISPLAYED.isdisjoint(names) and not any(map(_SHOWN.fullmatch, names)):
        found["display"] = "none"
    if not _INVISIBLE.isdisjoint(names) and not any(map(_UNCLIPPED.fullmatch, names)):
        found["visibility"] = "hidden"
    if not _CLIPPED.isdisjoint(names) and not any(map(_UNCLIPPED.fullmatch, names)):
        found["clip"] = "rect(0,0,0,0)"
    return found
