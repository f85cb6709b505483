"""The kind of a document is detected by its bytes."""

from __future__ import annotations

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract
from tests.extract.formats.documents import zipped


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "PNG"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "JPEG"),
        (b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 50, "video"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, "Office"),
        (b"PK\x03\x04" + b"\x00" * 50, "zip"),
        (zipped({"a.txt": "x"}), "zip"),
        (b"\x00\x01\x02\x03" * 100, "binary"),
        (b"   \n", "empty"),
    ],
)
def test_what_holds_no_text_is_refused_by_name(data: bytes, word: str) -> None:
    """The suffix and the header may say anything."""
    with pytest.raises(Unparsable, match=word):
        extract(data, url="https://example.org/page.html", content_type="text/html")
