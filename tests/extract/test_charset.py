"""The charset of a page is found, whatever its label."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (
            "<meta charset=shift_jis><p>検索エンジンは言葉を探す機械である。</p>".encode("cp932"),
            "検索エンジン",
        ),
        (
            "<p>検索エンジンは言葉を探す機械である。これは日本語の文章です。</p>".encode("euc_jp"),
            "検索エンジン",
        ),
        ("<p>Поисковая система ищет слова в документах.</p>".encode("cp1251"), "Поисковая"),
        ("<p>Größe und Übung für alle, café déjà vu.</p>".encode("cp1252"), "Größe"),
        (
            "\ufeff<p>A text with a byte order mark, and some words.</p>".encode("utf-16"),
            "byte order",
        ),
        ("<meta charset=utf-8><p>caf\u00e9 and more words</p>".encode(), "café"),
        (b"<meta charset=utf-8><p>caf\xe9 and more words of the same text</p>", "and more words"),
        (b"<meta charset=rot13><p>plain words of a page \xe9</p>", "plain words"),
    ],
)
def test_the_charset_is_found(data: bytes, word: str) -> None:
    """Headers lie, and old Japanese pages say nothing at all."""
    assert word in extract_html(data).text
