"""What kind of thing a query looks for, by evidence in its text: English and Japanese. Pure.

    query → evidence (named, 0 to 1) → weights.json → intent
    intent_of("ModuleNotFoundError: No module named 'cv2'") → "errors"
    subject("github repo for a terminal ui", "code") → "terminal ui"

It is for `auto`: it decides who is asked beside the web, never instead of it. So a wrong guess
costs a request.
"""

from __future__ import annotations

from kensaku.search.intent.model import MAX_CHARS, Intent, intent_of
from kensaku.search.intent.subject import subject

__all__ = ["MAX_CHARS", "Intent", "intent_of", "subject"]
