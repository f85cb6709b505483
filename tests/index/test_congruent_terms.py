"""Terms are stored: a faster way to make them must make the very same ones."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pytest

from kensaku.index.entries import passage_terms
from kensaku.text.languages import STEMMERS
from kensaku.text.tokens import document_terms, query_terms

WORDS = (
    "RTX4090 getItem HTTPServer e-mail 3.14 10.0.0.1 v2.0-rc1 1e5 x1y2z3 foo_bar __init__ U.S.A. "
    "state-of-the-art don't 'tis a.b.c.d.e -- .. '' 0 00 the The THE who a an of running studies "
    "généralement œuvre l’eau straße Häuser Haftpflichtversicherung Donaudampfschifffahrt łódź "
    "İstanbul ılık kitapların niños corações città hjärtat økonomi ääniä gyerekek русский книгами "
    "كتاب العربية שָׁלוֹם हिन्दी so\u00adft ａｂｃ Ⅷ ½ “quoted” – … "
)
UNSPACED_WORDS = "検索エンジン 東京都 データベース ひらがな 한국어 ภาษาไทย မြန်မာ 机器学习"


def _text(seed: int, words: str) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choices(words.split(), k=chance.randrange(1, 60)))


@pytest.mark.parametrize("language", [*sorted(STEMMERS), "zh", "ko", "xx"])
def test_the_terms_of_a_text_do_not_depend_on_what_stands_beside_it(language):
    """ASCII and spaced scripts have faster ways of their own: beside 한국 neither is taken."""
    beside = document_terms("한국", language)
    for seed in range(100):
        text = _text(seed, WORDS)
        for alone in (text, text.encode("ascii", "ignore").decode()):
            fast, general = (
                document_terms(alone, language),
                document_terms(f"한국 {alone}", language),
            )

            assert general.words == Counter(fast.words) + Counter(beside.words)
            assert general.pairs == Counter(fast.pairs) + Counter(beside.pairs)


@pytest.mark.usefixtures("volume")
def test_terms_are_those_of_the_collections_that_people_have():
    """The hash was made with Snowball in pure Python, by the code of November 2026.

    Should it change on purpose, stored collections must be converted: raise `meta.FORMAT`.
    (Without Japanese: there the terms depend on the installed dictionary.)
    """
    made = hashlib.sha256()
    for seed in range(300):
        for language in (*sorted(STEMMERS), "zh", "ko", "th"):
            text = _text(seed, WORDS + UNSPACED_WORDS)
            terms = passage_terms(text[:20], "", text, language)
            asked = query_terms(text[:40], [language], lambda term: term % 2 == 0)
            made.update(repr([sorted(terms.words.items()), sorted(terms.pairs.items())]).encode())
            made.update(repr(sorted(asked.items())).encode())

    assert made.hexdigest() == GOLDEN


GOLDEN = "ed711c7fdca91c30b11f6eb40b09e861bca4e4ff4ae5f1eb87a96b41d40ec78e"
