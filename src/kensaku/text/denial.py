"""Whether a sentence denies, by plain words of English and Japanese. Pure."""

from __future__ import annotations

import re

_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno less\b|\bno doubt\b|かもしれな|かもしれません|に違いない|なければな"
    r"|なくてはな|ざるを得ない|しかない|少なくない|少なくとも|だけでなく|だけではなく|のみならず"
    r"|ではないか|なくなり",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\b(?:not|never|cannot|no longer|neither|nor)\b|n['’]t\b|\bno\s+(?=[a-z])"
    r"|ない|ません|なかった|なく(?=[、て。])|できず|せず|ぬ[。、]",
    re.IGNORECASE,
)


def denies(sentence: str) -> bool:
    """Whether a sentence denies something; who denies twice does not."""
    return len(DENIAL.findall(_NO_DENIAL.sub("", sentence))) % 2 == 1
