"""WARC: what a record of each kind becomes, and how far the file is read with it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from kensaku.errors import MissingExtra
from kensaku.jobs.sources import Item, RawPage, Rejected, Shard, warc
from kensaku.jobs.sources._files import File
from kensaku.models import Document


class Headers(dict):
    """The headers of a record, or of the reply in it."""

    def get_header(self, name):
        return self.get(name)

    def get_statuscode(self):
        return self["status"]


URL = "https://a.example/"
HTML = {"Content-Type": "text/html", "status": "200"}


def record(kind="response", data=b"text", http=HTML, **headers):
    rec_headers = Headers({"WARC-Target-URI": URL, **headers})
    return SimpleNamespace(
        rec_type=kind,
        rec_headers=rec_headers,
        http_headers=None if http is None else Headers(http),
        content_stream=lambda: SimpleNamespace(read=lambda most: data[:most]),
    )


PLAIN = {"Content-Type": " Text/Plain; charset=x "}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (record(), RawPage(URL, b"text", "text/html")),
        (record(**{"WARC-Target-URI": f" <{URL}> "}), RawPage(URL, b"text", "text/html")),
        (record("resource", http=None, **PLAIN), RawPage(URL, b"text", "text/plain; charset=x")),
        *(
            (record(http={"Content-Type": kind, "status": "200"}), RawPage(URL, b"text", kind))
            for kind in ("application/xhtml+xml", "application/pdf", "application/xml",
                         "application/json")
        ),
        (record(**{"WARC-Target-URI": None}), Rejected("without url", "here")),
        (record(**{"WARC-Target-URI": "urn:x"}), Rejected("without url", "here")),
        (record(http=HTML | {"status": "404"}), Rejected("not a page (status)", "here")),
        (record(http=HTML | {"Content-Type": "image/png"}), Rejected("not a page (type)", "here")),
        (record(http={"status": "200"}), Rejected("not a page (type)", "here")),
        (record("resource", http=None), Rejected("not a page (type)", "here")),
        (record(data=b"1234567"), Rejected("record too long", "here")),
        (record(data=b"123456"), RawPage(URL, b"123456", "text/html")),
        (record("conversion", b"A\nB\xff", None), Document(URL, "A", "A\nB\ufffd")),
        (
            record("conversion", b" A \nB", None, **{"WARC-Date": "2026-01-31"}),
            Document(URL, "A", " A \nB", published="2026-01-31"),
        ),
        (record("conversion", b" ", None), Rejected("without text", "here")),
    ],
)  # fmt: skip
def test_a_record_is_a_page_a_document_or_rejected(given, made, monkeypatch):
    """By its kind, its status, its type and its length."""
    monkeypatch.setattr(warc, "MAX_RECORD", 6)

    assert warc._record(given, "here") == made


def test_a_title_has_two_hundred_characters():
    """It is the first line, however long that is."""
    made = warc._record(record("conversion", b"x" * 300, None), "here")

    assert made.title == "x" * 200


def test_only_records_with_a_text_are_read(tmp_path, monkeypatch):
    """Each with how far the file is read, which is never more than there is."""
    file = tmp_path / "d.warc"
    file.write_bytes(b"x" * 100)
    url = f"file://{file}"

    def iterate(raw):
        for at, kind in ((10, "warcinfo"), (20, "response"), (30, "request"), (40, "resource"),
                         (50, "metadata"), (99, "conversion")):  # fmt: skip
            raw.seek(at)
            yield record(kind, b"text", None, **{"Content-Type": "text/html"})
        raise EOFError

    monkeypatch.setattr(warc, "_iterate", iterate)
    (shard,) = warc.shards(File(url, 60))

    assert shard == Shard("warc", (url,), 60)
    assert list(warc.records(shard)) == [
        Item(RawPage(URL, b"text", "text/html"), 20),
        Item(RawPage(URL, b"text", "text/html"), 40),
        Item(Document(URL, "text", "text"), 60),
        Item(Rejected("unreadable (EOFError)", f"{url} after byte 60"), 60),
    ]


def test_where_a_record_stands_is_said(tmp_path, monkeypatch):
    """By the byte at which it ends."""
    file = tmp_path / "d.warc"
    file.write_bytes(b"x" * 100)

    def iterate(raw):
        raw.seek(20)
        yield record(**{"WARC-Target-URI": ""})

    monkeypatch.setattr(warc, "_iterate", iterate)
    ((found, _),) = warc.records(Shard("warc", (f"file://{file}",), 100))

    assert found == Rejected("without url", f"file://{file} before byte 20")


def test_without_its_package_the_extra_is_named(tmp_path, monkeypatch):
    """It is not the file's fault."""
    (tmp_path / "d.warc").touch()
    monkeypatch.setitem(sys.modules, "warcio.archiveiterator", None)
    with pytest.raises(MissingExtra, match=r"kensaku\[bulk\]"):
        list(warc.records(Shard("warc", (f"file://{tmp_path / 'd.warc'}",))))
